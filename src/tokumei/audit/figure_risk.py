"""Figures of who finds whom."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from tokumei.audit.auditing import Audit
from tokumei.audit.criteria import Translate
from tokumei.audit.figure import WIDTH, Figure, finished, lines, percent_axis
from tokumei.audit.suite import THREATS
from tokumei.audit.wording import attack_name, counted, joined, knowledge, percent
from tokumei.metrics.question import Marked
from tokumei.report.charts import DEEP_ICE, ICE, SLATE

COLORS = {
    # By sets of items: orange.
    "jaccard": "#fd8d3c",
    "multiset-jaccard": "#f16913",
    "item-intersection": "#fdae6b",
    "strip-decoys": "#d94801",
    "decoy-odds": "#a63603",
    # By rows: brown.
    "exact-row": "#7f2704",
    "unique-row": "#a04a1c",
    "key-matching": "#c68a63",
    "candidate-intersection": "#5c3a21",
    "fuzzy-rows": "#8c5a3c",
    # By profiles: violet.
    "rfm-profile": "#7b6bb1",
    "time-profile": "#a99fd0",
    "customer-attributes": "#4f3a8c",
    "time-of-day": "#c3bce0",
    "row-count": "#62539c",
    "basket-sizes": "#9183c4",
    "cell-values": "#3d2f73",
    "value-profiles": "#8f6fae",
    # By what is published.
    "published-order": "#6b7683",
    # By all of them.
    "ensemble": "#1d2733",
}
"""The color of an attack, everywhere: its family by what is compared."""
SHADES = ["#fff1e6", "#fd8d3c", "#d94801", "#7f2704"]
DARK = 0.5
"""From this rate on a cell is so dark that its number is written in white."""
LABEL_WIDTH = 13
MIN_STEP, LINE = 74, 13
SPLIT = "split(datum.label, '\\n')"
"""A label in several lines."""


def color(attack: str) -> str:
    """Return the color of an attack; those of other packages are grey."""
    return COLORS.get(attack, SLATE)


def strongest(audit: Audit) -> list[Marked]:
    """Return each attack with the knowledge that helps it most, those who find the most first."""
    best: dict[str, Marked] = {}
    for found in audit.risks:
        best.setdefault(attack_name(found), found)
    return list(best.values())


def risk_by_attacker(audit: Audit, tr: Translate) -> Figure:
    """Draw the largest rate of each attack, with interval, random guess and bound."""
    best = strongest(audit)
    data = pl.DataFrame([_row(found, tr) for found in best])
    # A name on two lines: the attack, and what it knows.
    drawn = data.with_columns(
        label=pl.col("attack") + "\n" + pl.col("knowledge"),
        written=pl.Series([percent(rate) for rate in data["rate"]]),
    )
    share = alt.X(
        "rate:Q",
        title=tr("share found (▼ fewer is safer)"),
        scale=alt.Scale(domain=[0, 1.13], nice=False),
        axis=percent_axis(values=[0, 0.25, 0.5, 0.75, 1], grid=True),
    )
    place = alt.Y(
        "label:N",
        title=None,
        sort=drawn["label"].to_list(),
        axis=alt.Axis(labelExpr=SPLIT, labelLimit=220, labelLineHeight=12, labelOffset=-6),
    )
    base = alt.Chart(drawn).encode(y=place)
    fill = alt.Color("attack:N", scale=_colors(data["attack"].to_list()), legend=None)
    numbers: dict[str, Any] = {"align": "left", "dx": 7, "fontSize": 11}
    bound = audit.bound if audit.bound is not None and audit.bound.value < 1 else None
    chart = alt.layer(
        base.mark_bar(size=16).encode(x=share, color=fill),
        base.mark_rule(color="#ffffff", strokeWidth=4).encode(x="low:Q", x2="high:Q"),
        base.mark_rule(color="#1d2733", strokeWidth=1.6).encode(x="low:Q", x2="high:Q"),
        base.mark_tick(color=ICE, thickness=3, size=26).encode(x="baseline:Q"),
        *([_line(bound.value)] if bound else []),
        # Twice: the white outline keeps the number apart from lines behind it.
        base.mark_text(**numbers, stroke="white", strokeWidth=4).encode(
            x="high:Q", text="written:N"
        ),
        base.mark_text(**numbers).encode(x="high:Q", text="written:N"),
    )
    headline = audit.headline
    text = tr(
        "Each attack with the knowledge that helps it most. Thin line: 95% interval; blue tick: "
        "random guess ({baseline}). n = {n}."
    ).format(baseline=percent(headline.score.baseline or 0.0), n=f"{headline.score.n:,}")
    if bound:
        dashed = tr(
            "Dashed line: what an attacker reaches at most on average if pseudonyms, basket "
            "numbers and row order are random: {bound}."
        )
        text = joined(text, dashed.format(bound=percent(bound.value)))
    title = tr("{attack} finds the most: {rate} of the {who}").format(
        attack=attack_name(headline),
        rate=percent(headline.score.value),
        who=counted(audit, tr),
    )
    return finished("risk-by-attacker", title, text, data, chart, height=alt.Step(34))


def _line(bound: float) -> Any:
    line = alt.Chart(pl.DataFrame({"bound": [bound]})).encode(x="bound:Q")
    return line.mark_rule(color=DEEP_ICE, strokeDash=[6, 4], strokeWidth=2)


def _row(found: Marked, tr: Translate) -> dict[str, Any]:
    score = found.score
    low, high = score.interval or (score.value, score.value)
    return {
        "attack": attack_name(found),
        "knowledge": knowledge(found.threat, tr),
        "rate": score.value,
        "low": low,
        "high": high,
        "baseline": score.baseline,
        "n": score.n,
    }


def risk_by_knowledge(audit: Audit, tr: Translate) -> Figure:
    """Draw every rate: knowledge across, attacks down."""
    data = pl.DataFrame([_row(found, tr) for found in audit.risks])
    asked = [knowledge(threat, tr) for threat in THREATS]
    best = dict(data.group_by("knowledge").agg(pl.col("rate").max()).iter_rows())
    best = {label: best[label] for label in asked if label in best}
    least, most = min(best, key=lambda label: best[label]), max(best, key=lambda label: best[label])
    title = tr("Who knows {weak} finds {least}; who knows {strong} finds {most}").format(
        least=percent(best[least]), weak=least, most=percent(best[most]), strong=most
    )
    if percent(best[least]) == percent(best[most]):
        title = tr("With every kind of knowledge, {rate} are found")
        title = title.format(rate=percent(best[most]))
    text = tr(
        "Share of the {who} found, by what is known and what is done; darker is worse. A dash: "
        "the attack does not apply. n = {n}."
    ).format(n=f"{audit.headline.score.n:,}", who=counted(audit, tr))
    attacks = [attack_name(found) for found in strongest(audit)]
    chart = _heatmap(data, list(best), attacks, tr)
    step = max(MIN_STEP, WIDTH // len(best))
    return finished(
        "risk-by-knowledge", title, text, data, chart, width=alt.Step(step), height=alt.Step(27)
    )


def _heatmap(data: pl.DataFrame, across: list[str], down: list[str], tr: Translate) -> Any:
    every = pl.DataFrame({"attack": down}).join(pl.DataFrame({"knowledge": across}), how="cross")
    cells = every.join(data, on=["attack", "knowledge"], how="left")
    rates = cells["rate"].to_list()
    broken = _broken(across)
    cells = cells.with_columns(
        pl.Series("written", ["–" if rate is None else percent(rate) for rate in rates]),
        known=pl.col("knowledge").replace_strict(broken, return_dtype=pl.String),
        dark=pl.col("rate").fill_null(0.0) >= DARK,
    )
    columns = alt.X(
        "known:N",
        title=tr("what the attacker knows"),
        sort=list(broken.values()),
        axis=alt.Axis(
            orient="top",
            labelAngle=0,
            labelExpr=SPLIT,
            labelLineHeight=LINE,
            # The first of the lines is put where the only one would be.
            labelPadding=8 + LINE * broken[across[0]].count("\n"),
            domain=False,
            ticks=False,
        ),
    )
    # The padding leaves room for the attack's own color.
    names = alt.Axis(domain=False, ticks=False, labelLimit=200, labelPadding=18)
    rows = alt.Y("attack:N", title=None, sort=down, axis=names)
    shade = alt.Color(
        "rate:Q", scale=alt.Scale(domain=[0, 0.35, 0.7, 1], range=SHADES), legend=None
    )
    base = alt.Chart(cells).encode(x=columns, y=rows)
    chips = (
        alt.Chart(pl.DataFrame({"attack": down}))
        .mark_square(size=80, opacity=1)
        .encode(
            y=rows, x=alt.value(-10), fill=alt.Fill("attack:N", scale=_colors(down), legend=None)
        )
    )
    return alt.layer(
        base.mark_rect(stroke="white", strokeWidth=2).encode(color=shade),
        base.mark_text(fontSize=11).encode(
            text="written:N",
            color=alt.condition("datum.dark", alt.value("#ffffff"), alt.value("#1d2733")),
        ),
        chips,
    )


def _broken(labels: list[str]) -> dict[str, str]:
    """Break labels into equally many lines, the last of them filled."""
    broken = {label: lines(label, LABEL_WIDTH) for label in labels}
    most = max(map(len, broken.values()))
    return {label: "\n".join([*[""] * (most - len(b)), *b]) for label, b in broken.items()}


def _colors(attacks: list[str]) -> alt.Scale:
    return alt.Scale(domain=attacks, range=[color(name) for name in attacks])
