"""How far each member of the ensemble is believed, learned without any answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.attacks.matching import ALL_PAIRS, SHORTLIST, assign
from tokumei.draws import Floats, keys_of
from tokumei.itemsets.search import Matches

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ROUNDS = 2
"""How often the voices are learned from the names found so far."""
RIDGE = 0.1
"""Added to the variances, so that members who say the same do not cancel out."""
SAME = 1e-12
"""A variance below it is that of equal numbers."""
HANDICAP = 0.02
"""By how much one member must be better than all together, in logarithms of ranks, to be begun
with: the halves share baskets and days, so that a single one can be wrong in both."""
SURE, LEAST_SURE = 3.0, 0.9
"""A member is right if its share of mutually best pairs exceeds chance by this number of standard
deviations, or is this large in any case."""
BETTER = 1.0
"""By this number of standard deviations its share must exceed that of all together."""
AGREES = 0.6
"""Names agree with a member who gives them this part of what it gives its own names."""
FEWEST = 3
"""From fewer targets than this nothing is learned."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of target and person that are spoken of, sorted by target and person.

    These are all pairs, or where they are too many, those that some member has on its shortlist.
    A line of evidence has a number for each of them.
    """

    targets: pl.Series
    persons: pl.Series
    rows: Ints
    """The target of each pair."""
    columns: Ints
    """The person of each pair."""
    parts: Ints
    """The part in which each target lies: a person has one target in each at most, if there are
    as many persons. The months of pseudonyms that change with the month; otherwise one for all."""

    @property
    def one_to_one(self) -> bool:
        """Whether every target of a part may have its own customer."""
        return bool(np.bincount(self.parts).max(initial=0) <= len(self.persons))

    @property
    def seats(self) -> Ints:
        """The number of each pair's person in its part: for one target each."""
        return self.parts[self.rows] * len(self.persons) + self.columns

    def of(self, chosen: Mask) -> tuple[Pairs, Mask]:
        """Return the pairs of some targets, and which of these pairs they are."""
        kept = chosen[self.rows]
        numbers = np.cumsum(chosen) - 1
        targets = self.targets.filter(pl.Series(chosen))
        rows, columns = numbers[self.rows[kept]], self.columns[kept]
        return Pairs(targets, self.persons, rows, columns, self.parts[chosen]), kept

    def standing_out(self, line: Floats) -> Floats:
        """Return by how many standard deviations each pair differs from its target's mean."""
        count = len(self.persons)
        mean = np.bincount(self.rows, line, len(self.targets)) / count
        variance = np.bincount(self.rows, line**2, len(self.targets)) / count - mean**2
        spread = np.sqrt(np.where(variance > SAME, variance, np.inf))
        result: Floats = (line - mean[self.rows]) / spread[self.rows]
        return result

    def share_right_at_once(self, line: Floats) -> float:
        """Return the share of targets that can have their heaviest customer, or one of the ties."""
        heaviest = (line == self.largest(line)[self.rows]) & (line > 0)
        ties = np.bincount(self.rows[heaviest], minlength=len(self.targets))
        shares = 1 / ties[self.rows[heaviest]]
        asked = np.bincount(self.seats[heaviest], shares)
        room = max(1.0, np.bincount(self.parts).max() / len(self.persons))
        return float(np.minimum(asked, room).sum() / len(self.targets))

    def largest(self, line: Floats) -> Floats:
        """Return the largest number of each target; 0 where it has no pair."""
        result = np.zeros(len(self.targets))
        present, starts = np.unique(self.rows, return_index=True)
        result[present] = np.maximum.reduceat(line, starts)
        return result

    def name(self, odds: Floats, seed: int) -> Mask:
        """Return which pairs are named: one to one in each part, or the best of each target."""
        if not self.one_to_one:
            return self.best(odds)
        named: Mask = np.zeros(len(odds), dtype=bool)
        for part in np.unique(self.parts):
            pairs, kept = self.of(self.parts == part)
            named[kept] = pairs._name_once(odds[kept], seed)
        return named

    def best(self, odds: Floats) -> Mask:
        """Return the pairs with the largest odds of each target."""
        largest: Mask = odds == self.largest(odds)[self.rows]
        return largest

    def _name_once(self, odds: Floats, seed: int) -> Mask:
        order, base, gains = self._best(odds)
        chosen = assign(
            Matches(base, gains),
            len(self.persons),
            keys_of(self.targets),
            keys_of(self.persons),
            seed,
        )
        named: Mask = np.zeros(len(odds), dtype=bool)
        spoken = np.flatnonzero(chosen >= 0)
        named[order[spoken, chosen[spoken]]] = True
        return named

    def _best(self, odds: Floats) -> tuple[Ints, Ints, Floats]:
        """Return a line for each target: its pairs, their persons (-1 for none) and odds above 0.

        Above 0, so that who has a pair is not left alone.
        """
        shape = len(self.targets), len(self.persons)
        raised = odds - odds.min()
        if len(odds) == shape[0] * shape[1] and shape[1] <= ALL_PAIRS:  # nothing is to be sorted
            order = np.arange(len(odds)).reshape(shape)
            return order, self.columns.reshape(shape), raised.reshape(shape)
        sorting = np.lexsort((-odds, self.rows))
        rows = self.rows[sorting]
        places = np.arange(len(rows)) - np.searchsorted(rows, rows)
        wanted = len(self.persons) if len(self.persons) <= ALL_PAIRS else SHORTLIST
        sorting, rows, places = (part[places < wanted] for part in (sorting, rows, places))
        order, base = (np.full((shape[0], wanted), -1, dtype=np.int64) for _ in range(2))
        gains = np.zeros((shape[0], wanted))
        order[rows, places] = sorting
        base[rows, places] = self.columns[sorting]
        gains[rows, places] = raised[sorting]
        return order, base, gains

    def ranks(self, odds: Floats, named: Mask) -> Floats:
        """Return for each target how many persons have the odds of the one named, or better."""
        least = np.full(len(self.targets), np.inf)
        np.minimum.at(least, self.rows[named], odds[named])
        as_good = odds >= least[self.rows]
        return np.maximum(np.bincount(self.rows[as_good], minlength=len(self.targets)), 1.0)

    @property
    def mutual_by_chance(self) -> float:
        """The share of targets that are the best of their best person if all odds are drawn."""
        targets, persons = np.bincount(self.parts), len(self.persons)
        return float((targets * persons / (targets + persons - 1)).sum() / targets.sum())

    def mutual(self, odds: Floats) -> float:
        """Return the share of targets that are the best of their best person."""
        seats = self.seats
        most = np.full(seats.max(initial=-1) + 1, -np.inf)
        np.maximum.at(most, seats, odds)
        best = self.best(odds)
        asked = odds == most[seats]
        # Of equally good ones each is the best as often.
        share = 1 / np.maximum(np.bincount(self.rows[best], minlength=len(self.targets)), 1)
        chance = 1 / np.maximum(np.bincount(seats[asked], minlength=len(most)), 1)
        both = best & asked
        return float((share[self.rows] * chance[seats])[both].sum() / len(self.targets))


