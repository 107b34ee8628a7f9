"""Reading the order of names, rows and baskets in a published file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from typing_extensions import Doc

from tokumei.attacks.candidate_intersection import CandidateIntersection
from tokumei.attacks.jaccard import Jaccard
from tokumei.attacks.matching import ALL_PAIRS, SHORTLIST, assign
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats, keys_of
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.itemsets.search import Matches
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame

Shown = Literal["any", "name", "row", "basket", "customers table"]
Known = Literal["any", "id", "row"]
SHOWN: tuple[Shown, ...] = ("row", "name", "customers table", "basket")
KNOWN: tuple[Known, ...] = ("row", "id")
Ints = npt.NDArray[np.int64]
Named = tuple[Ints, Floats]
"""The customer of each pseudonym, or -1, and how much speaks for it."""
SLIGHT = 1e-4
"""How much the order counts beside the contents: it decides among customers who look alike."""


@attack("published-order")
@dataclass(frozen=True, kw_only=True)
class PublishedOrder(Checked):
    """Name customers who look alike by the order in which they are published.

    A file that was sorted by customer before the names were replaced, numbers that were given in
    turn, or a customers table that kept its order tell equal customers apart. Contents come first
    (item sets, or which purchases fit); where they leave a choice, the pseudonyms get the customers
    in the order of the original, one to one. Of any order, the one is believed that agrees best
    with the contents: a group of customers who look alike is, on average, where its customers are.

    Limits: it believes one order. Where names, numbers and rows were drawn at random, it guesses.
    """

    shown: Annotated[Shown, Doc("What is put in order in the release.")] = "any"
    known: Annotated[Known, Doc("What the customers are ordered by.")] = "any"
    falling: Annotated[
        bool, Doc("Whether one of the orders is turned around; of any order, both ways are tried.")
    ] = False

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        targets, persons = pseudonyms(challenge).unique().sort(), people(challenge).unique().sort()
        shown = _orders(challenge.release, targets, SHOWN if self.shown == "any" else (self.shown,))
        known = _orders(challenge.known, persons, KNOWN if self.known == "any" else (self.known,))
        if not shown or not known:
            return Guess.of({})
        content = _content(challenge, targets, persons, seed)
        pairs = [(ours, theirs) for ours in shown for theirs in known]
        named, _ = _assigned(1 + content, targets, persons, seed)
        agreed = [_agreement(ours, theirs, content, named) for ours, theirs in pairs]
        place = int(np.argmax(np.abs(agreed)))
        ours, theirs = pairs[place]
        tried = "any" in (self.shown, self.known)
        falling = agreed[place] < 0 if tried else self.falling
        rows, columns = (np.flatnonzero(~np.isnan(places)) for places in (ours, theirs))
        away = abs((1 - ours if falling else ours)[rows, np.newaxis] - theirs[columns])
        # Squared: the assignment keeps the order.
        gains = 1 + content[np.ix_(rows, columns)] - SLIGHT * away**2
        return _named(challenge, targets.gather(rows), persons.gather(columns), gains, seed)


def _orders(history: History, asked: pl.Series, by: Sequence[Shown | Known]) -> list[Floats]:
    """Return the places from 0 to 1 by each order that there is, NaN for who is not in it."""
    found = []
    for order in by:
        try:
            placed = _placed(history, asked, order)
        except SchemaError:
            if len(by) == 1:
                raise
            continue
        places = asked.to_frame("person").join(
            placed, on="person", how="left", maintain_order="left"
        )
        if len(placed):
            found.append((places["place"].cast(pl.Float64).to_numpy() + 0.5) / len(placed))
    return found


def _agreement(ours: Floats, theirs: Floats, content: Floats, named: Ints) -> float:
    """Return how the mean places of pseudonyms who look alike go with those of their customers."""
    seen = ~np.isnan(ours) & (named >= 0)
    seen[seen] &= ~np.isnan(theirs[named[seen]])
    if not seen.any():
        return 0.0
    group = np.unique(content[seen], axis=0, return_inverse=True)[1].ravel()
    size = np.bincount(group)
    shown, known = (
        (np.bincount(group, places) / size)[group] for places in (ours[seen], theirs[named[seen]])
    )
    if not shown.std() or not known.std():
        return 0.0
    return float(np.corrcoef(shown, known)[0, 1])


def _assigned(gains: Floats, targets: pl.Series, persons: pl.Series, seed: int) -> Named:
    """Give every pseudonym one customer, so that the sum of gains is largest."""
    wanted = len(persons) if len(persons) <= ALL_PAIRS else SHORTLIST
    order = np.argsort(-gains, axis=1, kind="stable")[:, :wanted]
    weights = np.take_along_axis(gains, order, axis=1)
    keys = keys_of(targets), keys_of(persons)
    places = assign(Matches(order, weights), len(persons), *keys, seed)
    rows = np.arange(len(targets))
    named = np.where(places >= 0, order[rows, places], -1)
    return named, weights[rows, places]


def _named(
    challenge: Challenge, targets: pl.Series, persons: pl.Series, gains: Floats, seed: int
) -> Guess:
    named, weights = _assigned(gains, targets, persons, seed)
    rows = np.flatnonzero(named >= 0)
    found = {
        "pseudonym": targets.gather(rows),
        "person": persons.gather(named[rows]),
        "weight": weights[rows],
    }
    return guess(challenge, pl.DataFrame(found))


def _placed(history: History, asked: pl.Series, by: Shown | Known) -> pl.DataFrame:
    """Return person and place, sorted by name: the order of names, or of what first shows them."""
    rows = history.in_row_order()
    if by in ("name", "id"):
        first = rows.select("person").unique().sort(_number("person"), "person", nulls_last=True)
    elif by == "row":
        first = rows.group_by("person").agg(pl.col(ROW).min()).sort(ROW)
    elif by == "customers table":
        if history.customers is None:
            raise SchemaError("To read the order of the customers table, there must be one.")
        first = frame(history.customers).select("person")
    else:
        history.require("basket", to="read the order of basket numbers")
        first = rows.group_by("person").agg(_number("basket").min(), name=pl.col("basket").min())
        first = first.sort("basket", "name", nulls_last=True)
    first = first.filter(pl.col("person").is_in(asked.implode()))
    return first.select("person", place=pl.int_range(pl.len())).sort("person")


def _number(column: str) -> pl.Expr:
    """Return the number at the end of a name: P9 comes before P10."""
    return pl.col(column).str.extract(r"(\d+)\D*$").cast(pl.Float64, strict=False)


def _content(challenge: Challenge, targets: pl.Series, persons: pl.Series, seed: int) -> Floats:
    """Return how alike target and person are, as far as their contents tell."""
    content = np.zeros((len(targets), len(persons)))
    for method in (
        Jaccard(weights="idf", top=len(persons)),
        CandidateIntersection(one_to_one=False, top=len(persons)),
    ):
        try:
            said = frame(method(challenge, seed=seed).pairs)
        except SchemaError:
            continue
        pairs = said.select(
            pl.col("target").cast(pl.Enum(targets), strict=False).to_physical(),
            pl.col("value").cast(pl.Enum(persons), strict=False).to_physical(),
            "weight",
        ).drop_nulls()
        content[pairs["target"].to_numpy(), pairs["value"].to_numpy()] += pairs["weight"].to_numpy()
    return content.round(9)
