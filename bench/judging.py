"""How long it takes to judge a submission, beside literal programs that do what the rules say.

The contests' own programs are not ours to run here; on the same files they took 60 to 80 CPU
seconds (2017) and 2 seconds (2018). The peer is `tests/rules/literal.py`, plain Python that follows
the text of the rules row by row.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.measuring import SHARED, seconds, show
from tokumei import generate, rules
from tokumei.anonymizers import DeleteRows, GeneralizeAtRandom
from tokumei.data.pwscup import contest_text

Rows = list[list[str]]


def literal() -> ModuleType:
    path = Path(__file__).parents[1] / "tests/rules/literal.py"
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


def generated(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Make T and a submission for both years from a generated shop."""
    shop, made = generate("shop", customers=500, seed=0), {}
    methods = {"pwscup2017": DeleteRows(share=0.3), "pwscup2018": GeneralizeAtRandom()}
    for year, method in methods.items():
        original, submission = folder / f"T-{year}.csv", folder / f"A-{year}.csv"
        original.write_text(contest_text(shop, year))
        history = rules.find(year).read(original).history
        texts = rules.find(year).submission(history, method(history, seed=1), seed=1)
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


def judged_literally(year: str, original: Path, submission: Path) -> Callable[[], Any]:
    slow, truth = literal(), rows_of(original)

    def judge_2017() -> None:
        sent = rows_of(submission)
        for measure in (
            slow.item_cf_wholesale, slow.item_cf_retail, slow.top_list, slow.top_similarity,
            slow.date_error, slow.price_error, slow.deleted,
        ):  # fmt: skip
            measure(truth, sent)
        customers = sorted({row[0] for row in truth})
        answer = slow.answer(truth, sent, customers)
        published = [row for row in sent if row[0] != "DEL"]
        view = [[*row[:4], row[4][:2], *row[5:]] for row in truth]
        for _ in range(4):
            for key in ("S1", "S2", "S3", "S4", "S5", "S6"):
                slow.rate(answer, slow.sample_attack(customers, published, view, key))

    def judge_2018() -> None:
        sent = rows_of(submission)
        slow.information_loss(truth, sent)
        slow.exact_row(truth, [row for row in sent if row[0] != "*"])

    return judge_2017 if year == "pwscup2017" else judge_2018


def main() -> None:
    logging.disable(logging.WARNING)
    limits = {"pwscup2017": 1.5, "pwscup2018": 0.5}
    with tempfile.TemporaryDirectory() as folder:
        files = real() if (SHARED / "golden").is_dir() else generated(Path(folder))
        rows = []
        for year, (original, submission) in files.items():
            read = rules.find(year).read(original)
            taken = seconds(judged(year, read, submission))
            theirs = seconds(judged_literally(year, original, submission), repeat=1)
            limit = f"{limits[year]:.1f}"
            ratio = f"{theirs / taken:.0f}x"
            rows.append((year, submission.name, f"{taken:.2f}", limit, f"{theirs:.1f}", ratio))
    heads = ("rules", "submission", "seconds", "limit", "literal Python", "peer / ours")
    show("One submission checked, published, measured and attacked", heads, rows)


if __name__ == "__main__":
    main()
