"""Learning from the release itself which items of a pseudonym are decoys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from tokumei.attacks.counting import kept_share
from tokumei.attacks.item_odds import (
    Ints,
    Mask,
    ReleasedItems,
    additive_log_odds,
    base_log_odds,
    released_items,
)
from tokumei.attacks.matching import ALL_PAIRS, OneToOne, Top, distinct_items
from tokumei.attacks.naming import guess, people, pseudonyms
from tokumei.attacks.nearest import Similarity, nearest
from tokumei.contracts import Challenge, Guess
from tokumei.draws import Floats
from tokumei.errors import SchemaError
from tokumei.parameters import Checked
from tokumei.registry import attack

ROUNDS = 6
"""How often customers are named; after each time but the last, the odds are learned from them."""
AT_FIRST = 0.1
"""The least share of a customer's items that are missing, before it is learned."""
LEAST = 0.01
"""The share of a customer's items that are missing is not believed to be smaller."""
HEAT = 10.0
"""So much of a log-likelihood counts as one: items of a basket do not speak independently."""
BALANCES = 20
"""How often chances are divided so that every customer is named once."""


@attack("decoy-odds")
@dataclass(frozen=True, kw_only=True)
class DecoyOdds(Checked):
    """Learn which items of a pseudonym are invented, and compare item sets by those odds.

    Nothing but item sets needs to be known. At first an item is the more real, the more rows it
    has under the pseudonym. Customers are named by that; from the items that the named customers
    have and lack, the attack learns what real and invented rows look like: rows of the item,
    quantity and price against the item's usual ones and against the pseudonym's own, rows of
    others with the same amounts, size of the basket, buyers of the item. With these odds it names
    again, six times in all. Where nothing was invented, nothing is learned, and item sets are
    compared.

    With o the log-odds that an item of the pseudonym is real, above those of all items, an item of
    the customer counts ln((1 - l) exp(o) / s + l) if the pseudonym has it, where s is the share of
    pseudonyms that have it, and ln(l) if not, where l is the share of lost items. The weight is the
    chance that these sums give the customer, balanced so that every customer is named once at most;
    beyond 1,000 customers it is not balanced.

    Limits: amounts and dates are compared within the release only; whoever knows them does better
    with fuzzy-rows. With few rows there is little to learn from.
    """

    one_to_one: OneToOne = True
    top: Top = 10

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        known = distinct_items(challenge.known, to="compare item sets")
        rows = challenge.release.frame()
        if "item" not in rows.columns:
            raise SchemaError("To tell decoys by their rows, the release needs a column for item.")
        rows = rows.filter(pl.col("person").is_in(pseudonyms(challenge).implode()))
        known = known.filter(pl.col("person").is_in(people(challenge).implode()))
        rows = rows.drop_nulls("item")
        if rows.is_empty() or known.is_empty():
            return Guess.of({})
        targets, persons = (part["person"].unique().sort() for part in (rows, known))
        singles = rows["item"].explode() if rows["item"].dtype == pl.List else rows["item"]
        items = pl.concat([singles, known["item"]]).drop_nulls().unique().sort()
        model = _learn(released_items(rows, targets, items), known, targets, persons, items, seed)
        pairs = nearest(
            model.chances(),
            targets,
            persons,
            top=self.top,
            # Where pseudonyms change over time, a customer has several.
            one_to_one=self.one_to_one and len(targets) <= len(persons),
            seed=seed,
        )
        return guess(challenge, pairs)


