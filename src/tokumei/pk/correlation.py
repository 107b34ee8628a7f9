"""Which combinations of values can occur, as a tree.

A correlation gives for every prefix (a1, …, a(j-1)) of a record the values that attribute j can
have. Its prefixes form a tree: the root is the empty prefix, a leaf is a valid combination (a cell
of the cross tabulation), and the leaves stand in lexicographic order. Everything that the method
computes, it computes along this tree, in a time that grows with the number of cells.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.errors import ParameterError, SchemaError
from tokumei.pk.domain import Codes, Domain
from tokumei.pk.kernels import Ints, leaves_of

log = logging.getLogger(__name__)

MOST_CELLS = 100_000_000
"""Combinations that are looked at: four bytes for each attribute of each."""
Bools = npt.NDArray[np.bool_]
Test = Callable[[int, list[Codes]], Bools]
"""Tells for prefixes, as one line of codes for each attribute so far, which are allowed."""


@dataclass(frozen=True, eq=False)
class Correlation:
    """The prefixes that can occur, level by level; nodes are numbered from the root on."""

    domain: Domain
    levels: Ints
    """Level s has the nodes levels[s] .. levels[s + 1] - 1; the root alone is level 0."""
    parents: Ints
    values: Ints
    """The code of a node's last value."""
    children: Ints
    """The children of node v are children[v] .. children[v + 1] - 1, for all but the leaves."""
    codes: Codes
    """The values of every cell, one line for each attribute."""

    @classmethod
    def allowing(cls, domain: Domain, *tables: pl.DataFrame) -> Correlation:
        """Allow the combinations that occur in every table.

        A table has a column for some of the attributes; those that it does not name are free.
        """
        return cls._grow(domain, [_allowed(domain, table) for table in tables])

    @classmethod
    def forbidding(
        cls, domain: Domain, rules: Sequence[Mapping[str, Collection[str]]]
    ) -> Correlation:
        """Forbid combinations: a rule names values of two or more attributes.

        A record breaks a rule if it has a named value in all of its attributes.
        """
        return cls._grow(domain, [_forbidden(domain, rule) for rule in rules])

    @classmethod
    def by_function(
        cls, domain: Domain, allows: Callable[[tuple[str, ...]], Collection[str]]
    ) -> Correlation:
        """Ask a function for the values that may follow each prefix of one or more values."""

        def test(level: int, prefixes: list[Codes]) -> Bools:
            if level == 0:
                return np.ones(len(prefixes[0]), dtype=bool)
            ranges, values = domain.ranges, domain.ranges[level]
            result = np.empty(len(prefixes[0]), dtype=bool)
            # Candidates come in runs: all values of the range after one prefix.
            for start in range(0, len(result), len(values)):
                prefix = tuple(ranges[j][prefixes[j][start]] for j in range(level))
                allowed = set(allows(prefix))
                strange = allowed - set(values)
                if strange:
                    raise ParameterError(
                        f"The correlation allows '{min(strange)}' after {_shown(domain, prefix)}, "
                        f"which is outside the range of {domain.names[level]}."
                    )
                result[start : start + len(values)] = [value in allowed for value in values]
            return result

        return cls._grow(domain, [test])

    @classmethod
    def found_in(cls, domain: Domain, rows: pl.DataFrame) -> Correlation:
        """Allow what occurs in the data, and warn: an absent combination is then public."""
        log.warning(
            "A correlation that is taken from the data discloses which combinations occur in it; "
            "the bound on k does not cover that."
        )
        return cls.allowing(domain, rows.select(domain.names).unique())

    @classmethod
    def _grow(cls, domain: Domain, tests: Sequence[Test]) -> Correlation:
        levels, counts = [0, 1], []
        parents, values = [np.zeros(1, np.int64)], [np.zeros(1, np.int32)]
        prefixes: list[Codes] = []
        for level, size in enumerate(domain.shape):
            nodes = levels[-1] - levels[-2]
            if nodes * size > MOST_CELLS:
                raise ParameterError(
                    f"A correlation may have up to {MOST_CELLS:,} combinations; with "
                    f"{domain.names[level]} it would have {nodes * size:,} to look at."
                )
            candidates = [np.repeat(line, size) for line in prefixes]
            candidates.append(np.tile(np.arange(size, dtype=np.int32), nodes))
            allowed = np.ones(nodes * size, dtype=bool)
            for test in tests:
                allowed &= test(level, candidates)
            born = allowed.reshape(nodes, size).sum(axis=1)
            if not born.all():
                lost = int(np.flatnonzero(born == 0)[0])
                prefix = tuple(domain.ranges[j][line[lost]] for j, line in enumerate(prefixes))
                raise ParameterError(
                    f"The correlation leaves no {domain.names[level]} for "
                    f"{_shown(domain, prefix)}; every prefix needs at least one value."
                )
            prefixes = [line[allowed] for line in candidates]
            counts.append(born)
            parents.append(levels[-2] + np.repeat(np.arange(nodes), born))
            values.append(prefixes[-1])
            levels.append(levels[-1] + int(born.sum()))
        return cls(
            domain=domain,
            levels=np.array(levels, dtype=np.int64),
            parents=np.concatenate(parents).astype(np.int64),
            values=np.concatenate(values).astype(np.int64),
            children=1 + np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64),
            codes=np.array(prefixes, dtype=np.int32),
        )

    @property
    def cells(self) -> int:
        """The number of valid combinations."""
        return int(self.levels[-1] - self.levels[-2])

    @property
    def counts(self) -> Ints:
        """How many children each node has that is not a leaf."""
        return np.diff(self.children)

    @property
    def depths(self) -> Ints:
        """How many values the prefix of each node has."""
        return np.repeat(np.arange(len(self.levels) - 1), np.diff(self.levels)).astype(np.int64)

    def branchings(self, level: int) -> Ints:
        """Return how many values can follow each prefix of that many attributes."""
        return self.counts[self.levels[level] : self.levels[level + 1]]

    def cell_of(self, codes: Codes) -> Ints:
        """Return the cell of each record, -1 where the correlation forbids it."""
        return leaves_of(codes, self.values, self.children, self.levels[-2])


