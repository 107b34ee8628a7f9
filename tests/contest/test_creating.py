"""A new contest is whole, has no way in but its links, and refuses data that it cannot use."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.contest import demo, sandbox
from tokumei.contest.actions import people
from tokumei.contest.creating import Data, create, invite
from tokumei.contest.demo import create_demo
from tokumei.contest.demo_transit import create_transit_demo
from tokumei.contest.opening import DATABASE_URL, Contest, open_contest
from tokumei.contest.settings import FILE, Phase, Settings, read_settings
from tokumei.contest.store import accounts, metrics, submissions
from tokumei.contest.store.errors import InvitationInvalid, NotNow
from tokumei.contest.store.standings import standings
from tokumei.contest.store.viewing import ORGANIZER
from tokumei.contest.toml_text import toml_text
from tokumei.errors import ParameterError, SchemaError, TokumeiError, WriteError

FRUIT = "Alice,2018/9/7,pear\nBob,2018/9/2,pear\nBob,2018/9/10,grape\n"
RIDES = "card,time,exit,weather\nT1,2016-04-01 08:00,北鳴沢,rain\nT2,2016-04-02 09:30,西桐丘,sun\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and the database in the contest's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(DATABASE_URL, raising=False)


def written(name: str, text: str) -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def fruit_contest(folder: Path = Path("contest")) -> str:
    (link,) = create(folder, "simplified", Data(written("fruit.csv", FRUIT)))
    return link.url


def secret_of(url: str) -> str:
    return url.partition("#")[2]


def test_the_folder_has_all_that_a_contest_needs() -> None:
    fruit_contest()
    folder = Path("contest")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["contest.db", "contest.toml", "data", "secret"]
    assert (folder / "data/T.csv").read_text() == FRUIT
    settings = read_settings(folder)
    assert [phase.name for phase in settings.phases] == ["anonymize", "attack", "closed"]
    assert settings.phase_at(datetime.now(UTC)) == settings.phases[0]
    assert "# " in (folder / FILE).read_text(encoding="utf-8")


def test_nobody_else_on_the_machine_can_read_it() -> None:
    fruit_contest()
    assert stat.S_IMODE(Path("contest").stat().st_mode) == 0o700
    assert stat.S_IMODE(Path("contest/secret/seed").stat().st_mode) == 0o600


def test_the_link_lets_the_first_organizer_in_once_and_there_is_no_other_account() -> None:
    url = fruit_contest()
    assert url.startswith("http://127.0.0.1:8000/invitation#")
    with open_contest(Path("contest")) as contest:
        with contest.database.read() as connection:
            assert accounts.listed_users(connection) == []
        user = people.accept(contest, secret_of(url), "desk", "correct horse battery")
        assert user.role == "organizer"
        with pytest.raises(InvitationInvalid):
            people.accept(contest, secret_of(url), "thief", "correct horse battery")


def test_a_link_is_not_shown_by_accident() -> None:
    fruit_contest()
    with open_contest(Path("contest")) as contest:
        link = invite(contest, "captain", url="https://contest.example/", team="Ice")
    assert link.url.startswith("https://contest.example/invitation#")
    assert secret_of(link.url) not in repr(link)


def test_a_folder_that_is_there_is_left_as_it_is() -> None:
    Path("contest").mkdir()
    with pytest.raises(WriteError, match="exists already"):
        fruit_contest()
    assert list(Path("contest").iterdir()) == []


@pytest.mark.parametrize(
    ("rules", "text", "sentence"),
    [
        ("simplified", "Alice,2018/9/7\n", r"data.csv must have 3 columns .*; it has 2"),
        ("pwscup2017", FRUIT, "must have 7 columns"),
        ("simplified", "Alice,yesterday,pear\n", "A date must look like 2011/2/28"),
        ("custom", "station,time\nA,2016-04-01\n", "No column looks like the customer"),
        ("custom", "card;time\nA;2016-04-01\n", "must be CSV with commas, in UTF-8"),
        ("custom", "card,time\nA,yesterday\n", "time"),
        ("custom", "card,time\n,2016-04-01\n", "customer"),
        ("pwscup2016", "C1,1,2010/12/1,8:00,a,1.0,1\n", "needs the customers table M"),
    ],
)
def test_data_that_the_rules_cannot_read_is_refused_and_nothing_is_left(
    rules: str, text: str, sentence: str
) -> None:
    data = Data(written("data.csv", text))
    with pytest.raises(TokumeiError, match=sentence):
        create(Path("contest"), rules, data)
    assert sorted(path.name for path in Path().iterdir()) == ["data.csv"]


def test_data_in_another_encoding_is_refused_where_scripts_read_it() -> None:
    path = Path("rides.csv")
    path.write_bytes(RIDES.encode("cp932"))
    with pytest.raises(SchemaError, match="in UTF-8"):
        create(Path("contest"), "custom", Data(path))


def test_the_columns_of_a_custom_contest_have_the_roles_that_were_given_or_guessed() -> None:
    data = Data(written("rides.csv", RIDES), columns={"weather": "basket"})
    create(Path("contest"), "custom", data)
    columns = {"card": "person", "time": "time", "exit": "item", "weather": "basket"}
    settings = read_settings(Path("contest"))
    assert settings.columns == columns
    assert [phase.name for phase in settings.phases] == ["anonymize", "closed"]
    with open_contest(Path("contest")) as contest:
        assert contest.evaluation.columns == list(columns)


def test_roles_that_make_no_sense_are_refused() -> None:
    rides = written("rides.csv", RIDES)
    for columns, sentence in (
        ({"weather": "cloud"}, "must be one of person"),
        ({"weather": "item", "exit": "item"}, "given to weather and to exit"),
        ({"platform": "item"}, "'platform' given for item is not there"),
    ):
        with pytest.raises(TokumeiError, match=sentence):
            create(Path("contest"), "custom", Data(rides, columns=columns))
    fruit = written("fruit.csv", FRUIT)
    with pytest.raises(ParameterError, match="fixed roles"):
        create(Path("contest"), "simplified", Data(fruit, columns={"a": "person"}))


def test_a_database_that_has_a_contest_is_not_given_another(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_URL, url)
    fruit_contest()
    with pytest.raises(NotNow, match="has a contest already"):
        fruit_contest(Path("another"))
    assert not Path("another").exists()


@given(
    title=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
)
def test_settings_are_read_as_they_were_written(title: str, name: str, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("settings")
    settings = Settings(
        title={"en": title, "ja": title},
        rules="custom",
        original=f"data/{name}.csv",
        phases=(Phase("anonymize", datetime(2026, 12, 1, 9, tzinfo=UTC)),),
        columns={name: "person", f"{name}2": ""},
    )
    (folder / FILE).write_text(toml_text(settings), encoding="utf-8", newline="")
    assert read_settings(folder) == settings


def states(contest: Contest) -> list[str]:
    with contest.database.read() as connection:
        return [one.state for one in reversed(submissions.listed(connection))]


@pytest.mark.parametrize("rules", sorted(demo.TRIALS))
def test_a_demo_of_every_year_can_be_played_at_once(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "CUSTOMERS", 40)
    links = create_demo(Path("demo"), rules)
    assert [(link.role, link.team) for link in links] == [
        ("organizer", None), ("captain", "Ice"), ("captain", "Fire"), ("captain", "Mist"),
    ]  # fmt: skip
    with open_contest(Path("demo")) as contest:
        assert states(contest) == ["evaluated"] * len(demo.TRIALS[rules]) + ["invalid"]
        with contest.database.read() as connection:
            rows = standings(connection, ORGANIZER, "best").rows
            teams = accounts.listed_teams(connection)
            roles = sorted(user.role for user in accounts.listed_users(connection))
        # Every team has a place, and those who only draw pseudonyms are not first.
        assert rows[0].team != "Mist"
        assert len(rows) == len(teams) == 3
        assert roles == ["captain"] * 3 + ["member"] * 3
        captain = people.accept(contest, secret_of(links[2].url), "me", "correct horse battery")
        assert captain.team_id == next(team.id for team in teams if team.name == "Fire")


def test_the_seed_of_a_demo_decides_everything_but_its_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demo, "CUSTOMERS", 20)

    def made(folder: str, seed: int) -> tuple[list[str], bytes, int]:
        links = create_demo(Path(folder), seed=seed)
        assert len({secret_of(link.url) for link in links}) == len(links)
        with open_contest(Path(folder)) as contest, contest.database.read() as connection:
            files = [one.sha256 for one in submissions.listed(connection)]
            return files, contest.evaluation.original_file.read_bytes(), contest.seed

    one, same, other = made("one", 1), made("same", 1), made("other", 2)
    assert one[:2] == same[:2]
    assert one[1] != other[1]
    assert len({one[2], same[2], other[2]}) == 3


def test_the_demo_of_transit_cards_is_measured_by_scripts(caplog) -> None:
    links = create_transit_demo(Path("demo"))
    assert len(links) == 4
    with open_contest(Path("demo")) as contest:
        assert states(contest)[-1] == "invalid"
        with contest.database.read() as connection:
            titles = [metric.title for metric in metrics.listed(connection)]
            rows = standings(connection, ORGANIZER, "all").rows
    if sandbox.available() is None:
        assert "no scripts and no scores" in caplog.text
        return
    assert titles[:2] == ["exits moved", "cards found by exit"]
    assert ("cards found by fare" in titles) != ("is left out" in caplog.text)
    untouched = next(row for row in rows if row.submission_id == 1)
    # Pseudonyms alone change no ride and hide nobody.
    values = {name: cell.value for name, cell in untouched.values.items()}
    assert (values["script:1"], values["script:2"]) == (0.0, 1.0)
    assert all(cell.problem is None for row in rows for cell in row.values.values())
