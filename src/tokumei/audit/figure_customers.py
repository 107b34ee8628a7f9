"""Figures of customers before and after: how alike they are, and how they buy."""

from __future__ import annotations

import altair as alt
import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.figure import FEW, Figure, before_and_after, finished, percent_axis, sized
from tokumei.audit.wording import percent
from tokumei.cells import high, to_text
from tokumei.draws import Floats, keys_of
from tokumei.errors import SchemaError
from tokumei.history import History
from tokumei.itemsets.matrix import item_sets
from tokumei.itemsets.search import most_similar
from tokumei.metrics.identical_groups import group_sizes
from tokumei.rfm.analysis import analyze, cuts_of

BINS = 20
SIZES = (1, 2, 3, 4, 5, 10, 20, 50, 100)
"""Where classes of group sizes begin."""
FEWEST = 6
"""So many classes of sizes are drawn at least."""
RECENCY_CLASSES, FREQUENCY_CLASSES = 14, 3
"""At most so many classes over the whole period; and of every doubling of the purchase dates."""
CUSTOMERS_PER_CLASS = 30
"""With fewer customers there are fewer classes, so that most classes have several of them."""
LEGEND = alt.Legend(orient="top")
FIFTHS = ["#bfe3df", "#84c7c0", "#48a39c", "#1b7f79", "#0a4b47"]


def similarity(audit: Audit, tr: Translate) -> Figure:
    """Draw how similar the most similar other customer is."""
    labels = (tr("original"), tr("release"))
    parts, medians, customers = [], [], []
    for label, history in zip(labels, (audit.original, audit.release.public), strict=True):
        nearest = _nearest(history)
        medians.append(float(np.median(nearest)))
        customers.append(len(nearest))
        counts, edges = np.histogram(nearest, bins=BINS, range=(0, 1))
        if history is audit.original:
            counts = np.where(counts < FEW, 0, counts)
        parts.append(
            pl.DataFrame(
                {
                    "of": [label] * BINS,
                    "from": edges[:-1].round(4),
                    "to": edges[1:].round(4),
                    "customers": counts,
                    "share": counts / max(1, len(nearest)),
                }
            )
        )
    data = pl.concat(parts)
    coefficient = alt.X(
        "from:Q",
        bin="binned",
        title=tr("jaccard coefficient with the most similar other customer"),
        scale=alt.Scale(domain=[0, 1]),
    )
    share = alt.Y("share:Q", title=tr("share of the customers"), axis=percent_axis(tickCount=5))
    colors = alt.Color("of:N", title=None, scale=before_and_after(*labels), legend=LEGEND)
    bars = (
        alt.Chart(parts[1])
        .mark_bar(opacity=0.75)
        .encode(x=coefficient, x2="to:Q", y=share, color=colors)
    )
    # The original as a line of steps, so that neither hides the other.
    end = parts[0].tail(1).with_columns(pl.col("to").alias("from"))
    steps = (
        alt.Chart(pl.concat([parts[0], end]))
        .mark_line(interpolate="step-after", strokeWidth=2.5)
        .encode(x=alt.X("from:Q", title=""), y=share, color=colors)
    )
    title = tr(
        "The most similar other customer: jaccard {before:.2f} before, {after:.2f} after (median)"
    ).format(before=medians[0], after=medians[1])
    text = tr(
        "Each customer's largest jaccard coefficient with another customer. At 1 the two have the "
        "same set of items; the release shows more than sets. Bars of fewer than {few} customers "
        "of the original are left out. n = {before} before, {after} after."
    ).format(few=FEW, before=f"{customers[0]:,}", after=f"{customers[1]:,}")
    return finished("similarity", title, text, data, bars + steps)


def _nearest(history: History) -> Floats:
    """Return each customer's largest jaccard coefficient with another; a set of items is one."""
    rows = history.frame()
    if "item" in rows.columns and rows["item"].dtype.is_nested():
        told = rows.filter(pl.col("item").is_not_null())
        texts = to_text(told["item"], lambda values: values)
        history = history.with_purchases(told.with_columns(texts))
    sets = item_sets(history)
    if len(sets.persons) < 2:
        raise SchemaError("To compare customers, there must be two of them.")
    keys = keys_of(sets.persons)
    # A customer is most similar to itself; the second match is the nearest other one.
    matches = most_similar(sets.matrix, sets.matrix, top=2, seed=0, query_keys=keys, base_keys=keys)
    nearest: Floats = matches.similarity[:, 1]
    return nearest


def groups(audit: Audit, tr: Translate) -> Figure:
    """Draw how many customers are in groups of which size."""
    labels = (tr("original"), tr("release"))
    before = group_sizes(audit.original)
    now = audit.case.kinds["kind"].value_counts()["count"].sort().to_numpy()
    data = pl.concat(
        [_by_size(label, sizes) for label, sizes in zip(labels, (before, now), strict=True)]
    )
    used = data.filter(pl.col("customers") > 0)["size"].to_list()
    classes = _size_labels()
    classes = classes[: max(FEWEST, *(classes.index(size) + 1 for size in used))]
    size = alt.X(
        "size:N",
        title=tr("customers in a group with all rows alike (▲ more is safer)"),
        sort=classes,
        axis=alt.Axis(labelAngle=0),
    )
    share = alt.Y(
        "share:Q",
        title=tr("share of the customers"),
        scale=alt.Scale(domain=[0, 1.1], nice=False),
        axis=percent_axis(values=[0, 0.25, 0.5, 0.75, 1]),
    )
    written = pl.Series("written", [f"{part:.0%}" if part else "" for part in data["share"]])
    drawn = data.with_columns(written).filter(pl.col("size").is_in(classes))
    base = alt.Chart(drawn).encode(x=size, y=share, xOffset=alt.XOffset("of:N", sort=list(labels)))
    colors = alt.Color("of:N", title=None, scale=before_and_after(*labels), legend=LEGEND)
    chart = alt.layer(
        base.mark_bar().encode(color=colors),
        base.mark_text(dy=-6, fontSize=9).encode(text="written:N"),
    )
    n = int(now.sum())
    title = tr("Every customer shares all rows with at least {others} others").format(
        others=f"{int(now.min()) - 1:,}"
    )
    if alone := int((now == 1).sum()):
        title = tr("{alone} of the customers have rows that nobody else has").format(
            alone=percent(alone / n)
        )
    text = tr(
        "Customers by the size of their group, in which all released rows are equal; baskets are "
        "compared by their rows. n = {before} before, {after} after."
    ).format(before=f"{int(before.sum()):,}", after=f"{n:,}")
    return finished("group-sizes", title, text, data, chart, height=200)


