"""A backup holds everything, goes into either database, and a hostile one does nothing."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tokumei.contest import demo
from tokumei.contest.actions import handing_in, people
from tokumei.contest.backing_up import back_up, restore
from tokumei.contest.creating import Data, create
from tokumei.contest.demo import create_demo
from tokumei.contest.demo_teams import work
from tokumei.contest.opening import DATABASE_URL, Contest, open_contest
from tokumei.contest.store import accounts, submissions
from tokumei.contest.store.errors import NotNow
from tokumei.contest.store.schema import metadata
from tokumei.contest.store.standings import standings
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.errors import ParameterError, ReadError, TokumeiError, WriteError

FRUIT = "Alice,2018/9/7,pear\nBob,2018/9/2,pear\nBob,2018/9/10,grape\n"
VALID = b"p1,2018/9/7,pear\np2,2018/9/2,pear\nDEL,,\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(DATABASE_URL, raising=False)


def use(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Let contests be in PostgreSQL, or in the files of their folders."""
    if url.startswith("postgresql"):
        monkeypatch.setenv(DATABASE_URL, url)
    else:
        monkeypatch.delenv(DATABASE_URL, raising=False)


def everything(contest: Contest) -> dict[str, list[Any]]:
    with contest.database.read() as connection:
        return {
            table.name: connection.execute(select(table).order_by(*table.primary_key)).all()
            for table in metadata.sorted_tables
        }


def fruit_backup(name: str = "backup.zip") -> Path:
    """A small contest with one evaluated submission, saved."""
    Path("fruit.csv").write_text(FRUIT)
    create(Path("contest"), "simplified", Data(Path("fruit.csv")))
    with open_contest(Path("contest")) as contest:
        invited = people.invite(contest, None, "captain", team_name="Ice")
        actor = people.accept(contest, invited.secret, "yuki", "correct horse battery")
        handing_in.submit(contest, actor, contest.blobs.add([VALID], most=1_000), "A.csv")
        work(contest)
        back_up(contest, Path(name))
    return Path(name)


def test_a_contest_comes_back_with_every_row_and_file_in_either_database(
    url: str, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "CUSTOMERS", 20)
    use(monkeypatch, url)
    create_demo(Path("contest"), seed=3)
    with open_contest(Path("contest")) as contest:
        before = everything(contest)
        with contest.database.read() as connection:
            table = standings(connection, ORGANIZER, "all")
        back_up(contest, Path("backup.zip"))
        seed = contest.seed
    use(monkeypatch, empty_url)
    restore(Path("backup.zip"), Path("again"))
    with open_contest(Path("again")) as contest:
        assert contest.seed == seed
        assert everything(contest) == before
        with contest.database.read() as connection:
            assert standings(connection, ORGANIZER, "all") == table
            user = next(one for one in accounts.listed_users(connection) if one.team_id)
            taken = {one.id for one in submissions.listed(connection)}
        for one in before["submissions"]:
            assert contest.blobs.path(one.sha256).is_file()
        # The contest goes on: new rows get new numbers, and are evaluated.
        blob = contest.blobs.add([b"nothing"], most=100)
        made = handing_in.submit(contest, user, blob, "new.csv")
        assert made.id not in taken
        work(contest)
        with contest.database.read() as connection:
            assert submissions.find(connection, made.id).state == "invalid"
    assert (Path("again/contest.db").exists()) == (not empty_url.startswith("postgresql"))


def test_secrets_stay_readable_for_their_owner_alone() -> None:
    backup = fruit_backup()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    restore(backup, Path("again"))
    for name, mode in (("", 0o700), ("secret", 0o700), ("secret/seed", 0o600)):
        assert stat.S_IMODE(Path("again", name).stat().st_mode) == mode


def test_a_backup_is_made_while_somebody_writes() -> None:
    fruit_backup("before.zip")
    with (
        open_contest(Path("contest")) as server,
        open_contest(Path("contest")) as contest,
        server.database.write() as connection,
    ):
        accounts.add_team(connection, "in the middle")
        back_up(contest, Path("backup.zip"))
    restore(Path("backup.zip"), Path("again"))
    with open_contest(Path("again")) as again, again.database.read() as connection:
        assert [team.name for team in accounts.listed_teams(connection)] == ["Ice"]


