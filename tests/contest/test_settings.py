from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tokumei.contest.blobs import Blobs
from tokumei.contest.settings import Quotas, read_settings
from tokumei.errors import ReadError, SchemaError, SubmissionError

JAPAN = timezone(timedelta(hours=9))
WHOLE = """
title = { en = "Petit PWSCUP", ja = "プチ PWSCUP" }
rules = "pwscup2018"
original = "data/T.csv"
counts = "latest"

[[phases]]
name = "anonymize"
starts = 2026-12-01T09:00:00+09:00

[[phases]]
name = "attack"
starts = 2026-12-01T13:00:00+09:00

[quotas]
submissions = 3

[public]
results = "own"
freeze_minutes = 10
"""


def written(folder: Path, text: str) -> Path:
    (folder / "contest.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_contest_is_read_from_its_file(tmp_path: Path) -> None:
    found = read_settings(written(tmp_path, WHOLE))
    assert found.title == {"en": "Petit PWSCUP", "ja": "プチ PWSCUP"}
    assert (found.rules, found.counts, found.results) == ("pwscup2018", "latest", "own")
    assert found.quotas == Quotas(submissions=3)
    assert found.freeze_minutes == 10
    assert not found.custom


def test_the_phase_is_the_last_that_has_begun(tmp_path: Path) -> None:
    found = read_settings(written(tmp_path, WHOLE))
    morning = datetime(2026, 12, 1, 9, tzinfo=JAPAN)
    assert found.phase_at(morning - timedelta(seconds=1)) is None
    names = [found.phase_at(morning + timedelta(hours=h)).name for h in (0, 3.9, 4, 100)]
    assert names == ["anonymize", "anonymize", "attack", "attack"]


def test_a_custom_contest_names_its_columns(tmp_path: Path) -> None:
    text = WHOLE.replace("pwscup2018", "custom") + '[columns]\ncard = "person"\nnote = ""\n'
    found = read_settings(written(tmp_path, text.replace('"attack"', '"closed"')))
    assert found.custom
    assert found.columns == {"card": "person", "note": ""}


def test_a_custom_contest_cannot_plan_an_attack_phase(tmp_path: Path) -> None:
    text = WHOLE.replace("pwscup2018", "custom") + '[columns]\ncard = "person"\n'
    with pytest.raises(SchemaError, match="phases of a custom contest cannot have an attack phase"):
        read_settings(written(tmp_path, text))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"pwscup2018"', '"pwscup1999"', "rules must be one of .*, not 'pwscup1999'"),
        ('original = "data/T.csv"', "", "original must be a text"),
        ('counts = "latest"', 'counts = "all"', "counts must be one of best, latest, chosen"),
        ('counts = "latest"', "colour = 3", "colour is unknown; there are columns, counts"),
        ("T13:00:00+09:00", "T08:00:00+09:00", r"phases\[2\].starts must be later"),
        ("T13:00:00+09:00", "T13:00:00", r"phases\[2\].starts must be a time with its zone"),
        ('name = "attack"', 'name = "war"', r"phases\[2\].name must be one of"),
        ("submissions = 3", "submissions = 0", "submissions must be a whole number from 1"),
        ("submissions = 3", "submissions = true", "submissions must be a whole number"),
        ("submissions = 3", "submission = 3", "quotas.submission is unknown"),
        ('results = "own"', 'results = "maybe"', "results must be one of live, own, closed"),
        ('{ en = "Petit PWSCUP", ja = "プチ PWSCUP" }', "{ fr = 'x' }", "title.fr is unknown"),
        ('{ en = "Petit PWSCUP", ja = "プチ PWSCUP" }', "3", "title must be a text"),
        ("[quotas]", '[columns]\na = "person"\n[quotas]', "columns belong to custom contests"),
        ('"pwscup2018"', '"custom"', "columns must say which column is the person"),
        ("[[phases]]", "[[phase]]", "phase is unknown"),
    ],
)
def test_whatever_is_wrong_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in WHOLE
    with pytest.raises(SchemaError, match=sentence):
        read_settings(written(tmp_path, WHOLE.replace(old, new)))


def test_a_folder_without_a_contest_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"has no contest.toml; make one with 'tokumei contest"):
        read_settings(tmp_path)
    with pytest.raises(ReadError, match="cannot be read as TOML"):
        read_settings(written(tmp_path, "title = ["))


def test_a_file_is_stored_once_under_its_content(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "files")
    one = blobs.add([b"ab", b"c"], most=10)
    assert one == blobs.add([b"abc"], most=10)
    assert one.sha256.startswith("ba7816bf")
    assert blobs.path(one.sha256).read_bytes() == b"abc"
    assert [path.name for path in (tmp_path / "files").rglob("*") if path.is_file()] == [one.sha256]


def test_a_file_that_is_too_large_or_empty_leaves_nothing(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "files")

    def endless():
        while True:
            yield b"x" * 1000

    with pytest.raises(SubmissionError, match="up to 10,000 bytes; this has more"):
        blobs.add(endless(), most=10_000)
    with pytest.raises(SubmissionError, match="is empty"):
        blobs.add([], most=10)
    assert not [path for path in (tmp_path / "files").rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a" * 63, "A" * 64, ""])
def test_a_stored_file_is_found_by_its_digest_alone(tmp_path: Path, name: str) -> None:
    with pytest.raises(ReadError, match="64 hexadecimal digits"):
        Blobs(tmp_path).path(name)
    with pytest.raises(ReadError, match="There is no stored file 000000000000…"):
        Blobs(tmp_path).path("0" * 64)
