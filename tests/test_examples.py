"""The examples run as they stand."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tokumei import generate
from tokumei.anonymizers import DeleteRows
from tokumei.data.pwscup import contest_text
from tokumei.rules import find

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: Path) -> str:
    words = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_submission_is_judged_in_five_lines(tmp_path: Path) -> None:
    shop = generate("shop", customers=20, seed=3)
    purchases, people, entry = (tmp_path / name for name in ("T.csv", "M.csv", "AT.csv"))
    purchases.write_text(contest_text(shop, "pwscup2017"))
    people.write_text("".join(f"{name},f,1970/1/1,Japan\n" for name in shop.persons()))
    contest = find("pwscup2017")
    original = contest.read(purchases, people).history
    texts = contest.submission(original, DeleteRows(share=0.2)(original, seed=1))
    entry.write_text(texts["AT.csv"])
    total, _, values = run("judge_a_submission.py", purchases, people, entry).partition(" ")
    assert 0 < float(total) < 2
    assert "'E1':" in values
    assert "'S6@100':" in values


def test_an_own_metric_is_one_file() -> None:
    assert run("own_metric.py").startswith("Score(name='mean-price-error', value=0.0")


def play(name: str) -> dict[str, Any]:
    """Run a notebook from its first cell to its last; return what its cells define."""
    pytest.importorskip("marimo", reason="the notebooks need the extra 'dev'")
    _, defined = runpy.run_path(str(EXAMPLES / "notebooks" / name))["app"].run()
    return dict(defined)


def test_a_data_frame_is_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = play("audit_a_frame.py")
    assert told["found_by_rows"].value > 0.9, "pseudonyms alone hide nobody"
    assert told["found"].bound.value <= 1 / told["size"], "groups of equals bound every attacker"
    assert told["found"].verdict == "safe"
    assert "</html>" in (tmp_path / "audit.html").read_text(encoding="utf-8")


def test_anonymizers_are_compared() -> None:
    told = play("compare_anonymizers.py")
    found = dict(told["scores"].select("anonymizer", "found").iter_rows())
    assert found.keys() == told["anonymizers"].keys()
    assert found["pseudonyms-only"] == found["shift-dates"] == 1
    assert max(found["equalize"], found["decoys of whole rows"]) <= 1 / told["size"].value
    smallest = dict(told["scores"].select("anonymizer", "smallest group").iter_rows())
    kept = {name for name, size in smallest.items() if size >= told["size"].value}
    assert kept == {"decoys of whole rows", "equalize", "generalize"}
    assert told["best"].endswith("loses least")
    assert told["chart"].to_dict()["title"]["text"].endswith(told["best"])


def test_a_contest_is_entered() -> None:
    told = play("enter_a_contest.py")
    assert told["scored"]["results"]["total"]["value"] == told["at_home"].total < 1
    assert [row["team"]["name"] for row in told["results"]] == ["Ice", "Mist"]
    assert told["marked"]["success"] == 1
    assert not told["folder"].exists(), "the server has ended and left nothing"


def test_every_example_is_run() -> None:
    tested = {"judge_a_submission.py", "own_metric.py", "on_spark.py"}  # the last in tests/spark
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested
    notebooks = {"audit_a_frame.py", "compare_anonymizers.py", "enter_a_contest.py"}
    assert {path.name for path in EXAMPLES.glob("notebooks/*.py")} == notebooks
