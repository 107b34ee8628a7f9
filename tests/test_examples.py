"""The examples run as they stand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    texts = contest.submission(original, DeleteRows(share=0.2)(original, seed=1), seed=2)
    entry.write_text(texts["AT.csv"])
    total, _, values = run("judge_a_submission.py", purchases, people, entry).partition(" ")
    assert 0 < float(total) < 2
    assert "'E1':" in values
    assert "'S6@100':" in values


def test_an_own_metric_is_one_file() -> None:
    assert run("own_metric.py").startswith("Score(name='mean-price-error', value=0.0")


def test_every_example_is_run() -> None:
    tested = {"judge_a_submission.py", "own_metric.py", "on_spark.py"}  # the last in tests/spark
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested
