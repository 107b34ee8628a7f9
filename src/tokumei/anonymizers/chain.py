"""Several anonymizers, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typing_extensions import Doc

from tokumei.contracts import Anonymizer
from tokumei.draws import derive
from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, anonymizer


@anonymizer("chain", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class Chain(Checked):
    """Apply several anonymizers, one after the other.

    Every step draws from a seed of its own, so that the same method twice does not repeat itself.

    Limits: a later step can break what an earlier one promised, as deleting rows breaks groups that
    were alike. Score the finished release.
    """

    steps: Annotated[tuple[Anonymizer, ...], Doc("The anonymizers, first to last.")] = ()

    def __call__(self, history: History, /, *, seed: int) -> History:
        for number, step in enumerate(self.steps):
            history = step(history, seed=derive(seed, f"chain/{number}"))
        return history
