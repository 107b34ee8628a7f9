"""How fast the most similar item set is found, beside scipy and scikit-learn, and how it grows.

The queries are the customers of a release from which a fifth of the rows was deleted, the base
their original item sets. All times are of a second call: the first one compiles.
"""

from __future__ import annotations

import logging
import resource
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from bench.measuring import SHARED, seconds, show
from tokumei import History, generate, read
from tokumei.anonymizers import DeleteRows
from tokumei.data.cleaning import Cleaning
from tokumei.data.shop import shop_blocks
from tokumei.itemsets.search import Matches, all_pairs, most_similar

SIZES = (5_000, 10_000, 20_000, 50_000, 100_000)
MILLION = 1_000_000
SAMPLE = 100  # queries that scikit-learn is timed on
BLOCK = 256  # queries in a product of scipy; 64 to 1,024 take the same time
RULES = ("no-customer", "returns", "free", "unspecified-country")


def retail() -> tuple[History, str]:
    """Return Online Retail where it is, else a shop with as many customers."""
    real = SHARED / "data/online_retail/online_retail.parquet"
    if real.is_file():
        return read(real, format="online-retail", cleaning=Cleaning(drop=RULES)), "Online Retail"
    return generate("shop", customers=4_334, seed=0), "a generated shop"


def pair(history: History) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the item sets of a release and of the original, over the same persons and items."""
    persons, items = (history.frame()[name].unique().sort() for name in ("person", "item"))

    def matrix(part: History) -> sparse.csr_array:
        found = part.frame().select("person", "item").unique()
        at = (
            found["person"].cast(pl.Enum(persons)).to_physical().to_numpy(),
            found["item"].cast(pl.Enum(items)).to_physical().to_numpy(),
        )
        ones = np.ones(len(found), dtype=np.int32)
        return sparse.csr_array((ones, at), shape=(len(persons), len(items)))

    return matrix(DeleteRows(share=0.2)(history, seed=1)), matrix(history)


def ours(queries: sparse.csr_array, base: sparse.csr_array, top: int = 1) -> Matches:
    keys = np.arange(max(queries.shape[0], base.shape[0]), dtype=np.uint64)
    return most_similar(queries, base, top=top, seed=0, query_keys=keys, base_keys=keys)


def by_scipy(queries: sparse.csr_array, base: sparse.csr_array) -> np.ndarray:
    """Return the best similarity of each query, from products of blocks."""
    sizes, own = np.diff(base.indptr), np.diff(queries.indptr)
    by_item, best = base.T.tocsr(), np.zeros(queries.shape[0])
    for start in range(0, queries.shape[0], BLOCK):
        shared = (queries[start : start + BLOCK] @ by_item).toarray()
        union = own[start : start + BLOCK, None] + sizes - shared
        jaccard = shared / np.maximum(union, 1)
        match = jaccard.argmax(axis=1)
        best[start : start + BLOCK] = jaccard[np.arange(len(match)), match]
    return best


def by_sklearn(queries: np.ndarray, base: np.ndarray) -> None:
    NearestNeighbors(n_neighbors=1, metric="jaccard", algorithm="brute").fit(base).kneighbors(
        queries
    )


def compare() -> None:
    history, origin = retail()
    queries, base = pair(history)
    found = ours(queries, base)
    equal = np.array_equal(found.similarity[:, 0], by_scipy(queries, base))
    taken = seconds(lambda: ours(queries, base))
    scipy = seconds(lambda: by_scipy(queries, base), repeat=3)
    dense = base.toarray().astype(bool)
    some = queries[:: queries.shape[0] // SAMPLE][:SAMPLE].toarray().astype(bool)
    warnings.simplefilter("ignore")
    sklearn = seconds(lambda: by_sklearn(some, dense), repeat=1) * queries.shape[0] / SAMPLE
    all_pairs(base)
    rows = [
        ("ours, best match", f"{taken:.3f}", "1"),
        ("scipy, blocks of products", f"{scipy:.3f}", f"{scipy / taken:.0f}x (goal 10x)"),
        ("scikit-learn, brute force", f"{sklearn:.1f}", f"{sklearn / taken:.0f}x (goal 500x)"),
        ("ours, ten best", f"{seconds(lambda: ours(queries, base, 10)):.3f}", ""),
        ("ours, histogram of all pairs", f"{seconds(lambda: all_pairs(base)):.3f}", ""),
    ]
    show(
        f"{origin}: {queries.shape[0]:,} x {base.shape[0]:,} item sets, {base.nnz:,} entries",
        ("work", "seconds", "against ours"),
        rows,
    )
    print(f"Best similarities equal to scipy's, bit by bit: {'yes' if equal else 'NO'}.")
    print(f"scikit-learn was timed on {SAMPLE} queries and scaled to all.")


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
    compare()
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
        exponents.append(float(np.polyfit(np.log(SIZES[2:]), np.log(taken[2:]), 1)[0]))
        guesses.append(taken[-1] * (MILLION / SIZES[-1]) ** exponents[-1])
    rows.append(("exponent", "", *(f"{value:.2f}" for value in exponents), ""))
    rows.append((f"{MILLION:,} (reckoned)", "", *(f"{value:.0f}" for value in guesses), ""))
    heads = ("generated customers", "entries", "best: seconds", "ten best: seconds", "peak MB")
    show("n x n item sets; limits at 100,000: 60 s, 2,048 MB", heads, rows)


if __name__ == "__main__":
    main()
