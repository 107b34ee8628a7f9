"""Comparing how often customers have values that are near each other, in some way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import logsumexp

from tokumei.attacks.counting import purchases_of
from tokumei.attacks.exact_row import comparable
from tokumei.attacks.matching import OneToOne, Top
from tokumei.attacks.naming import guess
from tokumei.attacks.nearest import Similarity, nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.parameters import Checked
from tokumei.registry import attack

Ints = npt.NDArray[np.int64]
Shape = tuple[int, int]
"""How many targets and persons there are."""

OWN = 0.9
"""The chance that a released value is drawn from the customer's own, in this reading."""
MOST_VALUES = 3_000
"""A column with more values than this is not compared value by value."""
RANKS, NEAR_RANKS = 600, 10
MINUTES, NEAR_MINUTES, CLOCK = 24 * 60, 20, 30
"""Minutes of a day; those that count as near; and the steps by which clocks are moved."""
SAMPLE = 60
"""How many targets tell which reading to believe."""
SCALE, LARGEST_SCALE = 20, 20
"""Steps of a doubling's logarithm; and by how many the prices of a customer may be scaled."""


@attack("value-profiles")
@dataclass(frozen=True, kw_only=True)
class ValueProfiles(Checked):
    r"""Name the customer whose values of some column are spread most alike, whatever hides them.

    Every column that release and knowledge share is read in several ways, none of which needs equal
    cells: values as they are; by their rank among all rows, which one rule for all rows (another
    currency, another year) leaves as it is; prices after the point, and up to a common factor of a
    customer; weekdays; times of day within 20 minutes, also by another clock; items by their place
    in the catalog. Of each column the attack believes the reading that makes the release likeliest,
    and adds up the columns that make it likelier than chance.

    With x the share of a customer's rows near a value and q that of everybody's, a released value
    counts :math:`\ln((0.9 x + 0.1 q) / q)`.

    Limits: the rows of a customer are taken as independent; those of one basket are not.
    """

    one_to_one: OneToOne = True
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        released, known = purchases_of(challenge)
        names = comparable(challenge.release, challenge.known)
        if released.is_empty() or known.is_empty():
            return Guess.of({})
        targets, persons = (rows["person"].unique().sort() for rows in (released, known))
        columns = [
            max(((_evidence(one, len(targets)), one) for one in readings), key=lambda pair: pair[0])
            for name in names
            if (readings := list(_readings(released, known, name, targets, persons)))
        ]
        if not columns:
            return Guess.of({})
        least = min(0.0, max(evidence for evidence, _ in columns))
        believed = [reading for evidence, reading in columns if evidence >= least]

        def similarity(block: slice) -> Floats:
            similar: Floats = np.sum([reading(block) for reading in believed], axis=0)
            return similar

        pairs = nearest(
            _positive(similarity),
            targets,
            persons,
            top=self.top,
            one_to_one=self.one_to_one and len(targets) <= len(persons),
            seed=seed,
        )
        return guess(challenge, pairs)


