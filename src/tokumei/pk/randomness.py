"""Whether a perturbed table looks as if a mechanism had drawn it, tested by simulation.

Tables are drawn by the mechanism from the same records, and the table at hand is compared with them
in many respects at once: for every attribute, which values were kept and where the others went,
each against the old values of every attribute, the whole old record, what happened to the other
attributes, and the records before. The respect in which a table is the oddest among the drawn
ones decides. A table that is too even is as odd as one that is too uneven.

One table proves no mechanism: a rule that nobody thought of looks random. So the test is tried on
tables that were surely not drawn, in which each value of an attribute becomes one fixed value. If
it does not notice those, it says nothing about the table at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from tokumei.draws import derive, uniform
from tokumei.pk.correlation import Correlation
from tokumei.pk.kernels import Floats, Ints, association
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.verifying import codes_of, estimate

LEVEL = 1e-3
"""Share of drawn tables that are called odd."""
SIMULATED = 999
FEW_SIMULATED = 99
"""Enough to see that a table is not odd, where a simulation takes long."""
LONG = 2_000
"""Records from which on it does."""
MOST_RECORDS = 50_000
"""Of more records, this many are looked at."""
TRIED = 10
NOTICED = 0.9
"""Share of substitutions that must be noticed."""
SLOTS = 1 << 22
RECORDS = 16_381
"""Different records that are counted apart; a prime, so that no attribute drops out."""
ALLOWANCE = 1.1
"""A table may be this much odder than the drawn ones, from which center and spread were taken."""
LEAST_SPREAD = 0.1
"""Added to spreads: a respect in which drawn tables never differ tells little."""


@dataclass(frozen=True)
class Randomness:
    """What the test says of a table."""

    chance: float
    """Share of drawn tables that are at least as odd (a p-value)."""
    power: float
    """Share of substitutions that the test notices, of the attribute with the least."""

    @property
    def believed(self) -> bool:
        """Whether the table looks drawn, to a test that would notice a substitution."""
        return self.chance > LEVEL and self.power >= NOTICED


def randomness(before: Ints, after: Ints, of: Mechanism, *, seed: int) -> Randomness:
    """Test whether the mechanism, with rho estimated from the table, may have drawn it."""
    order = np.argsort(uniform(seed, "randomness/sample", np.arange(len(before))))
    sample = np.sort(order[:MOST_RECORDS])
    before, after = before[sample], after[sample]
    respects = _Respects(before, of)
    first = FEW_SIMULATED if len(before) > LONG else SIMULATED
    drawn = _drawn(respects, range(first), seed)
    this = respects(after)
    chance = drawn.chance(this)
    if first < SIMULATED and chance <= 1 / (1 + first):
        rest = _drawn(respects, range(first, SIMULATED), seed)
        drawn = _Drawn(np.concatenate([drawn.tables, rest.tables]))
        chance = drawn.chance(this)
    if chance <= LEVEL:
        return Randomness(chance, 0.0)
    noticed = [
        [
            _noticed(respects, drawn, other)
            for other in islice(_substituted(before, after, of, attribute, seed), TRIED)
        ]
        for attribute in range(len(of.rho))
    ]
    return Randomness(chance, min(sum(each) / max(1, len(each)) for each in noticed))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What drawn tables are like: a row for each, a column for each respect."""

    tables: Floats

    @cached_property
    def _center(self) -> Floats:
        return np.asarray(self.tables.mean(axis=0))

    @cached_property
    def _spread(self) -> Floats:
        return np.asarray(np.hypot(self.tables.std(axis=0), LEAST_SPREAD))

    def _oddness(self, tables: Floats) -> Floats:
        return np.asarray(np.abs((tables - self._center) / self._spread).max(axis=-1))

    @cached_property
    def _odd(self) -> Floats:
        return self._oddness(self.tables)

    def chance(self, table: Floats) -> float:
        """Return the share of drawn tables, and this one, that are at least as odd as this one."""
        odd = self._oddness(table) / ALLOWANCE
        return float((1 + np.sum(self._odd >= odd)) / (1 + len(self.tables)))


def _drawn(respects: _Respects, numbers: range, seed: int) -> _Drawn:
    keys = np.arange(len(respects.before))
    tables = (
        respects.of.draw(respects.before, keys, seed=derive(seed, f"randomness/{number}"))
        for number in numbers
    )
    return _Drawn(np.array([respects(table) for table in tables]))


def _substituted(
    before: Ints, after: Ints, of: Mechanism, attribute: int, seed: int
) -> Iterator[Ints]:
    """Let each value of an attribute that changed become one value, drawn for all of its records.

    With two values there is no choice of what a value becomes: the value decides instead whether
    it is kept.
    """
    old, new = codes_of(before, of.space), codes_of(after, of.space)
    if of.domain.shape[attribute] == 2:
        yield from _kept_by_value(before, new, of, attribute, seed)
        return
    changed = np.flatnonzero(old[attribute] != new[attribute])
    group = old[attribute][changed]
    if isinstance(of.space, Correlation):
        group = _following(old, new, of.domain.shape, attribute)[changed]
    for number in range(TRIED):
        order = np.argsort(uniform(seed, f"substitution/{attribute}/{number}", changed))
        _, first, place = np.unique(group[order], return_index=True, return_inverse=True)
        cells = after.copy()
        cells[changed[order]] = after[changed[order[first[place]]]]
        yield _only(cells, new, of, attribute)


