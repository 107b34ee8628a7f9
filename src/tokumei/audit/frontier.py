"""The figure of a recommendation: what is lost, against the chance of being found."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import polars as pl

from tokumei.audit.criteria import Translate
from tokumei.audit.figure import Figure, finished, percent_axis
from tokumei.audit.recommending import Recommendation
from tokumei.audit.wording import percent
from tokumei.report.charts import DEEP_ICE, FIRE, ICE, SLATE

LOOKS: dict[str, tuple[str, str]] = {
    # Those that make groups: ice.
    "decoys": (ICE, "circle"),
    "equalize": (DEEP_ICE, "square"),
    "generalize": ("#5aa9d6", "triangle-up"),
    # Those that leave every customer different: grey.
    "pseudonyms-only": (SLATE, "cross"),
    "delete-rows": (SLATE, "diamond"),
    "shift-dates": (SLATE, "triangle-right"),
    "perturb-amounts": (SLATE, "triangle-down"),
    "generalize-at-random": (SLATE, "triangle-left"),
    "chain": (SLATE, "M0,-1L0.3,-0.3L1,0L0.3,0.3L0,1L-0.3,0.3L-1,0L-0.3,-0.3Z"),
}
"""Color and shape of the points of a method."""
HEIGHT, WIDTH = 330, 560


def figure(found: Recommendation, tr: Translate) -> Figure:
    """Draw every trial by risk and loss, the frontier as a step line, and the wished risk."""
    data = _data(found)
    text = tr(
        "Every point is an anonymizer that was tried. Loss of: {keep}. Dashed: the wished risk. "
        "n = {n} customers."
    ).format(n=f"{found.customers:,}", keep=", ".join(found.keep))
    chart = alt.layer(*_layers(data, found.risk, tr))
    return finished("frontier", title(found, tr), text, data, chart, width=WIDTH, height=HEIGHT)


def title(found: Recommendation, tr: Translate) -> str:
    """Say what is best, or that nothing reaches the wished risk, in one sentence."""
    wished = percent(found.risk)
    if found.best is None:
        return tr(
            "Nothing that was tried bounds every customer's chance by {risk}; the least bound is "
            "{least}"
        ).format(risk=wished, least=percent(found.nearest.risk))
    return tr("Of {n} tried, {method} loses least at a risk of at most {risk}: {loss} of 1").format(
        n=len(found.trials),
        risk=wished,
        method=found.best.spec["method"],
        loss=f"{found.loss(found.best):.2f}",
    )


def _data(found: Recommendation) -> pl.DataFrame:
    frontier = {trial.words for trial in found.frontier}
    best = found.best.words if found.best else None
    return pl.DataFrame(
        [
            {
                "words": trial.words,
                "method": trial.spec["method"],
                "risk": trial.risk,
                "loss": found.loss(trial),
                "attacker": trial.largest.name,
                "rate": trial.largest.value,
                "broken": trial.broken,
                "confirmed": trial.confirmed,
                "frontier": trial.words in frontier,
                "best": trial.words == best,
                **{f"loss of {name}": trial.losses[name] for name in found.keep},
            }
            for trial in found.trials
        ]
    )


def _layers(data: pl.DataFrame, wished: float, tr: Translate) -> list[Any]:
    # Roots give the small risks, which are wished for, more room than the large ones.
    risk = alt.X(
        "risk:Q",
        title=tr("chance of the worst-off customer (▼ smaller is safer)"),
        scale=alt.Scale(type="sqrt", domain=[0, 1], nice=False),
        axis=percent_axis(values=[0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1]),
    )
    loss = alt.Y(
        "loss:Q",
        title=tr("loss (▼ less is more useful)"),
        scale=alt.Scale(domain=[0, 1], nice=False),
    )
    edge = data.filter("frontier").sort("risk")
    line = alt.Chart(edge).mark_line(color=DEEP_ICE, strokeWidth=1.5, interpolate="step-after")
    limit = alt.Chart(pl.DataFrame({"risk": [wished]})).mark_rule(
        color=FIRE, strokeWidth=2, strokeDash=[6, 4]
    )
    chosen = alt.Chart(data.filter("best")).mark_point(size=260, color=FIRE, strokeWidth=2)
    marks = (line, _points(data, tr), chosen, _numbers(edge, tr))
    return [limit.encode(x=risk), *(mark.encode(x=risk, y=loss) for mark in marks)]


def _points(data: pl.DataFrame, tr: Translate) -> Any:
    names = [name for name in LOOKS if name in data["method"].to_list()]
    colors = alt.Scale(domain=names, range=[LOOKS[name][0] for name in names])
    shapes = alt.Scale(domain=names, range=[LOOKS[name][1] for name in names])
    marks = alt.Chart(data).mark_point(filled=True, size=75, opacity=0.9)
    return marks.encode(
        color=alt.Color("method:N", title=tr("method"), scale=colors),
        shape=alt.Shape("method:N", title=tr("method"), scale=shapes),
        tooltip=["words:N", alt.Tooltip("risk:Q", format=".1%"), "loss:Q", "attacker:N"],
    )


def _numbers(edge: pl.DataFrame, tr: Translate) -> Any:
    """Put numbers to the left of the frontier's points: nothing else can lie there."""
    places = [str(place + 1) for place in range(len(edge))]
    texts = [_short(text) for text in edge["words"]]
    entries = [f"{place}  {text}" for place, text in zip(places, texts, strict=True)]
    numbered = edge.with_columns(place=pl.Series(places), entry=pl.Series(entries))
    legend = alt.Legend(
        orient="bottom", columns=1, symbolSize=0, labelLimit=0, titleLimit=0, labelFontSize=11
    )
    marks = alt.Chart(numbered).mark_text(align="right", dx=-9, fontSize=12)
    return marks.encode(
        text="place:N",
        opacity=alt.Opacity(
            "entry:N",
            title=tr("nothing that was tried loses less at their risk"),
            scale=alt.Scale(domain=entries, range=[1.0] * len(entries)),
            legend=legend,
        ),
    )


def _short(words: str) -> str:
    """Leave out how long was searched."""
    return re.sub(r" --seconds \S+", "", words)
