"""Dates moved by a few days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import narwhals as nw
import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.draws import integers, keys_of
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import AS_IT_IS, anonymizer
from tokumei.tables import small


@anonymizer("shift-dates", spark=AS_IT_IS)
@dataclass(frozen=True, kw_only=True)
class ShiftDates(Checked):
    """Move dates by a random number of days.

    All purchases of a customer move together (the days between them stay), or every purchase by
    itself. A date that would leave the period of the data stops at its first or last day. The time
    of day is cut off, unless it is to be kept: a move by whole days leaves it as it was, and the
    minutes at which customers buy name nearly all of them.

    A date d becomes :math:`d + s` with s uniform in -`days`, ..., `days`.

    Limits: items and amounts stay. Dates that move together keep their distances, by which the
    attack time-profile finds them again; kept times are found again by the attack time-of-day.
    """

    days: Annotated[int, Ge(0), Doc("Largest number of days to move by.")] = 7
    together: Annotated[
        Literal["customer", "row"], Doc("Whether a customer's dates move together or one by one.")
    ] = "customer"
    keep_times: Annotated[bool, Doc("Whether to keep the time of day.")] = False

    def __call__(self, history: History, /, *, seed: int) -> History:
        history.require("time", to="shift dates")
        day = nw.col("time").cast(nw.Date)
        first, last = small(history.purchases.select(first=day.min(), last=day.max())).row(0)

        def shift(rows: pl.DataFrame) -> pl.DataFrame:
            day = pl.col("time").dt.date()
            move = pl.duration(days=pl.lit(self._moves(rows, seed)))
            time = pl.col("time") if self.keep_times else pl.col("time").dt.truncate("1d")
            return rows.with_columns(time=time + ((day + move).clip(first, last) - day))

        return history.map_rows(shift)

    def _moves(self, rows: pl.DataFrame, seed: int) -> pl.Series:
        if self.together == "row":
            keys = rows[ROW].to_numpy()
            return pl.Series(integers(seed, "shift-dates", keys, -self.days, self.days))
        persons = rows["person"].unique()
        moves = integers(seed, "shift-dates", keys_of(persons), -self.days, self.days)
        if rows.is_empty():  # where there is nothing to replace, polars does not tell the type
            return pl.Series([], dtype=pl.Int64)
        return rows["person"].replace_strict(persons, pl.Series(moves), return_dtype=pl.Int64)