def _evidence(similarity: Similarity, targets: int) -> float:
    """Return how much likelier a reading makes the release than chance does, in logarithms.

    Somebody is behind every target, each as likely: where no customer's values are those of the
    target, all are less likely than everybody's, and the evidence is below 0. Some targets,
    evenly spread, are enough to see it.
    """
    found = similarity(slice(None, None, -(-targets // SAMPLE)))
    return float((logsumexp(found, axis=1) - np.log(found.shape[1])).mean())


def _positive(similarity: Similarity) -> Similarity:
    """Raise each line, so that whoever fits at all weighs more than nothing."""

    def raised(block: slice) -> Floats:
        found = similarity(block)
        result: Floats = found - found.min(axis=1, keepdims=True)
        return result

    return raised


def _readings(
    released: pl.DataFrame, known: pl.DataFrame, name: str, targets: pl.Series, persons: pl.Series
) -> Iterator[Similarity]:
    """Yield the readings of one column that its type allows."""
    parts = tuple(rows.select("person", name).drop_nulls() for rows in (released, known))
    if any(part.is_empty() for part in parts):
        return
    owners = tuple(
        part["person"].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()
        for part, names in zip(parts, (targets, persons), strict=True)
    )
    shape = len(targets), len(persons)
    values = tuple(part[name] for part in parts)

    def compared(codes: tuple[Ints, Ints], near: int = 0, *, circular: bool = False) -> Similarity:
        return _likelihood(owners, codes, shape, near, circular=circular)

    plain = _numbered(*values)
    if max(codes.max() for codes in plain) < MOST_VALUES:
        yield compared(plain)
    yield compared(_ranked(*values), NEAR_RANKS)
    if values[0].dtype.is_temporal():
        yield compared(_each(values, lambda cells: cells.dt.weekday().to_numpy() - 1))
    if isinstance(values[0].dtype, pl.Datetime):
        minutes = _each(
            values,
            lambda cells: (cells.dt.hour().cast(pl.Int64) * 60 + cells.dt.minute()).to_numpy(),
        )
        if any(codes.any() for codes in minutes):
            yield _by_clock(owners, minutes, shape)
            yield compared(minutes, NEAR_MINUTES, circular=True)
    if values[0].dtype.is_numeric() and name == "price":
        cents = _each(values, lambda cells: (np.rint(cells.to_numpy() * 100) % 100).astype(int))
        for move in (-1, 0, 1):
            yield compared(((cents[0] + move) % 100, cents[1]))
        yield _scaled(owners, values, shape)


def _minute_of_day(times: pl.Series) -> Ints:
    minutes: Ints = (times.dt.hour().cast(pl.Int64) * 60 + times.dt.minute()).to_numpy()
    return minutes


def _each(values: tuple[pl.Series, ...], read: Callable[[pl.Series], Ints]) -> tuple[Ints, Ints]:
    first, second = (np.asarray(read(part), dtype=np.int64) for part in values)
    return first, second


def _numbered(released: pl.Series, known: pl.Series) -> tuple[Ints, Ints]:
    """Return a number for each value, the same in both columns, in the order of values."""
    both = pl.concat([released, known]).rank("dense").cast(pl.Int64).to_numpy() - 1
    return both[: len(released)], both[len(released) :]


def _ranked(released: pl.Series, known: pl.Series) -> tuple[Ints, Ints]:
    """Return the place of each value among all rows of its own table; items among the items."""
    if released.dtype == pl.String:
        codes = _numbered(released, known)
        return tuple(RANKS * part // (max(p.max() for p in codes) + 1) for part in codes)
    first, second = (
        np.floor((part.rank("average").to_numpy() - 0.5) / len(part) * RANKS).astype(np.int64)
        for part in (released, known)
    )
    return first, second


def _by_clock(owners: tuple[Ints, ...], minutes: tuple[Ints, Ints], shape: Shape) -> Similarity:
    """Compare times of day by the clock, of those that differ by half hours, that fits best."""
    gain = _gain(_histogram(owners[1], minutes[1], shape[1], MINUTES))
    shown = _histogram(owners[0], minutes[0], shape[0], MINUTES)
    sample = shown[:: -(-shape[0] // SAMPLE)]
    moves = range(0, MINUTES, CLOCK)
    fits = [float((np.roll(sample, move, axis=1) @ gain).max(axis=1).sum()) for move in moves]
    moved = np.roll(shown, moves[int(np.argmax(fits))], axis=1)

    def similarity(block: slice) -> Floats:
        found: Floats = moved[block] @ gain
        return found

    return similarity


def _scaled(owners: tuple[Ints, ...], values: tuple[pl.Series, ...], shape: Shape) -> Similarity:
    """Compare prices up to a factor of each customer, each factor as likely."""
    moves = range(-LARGEST_SCALE, LARGEST_SCALE + 1)
    logs = [
        np.rint(np.log(np.maximum(part.to_numpy(), 0.01)) * SCALE).astype(int) for part in values
    ]
    first = min(part.min() for part in logs) - LARGEST_SCALE
    size = int(max(part.max() for part in logs) - first) + LARGEST_SCALE + 1
    held = _histogram(owners[1], logs[1] - first, shape[1], size)
    gain = _gain(_blurred(held, 1, circular=False))
    shown = _histogram(owners[0], logs[0] - first, shape[0], size)

    def similarity(block: slice) -> Floats:
        found = np.full((len(shown[block]), shape[1]), -np.inf)
        for move in moves:
            np.logaddexp(found, np.roll(shown[block], move, axis=1) @ gain, out=found)
        found -= np.log(len(moves))
        return found

    return similarity


def _likelihood(
    owners: tuple[Ints, ...],
    codes: tuple[Ints, Ints],
    shape: Shape,
    near: int,
    *,
    circular: bool,
) -> Similarity:
    size = int(max(part.max() for part in codes)) + 1
    shown = _histogram(owners[0], codes[0], shape[0], size)
    gain = _gain(_blurred(_histogram(owners[1], codes[1], shape[1], size), near, circular=circular))

    def similarity(block: slice) -> Floats:
        found: Floats = shown[block] @ gain
        return found

    return similarity


def _histogram(owner: Ints, codes: Ints, people: int, size: int) -> Floats:
    counts = np.bincount(owner * size + codes, minlength=people * size).reshape(people, size)
    return counts.astype(np.float64)


def _blurred(counts: Floats, near: int, *, circular: bool) -> Floats:
    """Spread every value evenly over those near it."""
    if not near:
        return counts
    wide = np.pad(counts, ((0, 0), (near, near)), mode="wrap" if circular else "constant")
    sums = np.pad(wide.cumsum(axis=1), ((0, 0), (1, 0)))
    result: Floats = sums[:, 2 * near + 1 :] - sums[:, : -2 * near - 1]
    return result


def _gain(counts: Floats) -> Floats:
    """Return by values (lines) and customers (columns) how much likelier a value is than usual."""
    everyone = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-9)
    result: Floats = np.log((OWN * shares + (1 - OWN) * everyone) / everyone).T
    return result
