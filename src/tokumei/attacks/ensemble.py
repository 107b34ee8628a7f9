"""All attacks together: what one of them misses, another one sees."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.attacks.basket_sizes import BasketSizes
from tokumei.attacks.candidate_intersection import CandidateIntersection
from tokumei.attacks.cell_values import CellValues
from tokumei.attacks.customer_attributes import CustomerAttributes
from tokumei.attacks.decoy_odds import DecoyOdds
from tokumei.attacks.exact_row import ExactRow
from tokumei.attacks.fuzzy_rows import FuzzyRows
from tokumei.attacks.item_intersection import ItemIntersection
from tokumei.attacks.jaccard import Jaccard
from tokumei.attacks.matching import ALL_PAIRS, SHORTLIST, assign
from tokumei.attacks.multiset_jaccard import MultisetJaccard
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.attacks.rfm_profile import RfmProfile
from tokumei.attacks.row_count import RowCount
from tokumei.attacks.strip_decoys import StripDecoys
from tokumei.attacks.time_of_day import TimeOfDay
from tokumei.attacks.time_profile import TimeProfile
from tokumei.attacks.value_profiles import ValueProfiles
from tokumei.contracts import Attack, Challenge, Guess
from tokumei.draws import Floats, derive, keys_of, uniform
from tokumei.errors import SchemaError
from tokumei.itemsets.search import Matches
from tokumei.parameters import Checked
from tokumei.registry import attack, name_of
from tokumei.tables import frame, table

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ROUNDS = 2
"""How often the voices of the members are learned from the names found so far."""
RIDGE = 0.1
"""Added to the variances, so that members who say the same do not cancel out."""
SAME = 1e-12
"""A variance below it is that of equal numbers."""


def members(top: int) -> tuple[Attack, ...]:
    """Return the attacks that are asked; each names up to `top` customers.

    Those that let the last row win (unique-row, key-matching) are not among them: they would name
    customers with identical rows differently.
    """
    return (
        Jaccard(weights="idf", top=top),
        MultisetJaccard(top=top),
        StripDecoys(weights="idf", top=top),
        ExactRow(top=top),
        CandidateIntersection(one_to_one=False, top=top),
        ItemIntersection(),
        RfmProfile(top=top),
        TimeProfile(top=top),
        TimeOfDay(top=top),
        RowCount(top=top),
        BasketSizes(top=top),
        CellValues(top=top),
        CustomerAttributes(top=top),
        FuzzyRows(one_to_one=False, top=top),
        DecoyOdds(one_to_one=False, top=top),
        ValueProfiles(one_to_one=False, top=top),
    )


@attack("ensemble")
@dataclass(frozen=True, kw_only=True)
class Ensemble(Checked):
    """Ask all attacks that apply, believe each as far as the answers bear it out, and decide.

    What a member says of a target is counted in standard deviations from the mean over all
    customers: who stands out counts. At first a member's voice is the square of the share of
    targets that can be right at once if no customer is named twice: one that sends many targets to
    the same few customers is hardly heard. Then, two times, the voices are learned from the
    customers named so far, as the linear discriminant between these pairs and all others: members
    who agree with the rest are heard, and members who say the same are not counted double. No
    answer is needed for that.

    Each customer is named once at most, so that the sum is largest; with more targets than
    customers, each target gets its best. Targets that no member can tell apart share their names.
    The weight is the chance that the discriminant gives the name, divided among such targets.

    Limits: what none of its members sees, it does not see. Where few customers stand out it learns
    little, and can do worse than its best member.
    """

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        evidence = _ask(challenge, seed)
        if not len(evidence.rows):
            return Guess.of({})
        named, odds = evidence.judge(seed)
        return guess(challenge, evidence.names(named, odds, seed))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What the members say about pairs of target and person, sorted by target and person.

    These are all pairs, or where they are too many, those that some member has on its shortlist.
    """

    targets: pl.Series
    persons: pl.Series
    rows: Ints
    """The target of each pair."""
    columns: Ints
    """The person of each pair."""
    own: list[bool]
    """Whether a member learns from its own names, so that they bear each other out."""
    weights: Floats
    """A line for each member, a column for each pair; 0 where the member does not name it."""

    @property
    def one_to_one(self) -> bool:
        """Whether every target may have its own customer."""
        return len(self.targets) <= len(self.persons)

    def judge(self, seed: int) -> tuple[Mask, Floats]:
        """Return which pairs are named, and the logarithm of the odds of all pairs."""
        seen = np.array([self._standing_out(line) for line in self.weights])
        voices = np.array([self._share_right_at_once(line) ** 2 for line in self.weights])
        mutual = [self._mutual(line) * (not own) for line, own in zip(seen, self.own, strict=True)]
        best = int(np.argmax(mutual))
        # Chance gives a half, with a standard deviation of at most half of this.
        if mutual[best] <= 0.5 + 1 / np.sqrt(len(self.targets)):
            return self._learned(voices, seen, seed)
        alone = np.eye(len(seen))[best]
        found = [
            self._learned(alone, seen, seed),
            (self._name(_score(alone, seen), seed), _score(alone, seen)),
        ]
        return max(found, key=lambda solution: self._mutual(solution[1]))

    def _learned(self, voices: Floats, seen: Floats, seed: int) -> tuple[Mask, Floats]:
        """Name by these voices, then learn others from the names, and name again."""
        odds = _score(voices, seen)
        named = self._name(odds, seed)
        for _ in range(ROUNDS):
            odds = _score(_discriminant(seen, named), seen)
            named = self._name(odds, seed)
        return named, odds

    def _mutual(self, odds: Floats) -> float:
        """Return the share of targets that are the best of their best customer: by chance half."""
        most = np.full(len(self.persons), -np.inf)
        np.maximum.at(most, self.columns, odds)
        best = odds == self._largest(odds)[self.rows]
        asked = odds == most[self.columns]
        # Of equally good ones each is the best as often.
        share = 1 / np.bincount(self.rows[best], minlength=len(self.targets))[self.rows]
        chance = 1 / np.bincount(self.columns[asked], minlength=len(self.persons))[self.columns]
        return float((share * chance)[best & asked].sum() / len(self.targets))

    def _standing_out(self, line: Floats) -> Floats:
        """Return by how many standard deviations each pair differs from its target's mean."""
        count = len(self.persons)
        mean = np.bincount(self.rows, line, len(self.targets)) / count
        variance = np.bincount(self.rows, line**2, len(self.targets)) / count - mean**2
        spread = np.sqrt(np.where(variance > SAME, variance, np.inf))
        result: Floats = (line - mean[self.rows]) / spread[self.rows]
        return result

    def _share_right_at_once(self, line: Floats) -> float:
        """Return the share of targets that can have their heaviest customer, or one of the ties."""
        heaviest = (line == self._largest(line)[self.rows]) & (line > 0)
        ties = np.bincount(self.rows[heaviest], minlength=len(self.targets))
        shares = 1 / ties[self.rows[heaviest]]
        asked = np.bincount(self.columns[heaviest], shares, len(self.persons))
        places = max(1.0, len(self.targets) / len(self.persons))
        return float(np.minimum(asked, places).sum() / len(self.targets))

    def _largest(self, line: Floats) -> Floats:
        """Return the largest number of each target; 0 where it has no pair."""
        result = np.zeros(len(self.targets))
        present, starts = np.unique(self.rows, return_index=True)
        result[present] = np.maximum.reduceat(line, starts)
        return result

    def _name(self, odds: Floats, seed: int) -> Mask:
        """Return which pairs are named: one to one, or the best of each target."""
        if not self.one_to_one:
            best: Mask = odds == self._largest(odds)[self.rows]
            return best
        order = np.lexsort((-odds, self.rows))
        rows = self.rows[order]
        places = np.arange(len(rows)) - np.searchsorted(rows, rows)
        wanted = len(self.persons) if len(self.persons) <= ALL_PAIRS else SHORTLIST
        order, rows, places = (part[places < wanted] for part in (order, rows, places))
        shape = len(self.targets), wanted
        base, gains = np.full(shape, -1, dtype=np.int64), np.zeros(shape)
        base[rows, places] = self.columns[order]
        # Above 0: who has a pair is not left alone.
        gains[rows, places] = odds[order] - odds.min()
        chosen = assign(
            Matches(base, gains),
            len(self.persons),
            keys_of(self.targets),
            keys_of(self.persons),
            seed,
        )
        named: Mask = np.zeros(len(odds), dtype=bool)
        named[order[places == chosen[rows]]] = True
        return named

    def names(self, named: Mask, odds: Floats, seed: int) -> pl.DataFrame:
        """Return pseudonym, person, weight; targets that look alike share their names."""
        above = np.exp(odds - self._largest(odds)[self.rows])
        chance = above / np.bincount(self.rows, above, len(self.targets))[self.rows]
        kinds, sizes = self._kinds(odds, seed)
        found = pl.DataFrame(
            {
                "kind": kinds[self.rows[named]],
                "person": self.persons.gather(self.columns[named]),
                "weight": chance[named] / sizes[self.rows[named]],
            }
        ).unique(["kind", "person"])
        alike = pl.DataFrame({"pseudonym": self.targets, "kind": kinds})
        return alike.join(found, on="kind").select("pseudonym", "person", "weight")

    def _kinds(self, odds: Floats, seed: int) -> tuple[Ints, Ints]:
        """Return the kind of each target, the same where all odds are equal, and its size."""
        # Equal lines have equal sums when each person counts by a number of its own.
        numbers = uniform(seed, "ensemble", keys_of(self.persons))
        sums = np.bincount(self.rows, odds * numbers[self.columns], len(self.targets))
        _, kinds, counts = np.unique(sums.round(9), return_inverse=True, return_counts=True)
        sizes = counts[kinds]
        # To share the names of very many would take the square of their number.
        own = len(counts) + np.arange(len(kinds))
        return np.where(sizes <= SHORTLIST, kinds, own), sizes