def test_nothing_is_written_over() -> None:
    backup = fruit_backup()
    with open_contest(Path("contest")) as contest:
        with pytest.raises(WriteError, match="exists already"):
            back_up(contest, backup)
        with pytest.raises(ParameterError, match=r"must end in .zip"):
            back_up(contest, Path("backup.tar"))
    with pytest.raises(WriteError, match="exists already"):
        restore(backup, Path("contest"))


def test_a_database_that_is_in_use_is_not_restored_into(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = fruit_backup()
    monkeypatch.setenv(DATABASE_URL, url)
    restore(backup, Path("again"))
    with pytest.raises(NotNow, match="has a contest already"):
        restore(backup, Path("and-again"))
    assert not Path("and-again").exists()


Change = Callable[[dict[str, bytes]], None]


def repacked(change: Change, more: tuple[tuple[str, bytes], ...] = ()) -> Path:
    with zipfile.ZipFile(fruit_backup()) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    change(parts)
    with zipfile.ZipFile("changed.zip", "w") as target:
        for name, content in (*parts.items(), *more):
            target.writestr(zipfile.ZipInfo(name), content)
    return Path("changed.zip")


def keep(_: dict[str, bytes]) -> None:
    return


def without(name: str) -> Change:
    return lambda parts: parts.pop(name) and None


def other_content(parts: dict[str, bytes]) -> None:
    parts[next(name for name in parts if name.startswith("files/"))] = b"another"


def data_elsewhere(parts: dict[str, bytes]) -> None:
    parts["contest.toml"] = parts["contest.toml"].replace(b"data/T.csv", b"/etc/passwd")


def broken_database(parts: dict[str, bytes]) -> None:
    half = len(parts["contest.db"]) // 2
    parts["contest.db"] = parts["contest.db"][:half]


def no_database(parts: dict[str, bytes]) -> None:
    parts["contest.db"] = b"not a database" * 100


@pytest.mark.parametrize(
    ("change", "more", "sentence"),
    [
        (keep, (("../evil", b"x"),), "'../evil' is among it"),
        (keep, (("data/../../evil", b"x"),), "is among it"),
        (keep, (("/evil", b"x"),), "is among it"),
        (keep, (("..\\evil", b"x"),), "is among it"),
        (keep, (("data//T.csv", b"x"),), "is among it"),
        (keep, (("contest.db-wal", b"x"),), "'contest.db-wal' is among it"),
        (keep, (("contest.toml/T.csv", b"x"),), "cannot be written"),
        (without("secret/seed"), (), "it has no secret/seed"),
        (without("contest.toml"), (), "it has no contest.toml"),
        (without("data/T.csv"), (), "must be a file in the contest's folder"),
        (other_content, (), "has another content"),
        (data_elsewhere, (), "must be a file in the contest's folder"),
        (broken_database, (), "damaged|cannot be opened"),
        (no_database, (), "damaged|cannot be opened"),
    ],
)
def test_a_hostile_or_damaged_backup_is_refused_and_leaves_nothing(
    change: Change, more: tuple[tuple[str, bytes], ...], sentence: str, tmp_path: Path
) -> None:
    archive = repacked(change, more)
    before = sorted(path for path in tmp_path.parent.rglob("*"))
    with pytest.raises(TokumeiError, match=sentence):
        restore(archive, Path("again"))
    assert sorted(path for path in tmp_path.parent.rglob("*")) == before
    assert not Path("/evil").exists()


def test_a_file_that_is_no_archive_is_refused() -> None:
    Path("some.zip").write_bytes(b"PK not really")
    with pytest.raises(ReadError, match="not a whole ZIP"):
        restore(Path("some.zip"), Path("again"))
    cut = fruit_backup().read_bytes()[:-40]
    Path("cut.zip").write_bytes(cut)
    with pytest.raises(ReadError, match="not a whole ZIP"):
        restore(Path("cut.zip"), Path("again"))
    assert not Path("again").exists()
