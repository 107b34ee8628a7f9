"""A submission of a contest checked, published, measured and attacked."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import math
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.field.comparing import Comparison, Measured, duel
from bench.measuring import SHARED
from tokumei import generate, rules
from tokumei.anonymizers import DeleteRows, GeneralizeAtRandom
from tokumei.data.pwscup import contest_text

TITLE = "Judging a contest's submission"
ABOUT = """\
A submission is read, checked and published; then come all utilities, the sample attacks and
their marks. The contests' own programs are not ours to run here (on the same files they took 60
to 80 seconds of processor time for 2017 and 2 for 2018, on another day); the peer is
`tests/rules/literal.py`, plain Python that follows the text of the rules row by row, and that
our tests compare with. It reads the submission, but checks nothing: that part of our time has
no counterpart."""

LITERAL = "literal Python"
GOALS = {"pwscup2017": 50.0, "pwscup2018": None}
Rows = list[list[str]]
Scores = dict[str, float]


def comparisons() -> list[Comparison]:
    found = []
    for year, goal in GOALS.items():
        work = f"judge {year}"
        run = partial(on_a_generated_shop, year)
        found.append(Comparison(work, "generated shop, 500 customers", LITERAL, run, goal))
        if (SHARED / "golden").is_dir():
            original, submission = real()[year]
            data = f"the contest's data, {submission.name}"
            run = partial(compared, year, original, submission)
            found.append(Comparison(work, data, LITERAL, run, goal))
    return found


def on_a_generated_shop(year: str) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        return compared(year, *generated(Path(folder), 500)[year])


def compared(year: str, original: Path, submission: Path) -> Measured:
    ours = judged(year, rules.find(year).read(original), submission)
    theirs = judged_literally(year, original, submission)
    scores, expected = ours().scores, theirs()
    equal = all(math.isclose(scores[name].value, value) for name, value in expected.items())
    return duel(ours, theirs, "equal utilities", repeat=1, kept=equal)


def literal() -> ModuleType:
    path = Path(__file__).parents[2] / "tests/rules/literal.py"
    spec = importlib.util.spec_from_file_location("literal", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows_of(path: Path) -> Rows:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return list(csv.reader(text.decode().splitlines()))


def generated(folder: Path, customers: int) -> dict[str, tuple[Path, Path]]:
    """Make T and a submission for both years from a generated shop."""
    shop, made = generate("shop", customers=customers, seed=0), {}
    methods = {"pwscup2017": DeleteRows(share=0.3), "pwscup2018": GeneralizeAtRandom()}
    for year, method in methods.items():
        original, submission = folder / f"T-{year}.csv", folder / f"A-{year}.csv"
        original.write_text(contest_text(shop, year))
        history = rules.find(year).read(original).history
        texts = rules.find(year).submission(history, method(history, seed=1))
        submission.write_text(next(iter(texts.values())))
        made[year] = (original, submission)
    return made


def real() -> dict[str, tuple[Path, Path]]:
    return {
        "pwscup2017": (
            SHARED / "data/pwscup2017/T.csv",
            SHARED / "golden/pwscup2017/AT_mixed.csv.gz",
        ),
        "pwscup2018": (
            SHARED / "data/pwscup2018/T.csv",
            SHARED / "golden/pwscup2018/A_wide.csv.gz",
        ),
    }


def judged(year: str, original: Any, submission: Path) -> Callable[[], Any]:
    """Return the whole job: read and check the submission, publish, measure, attack, mark."""
    contest = rules.find(year)
    return lambda: contest.judge(original, contest.check(original, submission), seed=1)


def judged_literally(year: str, original: Path, submission: Path) -> Callable[[], Scores]:
    """Return the same job as the rules tell it; it returns what does not depend on chance."""
    slow, truth = literal(), rows_of(original)

    def judge_2017() -> Scores:
        sent = rows_of(submission)
        losses = {
            "E1": slow.item_cf_wholesale(truth, sent),
            "E2": slow.item_cf_retail(truth, sent),
            "E3.list": slow.top_list(truth, sent),
            "E3.similarity": slow.top_similarity(truth, sent),
            "E4": slow.date_error(truth, sent),
            "E5": slow.price_error(truth, sent),
            "E6": slow.deleted(truth, sent),
        }
        customers = sorted({row[0] for row in truth})
        answer = slow.answer(truth, sent, customers)
        published = [row for row in sent if row[0] != "DEL"]
        shortened = [[*row[:4], row[4][:2], *row[5:]] for row in truth]
        for percent in (25, 50, 75, 100):
            view = random.Random(1).sample(shortened, len(truth) * percent // 100)
            for key in ("S1", "S2", "S3", "S4", "S5", "S6"):
                slow.rate(answer, slow.sample_attack(customers, published, view, key))
        return losses

    def judge_2018() -> Scores:
        sent = rows_of(submission)
        loss = {"information_loss": slow.information_loss(truth, sent)}
        published = [row for row in sent if row[0] != "*"]
        slow.exact_row(truth, published)
        slow.item_intersection(truth, published)
        return loss

    return judge_2017 if year == "pwscup2017" else judge_2018
