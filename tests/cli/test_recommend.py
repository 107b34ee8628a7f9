"""`tokumei recommend`."""

import json
import shlex
from pathlib import Path

import polars as pl
import pytest
from typing_commands import printed, result

from tokumei import read, read_release
from tokumei.anonymizers import Chain, PerturbAmounts, RetainReplace
from tokumei.audit.auditing import audit
from tokumei.cli.main import _run
from tokumei.contracts import Anonymizer
from tokumei.registry import name_of, spec

RISK = 0.2


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    path = tmp_path / "my shop.csv"
    assert _run(["data", "shop", "-n", "30", "--seed", "3", "-o", str(path)]) == 0
    return path


def test_the_command_makes_a_release_that_keeps_the_risk(
    capsys, monkeypatch, shop_file: Path, tmp_path: Path
) -> None:
    words = (shop_file, "--risk", RISK, "--seconds", 4, "--seed", 8, "--keep", "rfm, items")
    found = result(capsys, "recommend", *words)
    assert found["keep"] == ["rfm", "items"]
    make, check = found["commands"]
    assert check.startswith("tokumei audit ")
    monkeypatch.chdir(tmp_path)
    assert _run(shlex.split(make)[1:]) == 0
    done = audit(read(shop_file), read_release(tmp_path / "recommended"), max_risk=RISK)
    assert done.verdict == "safe"
    assert done.judged.worst == found["best"]["worst"] <= RISK
    assert f"--max-risk {RISK}" in check
    assert _run(shlex.split(check)[1:]) == 0


def test_how_the_file_was_read_stands_in_the_commands(capsys, shop_file: Path) -> None:
    reading = ("--item", "item", "--first-customers", 20, "--drop", "duplicates")
    columns = ("--keep-column", "basket", "--seconds", 0.1, "--seed", 1)
    found = result(capsys, "recommend", shop_file, "--risk", 0.5, *reading, *columns)
    for command in found["commands"]:
        for words in ("--item item", "--first-customers 20", "--drop duplicates", "--keep basket"):
            assert words in command
        assert "--format" not in command
        assert f"'{shop_file}'" in command


LAST = RetainReplace(columns="item,price", table="purchases", rho=0.25)


@pytest.mark.parametrize(
    "method", [PerturbAmounts(price=0.2), Chain(steps=(PerturbAmounts(), LAST))], ids=name_of
)
def test_the_commands_run_as_printed_whatever_the_method_calls_its_options(
    method: Anonymizer, capsys, shop_file: Path, tmp_path: Path, monkeypatch
) -> None:
    """What was tried is replaced by the method: any could have come out best."""
    monkeypatch.setattr("tokumei.audit.recommending.design", lambda *_, **__: (method,))
    renamed = tmp_path / "renamed.csv"
    pl.read_csv(shop_file).rename({"price": "Betrag", "quantity": "Stück"}).write_csv(renamed)
    reading = ("--price", "Betrag", "--quantity-column", "Stück", "--keep-column", "basket")
    found = result(capsys, "recommend", renamed, "--risk", 1, *reading, "--seconds", 5)
    monkeypatch.chdir(tmp_path)
    make, check = found["commands"]
    assert result(capsys, *shlex.split(make)[1:])["method"] == json.loads(json.dumps(spec(method)))
    printed(capsys, *shlex.split(check)[1:], "-o", "report.html")


def test_a_folder_is_gone_on_with(capsys, shop_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    words = ["recommend", str(shop_file), "--risk", str(RISK), "--seconds", "2", "-o", str(folder)]
    assert _run([*words, "--seed", "8"]) == 0
    said = capsys.readouterr().out
    assert "at a risk of at most 20.0%" in said
    assert "--seed 8" in said
    names = {"trials.jsonl", "frontier.csv", "frontier.svg", "frontier.png", "frontier.html"}
    assert {path.name for path in folder.iterdir()} == names
    before = (folder / "trials.jsonl").read_text()
    found = result(capsys, "recommend", *words[1:], "--keep", "rows")
    assert not any("--seed" in command for command in found["commands"])
    assert (folder / "trials.jsonl").read_text().startswith(before)
    assert {trial["seed"] for trial in found["trials"]} == {8}
    assert {path.name for path in folder.iterdir()} == names


def test_a_drawn_seed_is_not_in_a_command_that_a_shell_would_keep(
    capsys, shop_file: Path, tmp_path: Path
) -> None:
    words = ["recommend", str(shop_file), "--risk", "0.5", "--seconds", "0.1"]
    assert _run([*words, "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "tokumei anonymize" in said
    drawn = json.loads((tmp_path / "out" / "trials.jsonl").read_text().splitlines()[-1])["seed"]
    assert str(drawn) not in said


def test_a_risk_that_nobody_can_promise(capsys, shop_file: Path) -> None:
    words = ["recommend", str(shop_file), "--risk", "0.01", "--seconds", "1", "--seed", "1"]
    assert _run(words) == 0
    said = capsys.readouterr().out
    assert "Nothing that was tried bounds every customer's chance by 1.0%" in said
    assert "Among 30 customers nobody can promise less than 3.3%." in said
    assert "tokumei anonymize" not in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--risk", "0"], "risk must lie in (0, 1], not 0.0."),
        (["--risk", "0.1", "--keep", "colors"], "keep must name some of rfm, items, dates"),
        (["--risk", "0.1", "--keep", "segments"], "lacks the columns to measure segments"),
        (["--risk", "0.1", "--seconds", "-1"], "The seconds must be above 0, not -1.0."),
        ([], "Missing option '--risk'"),
    ],
)
def test_recommend_refuses_nonsense(
    capsys, shop_file: Path, words: list[str], sentence: str
) -> None:
    assert _run(["recommend", str(shop_file), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_a_folder_of_other_data_is_refused(capsys, shop_file: Path, tmp_path: Path) -> None:
    words = ["--risk", "1", "--seconds", "0.1", "-o", str(tmp_path / "out")]
    assert _run(["recommend", str(shop_file), *words]) == 0
    other = ["recommend", str(shop_file), "--first-customers", "20", *words]
    assert _run(other) == 2
    assert "has trials of other data" in capsys.readouterr().err
