"""How the search for groups of k grows with the number of customers, and what it reaches.

The peer is the paper's grouping, customers in the order of their row counts, with the same exact
alignment of the rows of each group.
"""

from __future__ import annotations

import logging
import resource
import time
from collections.abc import Sequence

from bench.measuring import SHARED, show
from tokumei import Cleaning, History, generate, read
from tokumei.anonymizers import Generalize
from tokumei.metrics import IdenticalGroups, InformationLoss, UncoveredCells
from tokumei.publishing import publish

K = 3


def contest() -> tuple[History, str]:
    """Return the data of PWSCUP 2018 where it is, else a generated shop of its size."""
    path = SHARED / "data/pwscup2018/T.csv"
    if path.is_file():
        return read(path, format="pwscup2018"), "PWSCUP 2018"
    return generate("shop", customers=1_000, seed=0), "generated shop"


def everybody() -> tuple[History, str]:
    """Return all customers of Online Retail where it is, else a generated shop."""
    path = SHARED / "data/online_retail/online_retail.parquet"
    if path.is_file():
        drop = ("no-customer", "returns", "free", "unspecified-country")
        cleaning = Cleaning(drop=drop)
        return read(path, format="online-retail", cleaning=cleaning), "Online Retail"
    return generate("shop", customers=4_334, seed=0), "generated shop"


def measured(history: History, name: str, method: Generalize) -> tuple[str, ...]:
    begun = time.perf_counter()
    release = publish(history, method(history, seed=0), secret=b"0")
    taken = time.perf_counter() - begun
    loss, size, uncovered = (
        metric(history, release, seed=0).value
        for metric in (InformationLoss(), IdenticalGroups(), UncoveredCells())
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    how = method.grouping if method.grouping == "row-count" else f"search {method.seconds:g} s"
    people = f"{len(history.persons()):,}"
    verified = f"{size:.0f}, {uncovered:g}"
    return (
        name,
        people,
        f"{history.rows:,}",
        how,
        f"{loss:.4f}",
        verified,
        f"{taken:.0f}",
        f"{memory:.2f}",
    )


def main(options: Sequence[str] = ()) -> None:
    """Run the small budgets; with `--full` also ten minutes, and all customers of Online Retail."""
    logging.disable(logging.WARNING)
    history, name = contest()
    budgets = (10, 60, 400) if "--full" in options else (10, 60)
    methods = [Generalize(k=K, grouping="row-count")]
    methods += [Generalize(k=K, seconds=seconds) for seconds in budgets]
    rows = [measured(history, name, method) for method in methods]
    for customers in (250, 500, 1_000, 2_000):
        shop = generate("shop", customers=customers, seed=0)
        rows.append(measured(shop, "generated shop", Generalize(k=K, seconds=customers / 50)))
    if "--full" in options:
        rows.append(measured(*everybody(), Generalize(k=K, seconds=600)))
    heads = (
        "data",
        "customers",
        "rows",
        "grouping",
        "loss",
        "k, uncovered",
        "seconds",
        "GB so far",
    )
    show(f"Groups of {K} by information loss", heads, rows)


if __name__ == "__main__":
    main()
