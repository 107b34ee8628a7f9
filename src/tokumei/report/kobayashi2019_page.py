"""The tables and figures of Kobayashi 2019 as sections of a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tokumei.contracts import Release
from tokumei.history import History
from tokumei.papers import kobayashi2019
from tokumei.papers.kobayashi2019_numbers import ROUND1, TABLE4
from tokumei.report import rfm_charts
from tokumei.report.paper_page import Section
from tokumei.rfm import analyze

LABELS = {
    ("row-count", "none"): "the paper's method",
    ("rfm", "none"): "groups of like R, F, M",
    ("search", "rfm"): "search for RFM",
    ("search", "information-loss"): "search for information loss",
}


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that the experiments gave."""

    history: History
    rows: list[kobayashi2019.Row]
    entries: list[dict[str, Any]]
    paper_release: Release


def sections(results: Results) -> list[Section]:
    """Return the page's sections in the order of the paper."""
    table = analyze(results.history)
    money, pareto = rfm_charts.pareto(table)
    visits, scatter = rfm_charts.scatter(table)
    few = "A few customers bring most of the sales, as in the paper."
    recent = "Many customers come once; the quantiles of F fall on the same small numbers."
    return [
        Section("fig1", "Fig. 1: spend of the best customers", few, money, pareto),
        Section("fig2", "Fig. 2: recency and frequency", recent, visits, scatter),
        _table2(results),
        _table3(results),
        *_table4(results),
        *_contest(results),
    ]


def _table2(results: Results) -> Section:
    data = kobayashi2019.examples(results.history, results.paper_release)
    text = (
        "R, F and M of the paper's three customers in the original, which agree to the penny, and "
        "in the release of the paper's method at k = 2. The paper does not say which rows it "
        "deletes or how it aligns them, so its released values differ."
    )
    return Section(
        "table2", "Table 2: R, F and M, before and after", text, data, shown=data.columns
    )


def _table3(results: Results) -> Section:
    data = kobayashi2019.released_rows(results.paper_release)
    text = "Released rows of groups of two: all members of a group have the same cells."
    return Section("table3", "Table 3: generalized rows", text, data, shown=data.columns)


def _table4(results: Results) -> list[Section]:
    rows = []
    for row in results.rows:
        said = TABLE4[row.k] if row.grouping == "row-count" and row.k in TABLE4 else {}
        rows.append(
            {"k": row.k, "method": LABELS[row.grouping, row.objective]}
            | {
                part: value
                for name in ("R", "F", "M", "RFM")
                for part, value in ((name, getattr(row, name)), (f"paper {name}", said.get(name)))
            }
            | {"safety": row.safety, "information loss": row.information_loss,
               "smallest group": row.smallest_group, "uncovered cells": row.uncovered_cells,
               "seconds": row.seconds}
        )  # fmt: skip
    data = pl.DataFrame(rows, infer_schema_length=None)
    text = (
        "Shares of customers with the same decile of R, F and M before and after, each by its own "
        "data's deciles. Safety is the expected share of customers that the best attacker names: "
        "groups divided by customers, counted in the release, as are the smallest group and the "
        "cells without the true value. (The paper's text says 1/3 for k = 4; its table is right.)"
    )
    chart = rfm_charts.agreement(data.select("k", "method", "RFM"))
    return [Section("table4", "Table 4: RFM agreement", text, data, chart, shown=data.columns)]


def _contest(results: Results) -> list[Section]:
    if not results.entries:
        return []
    ours = pl.DataFrame([(one["k"], one["information_loss"]) for one in results.entries],
                        schema=["k", "loss"], orient="row")  # fmt: skip
    attacks = pl.DataFrame(
        [
            {"k": one["k"], "information loss": one["information_loss"], **attack,
             "best guesser": one["shot_down_probability"]}
            for one in results.entries
            for attack in one["attacks"]
        ]
    )  # fmt: skip
    text = (
        "Our search as an entry to PWSCUP 2018, beside the teams that were not shot down in round "
        "1. The last column is the probability with which the best guesser who knows the groups "
        "shoots the release down; no attack learns more than the groups."
    )
    chart = rfm_charts.losses(ours, ROUND1)
    return [Section("contest", "The contest", text, attacks, chart, shown=attacks.columns)]


def to_json(results: Results) -> dict[str, Any]:
    """Return the fixed contract, and the contest beside it."""
    rows = [asdict(row) for row in results.rows]
    return {"table4": rows, "contest": results.entries}
