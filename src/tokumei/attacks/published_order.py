"""Reading the order of names, rows and baskets in a published file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
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

Shown = Literal["name", "row", "basket", "customers table"]
Known = Literal["id", "row"]
SLIGHT = 1e-4
"""How much the order counts beside the contents: it decides among customers who look alike."""


@attack("published-order")
@dataclass(frozen=True, kw_only=True)
class PublishedOrder(Checked):
    """Name customers who look alike by the order in which they are published.

    A file that was sorted by customer before the names were replaced, numbers that were given in
    turn, or a customers table that kept its order tell equal customers apart. Contents come first
    (item sets, or which purchases fit); where they leave a choice, the pseudonyms get the customers
    in the order of the original, one to one.

    Limits: it believes one order. Where names, numbers and rows were drawn at random, it guesses.
    """

    shown: Annotated[Shown, Doc("What is put in order in the release.")] = "row"
    known: Annotated[Known, Doc("What the customers are ordered by.")] = "row"
    falling: Annotated[bool, Doc("Whether one of the orders is turned around.")] = False

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        targets = _placed(challenge.release, pseudonyms(challenge), self.shown)
        persons = _placed(challenge.known, people(challenge), self.known)
        if targets.is_empty() or persons.is_empty():
            return Guess.of({})
        content = _content(challenge, targets["person"], persons["person"], seed)
        ours, theirs = ((part["place"].to_numpy() + 0.5) / len(part) for part in (targets, persons))
        away = abs((1 - ours if self.falling else ours)[:, np.newaxis] - theirs)
        gains = 1 + content - SLIGHT * away**2  # squared: the assignment keeps the order
        wanted = len(persons) if len(persons) <= ALL_PAIRS else SHORTLIST
        order = np.argsort(-gains, axis=1, kind="stable")[:, :wanted]
        weights = np.take_along_axis(gains, order, axis=1)
        keys = keys_of(targets["person"]), keys_of(persons["person"])
        places = assign(Matches(order, weights), len(persons), *keys, seed)
        rows = np.flatnonzero(places >= 0)
        found = {
            "pseudonym": targets["person"].gather(rows),
            "person": persons["person"].gather(order[rows, places[rows]]),
            "weight": weights[rows, places[rows]],
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
