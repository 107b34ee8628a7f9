"""Comparing how often customers have values that are near each other, in some way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse
from scipy.special import logsumexp
from typing_extensions import Doc

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

OWN = (0.98, 0.9, 0.7, 0.5, 0.3, 0.15, 0.05)
"""Chances, among which the likeliest is believed, that a released value is near one that is known
of its customer."""
LOOKED_FOR = 0.9
"""The chance with which clocks and factors are looked for."""
MOST_VALUES = 3_000
"""A column with more values than this is not compared value by value."""
RANKS, NEAR_RANKS = 600, 10
MINUTES, NEAR_MINUTES, CLOCK = 24 * 60, 20, 30
"""Minutes of a day; those that count as near; and the steps by which clocks are moved."""
SAMPLE = 60
"""How many targets tell which reading to believe."""
SURE = np.log(1_000)
"""How much likelier a release is made by customers than by chance if that is beyond doubt."""
LITTLE = 1e-9
"""A share below it is none but for rounding."""
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

    With x the share of a customer's rows near a value and q that of all released rows, the value
    counts :math:`\ln(c x / q + 1 - c)`. The chance c that a value is near one that the attacker
    knows is learned from the release: the likeliest of 98, 90, 70, 50, 30, 15 and 5 %.

    Limits: the rows of a customer are taken as independent; those of one basket are not.
    """

    one_to_one: OneToOne = True
    sure: Annotated[
        bool, Doc("Name nobody unless the release is 1,000 times likelier than by chance.")
    ] = False
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

        if self.sure and _evidence(similarity, len(targets)) * len(targets) < SURE:
            return Guess.of({})
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
    if parts[0].schema[name].is_temporal():  # a visit counts once, however many rows it has
        parts = tuple(part.unique(maintain_order=True) for part in parts)
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
    held = _counts(owners[1], minutes[1], shape[1], MINUTES).toarray()
    shown = _counts(owners[0], minutes[0], shape[0], MINUTES)
    gain = _gain(held, held.sum(axis=0), LOOKED_FOR)
    sample = shown[:: -(-shape[0] // SAMPLE)]
    moves = range(0, MINUTES, CLOCK)
    fits = [float((_moved(sample, move) @ gain).max(axis=1).sum()) for move in moves]
    return _likeliest(_moved(shown, moves[int(np.argmax(fits))]), held)


def _scaled(owners: tuple[Ints, ...], values: tuple[pl.Series, ...], shape: Shape) -> Similarity:
    """Compare prices up to a factor of each customer: the one that fits best, of all as likely."""
    moves = range(-LARGEST_SCALE, LARGEST_SCALE + 1)
    logs = [
        np.rint(np.log(np.maximum(part.to_numpy(), 0.01)) * SCALE).astype(int) for part in values
    ]
    first = min(part.min() for part in logs) - LARGEST_SCALE
    size = int(max(part.max() for part in logs) - first) + LARGEST_SCALE + 1
    held = _counts(owners[1], logs[1] - first, shape[1], size).toarray()
    moved = [_moved(_counts(owners[0], logs[0] - first, shape[0], size), move) for move in moves]
    gains = [_gain(held, _total(shown), LOOKED_FOR, near=1) for shown in moved]

    def similarity(block: slice) -> Floats:
        each = (shown[block] @ gain for shown, gain in zip(moved, gains, strict=True))
        best: Floats = reduce(np.maximum, each)
        best -= np.log(len(moves))
        return best

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
    shown = _counts(owners[0], codes[0], shape[0], size)
    held = _counts(owners[1], codes[1], shape[1], size).toarray()
    return _likeliest(shown, held, near, circular=circular)


def _likeliest(
    shown: sparse.csr_array, held: Floats, near: int = 0, *, circular: bool = False
) -> Similarity:
    """Compare counts of values, by the chance of known values that makes the release likeliest."""
    everyone = _total(shown)

    def by(own: float) -> Similarity:
        gain = _gain(held, everyone, own, near, circular=circular)
        return lambda block: shown[block] @ gain

    return max((by(own) for own in OWN), key=lambda one: _evidence(one, shown.shape[0]))


def _counts(owner: Ints, codes: Ints, people: int, size: int) -> sparse.csr_array:
    """Return how often each person (line) has each value (column)."""
    return sparse.csr_array((np.ones(len(owner)), (owner, codes)), shape=(people, size))


def _total(counts: sparse.csr_array) -> Floats:
    """Return how often each value occurs."""
    return np.asarray(counts.sum(axis=0), dtype=np.float64)


def _moved(counts: sparse.csr_array, by: int) -> sparse.csr_array:
    """Return the counts with all values moved, those beyond the last to the first."""
    columns = (counts.indices + by) % counts.shape[1]
    return sparse.csr_array((counts.data, columns, counts.indptr), shape=counts.shape)


def _blurred(counts: Floats, near: int, *, circular: bool = False) -> Floats:
    """Spread every value evenly over those near it."""
    if not near:
        return counts
    wide = np.pad(counts, ((0, 0), (near, near)), mode="wrap" if circular else "constant")
    sums = np.pad(wide.cumsum(axis=1), ((0, 0), (1, 0)))
    result: Floats = sums[:, 2 * near + 1 :] - sums[:, : -2 * near - 1]
    return result


def _gain(
    held: Floats, everyone: Floats, own: float, near: int = 0, *, circular: bool = False
) -> Floats:
    """Return by values (lines) and customers (columns) how much likelier a value is than usual.

    A known value becomes, with the chance `own`, one of the released values near it, each as likely
    as it is frequent; otherwise any released value. So the mean over all released values is 1 for
    everybody, and who is likelier than chance is so for a reason.
    """
    shares = held / np.maximum(held.sum(axis=1, keepdims=True), 1)
    window = _blurred(everyone[np.newaxis] / everyone.sum(), near, circular=circular)
    ratio = np.divide(shares, window, where=window > LITTLE, out=np.zeros_like(shares))
    ratio = _blurred(ratio, near, circular=circular)
    result: Floats = np.log(own * np.ascontiguousarray(ratio.T) + (1 - own))
    return result