def _by_size(label: str, sizes: npt.NDArray[np.int64]) -> pl.DataFrame:
    place = np.searchsorted(SIZES, sizes, side="right") - 1
    customers = np.bincount(place, weights=sizes, minlength=len(SIZES)).astype(np.int64)
    return pl.DataFrame(
        {
            "of": [label] * len(SIZES),
            "size": _size_labels(),
            "customers": customers,
            "share": customers / customers.sum(),
        }
    )


def _size_labels() -> list[str]:
    ends = [*SIZES[1:], None]
    return [
        f"{first}+" if end is None else f"{first}" if end == first + 1 else f"{first}–{end - 1}"
        for first, end in zip(SIZES, ends, strict=True)
    ]


def rfm(audit: Audit, tr: Translate) -> Figure:
    """Draw recency, frequency and spend of customers, in classes."""
    labels = [tr("original"), tr("release")]
    before = analyze(audit.original)
    end = high(audit.original.frame()["time"]).cast(pl.Date).to_physical().max()
    now = analyze(audit.release.public, last_day=float(end))  # type: ignore[arg-type]
    data = _classes(before, now, labels)
    days = tr("R: days since the last purchase")
    dates = alt.Y(
        "F:Q",
        title=tr("F: purchase dates (log)"),
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(values=[n * 10**e for e in range(4) for n in (1, 2, 5)], format=",d"),
    )
    fifths = alt.Scale(domain=[1, 2, 3, 4, 5], range=FIFTHS)
    points = (
        alt.Chart(data)
        .mark_circle(opacity=0.9, stroke="white", strokeWidth=0.6, aria=False)
        .encode(
            x=alt.X("R:Q", title=days, axis=alt.Axis(tickCount=4)),
            y=dates,
            size=sized("customers", tr("customers"), data["customers"], [18, 420]),
            color=alt.Color("spend:O", title=tr("M: spend, fifth"), scale=fifths),
            column=alt.Column("of:N", title=None, sort=labels, header=alt.Header(labelFontSize=12)),
        )
    )
    medians = [_two_digits(np.median(part["M"].to_numpy())) for part in (before, now)]
    title = tr("Customers spend about {before} before and {after} after (median)").format(
        before=medians[0], after=medians[1]
    )
    shown = int(data.filter(of=labels[0])["customers"].sum())
    text = tr(
        "Recency, frequency and spend in classes. Spend: mean of the class, in fifths of the "
        "original (5 = most). {hidden} of the original's customers are in classes of fewer than "
        "{few}, which are left out. n = {before} before, {after} after."
    ).format(
        hidden=percent(1 - shown / len(before)),
        few=FEW,
        before=f"{len(before):,}",
        after=f"{len(now):,}",
    )
    return finished("rfm", title, text, data, points, width=205, height=230)


def _two_digits(amount: float) -> str:
    """Write an amount that may be one customer's own so that it may be many others' as well."""
    return f"{float(f'{amount:.1e}'):,.10g}"


def _classes(before: pl.DataFrame, now: pl.DataFrame, labels: list[str]) -> pl.DataFrame:
    """Count customers by class of R and F; small classes of the original are left out."""
    both = pl.concat([before.with_columns(of=pl.lit(0)), now.with_columns(of=pl.lit(1))])
    wanted = len(before) / CUSTOMERS_PER_CLASS
    width = _round_width(np.ptp(both["R"].to_numpy()) / np.clip(wanted, 3, RECENCY_CLASSES))
    steps = int(np.clip(wanted / RECENCY_CLASSES * FREQUENCY_CLASSES, 1, FREQUENCY_CLASSES))
    cuts = cuts_of(before["M"].to_numpy(), len(FIFTHS))
    found = both.group_by(
        "of",
        R=(pl.col("R") / width).floor() * width + width / 2,
        F=(2 ** ((pl.col("F").log(2) * steps).round() / steps)).round(1),
    ).agg(customers=pl.len(), spend=pl.col("M").sort().mean())
    found = found.filter((pl.col("of") == 1) | (pl.col("customers") >= FEW))
    fifth = np.searchsorted(cuts, found["spend"].to_numpy()) + 1
    names = pl.col("of").replace_strict(dict(enumerate(labels)), return_dtype=pl.String)
    return found.with_columns(spend=fifth).sort("of", "R", "F").with_columns(of=names)


def _round_width(least: float) -> float:
    """Return 1, 2 or 5 times a power of ten, so that it does not tell the longest absence."""
    power = 10.0 ** np.floor(np.log10(max(least, 1.0)))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= least))
