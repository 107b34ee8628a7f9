"""How cost grows with the number of customers: every anonymizer and every attack, on shops.

The parameters are those with which `tests/contract` checks the laws; what depends on the number of
customers grows with it. A search has a fixed nominal budget, whatever the number of customers, and
its exponent is that of the work around it.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from bench.measuring import core_seconds, exponent, show
from tokumei import History, generate, publish, registry, statistics
from tokumei.anonymizers import DeleteRows
from tokumei.registry import Family
from tokumei.tables import table
from tokumei.threats import FullKnowledge

SIZES = (125, 250, 500, 1_000, 2_000, 4_000)
FITTED = 4
LONG = 5.0
"""A method that took so many seconds is not asked for a larger shop."""
SHORT = 0.01
"""Below so many seconds fixed costs hide the growth."""
CONTRACT = Path(__file__).parents[1] / "tests/contract"
PER_CLUSTER = 4
Key = tuple[str, str]
"""A family, or `step` for what every use has, and a name."""


@dataclass(frozen=True)
class Growth:
    """Seconds of one core of a method for the first sizes, and the budget of its search."""

    family: str
    method: str
    taken: list[float]
    budget: float | None

    @property
    def exponent(self) -> float:
        """The b of time = a n^b, where fixed costs show least."""
        sizes = SIZES[: len(self.taken)]
        return exponent(sizes[-FITTED:], self.taken[-FITTED:])


def examples(family: Family, name: str, customers: int) -> Any:
    """Return a method with the first parameters that the laws are checked with."""
    if str(CONTRACT) not in sys.path:
        sys.path.append(str(CONTRACT))
    given = importlib.import_module("test_laws").EXAMPLES.get((family, name), [{}])[0]
    if "clusters" in given:
        given = {**given, "clusters": customers // PER_CLUSTER}
    return registry.find(family, name)(**given)


def shop_with_customers(size: int) -> History:
    """Return a shop whose customers have attributes, which some methods need."""
    shop = generate("shop", customers=size, seed=0)
    people = pl.DataFrame(
        {
            "person": shop.persons(),
            "sex": ["f" if number % 3 else "m" for number in range(size)],
            "birth": [date(1950 + number % 40, 1, 1) for number in range(size)],
            "country": ["Japan" if number % 2 else "France" for number in range(size)],
        }
    )
    return replace(shop, customers=table(people))


def measured() -> list[Growth]:
    times: dict[Key, list[float]] = {}
    budgets: dict[Key, float | None] = {}
    for size in SIZES:
        for key, (method, job) in jobs(size).items():
            taken = times.setdefault(key, [])
            if taken and taken[-1] > LONG:
                continue
            if not taken:
                job()  # compiles
            repeat = 1 if taken and taken[-1] > 1 else 3
            taken.append(core_seconds(job, repeat=repeat))
            budgets[key] = getattr(method, "seconds", None)
    return [Growth(*key, taken, budgets[key]) for key, taken in times.items()]


def jobs(size: int) -> dict[Key, tuple[Any, Callable[[], Any]]]:
    """Return all anonymizers and attacks, and what every use has; and a call of each."""
    shop = shop_with_customers(size)
    release = publish(shop, DeleteRows(share=0.2)(shop, seed=1), secret=b"1")
    challenge, _ = FullKnowledge()(shop, release, seed=1)
    found: dict[Key, tuple[Any, Callable[[], Any]]] = {
        ("step", "generate"): (None, lambda: generate("shop", customers=size, seed=0)),
        ("step", "statistics"): (None, lambda: statistics(shop)),
        ("step", "publish"): (None, lambda: publish(shop, shop, secret=b"1")),
    }
    families: tuple[tuple[Family, Any], ...] = (("anonymizer", shop), ("attack", challenge))
    for family, given in families:
        for name in registry.names(family):
            method = examples(family, name, size)
            found[family, name] = method, lambda method=method, given=given: method(given, seed=1)
    return found


def main() -> None:
    logging.disable(logging.WARNING)
    rows = [cells(growth) for growth in measured()]
    show("Seconds of one core against the number of customers n", HEADS, rows)


HEADS = ("", "method", *(f"n = {size:,}" for size in SIZES), "exponent", "search")


def cells(growth: Growth) -> tuple[str, ...]:
    """Return a row of the table; what was not asked, or would tell of fixed costs, is empty."""
    times = [f"{value:.3f}" for value in growth.taken]
    empty = [""] * (len(SIZES) - len(times))
    power = f"{growth.exponent:.2f}" if growth.taken[-1] >= SHORT else ""
    budget = "" if growth.budget is None else f"{growth.budget:g} s"
    return growth.family, growth.method, *times, *empty, power, budget


if __name__ == "__main__":
    main()
