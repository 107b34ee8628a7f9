"""Random deletion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from annotated_types import Interval
from typing_extensions import Doc

from tokumei.draws import uniform
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, anonymizer


@anonymizer("delete-rows", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class DeleteRows(Checked):
    r"""Delete purchases at random.

    Every row is deleted with probability :math:`p`, independent of all others. PWSCUP 2017 gave
    such a submission (:math:`p = 1/2`) to its participants as a sample.

    Limits: what is left is unchanged. Of k purchases that an attacker knows, at least one is left
    with probability :math:`1 - p^k`, and one is often enough.
    """

    share: Annotated[float, Interval(ge=0, lt=1), Doc("Share of the rows to delete.")] = 0.1

    def __call__(self, history: History, /, *, seed: int) -> History:
        def keep(rows: pl.DataFrame) -> pl.DataFrame:
            return rows.filter(uniform(seed, "delete-rows", rows[ROW].to_numpy()) >= self.share)

        return history.map_rows(keep)