def _ask(challenge: Challenge, seed: int) -> _Evidence:
    """Ask every member that applies who each pseudonym is."""
    released, known = (part.frame()["person"] for part in (challenge.release, challenge.known))
    asked, possible = (
        names.filter(names.is_in(present.unique().implode())).unique().sort()
        for names, present in ((pseudonyms(challenge), released), (people(challenge), known))
    )
    question = replace(
        challenge,
        targets=table(asked.alias("target").to_frame()),
        candidates=table(possible.alias("value").to_frame()),
    )
    everything = len(asked) * len(possible)
    top = len(possible) if everything <= ALL_PAIRS**2 else min(SHORTLIST, len(possible))
    lines: list[tuple[Ints, Floats]] = []
    own: list[bool] = []
    refusals: list[str] = []
    for member in members(max(top, 1)):
        try:
            said = member(question, seed=derive(seed, name_of(member)))
        except SchemaError as error:
            refusals.append(str(error))
            continue
        lines.append(_line(frame(said.pairs), asked, possible, top))
        own.append(isinstance(member, FuzzyRows | DecoyOdds))
    if not lines:
        raise SchemaError(f"To combine attacks, at least one must apply; none does. {refusals[0]}")
    if top == len(possible):
        pairs = np.arange(everything)
    else:
        pairs = np.unique(np.concatenate([numbers for numbers, _ in lines]))
    weights = np.zeros((len(lines), len(pairs)))
    for line, (numbers, values) in zip(weights, lines, strict=True):
        line[np.searchsorted(pairs, numbers)] = values
    rows, columns = np.divmod(pairs, max(len(possible), 1))
    return _Evidence(asked, possible, rows, columns, own, weights)


