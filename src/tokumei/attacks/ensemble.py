"""All attacks together: what one of them misses, another one sees."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
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
from tokumei.attacks.matching import ALL_PAIRS, SHORTLIST
from tokumei.attacks.multiset_jaccard import MultisetJaccard
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.attacks.rfm_profile import RfmProfile
from tokumei.attacks.row_count import RowCount
from tokumei.attacks.strip_decoys import StripDecoys
from tokumei.attacks.time_of_day import TimeOfDay
from tokumei.attacks.time_profile import TimeProfile
from tokumei.attacks.value_profiles import ValueProfiles
from tokumei.attacks.voices import Evidence, Ints, Pairs, believed
from tokumei.cells import low
from tokumei.contracts import Attack, Challenge, Guess
from tokumei.draws import Floats, derive, keys_of, uniform
from tokumei.errors import SchemaError
from tokumei.history import ROW, History, months
from tokumei.parameters import Checked
from tokumei.registry import attack, name_of
from tokumei.tables import frame, height, table

Said = dict[int, tuple[Ints, Floats]]
"""Of each member by its number, the numbers of the pairs that it names, and their weights."""


SAMPLE = 200
"""From how many targets at most the voices are learned: more cost time and tell little more."""


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
        FuzzyRows(one_to_one=False, top=top),
        DecoyOdds(one_to_one=False, top=top),
        ValueProfiles(one_to_one=False, top=top),
        CustomerAttributes(top=top),
    )


@attack("ensemble")
@dataclass(frozen=True, kw_only=True)
class Ensemble(Checked):
    """Ask all attacks that apply, believe each as far as the answers bear it out, and decide.

    What a member says of a target is counted in standard deviations from the mean over all
    customers: who stands out counts. How loud a member is heard is learned from the release alone.
    Its rows (those of 200 targets at most) are divided at random into two halves, and the members
    are asked about each as well: what is true shows in both halves, noise in one. The voices are
    the linear discriminant between the pairs that one half names and all others, as the other half
    sees them; so members who name at random fall silent, and members who say the same are not
    counted double. It begins with all members alike; with members heard by the square of the share
    of targets that can be right at once if no customer is named twice; and with one member alone.
    Those voices are taken whose names have the best mean logarithm of their ranks in the two
    halves. A member by whom far more targets than by chance are the best of their best customer is
    believed alone, unless the sum does as well; `value-profiles` also where it makes the release
    1,000 times likelier than chance and the sum names others.

    Each customer is named once at most, so that the sum is largest; where pseudonyms change with
    the month, once in a month. With more targets than customers, each target gets its best. Targets
    that no member can tell apart share their names. The weight is the chance that the discriminant
    gives the name, divided among such targets.

    Limits: what none of its members sees, it does not see. A member that is wrong in the same way
    in both halves is believed, and where customers have one row, nothing is learned; then it can do
    worse than its best member.
    """

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        question = _of_present(challenge)
        targets, persons = pseudonyms(question), people(question)
        everything = len(targets) * len(persons)
        top = len(persons) if everything <= ALL_PAIRS**2 else min(SHORTLIST, len(persons))
        whole, refusals = _ask(question, targets, persons, top, seed)
        if not whole:
            reason = refusals[0]
            raise SchemaError(f"To combine attacks, at least one must apply; none does. {reason}")
        parts = _parts(question.release, targets, len(persons))
        pairs = _pairs(targets, persons, parts, None if top == len(persons) else whole)
        if not len(pairs.rows):
            return Guess.of({})
        halves = [_ask(part, targets, persons, top, seed)[0] for part in _halves(question, seed)]
        weights, first, second = (_lines(said, pairs, list(whole)) for said in (whole, *halves))
        asked = [members(1)[number] for number in whole]
        learns = np.array([isinstance(one, FuzzyRows | DecoyOdds) for one in asked])
        sure = np.array([_is_sure(one, question, seed) for one in asked])
        odds = believed(pairs, Evidence(weights, (first, second), learns, sure), seed)
        return guess(challenge, _names(pairs, odds, seed))


def _of_present(challenge: Challenge) -> Challenge:
    """Ask for the person of each pseudonym, among those who have rows."""
    released, known = (part.frame()["person"] for part in (challenge.release, challenge.known))
    asked, possible = (
        names.filter(names.is_in(present.unique().implode())).unique().sort()
        for names, present in ((pseudonyms(challenge), released), (people(challenge), known))
    )
    return replace(
        challenge,
        targets=table(asked.alias("target").to_frame()),
        candidates=table(possible.alias("value").to_frame()),
    )


def _is_sure(member: Attack, question: Challenge, seed: int) -> bool:
    """Tell whether a member shows that its names are no chance."""
    if not isinstance(member, ValueProfiles):
        return False
    return bool(height(replace(member, sure=True)(question, seed=seed).pairs))


def _halves(question: Challenge, seed: int) -> list[Challenge]:
    """Ask about each half of the rows of every pseudonym, or of a sample, drawn at random."""
    asked = pseudonyms(question)
    order = np.argsort(uniform(seed, "ensemble/sample", keys_of(asked)), kind="stable")
    sample = asked.gather(order[:SAMPLE])
    rows = question.release.frame().filter(pl.col("person").is_in(sample.implode()))
    draw = pl.Series("_draw", uniform(seed, "ensemble/halves", rows[ROW].to_numpy()))
    half = pl.struct("_draw", ROW).rank("ordinal").over("person") % 2
    divided = rows.with_columns(draw).with_columns(_half=half)
    return [
        _of_present(replace(question, release=question.release.with_purchases(part)))
        for part in (
            divided.filter(pl.col("_half") == number).drop("_draw", "_half") for number in (0, 1)
        )
    ]


def _ask(
    question: Challenge, targets: pl.Series, persons: pl.Series, top: int, seed: int
) -> tuple[Said, list[str]]:
    """Return what the members that apply say, and why the others do not."""
    said: Said = {}
    refusals: list[str] = []
    for number, member in enumerate(members(max(top, 1))):
        try:
            found = member(question, seed=derive(seed, name_of(member)))
        except SchemaError as error:
            refusals.append(str(error))
            continue
        said[number] = _numbered(frame(found.pairs), targets, persons, top)
    return said, refusals


def _numbered(
    said: pl.DataFrame, targets: pl.Series, persons: pl.Series, top: int
) -> tuple[Ints, Floats]:
    """Return the number of each pair that a member names, row by row, and its weight."""
    codes = said.select(
        pl.col("target").cast(pl.Enum(targets), strict=False).to_physical().cast(pl.Int64),
        pl.col("value").cast(pl.Enum(persons), strict=False).to_physical().cast(pl.Int64),
        "weight",
    ).drop_nulls()
    # Whom a full list leaves out weighs up to as much as its last: only what is above it counts.
    full = (pl.len().over("target") >= top) & (top < len(persons))
    last = pl.when(full).then(pl.col("weight").min().over("target")).otherwise(0)
    codes = codes.with_columns(pl.col("weight") - last)
    numbers = codes["target"].to_numpy() * len(persons) + codes["value"].to_numpy()
    return numbers, codes["weight"].to_numpy()


def _parts(release: History, targets: pl.Series, persons: int) -> Ints:
    """Return the month of each target if they change with the month; otherwise the same for all.

    They do if there are more than persons and each lies in one month. Then a customer has one
    pseudonym in a month.
    """
    rows = release.frame()
    one = np.zeros(len(targets), dtype=np.int64)
    if len(targets) <= persons or "time" not in rows.columns or low(rows["time"]).null_count():
        return one
    lying = rows.select("person", month=months(low(rows["time"]))).unique()
    lying = pl.DataFrame({"person": targets}).join(lying, on="person", maintain_order="left")
    if len(lying) > len(targets):
        return one
    return lying["month"].rank("dense").cast(pl.Int64).to_numpy() - 1


def _pairs(targets: pl.Series, persons: pl.Series, parts: Ints, said: Said | None) -> Pairs:
    """Return all pairs, or those that some member named."""
    if said is None:
        numbers = np.arange(len(targets) * len(persons))
    else:
        numbers = np.unique(np.concatenate([named for named, _ in said.values()]))
    return Pairs(targets, persons, *np.divmod(numbers, max(len(persons), 1)), parts)


def _lines(said: Said, pairs: Pairs, members: list[int]) -> Floats:
    """Return a line for each member, a column for each pair; 0 where it does not name it."""
    numbers = pairs.rows * len(pairs.persons) + pairs.columns
    lines = np.zeros((len(members), len(numbers)))
    for line, member in zip(lines, members, strict=True):
        named, weights = said.get(member, (np.zeros(0, np.int64), np.zeros(0)))
        places = np.minimum(np.searchsorted(numbers, named), len(numbers) - 1)
        spoken = numbers[places] == named
        line[places[spoken]] = weights[spoken]
    return lines


def _names(pairs: Pairs, odds: Floats, seed: int) -> pl.DataFrame:
    """Return pseudonym, person, weight; targets that look alike share their names."""
    named = pairs.name(odds, seed)
    above = np.exp(odds - pairs.largest(odds)[pairs.rows])
    chance = above / np.bincount(pairs.rows, above, len(pairs.targets))[pairs.rows]
    kinds, sizes = _kinds(pairs, odds, seed)
    found = pl.DataFrame(
        {
            "kind": kinds[pairs.rows[named]],
            "person": pairs.persons.gather(pairs.columns[named]),
            "weight": chance[named] / sizes[pairs.rows[named]],
        }
    ).unique(["kind", "person"])
    alike = pl.DataFrame({"pseudonym": pairs.targets, "kind": kinds})
    return alike.join(found, on="kind").select("pseudonym", "person", "weight")


def _kinds(pairs: Pairs, odds: Floats, seed: int) -> tuple[Ints, Ints]:
    """Return the kind of each target, the same where all odds are equal, and its size."""
    # Equal lines have equal sums when each person counts by a number of its own.
    numbers = uniform(seed, "ensemble", keys_of(pairs.persons))
    sums = np.bincount(pairs.rows, odds * numbers[pairs.columns], len(pairs.targets))
    _, kinds, counts = np.unique(sums.round(9), return_inverse=True, return_counts=True)
    sizes = counts[kinds]
    # To share the names of very many would take the square of their number.
    own = len(counts) + np.arange(len(kinds))
    return np.where(sizes <= SHORTLIST, kinds, own), sizes
