"""Two captures as histories, and the library's attacks between them.

A device is a person, what was observed of it an item. The attacker recorded the first capture and
knows whose every address was; the addresses of the second are to be named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tokumei.attacks.jaccard import Jaccard
from tokumei.attacks.multiset_jaccard import MultisetJaccard
from tokumei.ble.devices import Devices
from tokumei.ble.link_layer import STABLE_KINDS
from tokumei.ble.makers import structures
from tokumei.ble.observing import Observations
from tokumei.contracts import Attack, Guess, Key, Release, Score
from tokumei.errors import Unachievable
from tokumei.history import ROW, History
from tokumei.metrics.risk import Risk
from tokumei.tables import frame, table

ASSUMES = "The attacker recorded the first capture and knows whose each of its addresses was."
PERCENT = 100
"""Levels are compared as histograms of so many parts, however many packets there are."""
LEVEL_STEP = 3
"""dB: levels are compared in steps of this width."""


def by_address(seen: Observations) -> pl.DataFrame:
    """Return the address itself as the only item."""
    return seen.addresses.select(sender="sender", item="sender", quantity=pl.lit(1)).unique()


def by_payload(seen: Observations) -> pl.DataFrame:
    """Return the parts of the advertising data, such as a name or a maker's data."""
    rows = [
        (sender, f"{kind:02X}:{content}")
        for sender, data in seen.payloads.select("sender", "advertising_data").iter_rows()
        for kind, content in structures(data)
    ]
    schema = {"sender": pl.String, "item": pl.String}
    pairs = pl.DataFrame(rows, schema=schema, orient="row").unique()
    return pairs.with_columns(quantity=pl.lit(1))


def by_level(seen: Observations) -> pl.DataFrame:
    """Return the levels of RSSI, each as often as its share of the packets."""
    step = pl.col("rssi").cast(pl.Int64).floordiv(LEVEL_STEP) * LEVEL_STEP
    counted = seen.levels.group_by("sender", level=step).agg(pl.col("packets").sum())
    share = pl.col("packets") / pl.col("packets").sum().over("sender")
    quantity = (share * PERCENT).round().cast(pl.Int64)
    return counted.select("sender", item=pl.format("{} dBm", "level"), quantity=quantity).filter(
        pl.col("quantity") > 0
    )


WAYS: dict[str, tuple[Callable[[Observations], pl.DataFrame], Attack]] = {
    "address": (by_address, Jaccard()),
    # A part that many devices send (flags, a maker's constant) should weigh little.
    "payload": (by_payload, Jaccard(weights="idf")),
    "level": (by_level, MultisetJaccard()),
}


@dataclass(frozen=True, eq=False)
class Link:
    """What one way of recognizing gave."""

    way: str
    score: Score
    guess: pl.DataFrame
    """address, said (device or address of the first capture), weight, right (null: a newcomer)."""

    @property
    def newcomers_named(self) -> int:
        """Addresses of devices that were not in the first capture, and were named all the same."""
        return int(self.guess["right"].is_null().sum())


@dataclass(frozen=True, eq=False)
class Linked:
    """All ways, and what was known of the truth."""

    links: list[Link]
    first: int
    second: int
    """Addresses in each capture."""
    again: int
    """Addresses of the second capture whose device is in the first."""
    truth: str
    """`devices`: by the lists that were given; `addresses`: by stable addresses alone."""

    @property
    def left_out(self) -> list[str]:
        """Ways of which a capture tells nothing, as one without RSSI."""
        return [way for way in WAYS if way not in {one.way for one in self.links}]

    @property
    def recognized(self) -> int:
        """Addresses that at least one way took for the right device, and for that alone."""
        right = [one.guess.filter("right")["address"] for one in self.links]
        return pl.concat(right).n_unique()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "addresses": [self.first, self.second],
            "devices_seen_again": self.again,
            "recognized_in_any_way": self.recognized,
            "truth": self.truth,
            "left_out": self.left_out,
            "ways": [
                {
                    **link.score.to_json(),
                    "way": link.way,
                    "newcomers": self.second - self.again,
                    "newcomers_named": link.newcomers_named,
                }
                for link in self.links
            ],
        }


