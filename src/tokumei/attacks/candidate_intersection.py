"""Who can be behind a pseudonym when every cell is believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.attacks.matching import ALL_PAIRS, SHORTLIST, OneToOne, Top, assign
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.cells import high, kind, low, widened
from tokumei.contracts import Challenge, Guess
from tokumei.draws import keys_of, uniform
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.itemsets.search import Matches
from tokumei.parameters import Checked
from tokumei.registry import attack

NUMBERS = ("time", "price", "quantity")
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@attack("candidate-intersection")
@dataclass(frozen=True, kw_only=True)
class CandidateIntersection(Checked):
    """Name the customer whose purchases fit into the most released rows.

    A released row fits a customer who has a purchase with its item in the set and date, price and
    quantity in the intervals; a suppressed cell fits all. A pseudonym with more rows than the
    customer is out. The weight is the share of the pseudonym's rows that fit: where the true value
    lies in every cell, the right customer has 1.

    Limits: decoys, or knowledge of a part of the purchases, make pseudonyms have more rows than the
    customers, and the attack says nothing.
    """

    one_to_one: OneToOne = True
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        asked, persons = (
            names.unique().sort() for names in (pseudonyms(challenge), people(challenge))
        )
        shares = fitting_shares(challenge.release, challenge.known, asked, persons)
        # Equally fitting customers are put in a random order, so that no name is preferred.
        draw = uniform(seed, "candidate-intersection", keys_of(persons))
        wanted = len(persons) if len(persons) <= ALL_PAIRS or not self.one_to_one else SHORTLIST
        order = np.lexsort((np.broadcast_to(draw, shares.shape), -shares))[:, :wanted]
        weights = np.take_along_axis(shares, order, axis=1)
        found = Matches(np.where(weights > 0, order, -1), weights)
        if self.one_to_one:
            places = assign(found, len(persons), keys_of(asked), keys_of(persons), seed)
            rows = np.flatnonzero(places >= 0)
            columns = places[rows]
        else:
            rows, columns = np.nonzero(found.base[:, : self.top] >= 0)
        pairs = {
            "pseudonym": asked.gather(rows),
            "person": persons.gather(found.base[rows, columns]),
            "weight": found.similarity[rows, columns],
        }
        return guess(challenge, pl.DataFrame(pairs))


def fitting_shares(
    release: History, known: History, asked: pl.Series, persons: pl.Series
) -> Floats:
    """Return the share of each pseudonym's rows (lines) that fit each person (columns)."""
    # The compiled loops are loaded only when they run.
    from tokumei.attacks.fitting import count_fits

    released, owned = (
        part.frame().filter(pl.col("person").is_in(names.implode()))
        for part, names in ((release, asked), (known, persons))
    )
    shared = [name for name in ("item", *NUMBERS) if name in released.columns]
    shared = [name for name in shared if name in owned.columns]
    if not shared:
        raise SchemaError("To intersect candidates, release and knowledge must share a column.")
    known.require(*shared, to="intersect candidates")
    released = released.with_columns(_code(released["person"], asked).alias("_who")).sort("_who")
    owned = owned.with_columns(_code(owned["person"], persons).alias("_who"))
    item = _items(owned, shared)
    owned = owned.with_columns(item.alias("_item")).sort("_item", "_who")
    starts, members, everything = _sets(released, owned, shared)
    fits = count_fits(
        released["_who"].to_numpy(), starts, members, everything, *_ends(released, shared),
        owned["_who"].to_numpy(), owned["_item"].to_numpy(), _values(owned, shared),
        len(asked), len(persons),
    )  # fmt: skip
    rows = np.bincount(released["_who"].to_numpy(), minlength=len(asked))
    rows_owned = np.bincount(owned["_who"].to_numpy(), minlength=len(persons))
    shares: Floats = fits / np.maximum(rows, 1)[:, np.newaxis]
    shares[rows[:, np.newaxis] > rows_owned[np.newaxis, :]] = 0.0
    return shares


def _code(names: pl.Series, of: pl.Series) -> pl.Series:
    return names.cast(pl.Enum(of)).to_physical().cast(pl.Int64)


def _items(owned: pl.DataFrame, shared: list[str]) -> pl.Series:
    if "item" not in shared:
        return pl.Series(np.zeros(len(owned), dtype=np.int64))
    items = owned["item"].drop_nulls().unique().sort()
    return _code(owned["item"], items).fill_null(len(items))


def _sets(
    released: pl.DataFrame, owned: pl.DataFrame, shared: list[str]
) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the item codes of each released row, and which rows may hold any item."""
    n = len(released)
    if "item" not in shared:
        return np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.ones(n, dtype=bool)
    codes = owned.select("item", "_item").unique()
    sets = released.select(item=widened(released["item"], "set")).with_row_index("_row")
    # A known purchase whose item is suppressed may be of any item, so that it is in every set.
    told = sets.drop_nulls("item").with_columns(pl.concat_list("item", pl.lit(None, pl.String)))
    single = told.explode("item").join(codes, on="item", nulls_equal=True).sort("_row", "_item")
    counts = np.bincount(single["_row"].to_numpy(), minlength=n)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return starts, single["_item"].to_numpy().astype(np.int64), sets["item"].is_null().to_numpy()


def _number(values: pl.Series) -> pl.Series:
    if values.dtype.is_temporal():
        values = values.cast(pl.Date).to_physical()
    return values.cast(pl.Float64)


def _ends(released: pl.DataFrame, shared: list[str]) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of date, price and quantity; infinite where untold."""
    empty = pl.Series(np.full(len(released), np.nan))
    lows, highs = [], []
    for name in NUMBERS:
        cells = released[name] if name in shared else None
        if cells is not None and kind(cells.dtype) == "set":
            raise SchemaError(f"To intersect candidates, a {name} must be exact or an interval.")
        lo, hi = (empty, empty) if cells is None else (_number(low(cells)), _number(high(cells)))
        lows.append(lo.fill_nan(None).fill_null(-np.inf).to_numpy())
        highs.append(hi.fill_nan(None).fill_null(np.inf).to_numpy())
    return np.column_stack(lows), np.column_stack(highs)


def _values(owned: pl.DataFrame, shared: list[str]) -> Floats:
    columns = [
        _number(owned[name]).to_numpy() if name in shared else np.zeros(len(owned))
        for name in NUMBERS
    ]
    return np.column_stack(columns)
