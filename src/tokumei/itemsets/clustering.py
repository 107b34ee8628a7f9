"""The papers' clusterings of customers [harada2017]: fast, but blind to the cost they cause."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tokumei.draws import derive
from tokumei.errors import ParameterError
from tokumei.itemsets.matrix import ItemSets

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_ROUNDS = 100


def check_sizes(people: int, clusters: int, min_size: int = 1) -> None:
    """Raise a ParameterError unless so many people fill so many clusters of at least that size."""
    if not 1 <= clusters <= people:
        raise ParameterError(
            f"clusters must lie in 1..{people} for {people} customers, not {clusters}."
        )
    largest = people // clusters
    if not 1 <= min_size <= largest:
        raise ParameterError(
            f"s_min must lie in 1..{largest} for {people} customers in {clusters} clusters, "
            f"not {min_size}."
        )


def tfidf(sets: ItemSets) -> sparse.csr_array:
    """Weigh the items of each customer: f / sum f x (ln(n / |D_j|) + 1), D_j the buyers of j."""
    people, kinds = sets.matrix.shape
    buyers = np.bincount(sets.matrix.indices, minlength=kinds)
    rarity = np.log(people / np.maximum(buyers, 1)) + 1
    # Who has no item, all of them suppressed, has no share of anything.
    share = sets.matrix.multiply(1 / np.maximum(sets.sizes, 1)[:, None])
    return sparse.csr_array(share.multiply(rarity[None, :]))


def tfidf_kmeans(sets: ItemSets, *, clusters: int, seed: int) -> Labels:
    """Cluster by cosine k-means on TF-IDF weights (Algorithm 3); no cluster is empty.

    The paper leaves the start open: here the first centers are customers drawn at random. A
    center is the mean direction of its customers, and a customer goes to the center of largest
    cosine. A cluster that runs empty takes the customer least like its own center.
    """
    people = sets.matrix.shape[0]
    check_sizes(people, clusters)
    rows = _unit(tfidf(sets))
    rng = np.random.default_rng(derive(seed, "tfidf_kmeans"))
    centers = rows[rng.choice(people, clusters, replace=False)].toarray()
    labels = np.full(people, -1, dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        cosines = rows @ centers.T
        found = _without_empty(cosines.argmax(axis=1), cosines)
        if (found == labels).all():
            break
        labels = found
        member = sparse.csr_array((np.ones(people), (labels, np.arange(people))))
        centers = _unit(sparse.csr_array(member @ rows)).toarray()
    return labels


def _unit(rows: sparse.csr_array) -> sparse.csr_array:
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
    return sparse.csr_array(rows.multiply(1 / np.where(lengths > 0, lengths, 1)[:, None]))


def _without_empty(labels: Labels, likeness: Floats) -> Labels:
    labels = labels.astype(np.int64)
    sizes = np.bincount(labels, minlength=likeness.shape[1])
    for empty in np.flatnonzero(sizes == 0):
        movable = np.flatnonzero(sizes[labels] > 1)
        moved = movable[likeness[movable, labels[movable]].argmin()]
        sizes[labels[moved]] -= 1
        labels[moved] = empty
        sizes[empty] += 1
    return labels


def with_min_size(sets: ItemSets, labels: Labels, *, min_size: int, seed: int) -> Labels:
    """Fill every cluster below the least size from the largest ones (Algorithm 4).

    One at a time, the customer of the currently largest cluster that is most jaccard-similar to a
    member of the small cluster moves over. Ties, on which the paper is silent, are drawn.
    """
    labels = np.array(labels, dtype=np.int64)
    clusters = int(labels.max()) + 1
    check_sizes(len(labels), clusters, min_size)
    jaccard = jaccard_table(sets)
    sizes = np.bincount(labels, minlength=clusters)
    rng = np.random.default_rng(derive(seed, "with_min_size"))
    for small in np.flatnonzero(sizes < min_size):
        while sizes[small] < min_size:
            largest = rng.choice(np.flatnonzero(sizes == sizes.max()))
            donors = np.flatnonzero(labels == largest)
            near = jaccard[np.ix_(donors, np.flatnonzero(labels == small))].max(axis=1)
            labels[donors[rng.choice(np.flatnonzero(near == near.max()))]] = small
            sizes[largest] -= 1
            sizes[small] += 1
    return labels


def jaccard_table(sets: ItemSets) -> Floats:
    """Return the jaccard coefficient of every pair of customers."""
    shared = (sets.matrix @ sets.matrix.T).toarray().astype(np.float64)
    together = sets.sizes[:, None] + sets.sizes[None, :] - shared
    table: Floats = shared / np.maximum(together, 1)
    return table


def jaccard_kmeans(sets: ItemSets, *, clusters: int, seed: int) -> Labels:
    """Cluster by k-means on unweighted item sets: the baseline that the paper rejects (Fig. 3).

    The paper says no more than "the jaccard coefficient as the distance". K-means on rows of the
    jaccard matrix, around medoids, and with jaccard to mean, union or majority sets all give
    even clusters; what gives the paper's picture (of 400 customers in 50 clusters, 294 in one and
    45 alone) is k-means on the 0/1 vectors, whose squared distance is the jaccard distance times
    the size of the union.
    """
    from sklearn.cluster import KMeans

    people = sets.matrix.shape[0]
    check_sizes(people, clusters)
    rows = sets.matrix.toarray().astype(np.float64)
    start = derive(seed, "jaccard_kmeans") % 2**32
    model = KMeans(clusters, n_init=1, random_state=start).fit(rows)
    # Customers with equal sets start as one center, so clusters may be empty.
    near: Floats = -model.transform(rows)
    return _without_empty(model.labels_, near)