def score(voices: Floats, seen: Floats) -> Floats:
    """Return the weighted sum of what the members see; equal sums are equal to the last digit."""
    result: Floats = (voices @ seen).round(9)
    return result


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the members say: a line for each, of the whole release and of two halves of its rows."""

    whole: Floats
    halves: tuple[Floats, Floats]
    learns: Mask
    """Who learns from the own names, so that they always bear each other out."""
    sure: Mask
    """Who has shown that the release is likelier by the own names than by chance."""


def believed(pairs: Pairs, evidence: Evidence, seed: int) -> Floats:
    """Return the odds of all pairs, by the voices that both halves of the release bear out.

    A member that sees nothing but noise names one customer by the one half and another by the
    other. So the voices are learned across: the pairs that one half names show by the other half
    which members are right. It is begun with all members alike, with each as loud as the square of
    the share of targets that can be right at once, and with one member alone. Those voices are
    believed whose names rank best in the halves; by these ranks the one member is chosen, too.

    A half can be too little for a member that sees everything in the whole release. So one that is
    sure is believed alone where the names do not agree with it; and one whose names bear each other
    out, target by person.
    """
    whole = np.array([pairs.standing_out(line) for line in evidence.whole])
    odds = score(_voices(pairs, evidence, whole, seed), whole)
    alone = [score(voices, whole) for voices in np.eye(len(whole))]
    for number in np.flatnonzero(evidence.sure):
        theirs, own = (whole[number][pairs.name(one, seed)] for one in (odds, alone[number]))
        if theirs.mean() < AGREES * own.mean():
            odds = alone[number]
    chance = pairs.mutual_by_chance
    spread = np.sqrt(chance * (1 - chance) / len(pairs.targets))
    least = max(min(LEAST_SURE, chance + SURE * spread), pairs.mutual(odds) + BETTER * spread)
    mutual = np.where(evidence.learns, 0, [pairs.mutual(one) for one in alone])
    if mutual.max() > least:
        odds = alone[int(mutual.argmax())]
    return odds * _scale(odds, pairs.name(odds, seed))


def _voices(pairs: Pairs, evidence: Evidence, whole: Floats, seed: int) -> Floats:
    """Return the voices whose names rank best in the halves."""
    loud = np.array([pairs.share_right_at_once(line) ** 2 for line in evidence.whole])
    spoken = [
        np.bincount(pairs.rows, np.abs(half).sum(axis=0), len(pairs.targets)) > 0
        for half in evidence.halves
    ]
    learned, kept = pairs.of(spoken[0] & spoken[1])
    parts = [
        np.array([learned.standing_out(line[kept]) for line in half]) for half in evidence.halves
    ]
    seen = whole[:, kept]

    def rank(voices: Floats) -> float:
        named = learned.name(score(voices, seen), seed)
        ranks = [learned.ranks(score(voices, part), named) for part in parts]
        return float(np.log(ranks).mean().round(9))

    best, chosen = np.inf, loud
    if len(learned.targets) >= FEWEST:
        alone = min(np.eye(len(loud)), key=rank)
        for voices, handicap in ((loud, 0.0), (np.ones(len(loud)), 0.0), (alone, HANDICAP)):
            for _ in range(ROUNDS + 1):
                found = rank(voices) + handicap
                if found < best:
                    best, chosen = found, voices
                voices = _across(learned, parts, voices, seed)
    return chosen


def _across(pairs: Pairs, parts: list[Floats], voices: Floats, seed: int) -> Floats:
    """Return the voices that tell the pairs named by one half from others, as the other sees it."""
    right = [
        theirs[:, pairs.name(score(voices, ours), seed)] for ours, theirs in (parts, parts[::-1])
    ]
    seen = np.concatenate(right, axis=1)
    mean = seen.mean(axis=1)
    centered = seen - mean[:, np.newaxis]
    spread = np.mean([part @ part.T / part.shape[1] for part in parts], axis=0)
    within = (centered @ centered.T / seen.shape[1] + spread) / 2
    found: Floats = np.linalg.solve(within + RIDGE * np.eye(len(mean)), mean)
    return np.maximum(found, 0)


def _scale(odds: Floats, named: Mask) -> float:
    """Return what makes the sums log-odds: the discriminant between pairs named and all."""
    everyone = odds.var()
    within = (odds[named].var() + everyone) / 2 + RIDGE * everyone
    return max(float((odds[named].mean() - odds.mean()) / within), 0.0) if within > SAME else 1.0
