"""Decoys: customers of a cluster are made to have bought the same."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from annotated_types import Ge, Gt
from typing_extensions import Doc

from tokumei.anonymizers.decoy_rows import (
    camouflaged,
    copies_of_all_rows,
    like_the_paper,
    missing_items,
)
from tokumei.errors import ParameterError
from tokumei.history import History
from tokumei.itemsets.clustering import jaccard_kmeans, tfidf_kmeans, with_min_size
from tokumei.itemsets.grouping import Weights, common_items, pair_groups, search_groups
from tokumei.itemsets.matrix import ItemSets, item_sets, rows_per_item
from tokumei.itemsets.statistics import jaccard_over_pairs
from tokumei.parameters import Checked
from tokumei.registry import anonymizer
from tokumei.theory.decoys import DecoyTheory

log = logging.getLogger(__name__)


@anonymizer("decoys", spark="blocks:decoys")
@dataclass(frozen=True, kw_only=True)
class Decoys(Checked):
    r"""Put customers into clusters and add decoys until all of a cluster have the same items.

    An attacker who compares item sets and nothing else then names c of n customers on average.
    The number of decoys depends on the clusters: search looks for those that need the fewest
    (exactly, by matching, where all clusters are pairs); tfidf-kmeans is method 1 of the paper, and
    with a least size above 1 method 2; jaccard-kmeans is the clustering that the paper rejects.

    Decoys in the style of the paper have a price of 0.1 to 0.9 and the quantity 1, by which they
    are recognized; camouflage takes price and quantity from real purchases of the item, and puts
    the decoy into the customer's basket nearest in time. The real purchases stay as they are, and
    an attacker who knows rows finds everybody; share rows makes the members of a cluster equal in
    every column, so that nothing in the release tells them apart if pseudonyms, basket numbers and
    row order are random.

    A cluster whose members bought :math:`b_u` items each, and B items together, gets :math:`\sum_u
    (B - b_u)` decoys.

    Limits: c of n holds for whoever compares sets of items. Whoever also counts how often an item
    stands in the release does better, because real purchases repeat and decoys do not; whoever
    knows rows finds everybody unless rows are shared.

    References
    ----------
    [harada2017] Algorithms 2, 3 and 4. Differs: search, camouflage, shared rows, deletions.

    """

    clusters: Annotated[
        int | None, Ge(1), Doc("Number of clusters c; without it, the optimum of the theory.")
    ] = None
    min_size: Annotated[int, Ge(1), Doc("Least number of customers in a cluster.")] = 2
    grouping: Annotated[
        Literal["search", "tfidf-kmeans", "jaccard-kmeans"], Doc("How clusters are chosen.")
    ] = "search"
    style: Annotated[Literal["camouflage", "paper"], Doc("What decoys look like.")] = "camouflage"
    share: Annotated[
        Literal["items", "rows"], Doc("What the customers of a cluster have in common.")
    ] = "items"
    delete: Annotated[
        float | None,
        Gt(0),
        Doc("Cost of a deleted row against that of a decoy; without it nothing is deleted."),
    ] = None
    seconds: Annotated[float, Gt(0), Doc("Time that the search may take, nominally.")] = 20.0

    def __call__(self, history: History, /, *, seed: int) -> History:
        history.require("item", to="add decoys")
        if self.delete is not None and self.share == "rows":
            raise ParameterError("delete goes with share items; rows are shared without deletions.")
        sets = item_sets(history)
        labels = self.labels(sets, history, seed=seed)
        members = pl.DataFrame({"person": sets.persons, "_cluster": labels})
        if self.share == "rows":
            return without_attributes(history.add_rows(copies_of_all_rows(history, members)))
        kept, wanted = history, None
        if self.delete is not None:
            wanted = self._wanted(sets, history, labels)
            kept = history.map_rows(lambda rows: _only_wanted(rows, members, wanted))
        make = camouflaged if self.style == "camouflage" else like_the_paper
        return kept.add_rows(make(history, missing_items(kept, members, wanted), seed=seed))

    def _wanted(
        self, sets: ItemSets, history: History, labels: npt.NDArray[np.int64]
    ) -> pl.DataFrame:
        found = common_items(sets, rows_per_item(history, sets), labels, self._weights)
        clusters, items = np.nonzero(found.kept)
        return pl.DataFrame({"_cluster": clusters, "item": sets.items.gather(items)})

    @property
    def _weights(self) -> Weights:
        return Weights(delete=self.delete)

    def labels(self, sets: ItemSets, history: History, *, seed: int) -> npt.NDArray[np.int64]:
        """Return the cluster of every customer."""
        c = self.clusters or theory_of(sets).best_clusters
        if self.grouping == "search":
            if 2 * c == len(sets.persons) and self.min_size == 2 and self.delete is None:
                found = pair_groups(sets)
            else:
                found = search_groups(
                    sets,
                    clusters=c,
                    min_size=self.min_size,
                    seed=seed,
                    seconds=self.seconds,
                    weights=self._weights,
                    rows=rows_per_item(history, sets) if self.delete is not None else None,
                )
            bound = "" if found.lower_bound is None else f", at least {found.lower_bound:,.0f}"
            log.info("%d clusters cost %s%s", c, f"{found.cost:,.0f}", bound)
            return found.labels
        cluster = tfidf_kmeans if self.grouping == "tfidf-kmeans" else jaccard_kmeans
        labels = cluster(sets, clusters=c, seed=seed)
        if self.min_size > 1:
            labels = with_min_size(sets, labels, min_size=self.min_size, seed=seed)
        return labels


def theory_of(sets: ItemSets) -> DecoyTheory:
    """Return the theory for measured item sets."""
    mean, _ = jaccard_over_pairs(sets)
    return DecoyTheory(n=len(sets.persons), b=float(sets.sizes.mean()), mu=mean or 0.0)


def _only_wanted(rows: pl.DataFrame, members: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    joined = rows.join(members, on="person", how="left", maintain_order="left")
    kept = joined.join(
        wanted.with_columns(_wanted=pl.lit(value=True)),
        on=["_cluster", "item"],
        how="left",
        maintain_order="left",
    )
    # A suppressed item tells nothing, and may stay.
    return kept.filter(pl.col("_wanted") | pl.col("item").is_null()).drop("_cluster", "_wanted")


def without_attributes(history: History) -> History:
    """Leave the customers table out, and say so."""
    if history.customers is None:
        return history
    log.warning("With share rows the customers table is left out: it would tell members apart.")
    return replace(history, customers=None)
