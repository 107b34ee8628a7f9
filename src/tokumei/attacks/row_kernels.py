"""The compiled loops that compare released rows with known ones.

Cells are whole numbers: days, minutes, thousandths of a logarithm. The noise tells how much
likelier a difference is between a row and its origin than between any two rows of an item.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tokumei.attacks.row_coding import UNTOLD, Floats, Ints
from tokumei.itemsets.compiling import compiled

REACH = 4096
"""Differences beyond it count as this one."""


class Noise(NamedTuple):
    """What happens to rows between the original and the release."""

    classes: Ints
    """The class of each difference from -REACH to REACH."""
    ratio: Floats
    """For each column and kind of difference, how much likelier it is with the origin."""
    near: Floats
    """The density of a time's difference from its origin."""
    far: Floats
    """One over the density of the difference of any two times."""
    offset: Floats
    """The logarithm of the chance of each offset that all of a customer's times may have."""
    invented: Floats
    """The chance of each released row to have no origin."""
    lost: float
    """The chance of a known row to have no image."""


@compiled
def _kind(low: int, high: int, value: int, classes: Any) -> int:
    """Return the kind of a difference: of exact cells, outside, or inside of an interval."""
    if low == UNTOLD or value == UNTOLD:
        return -1
    count = classes[-1] + 1
    if low == high:
        return int(classes[min(max(low - value, -REACH), REACH) + REACH])
    if low <= value <= high:
        return int(2 * count + classes[min(high - low, REACH) + REACH])
    gap = low - value if value < low else high - value
    return int(count + classes[min(max(gap, -REACH), REACH) + REACH])


