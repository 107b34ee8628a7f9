"""The attacker who holds the whole original."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.contracts import Answer, Challenge, Release
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, threat
from tokumei.threats.asking import who_is_who


@threat("full-knowledge", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class FullKnowledge(Checked):
    """The attacker knows every purchase of every customer, by name.

    The worst case that PWSCUP 2016 and 2018 played: who knows less can, in principle, do no more.
    A single attack may find more with less knowledge, so an audit tries every kind.

    Limits: it asks for names. What all customers of a group have in common is told without naming
    anybody, and what an attacker knows besides the data is not in it.
    """

    def __call__(
        self, history: History, release: Release, /, *, seed: int
    ) -> tuple[Challenge, Answer]:
        assumes = "The attacker knows every purchase of every customer."
        return who_is_who(history, release, history, assumes)
