"""Noise on prices and quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from annotated_types import Interval
from typing_extensions import Doc

from tokumei.draws import uniform
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, anonymizer


@anonymizer("perturb-amounts", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class PerturbAmounts(Checked):
    r"""Multiply prices and quantities by random factors.

    Every price becomes :math:`p (1 + e)` with :math:`e` uniform in :math:`\pm` `price`, rounded to
    hundredths and at least 0.01; every quantity likewise, rounded to whole numbers and at least 1.

    Limits: items and dates stay, and whoever compares these finds everybody; in the sum of many
    rows the factors nearly cancel. What rounding undoes does not change: a quantity stays where its
    largest change is below one half, so at 0.1 all quantities of 4 or less are as they were.
    """

    price: Annotated[float, Interval(ge=0, lt=1), Doc("Largest relative change of a price.")] = 0.1
    quantity: Annotated[
        float, Interval(ge=0, lt=1), Doc("Largest relative change of a quantity.")
    ] = 0.1

    def __call__(self, history: History, /, *, seed: int) -> History:
        amounts = [name for name in ("price", "quantity") if name in history.visible]
        if not amounts:
            raise SchemaError("To perturb amounts, the history needs a price or a quantity column.")
        history.require(*amounts, to="perturb amounts")

        def perturb(rows: pl.DataFrame) -> pl.DataFrame:
            for name in amounts:
                spread = getattr(self, name)
                draw = uniform(seed, f"perturb-amounts/{name}", rows[ROW].to_numpy())
                changed = rows[name] * pl.Series(1 + spread * (2 * draw - 1))
                if name == "price":
                    rounded = changed.round(2).clip(lower_bound=0.01)
                else:
                    rounded = changed.round().clip(lower_bound=1).cast(pl.Int64)
                rows = rows.with_columns(rounded.alias(name))
            return rows

        return history.map_rows(perturb)
