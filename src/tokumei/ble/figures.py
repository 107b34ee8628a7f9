"""The figures of a report: RSSI over time (Fig. C.3), and how long addresses stay observable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from tokumei.audit.figure import Figure, finished
from tokumei.ble.link_layer import KINDS
from tokumei.ble.numbers import number
from tokumei.ble.observing import Observations
from tokumei.report.charts import DEEP_ICE, FIRE, ICE, SLATE

Translate = Callable[[str], str]
WIDTH = 760
CROSS = "M-0.8,-0.8L0.8,0.8M-0.8,0.8L0.8,-0.8"
BARS = 30
"""So many addresses are drawn as bars, those with the most packets."""
KIND_COLORS = (FIRE, "#7f2704", ICE, "#1b7f79", SLATE)
"""By kind; addresses that a device keeps are drawn in the colors of risk."""


def kind_words(tr: Translate) -> dict[str, str]:
    """Return the words for kinds of addresses."""
    return {
        "public": tr("public"),
        "random static": tr("random static"),
        "resolvable": tr("resolvable"),
        "non-resolvable": tr("non-resolvable"),
        "reserved": tr("reserved"),
    }


def figures(seen: Observations, tr: Translate) -> list[Figure]:
    """Draw everything that the capture gives; one without RSSI has no Fig. C.3."""
    level = [rssi_over_time(seen, tr)] if len(seen.points) else []
    return [*level, observable(seen, tr)]


def rssi_over_time(seen: Observations, tr: Translate) -> Figure:
    """Draw the level of every packet, known and unknown senders apart."""
    known, unknown = tr("known device"), tr("unknown address")
    listed = seen.known["sender"].implode()
    who = pl.when(pl.col("sender").is_in(listed)).then(pl.lit(known)).otherwise(pl.lit(unknown))
    data = seen.points.with_columns(who=who).select("time_stamp", "rssi", "who", "sender")
    marks = (
        alt.Chart(data)
        .mark_point(size=26, opacity=0.8, strokeWidth=1.3)
        .encode(
            x=_time_axis("time_stamp", seen, tr),
            y=alt.Y("rssi:Q", title=tr("RSSI in dBm"), scale=alt.Scale(zero=False)),
            color=_apart(alt.Color, known, unknown, [DEEP_ICE, FIRE]),
            fill=_apart(alt.Fill, known, unknown, [DEEP_ICE, "transparent"]),
            shape=_apart(alt.Shape, known, unknown, ["circle", CROSS]),
        )
    )
    text = tr(
        "Fig. C.3: every mark is a packet, {shown} of {all} with an RSSI; dots are known devices, "
        "crosses are other addresses."
    ).format(shown=f"{len(data):,}", all=f"{int(seen.levels['packets'].sum()):,}")
    return finished("rssi", _level_title(seen, tr), text, data, marks, width=WIDTH, height=300)


def _apart(channel: Any, known: str, unknown: str, values: list[str]) -> Any:
    scale = alt.Scale(domain=[known, unknown], range=values)
    return channel("who:N", title=None, scale=scale, legend=alt.Legend(orient="top"))


def _time_axis(field: str, seen: Observations, tr: Translate) -> alt.X:
    scale = alt.Scale(domain=[0, max(seen.seconds, 1e-6)], nice=False)
    return alt.X(f"{field}:Q", title=tr("time in seconds"), scale=scale)


def _level_title(seen: Observations, tr: Translate) -> str:
    known, unknown = (_mean(seen, part["sender"]) for part in (seen.known, seen.unknown))
    if known is None or unknown is None:
        one = unknown if known is None else known
        return tr("The packets were heard at {level} dBm on average").format(level=number(one, 0))
    return tr(
        "Known devices were heard at {known} dBm on average, unknown addresses at {unknown} dBm"
    ).format(known=number(known, 0), unknown=number(unknown, 0))


def _mean(seen: Observations, senders: pl.Series) -> float | None:
    """Return the mean level of the packets of some addresses."""
    rows = seen.levels.filter(pl.col("sender").is_in(senders.implode()))
    if not len(rows):
        return None
    return float(np.average(rows["rssi"].to_numpy(), weights=rows["packets"].to_numpy()))


def observable(seen: Observations, tr: Translate) -> Figure:
    """Draw from when to when each address was seen."""
    words = kind_words(tr)
    data = seen.addresses.head(BARS).select(
        who=pl.coalesce("device", "sender"),
        kind=pl.col("sender_kind").replace_strict(words),
        first="first",
        last="last",
        seconds=pl.col("last") - pl.col("first"),
        packets="packets",
    )
    present = [words[kind] for kind in KINDS if words[kind] in data["kind"]]
    colors = [KIND_COLORS[list(words.values()).index(word)] for word in present]
    bars = (
        alt.Chart(data)
        # A single packet must leave a mark, too.
        .mark_bar(height=9, minBandSize=2, stroke="white", strokeWidth=0.3)
        .encode(
            x=_time_axis("first", seen, tr),
            x2="last:Q",
            y=alt.Y("who:N", title=None, sort=data["who"].to_list(), axis=alt.Axis(labelLimit=200)),
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=present, range=colors),
                legend=alt.Legend(orient="top"),
            ),
        )
    )
    ends = (
        alt.Chart(data)
        .mark_tick(thickness=2, height=9, color="#1d2733")
        .encode(x="last:Q", y=alt.Y("who:N", sort=data["who"].to_list()))
    )
    half = int((seen.addresses["last"] - seen.addresses["first"] >= seen.seconds / 2).sum())
    title = tr("{count} of {all} addresses could be followed for at least half of the time").format(
        count=f"{half:,}", all=f"{len(seen.addresses):,}"
    )
    text = tr(
        "From the first packet of an address to its last; the {count} addresses with the most "
        "packets, known devices by their name."
    ).format(count=len(data))
    return finished(
        "observable", title, text, data, bars + ends, width=WIDTH - 110, height=alt.Step(16)
    )
