"""Retain-replace perturbation and cross tabulations on Spark."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from tokumei.attributes import chosen_table, column_names
from tokumei.contracts import Release, Score
from tokumei.draws import derive, keys_of
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.metrics.cross_tabulation import l1
from tokumei.pk import Domain, best_rho, largest_rho, mechanism, perturb, reconstruct, records_of
from tokumei.pk.files import space_of
from tokumei.pk.kernels import Floats
from tokumei.spark.frames import mapped, native, to_polars
from tokumei.tables import table

if TYPE_CHECKING:
    from tokumei.anonymizers.retain_replace import RetainReplace
    from tokumei.metrics.cross_tabulation import CrossTabulation

log = logging.getLogger(__name__)


def _domain(rows: DataFrame, names: list[str]) -> Domain:
    found = (
        Domain.found_in(to_polars(rows.select(name).distinct()), [name]).ranges[0] for name in names
    )
    return Domain(tuple(names), tuple(found))


def retain_replace(method: RetainReplace, history: History, *, seed: int) -> History:
    """Keep a value with probability rho, else draw it from its range."""
    names = column_names(method.columns)
    rows = native(chosen_table(history, method.table, names, to="perturb columns"))
    log.warning(
        "The ranges of %s are the values that occur in the data, and the release shows them.",
        ", ".join(names),
    )
    for name in names:
        if rows.filter(sf.col(name).isNull()).take(1):
            raise SchemaError(f"Every {name} must lie in its range; some are empty.")
    space = space_of(_domain(rows, names), method.forbidden)
    rho: float | tuple[float, ...]
    if method.rho is not None:
        rho = method.rho
    else:
        choose = largest_rho if method.choose == "one" else best_rho
        rho = choose(space, method.k, rows.count())
    by, drawn = mechanism(space, rho), derive(seed, "retain-replace")

    def kernel(block: pl.DataFrame) -> pl.DataFrame:
        if block.is_empty():
            return block
        keys = block[ROW].to_numpy() if method.table == "purchases" else keys_of(block["person"])
        made: pl.DataFrame = perturb(block, by, seed=drawn, keys=keys)
        return made

    perturbed = table(mapped(rows, kernel))
    if method.table == "purchases":
        return replace(history, purchases=perturbed)
    return replace(history, customers=perturbed)


def cross_tabulation(
    method: CrossTabulation, history: History, release: Release, *, seed: int
) -> Score:
    """Compare the cross tabulations of original and release."""
    names = column_names(method.columns)
    before, after = (
        native(chosen_table(part, method.table, names, to="cross-tabulate"))
        for part in (history, release.public)
    )
    n, m = before.count(), after.count()
    distance = _distance(before, after, names, n, m)
    if method.reconstructed:
        if method.forbidden:
            raise SchemaError("On Spark, a table with forbidden combinations is not reconstructed.")
        distance = _reconstructed(
            _linked(release, method.table, before, after, names), names, distance
        )
    return Score("cross-tabulation", min(distance, 2.0), "lower", (0.0, 2.0), m)


def _distance(before: DataFrame, after: DataFrame, names: list[str], n: int, m: int) -> float:
    """Return the L1 distance; counts are compared where they are."""
    old = before.groupBy(names).agg(sf.count("*").alias("_n")).alias("old")
    new = after.groupBy(names).agg(sf.count("*").alias("_n")).alias("new")
    same = [sf.col(f"old.{name}").eqNullSafe(sf.col(f"new.{name}")) for name in names]
    share, other = (
        sf.coalesce(sf.col(f"{side}._n"), sf.lit(0)) / total
        for side, total in (("old", n), ("new", m))
    )
    summed = old.join(new, same, "full").agg(sf.sum(sf.abs(share - other))).first()
    return float(summed[0]) if summed else 0.0


def _linked(
    release: Release, part: str, before: DataFrame, after: DataFrame, names: list[str]
) -> DataFrame:
    """Return how often each record became each other one: names, names with /after, count."""
    told = [sf.col(name).alias(f"{name}/after") for name in names]
    if part == "customers":
        key = native(release.key.pseudonyms).select(
            sf.col("pseudonym").alias("person"), sf.col("person").alias("_origin")
        )
        new = after.join(key, "person").select(sf.col("_origin").alias("person"), *told)
        both = before.select("person", *names).join(new, "person")
    else:
        origins = native(release.origins()).filter("origin is not null")
        new = after.join(origins, ROW).select(sf.col("origin").alias(ROW), *told)
        both = before.select(ROW, *names).join(new, ROW)
    return both.groupBy(*names, *(f"`{name}/after`" for name in names)).count()


def _reconstructed(linked: DataFrame, names: list[str], otherwise: float) -> float:
    """Return the distance after reconstruction, with rho from the share of values kept."""
    pairs = to_polars(linked)
    old = pairs.select(names)
    new = pairs.select(pl.col(f"{name}/after").alias(name) for name in names)
    count = pairs["count"].to_numpy().astype(np.float64)
    domain = Domain.found_in(pl.concat([old, new]), names)
    rho = []
    for name, size in zip(names, domain.shape, strict=True):
        same = float(count[(old[name] == new[name]).to_numpy()].sum())
        rho.append(
            float(np.clip((same - count.sum() / size) / (count.sum() * (1 - 1 / size)), 0, 1))
        )
    if max(rho) == 1:
        return otherwise
    of = mechanism(domain, tuple(rho))

    def tabulated(rows: pl.DataFrame) -> Floats:
        cells = records_of(rows, domain).cells
        return np.bincount(cells, weights=count, minlength=of.cells).astype(np.float64)

    return l1(reconstruct(tabulated(new), of).counts, tabulated(old))
