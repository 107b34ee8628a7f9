"""How long an audit takes, with its report: the contests' data where it is, else generated shops.

There is no peer that does the same; `tokumei score`, with the same attacks and less knowledge,
and without a report, stands beside it.
"""

from __future__ import annotations

import logging
import time

from bench.measuring import SHARED, show
from tokumei import History, generate, publish, read
from tokumei.anonymizers import DeleteRows
from tokumei.audit import audit
from tokumei.audit.page import html
from tokumei.report.scoring import scorecard


def histories() -> dict[str, History]:
    data = SHARED / "data"
    if not data.is_dir():
        return {f"shop, {n:,}": generate("shop", customers=n, seed=0) for n in (400, 1000)}
    first = data / "pwscup2016"
    return {
        "PWSCUP 2016": read(first / "T.csv", first / "M.csv", format="pwscup2016"),
        "PWSCUP 2018": read(data / "pwscup2018/T.csv", format="pwscup2018"),
    }


def main() -> None:
    logging.disable(logging.WARNING)
    lines = []
    for name, history in histories().items():
        release = publish(history, DeleteRows(share=0.3)(history, seed=1), secret=b"2")
        start = time.perf_counter()
        scorecard(history, release, seed=0)
        scored = time.perf_counter()
        found = audit(history, release)
        audited = time.perf_counter()
        html(found)
        done = time.perf_counter()
        times = (scored - start, audited - scored, done - audited, done - scored)
        rows = f"{len(history.persons()):,} / {history.rows:,}"
        lines.append((name, rows, str(len(found.risks)), *(f"{t:.1f} s" for t in times)))
    heads = ("", "customers / rows", "attackers", "score", "audit", "report", "audit + report")
    show("An audit and its report", heads, lines)
