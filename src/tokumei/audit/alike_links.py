"""What names, basket numbers and order tell of customers who look alike in the release.

A bound for those who look alike breaks where their names are made of anything that tells them apart
in the original: an attribute, a purchase, a count. What a whole group has in common tells nothing
new, so names are compared within groups only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from tokumei.audit.associations import Groups, follows, goes_with
from tokumei.audit.criteria import Sentence
from tokumei.audit.facts import Fact, facts_of, joined
from tokumei.audit.link_orders import text_orders
from tokumei.audit.made_of import COMMON, DIGITS, Held, Made, contains, digest, hash_of
from tokumei.audit.orders import Values
from tokumei.contracts import Release
from tokumei.history import ROW, History
from tokumei.metrics.indistinguishable import kinds_in_release
from tokumei.tables import frame

ENDS = (1, 2, 3, 4)
"""How many signs at the beginning and at the end of a label are compared with classes."""
REMAINDERS = range(2, 13)
MOST_BASKETS = 20
"""How many baskets of a customer are looked at."""
PARTS = 3


@dataclass(frozen=True)
class Sentences:
    """What is said where labels of one sort tell customers who look alike apart."""

    within: Sentence
    hash: Sentence
    part: Sentence
    order: Sentence


NAMES = Sentences(
    Sentence(
        "Pseudonyms of customers who look alike have in them what the original tells of each "
        "({fact}): {count:,} of {n:,} compared, by chance {chance:.1f}"
    ),
    Sentence(
        "Pseudonyms of customers who look alike are a hash of what the original tells of each "
        "({fact}; {hash}): {count:,} of {n:,} compared"
    ),
    Sentence(
        "A part of the pseudonyms of customers who look alike goes with what the original tells of "
        "each ({fact}): {count:,} together, by chance {chance:.1f}"
    ),
    Sentence(
        "Pseudonyms of customers who look alike, when sorted, follow what the original tells of "
        "each ({fact}): rank correlation {correlation:.2f}"
    ),
)
BASKETS = Sentences(
    Sentence(
        "Basket numbers of customers who look alike have in them what the original tells of each "
        "({fact}): {count:,} of {n:,} compared, by chance {chance:.1f}"
    ),
    Sentence(
        "Basket numbers of customers who look alike are a hash of what the original tells of each "
        "({fact}; {hash}): {count:,} of {n:,} compared"
    ),
    Sentence(
        "A part of the basket numbers of customers who look alike goes with what the original "
        "tells of each ({fact}): {count:,} together, by chance {chance:.1f}"
    ),
    Sentence(
        "Basket numbers of customers who look alike, when sorted, follow what the original tells "
        "of each ({fact}): rank correlation {correlation:.2f}"
    ),
)
ROWS = Sentence(
    "The rows of customers who look alike follow what the original tells of each ({fact}): rank "
    "correlation {correlation:.2f}"
)
TABLE = Sentence(
    "In the customers table, customers who look alike follow what the original tells of each "
    "({fact}): rank correlation {correlation:.2f}"
)


@dataclass(frozen=True, eq=False)
class Alike:
    """The pseudonyms that look like another one, and the facts of who is behind them."""

    original: History
    release: Release

    @cached_property
    def members(self) -> pl.DataFrame:
        """Pseudonym, person and group, of those who are not alone."""
        key = frame(self.release.key.pseudonyms).drop_nulls(["pseudonym", "person"])
        kinds = kinds_in_release(self.original, self.release, by="rows")
        held = key.unique("pseudonym", keep="first").join(
            kinds.select(pseudonym="person", kind="kind"), on="pseudonym"
        )
        by = [name for name in ("kind", "period") if name in held.columns]
        held = held.filter(pl.len().over(by) > 1).sort("pseudonym")
        group = pl.struct(by).rank("dense").cast(pl.Int64) - 1
        return held.select("pseudonym", "person", group=group)

    @cached_property
    def groups(self) -> Groups:
        """Return the groups of the members."""
        return Groups(self.members["group"].to_numpy())

    @cached_property
    def facts(self) -> list[Fact]:
        """Return what the original tells of the members, where it tells some of a group apart."""
        found = facts_of(self.original, self.members["person"])
        return [fact for fact in found if self._apart(fact)]

    def _apart(self, fact: Fact) -> bool:
        held = set(zip(self.groups.codes.tolist(), fact.orders[0].tolist(), strict=True))
        return len(held) > len(self.groups.sizes)

    @cached_property
    def orders(self) -> list[tuple[str, Values]]:
        """Return the orders of the members by each fact, by two attributes, and by hashes."""
        found = [(fact.label, order) for fact in self.facts for order in fact.orders]
        own = [fact for fact in self.facts if fact.own]
        for first in own:
            for second in own:
                if first is not second:
                    order = first.orders[0] * (len(second.orders[0]) + 1) + second.orders[0]
                    found.append((f"{first.label} + {second.label}", order))
        for fact in own:
            for name in COMMON:
                digests = [digest(name, text) for text in fact.texts[0]]
                order = np.unique(np.array(digests, object), return_inverse=True)[1]
                found.append((f"{fact.label}, {name}", order))
        return found

    def told_by(self, labels: Held, said: Sentences) -> list[Sentence]:
        """Return what the texts on the members tell."""
        if not len(self.members) or not self.facts:
            return []
        first = [min(held) for held in labels]
        texts = [(fact.label, column) for fact in self.facts for column in fact.texts]
        classes = [(fact.label, part) for fact in self.facts for part in fact.classes]
        made = contains(labels, texts, classes, self.groups)
        if made:
            return [_said(said.within, made)]
        made = hash_of(labels, texts, list(joined(self.facts)), self.groups)
        if made:
            return [_said(said.hash, made)]
        found = goes_with(_parts(first), [part for _, part in classes], self.groups)
        if found:
            label = classes[found.fact][0]
            return [_said(said.part, Made(label, found.count, len(first), found.chance))]
        return self.told_by_order(_orders(first), said.order)

    def told_by_order(self, labels: Sequence[Values], said: Sentence) -> list[Sentence]:
        """Return what an order of the members tells."""
        if not len(self.members) or not self.facts:
            return []
        names, orders = zip(*self.orders, strict=True)
        found = follows(labels, orders, self.groups)
        if found is None:
            places = [[f"{rank}" for rank in line] for line in self.groups.ranks(labels)]
            others = [[f"{rank}" for rank in line] for line in self.groups.ranks(orders)]
            found = goes_with(places, others, self.groups)
        if found is None:
            return []
        return [replace(said, values={"fact": names[found.fact], "correlation": found.correlation})]

    def names(self) -> list[Sentence]:
        """Return what the pseudonyms tell."""
        return self.told_by([(name,) for name in self.members["pseudonym"].to_list()], NAMES)

    def baskets(self) -> list[Sentence]:
        """Return what the basket numbers tell."""
        if "basket" not in self.release.public.visible:
            return []
        rows = self.release.public.frame().select("basket", pseudonym="person").drop_nulls()
        held = rows.group_by("pseudonym").agg(pl.col("basket").unique().sort().head(MOST_BASKETS))
        held = self.members.join(held, on="pseudonym", how="left", maintain_order="left")
        labels = [tuple(numbers) for numbers in held["basket"].to_list() if numbers]
        return self.told_by(labels, BASKETS) if len(labels) == len(held) else []

    def places(self) -> list[Sentence]:
        """Return what the order of the rows and of the customers table tells."""
        rows = self.release.public.frame().select(ROW, pseudonym="person")
        where = rows.group_by("pseudonym").agg(
            first=pl.col(ROW).min(), middle=pl.col(ROW).median(), last=pl.col(ROW).max()
        )
        where = self.members.join(where, on="pseudonym", how="left", maintain_order="left")
        shown = [
            where[name].cast(pl.Float64).fill_null(-1).to_numpy() for name in where.columns[3:]
        ]
        found = self.told_by_order(shown, ROWS)
        if self.release.public.customers is not None:
            listed = frame(self.release.public.customers).select(pseudonym="person")
            listed = self.members.join(
                listed.with_row_index("place"), on="pseudonym", how="left", maintain_order="left"
            )
            found += self.told_by_order([listed["place"].cast(pl.Float64).to_numpy()], TABLE)
        return found


def _said(sentence: Sentence, made: Made) -> Sentence:
    values: dict[str, str | int | float] = {"fact": made.label, "hash": made.hash}
    values |= {"count": made.count, "n": made.n, "chance": made.chance}
    return replace(sentence, values=values)


def _orders(names: list[str]) -> list[Values]:
    """Return orders of the names, and of their ends and parts."""
    parts = [[(*_split(name), *("",) * PARTS)[at] for name in names] for at in range(PARTS)]
    ends = [[name[-length:] for name in names] for length in ENDS[1:]]
    orders = [order for part in (names, *parts, *ends) for order in text_orders(pl.Series(part))]
    return list({order.tobytes(): order for order in orders if order.any()}.values())


def _parts(names: list[str]) -> list[list[str]]:
    """Return parts of the names, each of which could be a code."""
    parts = [[name[:length] for name in names] for length in ENDS]
    parts += [[name[-length:] for name in names] for length in ENDS]
    parts += [[name[at : at + 1] for name in names] for at in range(1, max(ENDS))]
    parts += [[f"{len(name)}" for name in names], [_shape(name) for name in names]]
    for at in range(PARTS):
        parts.append([(*_split(name), *("",) * PARTS)[at] for name in names])
    digits = ["".join(sign for sign in name if sign.isdecimal()) for name in names]
    if all(0 < len(number) <= DIGITS for number in digits):
        parts += [[f"{int(number) % by}" for number in digits] for by in REMAINDERS]
    return parts


def _split(name: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in name).split()


def _shape(name: str) -> str:
    kinds = (
        "9" if sign.isdecimal() else "A" if sign.isupper() else "a" if sign.isalpha() else sign
        for sign in name
    )
    return "".join(kinds)
