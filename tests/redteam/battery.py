"""The battery: releases that a red team would try on the audit, each with a name.

`release(name)` returns the original and what was published. Everything is fixed by seeds, so that
a release that once fooled the audit stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Literal

from by_hand import Noise, Shuffled, published_by_hand, repeated_customers, shadowed
from tricks import TRICKS
from worlds import REAL, world

from tokumei import History, Release, publish
from tokumei.anonymizers import (
    Chain,
    Decoys,
    DeleteRows,
    Equalize,
    Generalize,
    GeneralizeAtRandom,
    PerturbAmounts,
    PseudonymsOnly,
    RetainReplace,
    ShiftDates,
    Yamaoka,
)

SEED = 4711
SECRET = b"a secret of the red team's own"


@dataclass(frozen=True)
class Case:
    """How a release is made, and what the attackers know of it."""

    world: str
    method: Any
    noise: Noise = field(default_factory=Noise)
    pseudonyms: Literal["lasting", "monthly"] = "lasting"
    publish: Callable[[History], Release] | None = None
    """How it is published by hand, if `publish` of tokumei does not do it."""
    then: Callable[[Release], Release] | None = None

    @property
    def needs_real_data(self) -> bool:
        return self.world in REAL


def _case(world: str, *steps: Any, **options: Any) -> Case:
    return Case(world, steps[0] if len(steps) == 1 else Chain(steps=steps), **options)


def _by(**options: Any) -> Callable[[History], Release]:
    return partial(published_by_hand, **options)


def _random(*columns: str, rho: float = 0.0) -> Any:
    """Keep the values of these columns with probability rho, each by itself."""
    steps = [RetainReplace(columns=name, table="purchases", rho=rho) for name in columns]
    return steps[0] if len(steps) == 1 else Chain(steps=tuple(steps))


def _groups(size: int = 4) -> Equalize:
    return Equalize(groups="balanced", size=size, objective="information-loss")


ALL_RANDOM = _random("item", "time", "price", "quantity")
NOISES = {
    "light": Noise(days=5, price=0.1, quantity=0.1),
    "heavy": Noise(days=25, price=0.6, quantity=0.6, kept=0.6),
    "items drawn": Noise(days=40, price=0.8, quantity=0.8, item_kept=0.08),
    "items drawn, thinned": Noise(days=90, price=0.8, quantity=0.8, item_kept=0.04, kept=0.5),
    "by customer": Noise(days=21, together="customer", price=0.25, quantity=0.25),
    "amounts": Noise(price=0.3, quantity=0.3),
}


def _noisy(world: str, name: str, **options: Any) -> Case:
    return Case(world, NOISES[name], NOISES[name], **options)


CASES: dict[str, Case] = {
    # Every method by itself.
    "pseudonyms only": _case("shop", PseudonymsOnly()),
    "pseudonyms only, kiosk": _case("kiosk", PseudonymsOnly()),
    "pseudonyms only, twins": _case("pairs", PseudonymsOnly()),
    "delete most rows": _case("another shop", DeleteRows(share=0.8), noise=Noise(kept=0.2)),
    "perturb amounts": _case(
        "shop by dates",
        PerturbAmounts(price=0.5, quantity=0.5),
        noise=Noise(price=0.5, quantity=0.5),
    ),
    "shift dates": _case(
        "shop without baskets",
        ShiftDates(days=45),
        noise=Noise(days=45, together="customer"),
    ),
    "yamaoka": _case("another shop", Yamaoka()),
    "decoys": _case("shop by dates", Decoys(clusters=17, min_size=3, seconds=1)),
    "decoys of the paper": _case("shop", Decoys(clusters=20, style="paper", seconds=1)),
    "decoys with deletions": _case("another shop", Decoys(clusters=20, delete=1.0, seconds=1)),
    "decoys share rows": _case("shop", Decoys(clusters=4, min_size=12, share="rows", seconds=1)),
    "equalize": _case("another shop", Equalize(seconds=1)),
    "equalize for everyone": _case("kiosk", Equalize(groups="everyone")),
    "equalize months": _case("shop by dates", Equalize(by="month", safety=3, seconds=1)),
    "equalize in twelves": _case("shop", _groups(12)),
    "generalize": _case("shop of small customers", Generalize(k=5, seconds=1)),
    "generalize in twelves": _case("shop by dates", Generalize(k=12, seconds=1)),
    "generalize rfm": _case(
        "shop without baskets", Generalize(k=3, grouping="rfm", objective="rfm", seconds=1)
    ),
    "generalize at random": _case(
        "shop", GeneralizeAtRandom(share=0.9, suppress=0.1, days=60, amounts=0.9, items=5)
    ),
    "retain-replace of attributes": _case(
        "shop with customers", RetainReplace(columns="sex,region", k=5)
    ),
    # Everything is drawn anew but how many rows there are and in which baskets they lie.
    "all cells random, baskets": _case("shop", ALL_RANDOM, noise=Noise(item_kept=0.0)),
    "all cells random, no baskets": _case(
        "shop without baskets", ALL_RANDOM, noise=Noise(item_kept=0.0)
    ),
    "time of day only": Case(
        "shop without baskets",
        Noise(days=200, price=0.95, quantity=0.95, item_kept=0.0, kept=0.6),
        Noise(days=200, price=0.95, quantity=0.95, item_kept=0.0, kept=0.6),
    ),
    "prices only": Case("shop without baskets", Shuffled(kept=("price",))),
    "kept column only": Case("transit", Shuffled(kept=("entry",))),
    # One trace is left, of a column or of half of one; half of the rows is deleted.
    **{
        name: _case(world, trick, DeleteRows(share=0.5), noise=Noise(item_kept=0.0, kept=0.5))
        for name, (world, trick) in TRICKS.items()
    },
    # Chains.
    "items drawn + noise": _noisy("another shop", "items drawn"),
    "items drawn + noise + thinned": _noisy("shop", "items drawn, thinned"),
    "decoys + noise": _case(
        "another shop",
        Decoys(clusters=22, min_size=3, seconds=1),
        NOISES["heavy"],
        noise=NOISES["heavy"],
    ),
    "decoys + widened": _case(
        "shop by dates",
        Decoys(clusters=20, seconds=1),
        GeneralizeAtRandom(share=0.8, suppress=0.15, days=40, amounts=0.7),
    ),
    "groups + delete": _case("shop", _groups(5), DeleteRows(share=0.15), noise=Noise(kept=0.85)),
    "generalize + delete": _case(
        "shop of small customers",
        Generalize(k=6, seconds=1),
        DeleteRows(share=0.05),
        noise=Noise(kept=0.95),
    ),
    "yamaoka + noise": _case(
        "shop of small customers", Yamaoka(), NOISES["light"], noise=NOISES["light"]
    ),
    "four steps": _case(
        "shop",
        DeleteRows(share=0.4),
        _random("item", rho=0.3),
        ShiftDates(days=14, together="row"),
        PerturbAmounts(price=0.7, quantity=0.7),
        noise=Noise(days=14, price=0.7, quantity=0.7, item_kept=0.3, kept=0.6),
    ),
    # The customers table.
    "attributes beside random rows": _case(
        "shop with customers", ALL_RANDOM, noise=Noise(item_kept=0.0)
    ),
    "silent customers": _case("shop with silent customers", DeleteRows(share=0.9)),
    "customers listed four times": _case(
        "shop with customers",
        PseudonymsOnly(),
        then=lambda made: repeated_customers(made, 4),
    ),
    # Basket numbers.
    "shared rows, numbered by customer": _case(
        "shop numbered by customer", Decoys(clusters=4, min_size=10, share="rows", seconds=1)
    ),
    "shared rows, numbered by day": _case(
        "shop numbered by day", Decoys(clusters=15, share="rows", seconds=1)
    ),
    # Monthly pseudonyms.
    "monthly, nothing changed": _case("shop", PseudonymsOnly(), pseudonyms="monthly"),
    "monthly, noise": _noisy("another shop", "heavy", pseudonyms="monthly"),
    "monthly, amounts": _noisy("shop by dates", "amounts", pseudonyms="monthly"),
    "monthly, items drawn": _noisy("shop", "items drawn", pseudonyms="monthly"),
    "monthly groups": _case(
        "shop by dates", Equalize(by="month", safety=3, seconds=1), pseudonyms="monthly"
    ),
    # Files that were named and ordered by hand, with a key.
    "groups named by sha1": _case("shop", _groups(10), publish=_by(naming="sha1")),
    "groups named by sha256": _case("shop", _groups(12), publish=_by(naming="sha256")),
    "groups named with an affix": _case("another shop", _groups(4), publish=_by(naming="affix")),
    "groups named with a prefix": _case("shop", _groups(11), publish=_by(naming="suffix")),
    "groups named in order": _case("another shop", _groups(10), publish=_by(naming="order")),
    "groups named in reversed order": _case(
        "shop", _groups(5), publish=_by(naming="reversed order")
    ),
    "groups in the original order": _case("shop", _groups(10), publish=_by(order="kept")),
    "groups in reversed order": _case("another shop", _groups(4), publish=_by(order="reversed")),
    "groups ordered by customer": _case("shop", _groups(10), publish=_by(order="by customer")),
    "groups sorted by day": _case("shop", _groups(12), publish=_by(order="by day")),
    "groups with customers in order": _case(
        "shop with customers", _groups(12), publish=_by(customers_in_order=True)
    ),
    "shared rows, baskets in order": _case(
        "shop",
        Decoys(clusters=4, min_size=12, share="rows", seconds=1),
        publish=_by(baskets="in order"),
    ),
    "shared rows, baskets named by customer": _case(
        "shop",
        Decoys(clusters=4, min_size=12, share="rows", seconds=1),
        publish=_by(baskets="named by customer"),
    ),
    "groups named by birth date": _case(
        "shop with customers",
        _groups(12),
        publish=lambda made: published_by_hand(made, original=world("shop with customers")),
    ),
    "groups named by base64": _case("another shop", _groups(12), publish=_by(naming="base64")),
    "groups named by crc32": _case("shop", _groups(12), publish=_by(naming="crc32")),
    "groups named by ids turned around": _case(
        "another shop", _groups(12), publish=_by(naming="turned around")
    ),
    "everybody with eleven shadows": _case(
        "kiosk with silent customers",
        PseudonymsOnly(),
        publish=partial(shadowed, times=12),
    ),
    "everybody twelve times": _case("kiosk", PseudonymsOnly(), publish=_by(times=12)),
    "groups published well by hand": _case("shop", _groups(12), publish=_by()),
    "random cells, invoice numbers kept": _case(
        "shop", ALL_RANDOM, publish=_by(), noise=Noise(item_kept=0.0)
    ),
    # Real data.
    "pwscup2016, monthly": _noisy("pwscup2016", "light", pseudonyms="monthly"),
    "pwscup2016, items drawn": _noisy("pwscup2016", "items drawn"),
    "pwscup2016, decoys": _case("pwscup2016", Decoys(clusters=20, min_size=3, seconds=1)),
    "pwscup2016, all cells random": _case("pwscup2016", ALL_RANDOM, noise=Noise(item_kept=0.0)),
    "pwscup2016, attributes perturbed": _case(
        "pwscup2016 with customers",
        ALL_RANDOM,
        RetainReplace(columns="sex,country", k=3),
        noise=Noise(item_kept=0.0),
    ),
    "cdnow, by row": _noisy("cdnow", "light"),
    "cdnow, by customer": _noisy("cdnow", "by customer"),
    "cdnow, groups": _case("cdnow", Generalize(k=5, seconds=1)),
    "tafeng, shared rows": _case("tafeng", Decoys(clusters=8, min_size=4, share="rows", seconds=1)),
    "tafeng, items drawn": _case("tafeng", _random("item", rho=0.1), noise=Noise(item_kept=0.1)),
    "retail 2009, widened": _case(
        "retail 2009",
        Decoys(clusters=20, seconds=1),
        GeneralizeAtRandom(share=0.7, suppress=0.25, days=80, amounts=0.8),
    ),
    "retail 2009, time of day": Case(
        "retail 2009",
        Noise(days=150, price=0.9, quantity=0.9, item_kept=0.0, kept=0.7),
        Noise(days=150, price=0.9, quantity=0.9, item_kept=0.0, kept=0.7),
    ),
    "retail 2010, equalize": _case("retail 2010", Equalize(safety=0.7, seconds=1)),
    "retail 2010, four steps": _case(
        "retail 2010",
        Decoys(clusters=30, seconds=1),
        NOISES["heavy"],
        _random("item", rho=0.5),
        DeleteRows(share=0.3),
        noise=Noise(days=25, price=0.6, quantity=0.6, item_kept=0.5, kept=0.42),
    ),
    "retail 2010, monthly": _noisy("retail 2010", "heavy", pseudonyms="monthly"),
    "journey, attributes": _case("journey with customers", ALL_RANDOM, noise=Noise(item_kept=0.0)),
    "journey, noise": _noisy("journey", "heavy"),
    "journey, stores only": Case("journey", Shuffled(kept=("store_id",))),
}


@cache
def release(name: str, draw: int = 0) -> tuple[History, Release]:
    """Return the original and the release of a case; another draw takes another seed."""
    case = CASES[name]
    original = world(case.world)
    anonymized = case.method(original, seed=SEED + draw)
    if case.publish is not None:
        made = case.publish(anonymized)
    else:
        period: Literal["month"] | None = "month" if case.pseudonyms == "monthly" else None
        made = publish(original, anonymized, secret=SECRET, period=period)
    return original, case.then(made) if case.then else made
