r"""The most similar item sets, exactly, without comparing all with all.

The similarity of two rows of non-negative whole numbers is :math:`\sum \min / \sum \max`: for ones
and zeros the jaccard coefficient, for quantities that of multisets, and for items that weigh
:math:`w_j` where bought the weighted one.

The base sets are sorted by their total and cut into blocks; for every item and block the index
knows who has it. A query visits the blocks from the one that fits its own total outwards and reads
its items from the rarest on. With s the similarity that a match must reach by now, the search

- leaves out blocks whose totals are so different that no set in them can reach s;
- reads rare items only as far as the others together could not reach s, and then compares the few
  sets that were met one by one;
- where that does not help, counts the common items of many sets at once, bit by bit.

No bound is loose in the other direction: the result is that of comparing all with all.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tokumei.draws import Floats, UInts, derive
from tokumei.progress import track

if TYPE_CHECKING:
    from tokumei.itemsets.inverted import Ints, Postings, Rows, Scratch

T = TypeVar("T")

BLOCK = 8_192  # base sets whose running sums stay in the nearest cache
CHUNK = 512  # queries between two reports of progress
COMMON = 0.01  # share of the base sets from which an item counts as common


@dataclass(frozen=True, eq=False)
class Matches:
    """The best matches of each query (row), best first; base is -1 where there are no more."""

    base: npt.NDArray[np.int64]
    similarity: npt.NDArray[np.float64]


def most_similar(
    queries: sparse.csr_array,
    base: sparse.csr_array,
    *,
    top: int = 1,
    seed: int,
    query_keys: UInts,
    base_keys: UInts,
    floors: Floats | None = None,
) -> Matches:
    """Find for every query the `top` most similar base sets that share something with it.

    Both matrices hold non-negative whole numbers over the same columns. Equally similar base sets
    are ordered by a draw that depends on the seed and the keys of both sets alone: each is as
    likely to come first, and the order of rows does not matter. With `floors`, a match of a query
    must be at least so similar; where better ones are known from elsewhere, that saves much.
    """
    from tokumei.itemsets.kernels import search

    count = queries.shape[0]
    top = min(top, base.shape[0])
    similarities = np.zeros((count, top))
    if top == 0 or count == 0:
        return Matches(np.zeros((count, top), dtype=np.int64), similarities)
    plain = _countable(queries) and _countable(base)
    rank = _by_rarity(base)
    order, rows, postings = _index(base, rank, plain=plain)
    asked = _rows(queries, np.arange(count), rank, plain=plain)
    draws = np.zeros((count, top), dtype=np.uint64)
    found = np.full((count, top), -1, dtype=np.int64)
    if floors is not None:
        similarities += floors[:, None]
    keys = (np.uint64(derive(seed, "most similar")), query_keys, base_keys[order])

    def work(chosen: Ints) -> None:
        middle = asked.totals[chosen[len(chosen) // 2]]
        home = np.searchsorted(rows.totals, middle) // postings.block
        nearest = np.argsort(abs(np.arange(postings.blocks) - home), kind="stable")
        search(asked, chosen, rows, postings, nearest, keys,
               scratch(rows, postings), similarities, draws, found)  # fmt: skip

    # Queries of like size together: they skip the same blocks. The largest, which take longest,
    # come first, so that no thread is left alone with them at the end.
    by_size = np.argsort(-asked.totals, kind="stable")
    chunks = [by_size[at : at + CHUNK] for at in range(0, count, CHUNK)]
    in_threads(work, chunks, "most similar item sets")
    none = found < 0
    return Matches(np.where(none, -1, order[found]), np.where(none, 0.0, similarities))


@dataclass(frozen=True, eq=False)
class Pairs:
    """The similarity of all pairs of distinct sets."""

    mean: float
    largest: float
    counts: npt.NDArray[np.int64]
    """Pairs in equally wide bins of the similarity from 0 to 1; 1 belongs to the last bin."""


def all_pairs(sets: sparse.csr_array, *, bins: int = 100) -> Pairs:
    """Compare every set with every other one, without keeping the pairs; at least two sets."""
    from tokumei.itemsets.kernels import compare

    plain = _countable(sets)
    _, rows, postings = _index(sets, _by_rarity(sets), plain=plain)
    n = sets.shape[0]

    def work(first: int) -> tuple[float, float, npt.NDArray[np.int64]]:
        counts = np.zeros(bins, dtype=np.int64)
        last = min(first + CHUNK, n)
        total, largest = compare(rows, first, last, postings, counts, scratch(rows, postings))
        return total, largest, counts

    totals, largest, counts = zip(
        *in_threads(work, list(range(0, n, CHUNK)), "jaccard of all pairs"), strict=True
    )
    counted = np.sum(counts, axis=0)
    pairs = n * (n - 1) // 2
    counted[0] += pairs - counted.sum()
    return Pairs(math.fsum(totals) / pairs, max(largest), counted)


def scratch(rows: Rows, postings: Postings) -> Scratch:
    """Make room to work in."""
    from tokumei.itemsets.inverted import PLANES, Scratch

    digits = np.zeros(PLANES * postings.block // 64, dtype=np.uint64)
    return Scratch(
        sums=np.zeros(postings.block, dtype=np.int64 if len(rows.values) else np.uint16),
        marks=np.zeros(len(postings.cells) // postings.blocks, dtype=np.int64),
        digits=digits,
        fields=digits.view(np.uint8),
    )


def in_threads(work: Callable[[Any], T], parts: list[Any], task: str) -> list[T]:
    """Do the work on all parts, on all processors, and return the results in order."""
    with ThreadPoolExecutor(_processors()) as pool:
        return list(track(pool.map(work, parts), len(parts), task))


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _countable(matrix: sparse.csr_array) -> bool:
    """Tell whether all numbers are 1, and so few that 16 bits count them."""
    return matrix.shape[1] < 2**16 and bool((matrix.data == 1).all())


def _rows(matrix: sparse.csr_array, order: Ints, rank: Any, *, plain: bool) -> Rows:
    from tokumei.itemsets.inverted import Rows, arrange

    values = np.zeros(0, dtype=np.int64) if plain else matrix.data.astype(np.int64)
    starts = matrix.indptr.astype(np.int64)
    starts, items, values = arrange(
        starts, matrix.indices.astype(np.int32), values, order, rank, len(rank)
    )
    return Rows(starts, items, values, _totals(matrix)[order])


def _totals(matrix: sparse.csr_array) -> Ints:
    ends = np.concatenate([[0], np.cumsum(matrix.data, dtype=np.int64)])
    return np.asarray(np.diff(ends[matrix.indptr]))


def _by_rarity(base: sparse.csr_array) -> Any:
    order = np.argsort(np.bincount(base.indices, minlength=base.shape[1]), kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return rank


def _index(base: sparse.csr_array, rank: Any, *, plain: bool) -> tuple[Ints, Rows, Postings]:
    from tokumei.itemsets.inverted import Postings, invert, pack

    order = np.argsort(_totals(base), kind="stable")
    rows = _rows(base, order, rank, plain=plain)
    n, width = base.shape
    block = _block(n, width, base.nnz)
    blocks = -(-n // block)
    cells, places, values = invert(rows, width, block, blocks)
    buyers = np.diff(cells[::blocks])
    common = int((buyers >= max(COMMON * n, 1)).sum()) if plain else 0
    first = width - common
    bits = pack(rows, block, blocks, first, width).ravel().view(np.uint64)
    return order, rows, Postings(cells, places, values, bits, block, blocks, first, common)


def _block(n: int, width: int, entries: int) -> int:
    """Return how many base sets make a block: a multiple of 512, which is 8 words of 64 bits."""
    block = min(BLOCK, max(n // 2, 1))
    while width * -(-n // block) > 4 * entries + 2**20 and block < 2**15:
        block *= 2
    even = -(-n // -(-n // block))
    return -(-even // 512) * 512
