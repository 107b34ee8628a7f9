"""What the attacks on item sets share: whom a released set of items resembles most."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from annotated_types import Ge
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from typing_extensions import Doc

from tokumei.attacks.naming import people, pseudonyms
from tokumei.contracts import Challenge
from tokumei.draws import UInts, keys_of, uniform
from tokumei.history import History
from tokumei.itemsets.search import Matches, most_similar

# The parameters that these attacks have in common.
ItemWeights = Annotated[
    Literal["none", "idf"],
    Doc("Count all items alike, or an item that d of n customers bought as ln(n / d) + 1."),
]
OneToOne = Annotated[
    bool,
    Doc(
        "Name each customer once at most, so that the similarities sum to the most; "
        "beyond 1,000 customers among the 50 most similar to each target."
    ),
]
Top = Annotated[int, Ge(1), Doc("How many customers to name for each target at most.")]

ONE = 2**30
"""The weight 1 in whole numbers: sums of whole numbers do not depend on their order."""
ALL_PAIRS = 1_000
"""Up to so many candidates the assignment considers every pair."""
SHORTLIST = 50
"""Beyond, it considers so many candidates of each target."""


def distinct_items(history: History, *, to: str) -> pl.DataFrame:
    """Return person, item, amount = 1; a suppressed item tells nothing."""
    history.require("item", to=to)
    pairs = history.frame().select("person", "item").drop_nulls().unique()
    return pairs.with_columns(amount=pl.lit(1, dtype=pl.Int64))


def match(
    challenge: Challenge,
    released: pl.DataFrame,
    known: pl.DataFrame,
    *,
    top: int,
    one_to_one: bool = False,
    idf: bool = False,
    seed: int,
) -> pl.DataFrame:
    """Return pseudonym, person, weight: the known customers most similar to each released one.

    Both tables are person, item, amount. Who shares no item with anybody is left out.
    """
    targets = _names(released, pseudonyms(challenge))
    values = _names(known, people(challenge))
    items = pl.concat([released["item"], known["item"]]).unique().sort()
    queries, base = _matrix(released, targets, items), _matrix(known, values, items)
    if idf:
        buyers = np.maximum(np.bincount(base.indices, minlength=len(items)), 1)
        weights = np.rint((np.log(max(len(values), 1) / buyers) + 1) * ONE).astype(np.int64)
        queries, base = (_weighted(matrix, weights) for matrix in (queries, base))
    wanted = len(values) if len(values) <= ALL_PAIRS else max(top, SHORTLIST)
    found = most_similar(
        queries,
        base,
        top=wanted if one_to_one else top,
        seed=seed,
        query_keys=keys_of(targets),
        base_keys=keys_of(values),
    )
    rows, columns = np.nonzero(found.base >= 0)
    if one_to_one:
        columns_of_rows = assign(found, len(values), keys_of(targets), keys_of(values), seed)
        rows = np.flatnonzero(columns_of_rows >= 0)
        columns = columns_of_rows[rows]
    return pl.DataFrame(
        {
            "pseudonym": targets.gather(rows),
            "person": values.gather(found.base[rows, columns]),
            "weight": found.similarity[rows, columns],
        }
    )


def _names(pairs: pl.DataFrame, asked: pl.Series) -> pl.Series:
    present = pairs["person"].unique().sort()
    return present.filter(present.is_in(asked.implode()))


def _matrix(pairs: pl.DataFrame, persons: pl.Series, items: pl.Series) -> sparse.csr_array:
    pairs = pairs.filter(pl.col("person").is_in(persons.implode()))
    rows = pairs["person"].cast(pl.Enum(persons)).to_physical().to_numpy()
    columns = pairs["item"].cast(pl.Enum(items)).to_physical().to_numpy()
    shape = (len(persons), len(items))
    return sparse.csr_array((pairs["amount"].to_numpy(), (rows, columns)), shape=shape)


def _weighted(matrix: sparse.csr_array, weights: npt.NDArray[np.int64]) -> sparse.csr_array:
    data = weights[matrix.indices]
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def assign(
    found: Matches, values: int, target_keys: UInts, value_keys: UInts, seed: int
) -> npt.NDArray[np.int64]:
    """Return the place in each target's list of the customer it gets, or -1.

    Every target may also stay alone, at similarity 0: so an assignment always exists.
    """
    targets = len(found.base)
    rows, places = np.nonzero(found.base >= 0)
    columns = found.base[rows, places]
    pairs = target_keys[rows] ^ (value_keys[columns] << np.uint64(1))
    ties = uniform(seed, "one to one", pairs)
    # Raised by 1, as the solver takes 0 for no edge; every target has one edge, so nothing changes.
    gains = 1 + found.similarity[rows, places] + ties * 1e-9
    alone = np.arange(targets)
    graph = sparse.csr_array(
        (
            np.concatenate([gains, np.ones(targets)]),
            (np.concatenate([rows, alone]), np.concatenate([columns, values + alone])),
        ),
        shape=(targets, values + targets),
    )
    chosen = min_weight_full_bipartite_matching(graph, maximize=True)[1] if targets else alone
    hit = chosen[rows] == columns
    result = np.full(targets, -1, dtype=np.int64)
    result[rows[hit]] = places[hit]
    return result