def _following(old: list[Ints], new: list[Ints], sizes: tuple[int, ...], attribute: int) -> Ints:
    """Return a number for the old value of an attribute and all new values before it."""
    group = old[attribute]
    for line, size in zip(new[:attribute], sizes, strict=False):
        group = group * size + line
    return group


def _kept_by_value(
    before: Ints, new: list[Ints], of: Mechanism, attribute: int, seed: int
) -> Iterator[Ints]:
    old = codes_of(before, of.space)[attribute]
    for number in range(10 * TRIED):
        cells = of.draw(before, old, seed=derive(seed, f"substitution/{attribute}/{number}"))
        if not np.array_equal(old, codes_of(cells, of.space)[attribute]):
            yield _only(cells, new, of, attribute)


def _only(cells: Ints, new: list[Ints], of: Mechanism, attribute: int) -> Ints:
    """Return the table with one attribute of the cells; in a tree they are taken whole."""
    if isinstance(of.space, Correlation):
        return cells
    codes = [*new[:attribute], codes_of(cells, of.space)[attribute], *new[attribute + 1 :]]
    return np.ravel_multi_index(tuple(codes), of.domain.shape).astype(np.int64)


def _noticed(respects: _Respects, drawn: _Drawn, after: Ints) -> bool:
    found = estimate(respects.before, after, respects.of.space)
    few = min(found.fewest, drawn.chance(respects(after))) <= 1 / (1 + len(drawn.tables))
    return few or max(found.rho) == 1.0


class _Respects:
    """The respects in which tables are compared, as numbers that are about normal."""

    def __init__(self, before: Ints, of: Mechanism) -> None:
        self.before, self.of = before, of
        self.sizes = of.domain.shape
        self.old = codes_of(before, of.space)
        whole = np.unique(before, return_inverse=True)[1]
        self.known = [*zip(self.old, self.sizes, strict=True), (whole, int(whole.max()) + 1)]
        self.margins = _margins(before, self.old, of)
        self.records = np.bincount(before % RECORDS, minlength=RECORDS)
        self.slots = np.zeros(SLOTS, dtype=np.int64)

    def __call__(self, after: Ints) -> Floats:
        new = codes_of(after, self.of.space)
        moves = [(to - old) % size for to, old, size in zip(new, self.old, self.sizes, strict=True)]
        found: list[float] = []
        for j, (move, size) in enumerate(zip(moves, self.sizes, strict=True)):
            changed = move != 0
            same = (~changed).astype(np.int64)
            kept = _shares(same, 2)
            moved, went = np.where(changed, move, -1), np.where(changed, new[j], -1)
            others, all_ = np.full(size, 1 / (size - 1)), np.full(size, 1 / size)
            for known, count in self.known:
                found += self._association(known, count, same, kept)
                found += self._association(known, count, moved, others)
                found += self._association(known, count, went, all_)
            for other, value, count in zip(moves[:j], new[:j], self.sizes[:j], strict=True):
                found += self._association((other == 0).astype(np.int64), 2, same, kept)
                for known in (other, value):
                    found += self._association(known, count, moved, others)
                    found += self._association(known, count, went, all_)
            found += self._association(np.roll(move, 1), size, move, _shares(move, size))
            if isinstance(self.of.space, Correlation):  # what may follow depends on what is before
                group = _following(self.old, new, self.sizes, j) % RECORDS
                found += self._association(group, RECORDS, went, all_)
            seen = np.bincount(new[j], minlength=size)
            found.append(_distance(seen, np.bincount(self.old[j], minlength=size)))
            found.append(float(np.cbrt(np.sum((seen - self.margins[j]) ** 2 / self.margins[j]))))
            found.append(_rhythm(move, size))
        found.append(_distance(np.bincount(after % RECORDS, minlength=RECORDS), self.records))
        return np.array(found)

    def _association(
        self, known: Ints, rows: int, told: Ints, shares: Floats
    ) -> tuple[float, float]:
        chi_square, oddest = association(known, rows, told, shares, self.slots)
        return float(np.cbrt(chi_square)), oddest  # the cube root of chi-square is about normal


def _shares(values: Ints, size: int) -> Floats:
    return np.bincount(values, minlength=size) / len(values)


def _margins(before: Ints, old: list[Ints], of: Mechanism) -> list[Floats]:
    """Return how often every value of each attribute is expected after the change."""
    if isinstance(of.space, Correlation):
        cells = of.forward(np.bincount(before, minlength=of.cells).astype(np.float64))
        return [
            np.asarray(np.bincount(line, cells, size) + 1e-9, dtype=np.float64)
            for line, size in zip(of.codes, of.domain.shape, strict=True)
        ]
    return [
        np.asarray(rho * np.bincount(line, minlength=size) + (1 - rho) * len(before) / size)
        for rho, line, size in zip(of.rho, old, of.domain.shape, strict=True)
    ]


def _distance(new: Ints, old: Ints) -> float:
    """Return how far the frequencies moved: not at all, where values were exchanged."""
    return float(np.cbrt(np.sum((new - old) ** 2 / np.maximum(new + old, 1))))


def _rhythm(moves: Ints, size: int) -> float:
    """Return how far moves repeat in the order of the records: the highest peak of the spectrum."""
    waves = np.exp(2j * np.pi * moves / size)
    power = np.abs(np.fft.fft(waves - waves.mean())) ** 2
    mean = float(power.mean())
    return float(power.max()) / mean if mean > 0 else 0.0
