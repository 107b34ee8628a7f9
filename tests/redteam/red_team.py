"""All attackers of the red team against one release of the battery."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from attackers import CONTENT
from battery import CASES, release
from likelihoods import (
    basket_sharing,
    both_ways,
    common_shift,
    row_likelihood,
    stripped_decoys,
    together,
)
from marking import Mark, assigned, groups_of, rate, truth_of
from names_and_order import CERTAIN, ORDERS, within_groups
from views import Rows, View, rows_of

BELIEVED = 5.0
"""An order is believed if the rows fit the names it gives by this many standard errors."""


@dataclass(frozen=True)
class Results:
    """What the red team found in a release."""

    truth: np.ndarray
    groups: np.ndarray
    possible: np.ndarray
    """Whether it can be the key's customer: not where purchases are shown and none were made."""
    marks: list[Mark]
    with_item_sets: float
    """The share found by those who know item sets only."""

    @property
    def best(self) -> Mark:
        return max(self.marks, key=lambda mark: mark.rate)

    @property
    def best_by_contents(self) -> Mark:
        """The best of those who look at the rows and the attributes, as the audit's attacks do."""
        return max((mark for mark in self.marks if not mark.by_labels), key=lambda mark: mark.rate)

    @property
    def sizes(self) -> np.ndarray:
        """How many customers can be behind the pseudonyms that a pseudonym cannot be told from."""
        groups = 2 * self.groups + self.possible
        pairs = np.unique(np.stack([groups, self.truth]), axis=1)
        return np.bincount(pairs[0])[groups]


@cache
def attacked(name: str, draw: int = 0) -> Results:
    """Let everybody try."""
    original, made = release(name, draw)
    case = CASES[name]
    view = View(
        rows_of(made.public), rows_of(original), case.noise, monthly=case.pseudonyms == "monthly"
    )
    truth, groups = truth_of(original, made, view), groups_of(view.public)
    signals = _signals(view, groups)
    marks = []
    for attacker, fits in signals.items():
        marks += _marked(view, attacker, fits, truth, groups)
    everything = together(view, list(signals.values()))
    marks += _marked(view, "together", everything, truth, groups)
    content = everything - everything.mean(axis=1, keepdims=True)
    alone = np.arange(len(groups))  # names and order tell those apart whose rows are equal
    for one in CERTAIN:
        fits = one(view)
        if fits is not None:
            joint = fits / fits.max() + 1e-3 * content / (np.abs(content).max() + 1e-9)
            marks += _marked(view, _label(one), joint, truth, alone, by_labels=True)
    for one in ORDERS:
        fits = one(view)
        if fits is not None and _believed(view, fits, content):
            spread = 0.1 * fits.std() * content / (content.std() + 1e-9)
            marks += _marked(view, _label(one), fits + spread, truth, alone, by_labels=True)
    for attacker, names in within_groups(view, everything, groups).items():
        marks.append(Mark(attacker, names, rate(names, truth, alone), by_labels=True))
    sets_only = [
        mark.rate
        for fits in (CONTENT["item jaccard"](view), stripped_decoys(view))
        if fits is not None
        for mark in _marked(view, "", fits, truth, groups)
    ]
    possible = ~(_shown(view.public) & ~_shown(view.known)[truth])
    return Results(truth, groups, possible, marks, max(sets_only, default=0.0))


def _shown(rows: Rows) -> np.ndarray:
    return np.bincount(rows.owner, minlength=len(rows.names)) > 0


def _label(one: object) -> str:
    return getattr(one, "__name__", "").replace("_", " ")


def _signals(view: View, groups: np.ndarray) -> dict[str, np.ndarray]:
    """Ask everybody who looks at rows; pseudonyms that are alike are looked at once."""
    attackers = {
        **CONTENT,
        **{_label(one): one for one in (row_likelihood, both_ways, common_shift)},
    }
    if view.monthly:  # how many rows a customer has says little about a month of it
        attackers = {name: one for name, one in attackers.items() if name != "row counts"}
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    reduced = replace(view, public=view.public.of(first))
    found = {name: one(reduced) for name, one in attackers.items()}
    signals = {name: fits[which] for name, fits in found.items() if fits is not None}
    shared = basket_sharing(view)
    return signals if shared is None else {**signals, "basket sharing": shared}


def _marked(
    view: View,
    attacker: str,
    fits: np.ndarray,
    truth: np.ndarray,
    groups: np.ndarray,
    *,
    by_labels: bool = False,
) -> list[Mark]:
    rng = np.random.default_rng(7)
    fits = fits + 1e-9 * np.abs(fits).max() * rng.random(fits.shape)  # ties
    ways = {"": fits.argmax(axis=1), ", one to one": assigned(view, fits)}
    return [
        Mark(attacker + way, names, rate(names, truth, groups), by_labels)
        for way, names in ways.items()
    ]


def _believed(view: View, fits: np.ndarray, content: np.ndarray) -> bool:
    fit = content[np.arange(len(content)), assigned(view, fits)]
    spread = fit.std() or 1.0
    return bool(fit.mean() / (spread / np.sqrt(len(fit))) > BELIEVED)
