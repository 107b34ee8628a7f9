"""How the search for the most similar item set grows: time and memory up to 100,000 customers.

Beside its peers it stands in `bench/RESULTS.md` (`python -m bench results --topics jaccard`). All
times are of a second call: the first one compiles.
"""

from __future__ import annotations

import logging
import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from bench.measuring import SHARED, exponent, seconds, show
from tokumei import History, generate, read
from tokumei.anonymizers import DeleteRows
from tokumei.data.cleaning import Cleaning
from tokumei.data.shop import shop_blocks
from tokumei.itemsets.search import Matches, most_similar

SIZES = (5_000, 10_000, 20_000, 50_000, 100_000)
MILLION = 1_000_000
BLOCK = 256  # queries in a product of scipy; 64 to 1,024 take the same time
RULES = ("no-customer", "returns", "free", "unspecified-country")


class Pair(NamedTuple):
    """The item sets of a release and of the original, over the same persons and items."""

    queries: sparse.csr_array
    base: sparse.csr_array


def histories() -> dict[str, History]:
    """Return a generated shop, and Online Retail where it is; both have as many customers."""
    found = {"generated shop": generate("shop", customers=4_334, seed=0)}
    real = SHARED / "data/online_retail/online_retail.parquet"
    if real.is_file():
        cleaning = Cleaning(drop=RULES)
        found["Online Retail"] = read(real, format="online-retail", cleaning=cleaning)
    return found


def pair(history: History, deleted: float = 0.2) -> Pair:
    """Let the queries be a release from which this share of the rows was deleted."""
    persons, items = (history.frame()[name].unique().sort() for name in ("person", "item"))

    def matrix(part: History) -> sparse.csr_array:
        found = part.frame().select("person", "item").unique()
        at = (
            found["person"].cast(pl.Enum(persons)).to_physical().to_numpy(),
            found["item"].cast(pl.Enum(items)).to_physical().to_numpy(),
        )
        ones = np.ones(len(found), dtype=np.int32)
        return sparse.csr_array((ones, at), shape=(len(persons), len(items)))

    return Pair(matrix(DeleteRows(share=deleted)(history, seed=1)), matrix(history))


def ours(queries: sparse.csr_array, base: sparse.csr_array, top: int = 1) -> Matches:
    keys = np.arange(max(queries.shape[0], base.shape[0]), dtype=np.uint64)
    return most_similar(queries, base, top=top, seed=0, query_keys=keys, base_keys=keys)


def by_scipy(queries: sparse.csr_array, base: sparse.csr_array) -> npt.NDArray[np.float64]:
    """Return the best similarity of each query, from products of blocks."""
    sizes, own = np.diff(base.indptr), np.diff(queries.indptr)
    by_item, best = base.T.tocsr(), np.zeros(queries.shape[0])
    for start in range(0, queries.shape[0], BLOCK):
        shared = (queries[start : start + BLOCK] @ by_item).toarray()
        union = own[start : start + BLOCK, None] + sizes - shared
        best[start : start + BLOCK] = (shared / np.maximum(union, 1)).max(axis=1)
    return best


def shop_sets(customers: int) -> sparse.csr_array:
    """Build the item sets of a generated shop block after block, to spare memory."""
    catalog: dict[str, int] = {}
    ends, items = [np.zeros(1, dtype=np.int64)], []
    for block in shop_blocks(customers, seed=0):
        sets = block.group_by("customer").agg(pl.col("item").unique()).sort("customer")["item"]
        for name in sets.explode().unique().sort():
            catalog.setdefault(name, len(catalog))
        ends.append(ends[-1][-1] + sets.list.len().cum_sum().to_numpy().astype(np.int64))
        names = sets.explode().replace_strict(catalog, return_dtype=pl.Int32)
        items.append(names.to_numpy())
    indices = np.concatenate(items)
    ones = np.ones(len(indices), dtype=np.int8)
    shape = (customers, len(catalog))
    return sparse.csr_array((ones, indices, np.concatenate(ends)), shape=shape)


def thinned(sets: sparse.csr_array) -> sparse.csr_array:
    """Leave out a fifth of all entries."""
    keep = np.random.default_rng(1).random(sets.nnz) >= 0.2
    ends = np.concatenate([[0], np.cumsum(keep)])[sets.indptr]
    return sparse.csr_array((sets.data[keep], sets.indices[keep], ends), shape=sets.shape)


def grow(customers: int) -> tuple[int, float, float, float]:
    """Return the entries, the seconds for the best and the ten best, and the peak memory in MB."""
    base = shop_sets(customers)
    queries = thinned(base)
    ours(queries[:10], base[:10])
    one, ten = (seconds(lambda top=top: ours(queries, base, top), repeat=2) for top in (1, 10))
    return base.nnz, one, ten, peak_memory()


def peak_memory() -> float:
    """Return the most memory that this process has held, in MB."""
    status = Path("/proc/self/status")
    if status.is_file():  # ru_maxrss would count what the parent held when it started this one
        (line,) = (part for part in status.read_text().splitlines() if part.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    logging.disable(logging.WARNING)
    fresh = {"max_workers": 1, "mp_context": get_context("spawn"), "max_tasks_per_child": 1}
    with ProcessPoolExecutor(**fresh) as pool:  # a process for each size: its own peak memory
        measured = list(pool.map(grow, SIZES))
    rows = [
        (f"{size:,}", f"{entries:,}", f"{one:.2f}", f"{ten:.2f}", f"{peak:,.0f}")
        for size, (entries, one, ten, peak) in zip(SIZES, measured, strict=True)
    ]
    # From 20,000 on, where fixed costs no longer show.
    exponents, guesses = [], []
    for column in (1, 2):
        taken = [result[column] for result in measured]
        exponents.append(exponent(SIZES[2:], taken[2:]))
        guesses.append(taken[-1] * (MILLION / SIZES[-1]) ** exponents[-1])
    rows.append(("exponent", "", *(f"{value:.2f}" for value in exponents), ""))
    rows.append((f"{MILLION:,} (reckoned)", "", *(f"{value:.0f}" for value in guesses), ""))
    heads = ("generated customers", "entries", "best: seconds", "ten best: seconds", "peak MB")
    show("n x n item sets; limits at 100,000: 60 s, 2,048 MB", heads, rows)


if __name__ == "__main__":
    main()
