"""Added rows for a given number of groups: the papers, plain annealing, and the search."""

from __future__ import annotations

import logging
import resource
import time

from bench.measuring import SHARED, show
from tokumei import Cleaning, read
from tokumei.itemsets import item_sets
from tokumei.itemsets.grouping import (
    Grouping,
    added_rows,
    first_groups,
    pair_groups,
    search_groups,
)

PAPER = {50: 125_798, 75: 91_946, 100: 59_374, 125: 46_101}
PLAIN = {
    (50, 2): 90_074,
    (75, 2): 59_728,
    (100, 2): 42_417,
    (125, 2): 32_087,
    (50, 8): 107_910,
    (75, 5): 70_401,
    (100, 4): 54_478,
    (125, 3): 38_950,
}
CLEANING = Cleaning(drop=("no-customer", "returns", "free", "unspecified-country"))
NOMINAL = 20.0
NOMINAL_LARGE = 100.0


def main() -> None:
    logging.disable(logging.WARNING)
    sets = item_sets(read(SHARED / "data/pwscup2016/T.csv", format="pwscup2016"))
    search_groups(sets, clusters=50, min_size=2, seed=0, seconds=0.01)  # compiles

    rows = []
    for (clusters, min_size), plain in PLAIN.items():
        start = time.perf_counter()
        found = search_groups(sets, clusters=clusters, min_size=min_size, seed=1, seconds=NOMINAL)
        taken = time.perf_counter() - start
        change = f"{found.cost / PAPER[clusters] - 1:+.1%}"
        paper = f"{PAPER[clusters]:,}"
        rows.append((f"{clusters}, {min_size}", paper, f"{plain:,}", *_tell(found, taken), change))
    heads = ("c, s_min", "papers' best", "plain annealing", "search", "bound", "s", "to the papers")
    show("Added rows, 400 customers of PWSCUP 2016", heads, rows)

    start = time.perf_counter()
    exact = pair_groups(sets)
    middle = time.perf_counter()
    found = search_groups(sets, clusters=200, min_size=2, seed=1, seconds=NOMINAL)
    end = time.perf_counter()
    gap = f"{found.cost / exact.cost - 1:+.2%}"
    pairs = [
        ("matching (exact)", *_tell(exact, middle - start), ""),
        ("search", *_tell(found, end - middle), gap),
    ]
    show("Pairs of the same customers", ("method", "added", "bound", "s", "gap"), pairs)

    file = SHARED / "data/online_retail/online_retail.parquet"
    sets = item_sets(read(file, format="online-retail", cleaning=CLEANING))
    clusters = len(sets.persons) // 4
    first = added_rows(sets, first_groups(sets.sizes, clusters, 4))
    start = time.perf_counter()
    found = search_groups(sets, clusters=clusters, min_size=4, seed=1, seconds=NOMINAL_LARGE)
    taken = time.perf_counter() - start
    change = f"{found.cost / first - 1:+.1%}"
    rows = [(f"{clusters:,}, 4", f"{first:,}", *_tell(found, taken), change)]
    heads = ("c, s_min", "start", "search", "bound", "s", "to the start")
    show(f"Added rows, {len(sets.persons):,} customers of Online Retail", heads, rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")


def _tell(found: Grouping, taken: float) -> tuple[str, str, str]:
    return f"{found.cost:,.0f}", f"{found.lower_bound or 0:,.0f}", f"{taken:.1f}"


if __name__ == "__main__":
    main()
