"""The most similar item set of every customer, exactly."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import sparse

from bench.field.comparing import Comparison, Measured, duel
from bench.jaccard import Pair, by_scipy, histories, ours, pair
from bench.measuring import core_seconds

TITLE = "Most similar item set"
ABOUT = """\
For every customer of a release, the original item set with the largest jaccard coefficient: the
heart of the attacks. A fifth of the rows is deleted in the release, or four fifths, where the
best match stands out less. "Found" is the share of customers for whom the peer reaches the
largest coefficient; ours is compared with it bit by bit. scikit-learn is timed on 100 queries
and scaled to all. sparse_dot_topn multiplies matrices: for the exact answer all products are
kept and divided afterwards; its own search for the best keeps the largest cosine. datasketch
hashes (MinHash LSH Forest, 128 permutations, the best of 10 candidates)."""

SAMPLE = 100
CANDIDATES = 10
Floats = npt.NDArray[np.float64]


def comparisons() -> list[Comparison]:
    peers: list[tuple[str, Callable[[Pair], Measured], float | None]] = [
        ("scikit-learn, brute force", against_scikit_learn, 500),
        ("scipy, products of blocks", against_scipy, 10),
        ("sparse_dot_topn, all products", against_all_products, None),
        ("sparse_dot_topn, best cosine", against_best_cosine, None),
        ("datasketch, MinHash", against_minhash, None),
    ]
    found = []
    for name, history in histories().items():
        sets, sparser = pair(history), pair(history, deleted=0.8)
        data = f"{name}, {sets.base.shape[0]:,} customers"
        found += [
            Comparison("exact jaccard", data, peer, partial(run, sets), goal)
            for peer, run, goal in peers
        ]
        found += [
            Comparison("exact jaccard, 4/5 deleted", data, peer, partial(run, sparser))
            for peer, run, _ in peers[1:4:2]
        ]
    return found


def against_scipy(sets: Pair) -> Measured:
    best = by_scipy(*sets)
    exact = np.array_equal(ours(*sets).similarity[:, 0], best)
    return duel(lambda: ours(*sets), lambda: by_scipy(*sets), "both exact", kept=exact)


def against_scikit_learn(sets: Pair) -> Measured:
    from sklearn.neighbors import NearestNeighbors

    queries, base = sets
    dense = base.toarray().astype(bool)
    chosen = np.linspace(0, queries.shape[0] - 1, SAMPLE).astype(int)
    some = queries[chosen].toarray().astype(bool)
    model = NearestNeighbors(n_neighbors=1, metric="jaccard", algorithm="brute").fit(dense)
    distances: list[Floats] = []

    def search() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells that it makes the numbers boolean
            distances.append(model.kneighbors(some)[0][:, 0])

    theirs = core_seconds(search, repeat=1) * queries.shape[0] / SAMPLE
    exact = bool(np.allclose(1 - distances[0], ours(*sets).similarity[chosen, 0], atol=1e-12))
    return Measured(core_seconds(lambda: ours(*sets)), theirs, "both exact", exact)


def against_all_products(sets: Pair) -> Measured:
    from sparse_dot_topn import sp_matmul

    queries, columns = _single(sets.queries), _single(sets.base.T)
    sizes, own = np.diff(sets.base.indptr), np.diff(sets.queries.indptr)

    def theirs() -> Floats:
        shared = sparse.csr_array(sp_matmul(queries, columns))
        union = np.repeat(own, np.diff(shared.indptr)) + sizes[shared.indices] - shared.data
        shared.data = shared.data / union
        best: Floats = shared.max(axis=1).toarray().ravel()
        return best

    exact = np.allclose(ours(*sets).similarity[:, 0], theirs(), atol=1e-6)
    return duel(lambda: ours(*sets), theirs, "both exact", kept=bool(exact))


def against_best_cosine(sets: Pair) -> Measured:
    from sparse_dot_topn import sp_matmul_topn

    queries, columns = (_single(_unit(part)) for part in sets)
    columns = columns.T.tocsr()

    def theirs() -> npt.NDArray[np.int64]:
        found = sp_matmul_topn(queries, columns, top_n=1)
        some = np.diff(found.indptr) > 0
        best = np.full(found.shape[0], -1, dtype=np.int64)
        best[some] = found.indices[found.indptr[:-1][some]]
        return best

    return duel(lambda: ours(*sets), theirs, _found(sets, theirs()))


def against_minhash(sets: Pair) -> Measured:
    from datasketch import MinHash, MinHashLSHForest

    def hashed(part: sparse.csr_array) -> list[MinHash]:
        names = part.indices.astype("<i4").view("V4")
        return MinHash.bulk(
            [[item.tobytes() for item in names[a:b]] for a, b in _bounds(part)], num_perm=128
        )

    def theirs() -> npt.NDArray[np.int64]:
        forest = MinHashLSHForest(num_perm=128)
        known = hashed(sets.base)
        for number, sketch in enumerate(known):
            forest.add(number, sketch)
        forest.index()
        best = []
        for sketch in hashed(sets.queries):
            met = forest.query(sketch, CANDIDATES)
            best.append(max(met, key=lambda n: known[n].jaccard(sketch), default=-1))
        return np.array(best, dtype=np.int64)

    found: list[npt.NDArray[np.int64]] = []
    taken = core_seconds(lambda: found.append(theirs()), repeat=1)
    return Measured(core_seconds(lambda: ours(*sets)), taken, _found(sets, found[0]))


def _bounds(part: sparse.csr_array) -> list[tuple[int, int]]:
    return list(zip(part.indptr[:-1].tolist(), part.indptr[1:].tolist(), strict=True))


def _single(part: sparse.csr_array) -> sparse.csr_matrix:
    """Return the matrix as the peer wants it: the older class, 32 bits."""
    return sparse.csr_matrix(part, dtype=np.float32)


def _unit(part: sparse.csr_array) -> sparse.csr_array:
    """Scale every set to length 1, so that products are cosines."""
    sizes = np.diff(part.indptr)
    scaled = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    return sparse.csr_array((scaled, part.indices, part.indptr), shape=part.shape)


def _found(sets: Pair, match: npt.NDArray[np.int64]) -> str:
    """Tell for how many queries the match is as similar as the best one."""
    queries, base = sets
    some = np.flatnonzero(match >= 0)
    shared = np.zeros(queries.shape[0])
    shared[some] = queries[some].multiply(base[match[some]]).sum(axis=1)
    union = np.diff(queries.indptr) + np.diff(base.indptr)[match] - shared
    reached = np.where(match >= 0, shared / np.maximum(union, 1), 0.0)
    share = np.mean(reached >= ours(*sets).similarity[:, 0] - 1e-12)
    return f"ours exact; found {share:.2%}"