def _shown(domain: Domain, prefix: Sequence[str]) -> str:
    pairs = zip(domain.names, prefix, strict=False)
    return ", ".join(f"{name} = '{value}'" for name, value in pairs)


def _allowed(domain: Domain, table: pl.DataFrame) -> Test:
    named = [j for j, name in enumerate(domain.names) if name in table.columns]
    strange = set(table.columns) - set(domain.names)
    if strange:
        raise SchemaError(
            f"A table of allowed combinations names attributes of the domain; {min(strange)} is "
            f"none of {', '.join(domain.names)}."
        )
    part = Domain(tuple(domain.names[j] for j in named), tuple(domain.ranges[j] for j in named))
    combinations = part.encode(table)

    def test(level: int, prefixes: list[Codes]) -> Bools:
        # The first range stays whole: a value without a continuation is an error, not a rule.
        if level not in named or level == 0:
            return np.ones(len(prefixes[0]), dtype=bool)
        upto = [line for line, j in enumerate(named) if j <= level]
        shape = tuple(domain.shape[named[line]] for line in upto)
        wanted = np.ravel_multi_index([combinations[line] for line in upto], shape)
        given = np.ravel_multi_index([prefixes[named[line]] for line in upto], shape)
        return np.isin(given, wanted)

    return test


def _forbidden(domain: Domain, rule: Mapping[str, Collection[str]]) -> Test:
    if len(rule) < 2:
        raise ParameterError(
            "A forbidden combination names at least 2 attributes, not "
            f"{', '.join(rule) or 'none'}; leave single values out of the range instead."
        )
    named: dict[int, Bools] = {}
    for name, values in rule.items():
        if name not in domain.names:
            raise SchemaError(
                f"A forbidden combination names attributes of the domain; {name} is none of "
                f"{', '.join(domain.names)}."
            )
        place = domain.names.index(name)
        strange = set(values) - set(domain.ranges[place])
        if strange:
            raise SchemaError(f"'{min(strange)}' is outside the range of {name}.")
        named[place] = np.array([value in set(values) for value in domain.ranges[place]])
    last = max(named)

    def test(level: int, prefixes: list[Codes]) -> Bools:
        if level != last:
            return np.ones(len(prefixes[0]), dtype=bool)
        hit = np.ones(len(prefixes[0]), dtype=bool)
        for j, mask in named.items():
            hit &= mask[prefixes[j]]
        return ~hit

    return test
