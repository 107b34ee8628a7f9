"""No change but the pseudonyms that publishing draws."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.history import History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, anonymizer


@anonymizer("pseudonyms-only", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class PseudonymsOnly(Checked):
    """Leave every purchase as it is; names become pseudonyms when the release is published.

    What most shops call anonymous. The purchases are a fingerprint: it protects nobody whose
    purchases an attacker knows, and is here as the reference that other methods are measured by.
    """

    def __call__(self, history: History, /, *, seed: int) -> History:
        return history
