"""What a change costs: the same work in this checkout and in an earlier one, side by side.

`python -m bench before --revision HEAD~3`. Both run in processes of their own, in turns; a line is
the least processor time of several rounds, because other work on the machine only adds to it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measuring import show

ROOT = Path(__file__).parents[1]
ROUNDS = 3
WORK = """
import inspect, json, logging, sys, time
logging.disable(logging.WARNING)
from tokumei import Risk, generate, publish, registry
from tokumei.anonymizers import Decoys, DeleteRows, PerturbAmounts, ShiftDates
from tokumei.attacks import ExactRow, Jaccard
from tokumei.threats import FullKnowledge, ItemSets

shop = generate("shop", customers=1500, seed=0)
# An earlier revision publishes with a seed.
fixed = {"secret": b"1"} if "secret" in inspect.signature(publish).parameters else {"seed": 1}
release = publish(shop, DeleteRows(share=0.2)(shop, seed=1), **fixed)
work = {
    "publish": lambda: publish(shop, shop, **fixed),
    "exact-row": lambda: Risk(threat=FullKnowledge(), attack=ExactRow())(shop, release, seed=1),
    "jaccard": lambda: Risk(threat=ItemSets(), attack=Jaccard())(shop, release, seed=1),
}
for method in (DeleteRows(share=0.2), ShiftDates(), PerturbAmounts(), Decoys(seconds=0.2)):
    work[registry.name_of(method)] = lambda method=method: method(shop, seed=1)
for name in METRICS:
    metric = registry.build("metric", {"method": name})
    work[name] = lambda metric=metric: metric(shop, release, seed=1)
taken = {}
for name, job in work.items():
    job()
    for _ in range(3):
        start = time.process_time()
        job()
        taken[name] = min(taken.get(name, 1e9), time.process_time() - start)
sys.stdout.write(json.dumps(taken))
"""
METRICS = [
    "cells-changed", "date-error", "indistinguishable", "information-loss", "item-count-error",
    "price-error", "rfm-agreement", "rows-added", "top-items-list", "uncovered-cells",
]  # fmt: skip


def main(options: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--revision", default="HEAD~1")
    revision = parser.parse_args(options or []).revision
    with tempfile.TemporaryDirectory() as folder:
        earlier = Path(folder) / "earlier"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(earlier), revision], check=True)
        try:
            least: list[dict[str, float]] = [{}, {}]
            for _ in range(ROUNDS):
                for best, place in zip(least, (earlier, ROOT), strict=True):
                    for name, taken in measured(place).items():
                        best[name] = min(best.get(name, taken), taken)
        finally:
            subprocess.run([*git, "remove", "--force", str(earlier)], check=True)
    before, now = least
    rows = [
        (name, f"{before[name]:.3f}", f"{now[name]:.3f}", f"{now[name] / before[name]:.2f}")
        for name in before
    ]
    total = sum(now.values()) / sum(before.values())
    show(
        f"1,500 customers, seconds of processor time against {revision}",
        ("work", "before", "now", "ratio"),
        [*rows, ("all", "", "", f"{total:.2f}")],
    )


def measured(checkout: Path) -> dict[str, float]:
    """Do the work with the code of a checkout."""
    code = f"METRICS = {METRICS}\n{WORK}"
    words = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=words, capture_output=True, text=True, check=True
    )
    taken: dict[str, float] = json.loads(done.stdout)
    return taken


if __name__ == "__main__":
    main(sys.argv[1:])