@compiled
def _window(known: Any, bucket: int, low: int, high: int) -> Any:
    """Return which part of a bucket is nearest in time."""
    first, end = known.begin[bucket], known.begin[bucket + 1]
    if end - first <= known.nearest or low == UNTOLD:
        return first, min(end, first + known.nearest)
    place = first + np.searchsorted(known.times[first:end], (low + high) // 2)
    first = min(max(place - known.nearest // 2, first), end - known.nearest)
    return first, first + known.nearest


@compiled
def _ratio(released: Any, row: int, known: Any, other: int, noise: Any) -> float:
    """Return the likelihood ratio of all cells but the time."""
    ratio = released.rarity[row]
    for column in range(1, known.cells.shape[1]):
        low, high = released.low[row, column], released.high[row, column]
        kind = _kind(low, high, known.cells[other, column], noise.classes)
        if kind >= 0:
            ratio *= noise.ratio[column, kind]
    return float(ratio)


@compiled
def _ratio_of_time(low: int, high: int, value: int, offset: int, noise: Any) -> float:
    """Return the likelihood ratio of the time, the customer's offset taken off."""
    kind = _kind(low, high, value, noise.classes)
    if kind < 0:
        return 1.0
    if low != high:
        return float(noise.ratio[0, kind])
    left = _kind(low - offset, low - offset, value, noise.classes)
    return float(noise.near[left] * noise.far[kind])


@compiled
def vote(pseudonym: int, released: Any, known: Any, noise: Any, votes: Any, offsets: Any) -> None:
    """Find for each person by how many days the pseudonym's rows were moved.

    Every pair of rows votes for its own difference. `votes` is room for persons and days; it comes
    and goes as zeros.
    """
    span = (votes.shape[1] - 1) // 2
    densest = noise.near.max()
    best = np.full(len(offsets), -np.inf)
    offsets[:] = 0
    for turn in range(2):  # the second turn takes the votes back
        for row in range(released.first[pseudonym], released.first[pseudonym + 1]):
            low = released.low[row, 0]
            if low == UNTOLD or low != released.high[row, 0]:
                continue
            odds = (1 - noise.invented[row]) / noise.invented[row] * densest
            for place in range(released.starts[row], released.starts[row + 1]):
                first, end = _window(known, released.buckets[place], low, low)
                for entry in range(first, end):
                    day = low - known.times[entry] + span
                    if day < 0 or day > 2 * span:
                        continue
                    other = known.rows[entry]
                    person = known.owner[other]
                    if turn == 1:
                        votes[person, day] = 0.0
                        continue
                    kind = _kind(low, low, known.times[entry], noise.classes)
                    ratio = _ratio(released, row, known, other, noise) * noise.far[kind]
                    votes[person, day] += np.log1p(odds * ratio / known.counts[person])
                    if votes[person, day] + noise.offset[day] > best[person]:
                        best[person] = votes[person, day] + noise.offset[day]
                        offsets[person] = day - span


@compiled
def score(
    pseudonym: int, released: Any, known: Any, noise: Any, offsets: Any, back: Any, scores: Any
) -> None:
    """Score how well a pseudonym's rows agree with each person's.

    Every released row is invented, or its origin is one of the person's rows; every known row is
    lost, or its image is one of the released rows. `back` is room for the known rows; it comes and
    goes as zeros.
    """
    begin, end = released.first[pseudonym], released.first[pseudonym + 1]
    sums = np.zeros(len(scores))
    seen = np.empty(len(scores), dtype=np.int64)
    touched = np.empty(len(back), dtype=np.int64)
    reached = 0
    for row in range(begin, end):
        number = 0
        low, high = released.low[row, 0], released.high[row, 0]
        for place in range(released.starts[row], released.starts[row + 1]):
            first, last = _window(known, released.buckets[place], low, high)
            for entry in range(first, last):
                other = known.rows[entry]
                person = known.owner[other]
                ratio = _ratio(released, row, known, other, noise)
                ratio *= _ratio_of_time(low, high, known.times[entry], offsets[person], noise)
                ratio = max(ratio, 1e-100)
                if sums[person] == 0:
                    seen[number] = person
                    number += 1
                sums[person] += ratio
                if back[other] == 0:
                    touched[reached] = other
                    reached += 1
                back[other] += ratio * (1 - noise.invented[row])
        odds = (1 - noise.invented[row]) / noise.invented[row]
        for place in range(number):
            person = seen[place]
            scores[person] += np.log1p(odds * sums[person] / known.counts[person]) / 2
            sums[person] = 0
    real = np.sum(1 - noise.invented[begin:end])
    for place in range(reached):
        other = touched[place]
        odds = (1 - noise.lost) / noise.lost * back[other] / real
        scores[known.owner[other]] += np.log1p(odds) / 2
        back[other] = 0
    scores += known.counts * np.log(noise.lost) / 2
    scores += np.sum(np.log(noise.invented[begin:end])) / 2


@compiled
def _count(
    released: Any, row: int, known: Any, other: int, offset: int, classes: Any,
    counts: Any, share: float,
) -> None:  # fmt: skip
    """Count the differences of all cells of two rows."""
    for column in range(known.cells.shape[1]):
        low, high = released.low[row, column], released.high[row, column]
        if column == 0 and low == high and low != UNTOLD:
            low, high = low - offset, high - offset
        kind = _kind(low, high, known.cells[other, column], classes)
        if kind >= 0:
            counts[column, kind] += share


@compiled
def _origins(
    row: int, person: int, offset: int, released: Any, known: Any, noise: Any,
    total: float, right: Any, wrong: Any,
) -> float:  # fmt: skip
    """Return how likely it is that a row came from the person's rows.

    With the total of a first call, the differences from the person's rows are counted, each by its
    share; without it, those from the rows of all others.
    """
    low, high = released.low[row, 0], released.high[row, 0]
    prior = (1 - noise.invented[row]) / known.counts[person]
    likelihood = 0.0
    for place in range(released.starts[row], released.starts[row + 1]):
        first, last = _window(known, released.buckets[place], low, high)
        for entry in range(first, last):
            other = known.rows[entry]
            if known.owner[other] == person:
                ratio = prior * _ratio(released, row, known, other, noise)
                ratio *= _ratio_of_time(low, high, known.times[entry], offset, noise)
                likelihood += ratio
                if total > 0:
                    share = ratio / total
                    _count(released, row, known, other, offset, noise.classes, right, share)
            elif total == 0:
                _count(released, row, known, other, 0, noise.classes, wrong, 1.0)
    return likelihood


@compiled
def tally_all(
    named: Any, offsets: Any, released: Any, known: Any, noise: Any,
    right: Any, wrong: Any, real: Any,
) -> None:  # fmt: skip
    """Count the differences between pseudonyms' rows and those of the persons named, and others'.

    A row's origin is shared among the person's rows by their likelihoods. `right` and `wrong` are
    the counts for each column and kind; `real` gets the chance of each row to have an origin. Who
    is not named (-1) counts among the others only.
    """
    for pseudonym in range(len(named)):
        person, offset = named[pseudonym], offsets[pseudonym]
        for row in range(released.first[pseudonym], released.first[pseudonym + 1]):
            found = _origins(row, person, offset, released, known, noise, 0.0, right, wrong)
            if found > 0:
                total = found + noise.invented[row]
                _origins(row, person, offset, released, known, noise, total, right, wrong)
                real[row] = found / total


@compiled
def score_all(begin: int, released: Any, known: Any, noise: Any, scores: Any, offsets: Any) -> None:
    """Score the pseudonyms from `begin` on, a line each, with offsets where those may differ."""
    together = len(noise.offset) > 1
    votes = np.zeros((len(known.counts) if together else 0, len(noise.offset)), dtype=np.float32)
    back = np.zeros(len(known.owner))
    span = len(noise.offset) // 2
    for line in range(len(scores)):
        if together:
            vote(begin + line, released, known, noise, votes, offsets[line])
            scores[line] += noise.offset[offsets[line] + span]
        score(begin + line, released, known, noise, offsets[line], back, scores[line])
