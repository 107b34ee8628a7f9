"""Places for a graph in rows: few crossings, and one line for all arrows to the same node.

A line that passes a row has a place there as if it were a node, so that it runs between nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean

SWEEPS = 40
STRAIGHT = 8
"""How much more a line that passes rows is drawn to itself than to where it begins and ends."""


@dataclass(frozen=True, order=True)
class Place:
    """A node in a row, or the line to a node where it passes the row."""

    row: int
    name: str
    passes: bool = False


Piece = tuple[Place, Place]
"""A part of a line: from a place to one in the row above it, or in the same row."""


def routed(
    rows: Sequence[Sequence[str]], edges: Iterable[tuple[str, str]]
) -> tuple[list[list[Place]], list[Piece]]:
    """Return the places of every row, and the pieces of lines between them, each once."""
    row_of = {name: number for number, row in enumerate(rows) for name in row}
    passing: set[Place] = set()
    pieces: set[Piece] = set()
    for source, target in edges:
        here = Place(row_of[source], source)
        while here.row > row_of[target] + 1:
            above = Place(here.row - 1, target, passes=True)
            passing.add(above)
            pieces.add((here, above))
            here = above
        pieces.add((here, Place(row_of[target], target)))
    places = [[Place(number, name) for name in row] for number, row in enumerate(rows)]
    for place in sorted(passing):
        places[place.row].append(place)
    return places, sorted(pieces)


def ordered(places: list[list[Place]], pieces: Sequence[Piece]) -> list[list[Place]]:
    """Order each row by what it is joined to, down and up again, and keep the best order."""
    joined = _neighbors(pieces)
    best, now = places, list(places)
    for sweep in range(SWEEPS):
        step = 1 if sweep % 2 == 0 else -1
        for number in range(len(now))[::step][1:]:
            beside = {place: x for x, place in enumerate(now[number - step])}
            middle = {
                place: fmean([beside[one] for one in joined[place] if one in beside] or [x])
                for x, place in enumerate(now[number])
            }
            now[number] = sorted(now[number], key=middle.__getitem__)
        if crossings(now, pieces) < crossings(best, pieces):
            best = list(now)
    return best


def crossings(places: Sequence[Sequence[Place]], pieces: Sequence[Piece]) -> int:
    """Count how often two lines cross."""
    at = {place: x for row in places for x, place in enumerate(row)}
    by_row: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for low, high in pieces:
        if low.row != high.row:
            by_row[low.row].append((at[low], at[high]))
    return sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for row in by_row.values()
        for one, other in combinations(row, 2)
    )


def across(
    places: Sequence[Sequence[Place]], pieces: Sequence[Piece], widths: Mapping[Place, float]
) -> dict[Place, float]:
    """Return the middle of each place, as near to what it is joined to as the others let it."""
    joined = _neighbors(pieces)
    x: dict[Place, float] = {}
    for row in places:
        x |= _apart(row, dict.fromkeys(row, 0.0), widths)
    for sweep in range(SWEEPS):
        for row in places if sweep % 2 == 0 else reversed(places):
            wished = {place: _wished(place, joined[place], x) for place in row}
            x |= _apart(row, wished, widths)
    left = min(place_x - widths[place] / 2 for place, place_x in x.items())
    return {place: round(place_x - left, 1) for place, place_x in x.items()}


def _wished(place: Place, joined: Sequence[Place], x: Mapping[Place, float]) -> float:
    if not joined:
        return x[place]
    weights = [STRAIGHT if place.passes and one.passes else 1 for one in joined]
    return fmean([x[one] for one in joined], weights)


def _apart(
    row: Sequence[Place], wished: Mapping[Place, float], widths: Mapping[Place, float]
) -> dict[Place, float]:
    """Move the places of a row apart until they do not touch, as far to each side."""
    gaps = [(widths[one] + widths[other]) / 2 for one, other in pairwise(row)]
    right, left = [wished[place] for place in row], [wished[place] for place in row]
    for number, gap in enumerate(gaps):
        right[number + 1] = max(right[number + 1], right[number] + gap)
    for number, gap in reversed(list(enumerate(gaps))):
        left[number] = min(left[number], left[number + 1] - gap)
    return {place: (a + b) / 2 for place, a, b in zip(row, right, left, strict=True)}


def _neighbors(pieces: Iterable[Piece]) -> dict[Place, list[Place]]:
    joined: dict[Place, list[Place]] = defaultdict(list)
    for one, other in pieces:
        joined[one].append(other)
        joined[other].append(one)
    return joined
