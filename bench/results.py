"""Measure everything that has a peer, and growth; write `bench/RESULTS.md` and `bench/results.svg`.

`python -m bench results` with the Python of `.venv-peers/main` is what `make bench` does.
`python -m bench results --topics jaccard rules` measures a part and prints it instead.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from bench.measuring import one_core

if TYPE_CHECKING:
    from bench.field.comparing import Comparison, Measured
    from bench.field.report import Topic

TOPICS = ("jaccard", "judging", "grouping", "k_anonymity", "risk", "estimation", "rules")


def main(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench results")
    parser.add_argument("--topics", nargs="+", choices=TOPICS, help="print these, write nothing")
    chosen = parser.parse_args(list(options)).topics
    one_core()
    # Only now: numpy and polars look at the number of threads once, when they are imported.
    from bench import growth
    from bench.field import chart, report
    from tokumei.report.charts import save

    logging.disable(logging.WARNING)
    topics = [measured(name) for name in chosen or TOPICS]
    if chosen:
        print(report.compared([line for topic in topics for line in topic.lines]))
        return
    print("growth", file=sys.stderr)
    text = report.written(topics, growth.measured())
    report.CHART.unlink(missing_ok=True)
    save(chart.drawn(topics), report.CHART)
    report.FILE.write_text(text, encoding="utf-8")
    missed = [line for topic in topics for line in topic.lines if isinstance(line.outcome, str)]
    print(f"bench/RESULTS.md is written; {len(missed)} comparisons could not be measured.")
    sys.exit(1 if missed else 0)


def measured(name: str) -> Topic:
    from bench.field.report import Line, Topic

    topic = import_module(f"bench.field.{name}")
    lines = []
    for comparison in topic.comparisons():
        start = time.perf_counter()
        outcome = tried(comparison)
        lines.append(Line(comparison, outcome))
        told = outcome if isinstance(outcome, str) else f"{outcome.ratio:.1f}x"
        taken = f"({time.perf_counter() - start:.0f} s)"
        print(f"{comparison.work}, {comparison.data}, {comparison.peer}:", told, taken,
              file=sys.stderr)  # fmt: skip
    return Topic(name, topic.TITLE, topic.ABOUT, lines)


def tried(comparison: Comparison) -> Measured | str:
    """Run a comparison; where a peer fails, the others still count, and its reason is told."""
    try:
        return comparison.run()
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("|", "/").replace("\n", " ")


if __name__ == "__main__":
    main(sys.argv[1:])