def _line(
    said: pl.DataFrame, asked: pl.Series, possible: pl.Series, top: int
) -> tuple[Ints, Floats]:
    """Return the number of each pair that a member names, row by row, and its weight."""
    codes = said.select(
        pl.col("target").cast(pl.Enum(asked), strict=False).to_physical().cast(pl.Int64),
        pl.col("value").cast(pl.Enum(possible), strict=False).to_physical().cast(pl.Int64),
        "weight",
    ).drop_nulls()
    # Whom a full list leaves out weighs up to as much as its last: only what is above it counts.
    full = (pl.len().over("target") >= top) & (top < len(possible))
    last = pl.when(full).then(pl.col("weight").min().over("target")).otherwise(0)
    codes = codes.with_columns(pl.col("weight") - last)
    numbers = codes["target"].to_numpy() * len(possible) + codes["value"].to_numpy()
    return numbers, codes["weight"].to_numpy()


def _score(voices: Floats, seen: Floats) -> Floats:
    """Return the weighted sum of what the members see; equal sums are equal to the last digit."""
    result: Floats = (voices @ seen).round(9)
    return result


def _discriminant(seen: Floats, named: Mask) -> Floats:
    """Return the voices that best tell the pairs named from the others; none is below 0."""
    right = seen[:, named]
    mean = right.mean(axis=1)
    centered = right - mean[:, np.newaxis]
    within = (centered @ centered.T / right.shape[1] + seen @ seen.T / seen.shape[1]) / 2
    voices: Floats = np.linalg.solve(within + RIDGE * np.eye(len(seen)), mean)
    return np.maximum(voices, 0)