def link(
    first: Observations, second: Observations, *, devices: Devices | None = None, seed: int = 0
) -> Linked:
    """Try to recognize the devices of one capture in another, in every way.

    Without a list that tells which addresses belong together, only stable addresses that occur in
    both captures are known to be one device.
    """
    owners = _owners(devices, first), _owners(devices, second, stable_only=True)
    key = _key(*owners)
    if key.is_empty():
        raise Unachievable(
            "No device is known to be in both captures: none of the stable addresses occurs in "
            "both, and no list of devices tells which addresses belong together."
        )
    usable = {
        way: (items, attack)
        for way, (items, attack) in WAYS.items()
        if len(items(first)) and len(items(second))
    }
    links = [
        _played(way, items, attack, (first, second), owners, key, seed)
        for way, (items, attack) in usable.items()
    ]
    return Linked(
        links,
        first.addresses["sender"].n_unique(),
        second.addresses["sender"].n_unique(),
        len(key),
        "devices" if devices else "addresses",
    )


def _owners(
    devices: Devices | None, seen: Observations, *, stable_only: bool = False
) -> pl.DataFrame:
    """Return sender, person: the device of each address, or the address itself."""
    rows = seen.addresses.select("sender", "sender_kind").unique("sender")
    own = pl.col("sender")
    if stable_only:
        own = pl.when(pl.col("sender_kind").is_in(STABLE_KINDS)).then(own)
    if devices is None:
        return rows.select("sender", person=own)
    label = pl.concat_str("device", "type", "user", separator=" / ").str.strip_chars(" /")
    named = devices.rows.select(sender="address", label=label)
    rows = rows.join(named, on="sender", how="left")
    return rows.select("sender", person=pl.coalesce("label", own))


def _key(known: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Return pseudonym, person: the devices of the second capture that are in the first."""
    again = asked.filter(pl.col("person").is_in(known["person"].implode()))
    return again.select(pseudonym="sender", person="person").sort("pseudonym")


def _played(
    way: str,
    items: Callable[[Observations], pl.DataFrame],
    attack: Attack,
    captures: tuple[Observations, Observations],
    owners: tuple[pl.DataFrame, pl.DataFrame],
    key: pl.DataFrame,
    seed: int,
) -> Link:
    first = _history(captures[0], items, owners[0])
    second = _history(captures[1], items, None)
    release = Release(second, Key(table(key), Key.unknown().rows))
    guess, score = Risk(attack=attack).play(first, release, seed=seed)
    score = replace(score, name=way, assumes=ASSUMES)
    return Link(way, score, _best(guess, key))


def _history(
    seen: Observations,
    items: Callable[[Observations], pl.DataFrame],
    owners: pl.DataFrame | None,
) -> History:
    """Return what was observed of each device; one of which nothing was observed has no item."""
    senders = seen.addresses.select("sender").unique()
    rows = senders.join(items(seen), on="sender", how="left").with_columns(
        pl.col("quantity").fill_null(1).cast(pl.Int64)
    )
    if owners is None:
        rows = rows.rename({"sender": "person"})
    else:
        rows = rows.join(owners, on="sender").drop("sender")
    rows = rows.select("person", "item", "quantity").sort("person", "item", "quantity")
    return History(table(rows.with_row_index(ROW).with_columns(pl.col(ROW).cast(pl.Int64))))


def _best(guess: Guess, key: pl.DataFrame) -> pl.DataFrame:
    """Return whom each address was taken for, where one is the most similar."""
    pairs = frame(guess.pairs).rename({"target": "address", "value": "said"})
    best = pairs.filter(pl.col("weight") == pl.col("weight").max().over("address"))
    alone = best.filter(pl.len().over("address") == 1)
    judged = alone.join(key, left_on="address", right_on="pseudonym", how="left")
    return judged.select(
        "address", "said", "weight", right=pl.col("said") == pl.col("person")
    ).sort("address")
