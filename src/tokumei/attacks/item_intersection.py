"""The second sample attack of PWSCUP 2018: who may have bought all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.cells import widened
from tokumei.contracts import Challenge, Guess
from tokumei.errors import SchemaError
from tokumei.parameters import Checked
from tokumei.registry import attack


@attack("item-intersection")
@dataclass(frozen=True, kw_only=True)
class ItemIntersection(Checked):
    """For each customer, keep the pseudonyms that may hold every item the customer bought.

    A pseudonym with more rows than the customer is out; a suppressed item may be any. A customer
    is named where one pseudonym is left. The item attack of PWSCUP 2018.

    Limits: one item that was deleted or replaced, or one row too many, rules out the right
    pseudonym.
    """

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        challenge.known.require("item", to="intersect items")
        if "item" not in challenge.release.visible:
            raise SchemaError("To intersect items, the release needs a column for item.")
        released = challenge.release.frame().filter(
            pl.col("person").is_in(pseudonyms(challenge).implode())
        )
        known = challenge.known.frame().filter(pl.col("person").is_in(people(challenge).implode()))
        rows, rows_known = (
            part.group_by("person").len().sort("person") for part in (released, known)
        )
        held = released.select("person", item=widened(released["item"], "set"))
        anything = held.filter(pl.col("item").is_null())["person"].unique()
        held = held.explode("item").drop_nulls().unique()
        bought = known.select("person", "item").drop_nulls().unique()
        items = bought["item"].unique()
        held = held.filter(pl.col("item").is_in(items.implode()))
        shared = (
            _matrix(bought, rows_known["person"], items)
            @ _matrix(held, rows["person"], items).transpose()
        )
        sizes = rows_known.join(bought.group_by("person").len("items"), on="person", how="left")
        needed = sizes.sort("person")["items"].fill_null(0).to_numpy()
        free = rows["person"].is_in(anything.implode()).to_numpy()
        return guess(
            challenge,
            _alone(shared, needed, free, rows, rows_known).with_columns(weight=pl.lit(1.0)),
        )


def _matrix(pairs: pl.DataFrame, persons: pl.Series, items: pl.Series) -> sparse.csr_array:
    rows = pairs["person"].cast(pl.Enum(persons)).to_physical().to_numpy()
    columns = pairs["item"].cast(pl.Enum(items)).to_physical().to_numpy()
    ones = np.ones(len(pairs), dtype=np.int32)
    return sparse.csr_array((ones, (rows, columns)), shape=(len(persons), len(items)))


def _alone(
    shared: sparse.csr_array,
    needed: np.ndarray[tuple[int], np.dtype[np.int64]],
    free: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rows: pl.DataFrame,
    rows_known: pl.DataFrame,
) -> pl.DataFrame:
    """Return pseudonym, person where one pseudonym holds all items and has no more rows."""
    lengths, limits = rows["len"].to_numpy(), rows_known["len"].to_numpy()
    found: dict[str, list[str]] = {"pseudonym": [], "person": []}
    for number, person in enumerate(rows_known["person"]):
        place = slice(shared.indptr[number], shared.indptr[number + 1])
        full = shared.indices[place][shared.data[place] == needed[number]]
        possible = free.copy()
        possible[full] = True
        left = np.flatnonzero(possible & (lengths <= limits[number]))
        if len(left) == 1:
            found["pseudonym"].append(rows["person"][int(left[0])])
            found["person"].append(person)
    return pl.DataFrame(found, schema={"pseudonym": pl.String, "person": pl.String})
