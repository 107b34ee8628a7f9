"""The order of publishing tells equal customers apart, and nothing where it was drawn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tokumei import History, Key, Release, Risk, generate, publish
from tokumei.anonymizers import Equalize
from tokumei.attacks import PublishedOrder
from tokumei.history import ROW
from tokumei.tables import table


def grouped() -> tuple[History, History]:
    shop = generate("shop", customers=20, seed=2)
    return shop, Equalize(groups="balanced", size=5)(shop, seed=1)


def rate(shop: History, release: Release, attack: object) -> float:
    return Risk(attack=attack)(shop, release, seed=1).value  # type: ignore[arg-type]


def named_by_hand(shop: History, alike: History, *, falling: bool) -> Release:
    """Number the customers in turn, and leave the rows as they are sorted."""
    names = sorted(shop.persons(), reverse=falling)
    pairs = {name: f"N{number:02d}" for number, name in enumerate(names)}
    rows = alike.frame().sort(ROW)
    public = rows.with_columns(
        pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW), person=pl.col("person").replace(pairs)
    ).sample(fraction=1.0, shuffle=True, seed=1)
    public = public.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    key = pl.DataFrame({"pseudonym": list(pairs.values()), "person": list(pairs)})
    return Release(alike.with_purchases(public), Key(table(key), Key.unknown().rows))


def test_numbers_given_in_turn_name_everybody() -> None:
    shop, alike = grouped()
    for falling in (False, True):
        release = named_by_hand(shop, alike, falling=falling)
        attack = PublishedOrder(shown="name", known="id", falling=falling)
        assert rate(shop, release, attack) == 1.0


@pytest.mark.parametrize("falling", [False, True])
def test_the_order_that_the_contents_bear_out_is_found_unasked(*, falling: bool) -> None:
    """The audit asks with default parameters: numbers in turn, and sorted rows, either way."""
    shop, alike = grouped()
    assert rate(shop, named_by_hand(shop, alike, falling=falling), PublishedOrder()) == 1.0
    rows = alike.frame().sort("person", ROW, descending=[falling, False])
    numbers = np.random.default_rng(1).permutation(20)
    pairs = {name: f"x{at:02}" for name, at in zip(shop.persons(), numbers, strict=True)}
    public = rows.with_columns(
        pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW), person=pl.col("person").replace(pairs)
    )
    key = pl.DataFrame({"pseudonym": list(pairs.values()), "person": list(pairs)})
    release = Release(alike.with_purchases(public), Key(table(key), Key.unknown().rows))
    assert rate(shop, release, PublishedOrder()) == 1.0


def test_random_names_and_order_tell_nothing() -> None:
    shop, alike = grouped()
    rates = [
        rate(shop, publish(shop, alike, secret=bytes([number])), PublishedOrder())
        for number in range(10)
    ]
    assert sum(rates) / 10 < 0.35  # one in five by chance
