"""Figures of what became of the data: purchases, cells, items, and the metrics of utility."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import polars as pl

from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.figure import FEW, Figure, finished, percent_axis, sized
from tokumei.audit.wording import percent
from tokumei.cells import exactly, kind, plain
from tokumei.contracts import Score
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.metrics.kept_rows import TRUE, kept_rows
from tokumei.report.charts import ICE, SLATE, UTILITY
from tokumei.tables import frame

DIGITS = (2, 1)
"""Large counts are rounded to two digits, which no eye tells from all; to one if dots are many."""
MOST_DOTS = 2_000
PLACES = ["original", "release"]
SHARE_DIGITS = 3
CELL_CHANGES = 3
CHANGES = ["#0a4b47", UTILITY, "#84c7c0", SLATE, "#a5b1bd"]
LITTLE = 0.05
"""A loss below this share counts as little."""


def cells_changed(audit: Audit, tr: Translate) -> Figure:
    """Draw for every column the cells that say something else, less, or nothing."""
    before, release = audit.original, audit.release
    names = [
        name
        for name in before.visible
        if name in release.public.visible and name not in ("person", "basket")
    ]
    pairs = frame(kept_rows(before, release, names))
    changes = (tr("another value"), tr("generalized"), tr("suppressed"))
    shares = [
        (before.source.name(name), change, count / max(1, len(pairs)))
        for name in names
        for change, count in zip(
            changes, _changed(pairs[name], pairs[TRUE.format(name)]), strict=True
        )
    ]
    cells = sum(share for _, _, share in shares) / max(1, len(names))
    deleted = 1 - len(pairs) / before.rows
    invented = frame(release.origins())["origin"].null_count() / before.rows
    shares += [
        (tr("rows deleted"), tr("deleted"), deleted),
        (tr("rows invented"), tr("invented"), invented),
    ]
    data = pl.DataFrame(shares, schema=["what", "change", "share"], orient="row")
    # Rounded, as all digits would tell the count, which may be one customer's.
    data = data.with_columns(pl.col("share").round(SHARE_DIGITS))
    title = tr(
        "{cells} of the cells changed; {deleted} of the rows were deleted, {invented} invented"
    ).format(cells=percent(cells), deleted=percent(deleted), invented=percent(invented))
    text = tr(
        "Columns: share of the kept rows whose cell is not the original's. Rows: share of the rows "
        "of the original. Customers and baskets are renamed and not counted."
    )
    axis = tr("share of the cells or rows (▼ smaller is better)")
    chart = _stacked(data, axis, [*changes, tr("deleted"), tr("invented")])
    return finished("cells-changed", title, text, data, chart, height=alt.Step(27))


def _changed(cells: pl.Series, truth: pl.Series) -> tuple[int, int, int]:
    """Count the cells with another value, several possible ones, and none."""
    differs = ~exactly(cells, truth)
    none = differs & cells.is_null()
    several = differs & plain(cells).is_null() & ~none
    return int((differs & ~several & ~none).sum()), int(several.sum()), int(none.sum())


def _stacked(data: pl.DataFrame, axis: str, changes: list[str]) -> Any:
    totals = data.group_by("what", maintain_order=True).agg(pl.col("share").sum())
    written = pl.Series("written", [percent(share) for share in totals["share"]])
    # Rows say by their place what became of them.
    in_cells = data.filter(pl.col("share") > 0)["change"].unique()
    seen = [change for change in changes[:CELL_CHANGES] if change in in_cells]
    legend = alt.Legend(orient="bottom", values=seen)
    place = alt.Y(
        "what:N", title=None, sort=totals["what"].to_list(), axis=alt.Axis(labelLimit=180)
    )
    width = alt.X(
        "share:Q",
        title=axis,
        axis=percent_axis(tickCount=5),
        scale=alt.Scale(domain=[0, 1.13 * max(1.0, *totals["share"])], nice=False),
    )
    bars = alt.Chart(data.with_row_index("order")).mark_bar(size=16)
    scale = alt.Scale(domain=changes, range=CHANGES)
    return alt.layer(
        bars.encode(
            y=place,
            x=width,
            color=alt.Color("change:N", title=None, scale=scale, legend=legend if seen else None),
            order="order:Q",
        ),
        alt.Chart(totals.with_columns(written))
        .mark_text(align="left", dx=5, fontSize=11)
        .encode(y=place, x="share:Q", text="written:N"),
    )


def item_popularity(audit: Audit, tr: Translate) -> Figure:
    """Draw how often every item was bought, before against after."""
    before, now = (_purchases_of_items(part) for part in (audit.original, audit.release.public))
    both = before.join(now, on="item", how="full", coalesce=True, suffix="_now").fill_null(0.0)
    data = _dots(_rounded(both), audit.original)
    if data.is_empty():
        raise SchemaError(f"No items can be counted that at least {FEW} customers bought.")
    moved = both.select((pl.col("rows") - pl.col("rows_now")).abs() > 0.5 * pl.col("rows"))
    share = int(moved.to_series().sum()) / len(both)
    largest = float(data.select(pl.max_horizontal(pl.col("original", "release").max())).item())
    scale = alt.Scale(type="symlog", domain=[0, 1.05 * largest], nice=False)
    axis = alt.Axis(values=[0, *(n * 10**e for e in range(6) for n in (1, 3))], format=",d")
    across = tr("purchases of an item in the original (log)")
    points = (
        alt.Chart(data)
        .mark_circle(color=ICE, opacity=0.55, aria=False)
        .encode(
            x=alt.X("original:Q", title=across, scale=scale, axis=axis),
            y=alt.Y("release:Q", title=tr("in the release (log)"), scale=scale, axis=axis),
            size=sized("items", tr("items"), data["items"], [14, 260]),
        )
    )
    ends = pl.DataFrame({"original": [0.0, largest], "release": [0.0, largest]})
    diagonal = alt.Chart(ends).mark_line(color=SLATE, strokeDash=[5, 4], strokeWidth=1.4)
    title = tr("The purchases of {share} of the items changed by more than half").format(
        share=percent(share)
    )
    text = tr(
        "Dots on the dashed line are unchanged, above it more purchases than before, below it "
        "fewer. Large counts are rounded; a set of s items counts 1/s for each. Dots of fewer than "
        "{few} customers, or of one for the most part, are left out: {hidden} of n = {n} items."
    ).format(few=FEW, hidden=percent(1 - int(data["items"].sum()) / len(both)), n=f"{len(both):,}")
    chart = diagonal.encode(x="original:Q", y="release:Q") + points
    return finished("item-popularity", title, text, data, chart, width=380, height=300)


def _purchases_of_items(history: History) -> pl.DataFrame:
    return _purchases(history).group_by("item").agg(rows=pl.col("weight").sum())


def _purchases(history: History) -> pl.DataFrame:
    """Return person, item and weight of every purchase: of a set of s items, 1/s for each."""
    if "item" not in history.visible:
        raise SchemaError("To count the purchases of items, both need a column for item.")
    rows = history.frame().select("person", "item")
    if kind(rows["item"].dtype) == "set":
        rows = rows.with_columns(weight=1 / pl.col("item").list.len()).explode("item")
    else:
        rows = rows.with_columns(weight=pl.lit(1.0))
    return rows.drop_nulls("item")


def _rounded(items: pl.DataFrame) -> pl.DataFrame:
    """Place items by how often they were bought, with fewer digits if there are many places."""
    for digits in DIGITS:
        placed = items.with_columns(
            pl.when(pl.col(rows) < 10**digits)
            .then(pl.col(rows).round())
            .otherwise(pl.col(rows).round_sig_figs(digits))
            .alias(name)
            for name, rows in {"original": "rows", "release": "rows_now"}.items()
        )
        if len(placed.unique(PLACES)) <= MOST_DOTS:
            break
    return placed


def _dots(items: pl.DataFrame, original: History) -> pl.DataFrame:
    """Count the items in every place; they stay unnamed, as some may be hidden.

    A place is left out if few customers of the original bought what is there, or one most of it.
    """
    bought = _purchases(original).join(items.select("item", *PLACES), on="item")
    buyers = bought.group_by(*PLACES, "person").agg(pl.col("weight").sum())
    enough = (pl.len() >= FEW) & (2 * pl.col("weight").max() <= pl.col("weight").sum())
    shown = buyers.group_by(PLACES).agg(enough.alias("enough")).filter("enough")
    dots = items.group_by(PLACES).len("items").join(shown, on=PLACES, how="semi")
    return dots.sort(PLACES)


def losses(audit: Audit, tr: Translate) -> Figure:
    """Draw what every metric says was lost, where its scale has an end."""
    scores = [one.score for one in audit.utilities if all(map(math.isfinite, one.score.range))]
    if not scores:
        raise SchemaError("No utility that was measured has a scale with two ends.")
    rows = sorted(((score.name, _loss(score), score.n) for score in scores), key=lambda row: row[1])
    data = pl.DataFrame(rows, schema=["metric", "loss", "n"], orient="row")
    written = pl.Series("written", [percent(loss) for loss in data["loss"]])
    place = alt.Y(
        "metric:N",
        title=None,
        sort=data["metric"].to_list(),
        axis=alt.Axis(labelLimit=200, grid=True),
    )
    base = alt.Chart(data.with_columns(written, zero=0.0)).encode(y=place)
    share = alt.X(
        "loss:Q",
        title=tr("lost, of the most that can be lost (▼ smaller is better)"),
        scale=alt.Scale(domain=[0, 1.13], nice=False),
        axis=percent_axis(values=[0, 0.25, 0.5, 0.75, 1]),
    )
    chart = alt.layer(
        base.mark_rule(color=UTILITY, strokeWidth=1.5).encode(x=share, x2="zero:Q"),
        base.mark_circle(color=UTILITY, size=85, opacity=1).encode(x=share),
        base.mark_text(align="left", dx=8, fontSize=11).encode(x=share, text="written:N"),
    )
    little = data.filter(pl.col("loss") < LITTLE).height
    title = tr("{little} of {all} measures of utility lost less than 5%").format(
        little=little, all=len(data)
    )
    text = tr(
        "0% is the original itself. Metrics without a largest value are in the table only; what "
        "each one measures stands there, too."
    )
    return finished("utility", title, text, data, chart, height=alt.Step(22))


def _loss(score: Score) -> float:
    return abs(score.value - score.best) / abs(score.worst - score.best)
