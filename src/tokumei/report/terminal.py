"""Scores as rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tokumei.contracts import Score

HEADS = ("score", "value", "better", "baseline", "n", "assumes")
ARROWS = {"lower": "▼", "higher": "▲"}


def score_rows(
    scores: Iterable[Score], tr: Callable[[str], str]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return heads and rows: value, better direction, baseline, n, and what is assumed."""
    rows: list[tuple[str, ...]] = [
        (
            score.name,
            f"{score.value:.4f}",
            f"{ARROWS[score.better]} {tr(score.better)}",
            "–" if score.baseline is None else f"{score.baseline:.4f}",
            f"{score.n:,}",
            tr(score.assumes) if score.assumes else "",
        )
        for score in scores
    ]
    return tuple(tr(head) for head in HEADS), rows
