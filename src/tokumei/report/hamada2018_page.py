"""The worked example and the frontier of Hamada 2018 as sections of a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import altair as alt
import polars as pl

from tokumei.papers import hamada2018
from tokumei.papers.hamada2018 import PRINTED, Point
from tokumei.report.charts import FIRE, ICE, SLATE, UTILITY, styled
from tokumei.report.paper_page import Section

TOTALS = ("utility", "risk", "total")


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that the experiments gave; points and contest are empty without the data."""

    example: dict[str, float]
    points: list[Point]
    attacks: dict[str, float]
    contest: list[dict[str, Any]]


def sections(results: Results) -> list[Section]:
    """Return the page's sections."""
    made = [_figure1(), _totals(results)]
    if results.points:
        made += [_frontier(results), _attacks(results)]
    if results.contest:
        made.append(_contest(results))
    return made


def _figure1() -> Section:
    data = pl.DataFrame(hamada2018.PURCHASES, schema=["name", "date", "item"], orient="row")
    text = "The purchases of the article's example: 8 rows, 16 cells besides the names."
    return Section("fig1", "Fig. 1: the original", text, data, shown=data.columns)


def _totals(results: Results) -> Section:
    labels = {
        "all": "Fig. 2: everyone alike",
        "pairs": "Fig. 4: (Alice, Bob), (Carol, Dan)",
        "better": "Fig. 5: (Alice), (Bob, Carol, Dan)",
        "search": "our search",
        "optimum": "the proven optimum",
    }
    data = pl.DataFrame(
        [
            {"grouping": labels[name], "article": PRINTED.get(name), "ours": value}
            for name, value in results.example.items()
        ],
        infer_schema_length=None,
    )
    text = (
        "Deleted rows / rows + changed cells / cells + groups / customers. The article's third "
        "grouping is the best of all 15: CP-SAT proves it over the costs of all groups."
    )
    return Section("totals", "Figs. 2, 4 and 5: totals", text, data, shown=data.columns)


def _frontier(results: Results) -> Section:
    data = pl.DataFrame([asdict(point) for point in results.points])
    kind = pl.when(pl.col("method").str.starts_with("search")).then(pl.lit("search"))
    kinds = data.with_columns(kind.otherwise(pl.lit("others")).alias("kind"))
    best = kinds.sort("total").row(0, named=True)
    scale = alt.Scale(domain=["search", "others"], range=[ICE, SLATE])
    shapes = alt.Scale(domain=["search", "others"], range=["square", "circle"])
    points = (
        alt.Chart(kinds)
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("groups:Q", title="groups of identical customers"),
            y=alt.Y("total:Q", title="total (smaller is better)", scale=alt.Scale(zero=True)),
            color=alt.Color("kind:N", title=None, scale=scale),
            shape=alt.Shape("kind:N", title=None, scale=shapes),
            tooltip=["method", "groups", "safety", "utility", "total"],
        )
    )
    title = f"{best['groups']} groups are best: total {best['total']:.3f}"
    chart = styled(points, title=title, subtitle="PWSCUP 2017's data under the simplified game")
    text = (
        "Fixed sizes cut the customers in order of their row counts. The search weighs safety by "
        "the factor given; the total counts it once. Scores are counted in the release."
    )
    shown = ["method", "groups", "safety", "utility", "total", "seconds"]
    return Section("frontier", "Total against the number of groups", text, data, chart, shown=shown)


def _attacks(results: Results) -> Section:
    bound = next(point for point in results.points if point.method == "search, safety x 1").safety
    rows = [(name, rate, bound) for name, rate in results.attacks.items()]
    data = pl.DataFrame(rows, schema=["attack", "found", "groups / n"], orient="row")
    text = "Our own attacks on the search's release, with every purchase of everybody known."
    title = "No attack learns more than the groups"
    return Section("attacks", title, text, data, shown=data.columns)


def _contest(results: Results) -> Section:
    data = pl.DataFrame(results.contest, infer_schema_length=None)
    long = data.select("method", "utility", "risk").unpivot(index="method", variable_name="part")
    scale = alt.Scale(domain=["utility", "risk"], range=[UTILITY, FIRE])
    bars = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title="total = largest loss + largest re-identification rate"),
            y=alt.Y("method:N", title=None, sort=data.sort("total")["method"].to_list()),
            color=alt.Color("part:N", title=None, scale=scale),
        )
    )
    best = data.sort("total").row(0, named=True)
    title = f"{best['method']} has the least total: {best['total']:.3f}"
    subtitle = "Rules of PWSCUP 2017: E1 to E6, S1 to S6 on four views"
    chart = styled(bars, title=title, subtitle=subtitle)
    text = (
        "The full rules: a pseudonym for every customer and month, dates in their month, items of "
        "T, at most half of the rows deleted. Decoys invent rows and generalization writes "
        "intervals; these rules allow neither."
    )
    shown = ["method", "valid", *(name for name in data.columns if name[0] == "E"), *TOTALS]
    return Section("contest", "Under the full rules of PWSCUP 2017", text, data, chart, shown=shown)


def to_json(results: Results) -> dict[str, Any]:
    """Return the fixed contract, and more beside it."""
    return {
        "example": results.example,
        "frontier": [asdict(point) for point in results.points],
        "attacks": results.attacks,
        "contest": results.contest,
    }