@dataclass(frozen=True, eq=False)
class _Evidence:
    """What the items of pseudonyms say for and against each person."""

    gains: sparse.csr_array
    """What each item of a pseudonym (lines) says for whoever has it, against not having it."""
    bought: sparse.csr_array
    """The items of each person (lines)."""
    lost: float
    """What a person's item says that the pseudonym lacks."""

    def scores(self, block: slice) -> Floats:
        """Return the log-likelihoods of all persons (columns) for some pseudonyms (lines)."""
        sums: Floats = (self.gains[block] @ self.bought.T).toarray()
        return sums + self.lost * np.diff(self.bought.indptr)

    def similarity(self, block: slice) -> Floats:
        """Return the log-likelihoods above that of the least likely person."""
        scores = self.scores(block)
        result: Floats = scores - scores.min(axis=1, keepdims=True)
        return result

    def chances(self) -> Similarity:
        """Return the chance of each person; a person is expected to be named once at most."""
        targets, persons = self.gains.shape[0], self.bought.shape[0]
        if max(targets, persons) > ALL_PAIRS:
            return lambda block: np.exp(_divided(self.scores(block) / HEAT, axis=1))
        logs = _divided(self.scores(slice(None)) / HEAT, axis=1)
        places = np.log(max(1.0, targets / persons))
        for _ in range(BALANCES):
            asked = np.logaddexp.reduce(logs, axis=0)
            logs = _divided(logs - np.maximum(asked - places, 0), axis=1)
        return lambda block: np.exp(logs[block])


def _divided(logs: Floats, axis: int) -> Floats:
    """Scale chances, given as logarithms, so that they sum to 1."""
    result: Floats = logs - np.logaddexp.reduce(logs, axis=axis, keepdims=True)
    return result


def _learn(
    cells: ReleasedItems,
    known: pl.DataFrame,
    targets: pl.Series,
    persons: pl.Series,
    items: pl.Series,
    seed: int,
) -> _Evidence:
    """Name customers, learn from them what real items look like, and name again."""
    owners, things = (
        known[name].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()
        for name, names in (("person", persons), ("item", items))
    )
    shape = len(persons), len(items)
    bought = sparse.csr_array((np.ones(len(known)), (owners, things)), shape=shape)
    pairs = np.sort(owners * len(items) + things)
    rarity = -np.log(np.bincount(cells.item)[cells.item] / len(targets))
    odds: Floats = np.log(cells.rows)
    kept = kept_share(
        *(np.maximum(sizes, 1) for sizes in (np.bincount(cells.who), bought.sum(axis=1)))
    )
    lost = max(AT_FIRST, 1 - kept)
    evidence = _evidence(cells, odds + rarity, lost, bought)
    for _ in range(ROUNDS - 1):
        named = _named(evidence, targets, persons, seed)
        whose = named[cells.who]
        real = _among(whose * len(items) + cells.item, pairs) & (whose >= 0)
        expected = np.diff(bought.indptr)[named[named >= 0]].sum()
        lost = float(np.clip(1 - real.sum() / max(expected, 1), LEAST, 1 - LEAST))
        odds = additive_log_odds(cells.features(odds), real, whose >= 0)
        base = base_log_odds(real, whose >= 0)
        evidence = _evidence(cells, odds - base + rarity, lost, bought)
    return evidence


def _evidence(
    cells: ReleasedItems, present: Floats, lost: float, bought: sparse.csr_array
) -> _Evidence:
    shape = int(cells.who.max()) + 1, bought.shape[1]
    against = np.log(lost)
    # A lost item may be there by accident, so that no item that both have speaks against them.
    gains = np.logaddexp(0, present + np.log(1 - lost) - against)
    gains = sparse.csr_array((gains, (cells.who, cells.item)), shape=shape)
    return _Evidence(gains, bought, float(against))


def _named(evidence: _Evidence, targets: pl.Series, persons: pl.Series, seed: int) -> Ints:
    """Return the person of each target, one to one, or -1."""
    pairs = nearest(evidence.similarity, targets, persons, top=1, one_to_one=True, seed=seed)
    named = np.full(len(targets), -1, dtype=np.int64)
    rows, columns = (
        pairs[name].cast(pl.Enum(names)).to_physical().to_numpy()
        for name, names in (("pseudonym", targets), ("person", persons))
    )
    named[rows] = columns
    return named


def _among(numbers: Ints, those: Ints) -> Mask:
    """Tell which numbers are among those, which are sorted."""
    places = np.minimum(np.searchsorted(those, numbers), len(those) - 1)
    found: Mask = those[places] == numbers
    return found
