"""The figures of Harada 2017 as sections of a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from tokumei.history import History
from tokumei.itemsets.clustering import jaccard_kmeans, tfidf_kmeans, with_min_size
from tokumei.itemsets.matrix import item_sets
from tokumei.itemsets.statistics import jaccard_histogram, statistics
from tokumei.papers import harada2017
from tokumei.papers.harada2017_numbers import C_STAR, LARGEST_CLUSTER
from tokumei.report.charts import DEEP_ICE, FIRE, ICE, SLATE, UTILITY, styled
from tokumei.report.paper_page import Section
from tokumei.theory.decoys import DecoyTheory

LABELS = {"1": "method 1", "2": "method 2", "search": "search (ours)"}
COLORS = alt.Scale(domain=list(LABELS.values()), range=[SLATE, ICE, UTILITY])
SHAPES = alt.Scale(domain=list(LABELS.values()), range=["circle", "square", "triangle-up"])


def _by_method(data: pl.DataFrame, x: alt.X, y: alt.Y) -> Any:
    """Draw a point for every release, its color and shape by the method that made it."""
    return (
        alt.Chart(data.with_columns(pl.col("method").replace(LABELS)))
        .mark_point(filled=True, size=60)
        .encode(
            x=x,
            y=y,
            color=alt.Color("method:N", title=None, scale=COLORS),
            shape=alt.Shape("method:N", title=None, scale=SHAPES),
        )
    )


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that the experiments gave."""

    history: History
    full: History | None
    table4: list[harada2017.Trial]
    measured: pl.DataFrame
    strip: dict[str, float]
    theory: dict[str, float]
    others: list[dict[str, Any]]
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Return the fixed contract, and more beside it."""
        return {
            "table4": [asdict(trial) for trial in self.table4],
            "theory": self.theory,
            "strip": self.strip,
            "table1": statistics(self.history).to_json(),
            "table3": harada2017.correlations(self.measured),
            "others": self.others,
        }


def histograms(results: Results) -> list[Section]:
    """Return the histograms of the jaccard coefficient."""
    made = []
    for name, title, history in (
        ("fig1", "Fig. 1 and 2.1: jaccard of 400 customers", results.history),
        ("fig2_2", "Fig. 2.2: jaccard of all customers", results.full),
    ):
        if history is None:
            continue
        sets = item_sets(history)
        counts = jaccard_histogram(sets, bins=50)
        edges = np.linspace(0, 1, 51)
        data = pl.DataFrame({"from": edges[:-1], "to": edges[1:], "pairs": counts})
        bars = (
            # On a log scale a bar has no zero to stand on.
            alt.Chart(data.filter(pl.col("pairs") > 0).with_columns(floor=0.5))
            .mark_bar(color=ICE)
            .encode(
                x=alt.X("from:Q", bin="binned", title="jaccard coefficient"),
                x2="to:Q",
                y=alt.Y("pairs:Q", title="pairs (log)", scale=alt.Scale(type="log", domainMin=0.5)),
                y2="floor:Q",
            )
        )
        n = len(sets.persons)
        near = float(counts[5:].sum() / counts.sum())
        text = f"{n:,} customers; {near:.2%} of all pairs have a coefficient of 0.1 or more."
        finding = "Hardly two customers are alike"
        chart = styled(bars, title=finding, subtitle=f"n = {n:,}, {counts.sum():,} pairs")
        made.append(Section(name, title, text, data, chart))
    return made


def cluster_sizes(results: Results) -> list[Section]:
    """Return the sizes of 50 clusters by three ways of clustering."""
    sets, seed = item_sets(results.history), results.seed
    first = tfidf_kmeans(sets, clusters=50, seed=seed)
    made = []
    for name, title, said, labels in (
        ("fig3", "Fig. 3: k-means on jaccard distances", LARGEST_CLUSTER["jaccard-kmeans"],
         jaccard_kmeans(sets, clusters=50, seed=seed)),
        ("fig5", "Fig. 5: method 1", LARGEST_CLUSTER["1"], first),
        ("fig6", "Fig. 6: method 2, s_min = 5", LARGEST_CLUSTER["2"],
         with_min_size(sets, first, min_size=5, seed=seed)),
    ):  # fmt: skip
        sizes = np.sort(np.bincount(labels))[::-1]
        data = pl.DataFrame({"cluster": np.arange(1, len(sizes) + 1), "size": sizes})
        bars = (
            alt.Chart(data)
            .mark_bar(color=ICE)
            .encode(
                x=alt.X(
                    "cluster:O", title="cluster, by size", axis=alt.Axis(labels=False, ticks=False)
                ),
                y=alt.Y("size:Q", title="customers"),
            )
        )
        text = (
            f"The largest of 50 clusters has {sizes[0]} customers (paper: {said}); "
            f"{int((sizes == 1).sum())} have one. K-means starts at random: sizes differ by seed."
        )
        if name == "fig3":
            text += (
                " The paper says no more than that jaccard was the distance; of the readings that "
                "we tried, k-means on the 0/1 vectors gives its picture."
            )
        chart = styled(bars, title=f"Largest cluster {sizes[0]}, smallest {sizes[-1]}", height=200)
        made.append(Section(name, f"{title}, sizes of 50 clusters", text, data, chart))
    return made


def figure7(results: Results) -> Section:
    """Return added rows against U1."""
    data = results.measured.select("method", "c", "added", "U1-cMAE")
    points = _by_method(
        data,
        alt.X("added:Q", title="added rows"),
        alt.Y("U1-cMAE:Q", title="U1-cMAE (less is better)"),
    )
    text = (
        "More decoys, worse utility. Our U1 is smaller than the contest's (0 to 1.02): a decoy of "
        "price 0.5 adds little to what a segment spends."
    )
    chart = styled(points, title="The loss grows with the added rows")
    return Section("fig7", "Fig. 7: added rows against U1", text, data, chart)


def figure9(results: Results) -> Section:
    """Return added rows against the number of clusters."""
    theory = _measured_theory(results)
    curve = pl.DataFrame(
        {"c": list(theory.domain), "added": [theory.added_rows(c) for c in theory.domain]}
    ).filter(pl.col("c") <= 200)
    points = pl.concat(
        [
            results.measured.select("method", "c", "added"),
            pl.DataFrame(
                [(t.method, t.c, round(t.added)) for t in results.table4 if t.method == "search"],
                schema=["method", "c", "added"],
                orient="row",
            ),
        ]
    )
    marks = _by_method(
        points, alt.X("c:Q", title="clusters c"), alt.Y("added:Q", title="added rows")
    )
    line = alt.Chart(curve).mark_line(color=DEEP_ICE).encode(x="c:Q", y="added:Q")
    text = "Added rows against c; the line is the paper's formula (3) with b and µ of the data."
    chart = styled(line + marks, title="Search stays below the theory of random clusters")
    return Section("fig9", "Fig. 9: added rows against clusters", text, points, chart)


def _measured_theory(results: Results) -> DecoyTheory:
    found = statistics(results.history)
    return DecoyTheory(
        n=found.customers, b=found.mean_items_per_customer or 0, mu=found.mean_jaccard or 0
    )


def figure10(results: Results) -> Section:
    """Return the re-identification rate against the number of clusters."""
    n = len(results.history.persons())
    data = results.measured.select("method", "c", "reid")
    marks = _by_method(
        data,
        alt.X("c:Q", title="clusters c"),
        alt.Y("reid:Q", title="customers found again", axis=alt.Axis(format="%")),
    )
    ends = pl.DataFrame({"c": [0, 200], "reid": [0.0, 200 / n]})
    line = alt.Chart(ends).mark_line(color=FIRE).encode(x="c:Q", y="reid:Q")
    text = (
        "The rate of the jaccard attack against c; the line is c / n. It falls short of the line "
        "where several customers of a cluster have the most items: the attack then draws one."
    )
    return Section(
        "fig10",
        "Fig. 10: risk against clusters",
        text,
        data,
        styled(line + marks, title="c / n, as in theory"),
    )


def figure11() -> Section:
    """Return the objective against the number of clusters."""
    theory = DecoyTheory(n=400, b=65, mu=0.03)
    data = pl.DataFrame(
        {"c": list(theory.domain), "objective": [theory.objective(c) for c in theory.domain]}
    )
    best = pl.DataFrame({"c": [theory.best_clusters]})
    line = (
        alt.Chart(data)
        .mark_line(color=ICE)
        .encode(
            x=alt.X("c:Q", title="clusters c"), y=alt.Y("objective:Q", title="(α E(Δm) + c/n) / 2")
        )
    )
    rule = alt.Chart(best).mark_rule(color=FIRE).encode(x="c:Q")
    found = f"the least is at c = {theory.best_clusters} (paper: {C_STAR[400]})"
    text = f"n = 400, b = 65, µ = 0.03: {found}."
    chart = styled(line + rule, title=f"c* = {theory.best_clusters}")
    return Section("fig11", "Fig. 11: the best number of clusters", text, data, chart)


def figure12() -> Section:
    """Return the best number of clusters against n."""
    theories = [DecoyTheory(n=n, b=65, mu=0.03) for n in range(400, 4001, 200)]
    data = pl.DataFrame(
        {
            "n": [theory.n for theory in theories],
            "exact": [theory.best_clusters for theory in theories],
            "closed form": [theory.best_clusters_approximately for theory in theories],
        }
    )
    long = data.unpivot(["exact", "closed form"], index="n", variable_name="by", value_name="c")
    lines = (
        alt.Chart(long)
        .mark_line(point=True)
        .encode(
            x=alt.X("n:Q", title="customers n"),
            y=alt.Y("c:Q", title="c*"),
            color=alt.Color("by:N", title=None, scale=alt.Scale(range=[DEEP_ICE, ICE])),
            strokeDash=alt.StrokeDash("by:N", title=None),
        )
    )
    approximate, exact = theories[-1].best_clusters_approximately, theories[-1].best_clusters
    text = (
        f"At n = 4000 the closed form gives {approximate:,.0f} (paper: {C_STAR[4000]:,}); the "
        f"exact minimum of the same objective is {exact:,}. The paper's cost there, 490,650, uses "
        "h = 3.9 and drops the first term of the formula."
    )
    chart = styled(lines, title="c* grows in proportion to n")
    return Section("fig12", "Fig. 12: the best number of clusters against n", text, data, chart)


def figure31(results: Results) -> Section:
    """Return the time of the attacks against added rows."""
    data = results.measured.select("added", "seconds_jaccard", "seconds_multiset")
    long = data.unpivot(index="added", variable_name="attack", value_name="seconds").with_columns(
        pl.col("attack").str.strip_prefix("seconds_")
    )
    points = (
        alt.Chart(long)
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("added:Q", title="added rows"),
            y=alt.Y("seconds:Q", title="seconds"),
            color=alt.Color("attack:N", title=None, scale=alt.Scale(range=[ICE, FIRE])),
            shape=alt.Shape("attack:N", title=None),
        )
    )
    slowest = float(long["seconds"].max())  # type: ignore[arg-type]
    text = (
        "Seconds of the two attacks against the number of added rows (thesis, Fig. 3.1); the "
        "machines cannot be compared, the shape can."
    )
    chart = styled(points, title=f"At most {slowest:.2g} s for 400 customers")
    return Section("fig3_1", "Fig. 3.1: time of the attacks", text, data, chart)
