"""Random generalization, the sample of PWSCUP 2018."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl
from annotated_types import Ge, Interval
from typing_extensions import Doc

from tokumei.cells import intervals
from tokumei.draws import Floats, integers, uniform
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import anonymizer

Keys = npt.NDArray[np.int64]
CELLS = ("time", "item", "price", "quantity")


@anonymizer("generalize-at-random")
@dataclass(frozen=True, kw_only=True)
class GeneralizeAtRandom(Checked):
    """Widen cells at random to intervals and sets, and suppress some.

    Every cell by itself is suppressed, widened or left, by the given shares. A date, price or
    quantity becomes an interval around it, an item a set with other items. The true value lies in
    every cell. Like the sample of PWSCUP 2018, it is a starting point, not a protection. A time of
    day is cut off, unless it is to be kept: every time, widened or not, becomes whole days.

    A date d becomes :math:`d - a` to :math:`d + b` with a and b uniform in 0, ..., `days`; an
    amount x becomes :math:`x (1 - a)` to :math:`x (1 + b)` with a and b uniform in 0 to `amounts`.

    Limits: every cell hides by itself. All cells of a customer together mostly fit one customer
    only.
    """

    share: Annotated[float, Interval(ge=0, le=1), Doc("Share of the cells to widen.")] = 0.5
    suppress: Annotated[float, Interval(ge=0, le=1), Doc("Share of the cells to suppress.")] = 0.1
    days: Annotated[int, Ge(0), Doc("Most days that a date is widened to either side.")] = 30
    amounts: Annotated[
        float, Interval(ge=0, lt=1), Doc("Largest relative widening of a price or quantity.")
    ] = 0.5
    items: Annotated[int, Ge(1), Doc("Most items that a set has.")] = 4
    keep_times: Annotated[bool, Doc("Whether to keep the time of day.")] = False

    def __call__(self, history: History, /, *, seed: int) -> History:
        names = [name for name in CELLS if name in history.visible]
        if not names:
            raise SchemaError("To generalize, the history needs a time, item, price or quantity.")
        history.require(*names, to="generalize cells")
        whole = history.frame()

        def widen(rows: pl.DataFrame) -> pl.DataFrame:
            keys = rows[ROW].to_numpy()
            for name in names:
                fate = uniform(seed, f"generalize/{name}/fate", keys)
                gone = pl.Series("_gone", fate < self.suppress)
                wide = pl.Series((fate >= self.suppress) & (fate < self.suppress + self.share))
                if name == "item":
                    cells = self._sets(rows[name], whole[name].unique().sort(), wide, keys, seed)
                else:
                    low, high = (
                        uniform(seed, f"generalize/{name}/{end}", keys) * wide.to_numpy()
                        for end in ("lo", "hi")
                    )
                    cells = self._intervals(rows[name], low, high, whole[name])
                kept = pl.DataFrame([cells, gone]).select(pl.when(~pl.col("_gone")).then(name))
                rows = rows.with_columns(kept)
            return rows

        return history.map_rows(widen)

    def _intervals(
        self, values: pl.Series, low: Floats, high: Floats, whole: pl.Series
    ) -> pl.Series:
        """Return intervals around the values, within what the whole column can hold."""
        if values.dtype.is_temporal():
            first, last = (pl.lit(end) for end in (whole.min(), whole.max()))
            back, on = (
                pl.Series(np.floor(part * (self.days + 1))).cast(pl.Int64) for part in (low, high)
            )
            ends = pl.DataFrame({"x": values, "back": back, "on": on}).select(
                lo=(pl.col("x") - pl.duration(days="back")).clip(lower_bound=first),
                hi=(pl.col("x") + pl.duration(days="on")).clip(upper_bound=last),
            )
            if not self.keep_times and values.dtype != pl.Date:
                day = pl.col("lo", "hi").dt.truncate("1d")
                ends = ends.with_columns(day).with_columns(
                    pl.col("hi").dt.offset_by("1d") - pl.duration(microseconds=1)
                )
        else:
            x = pl.col("x")
            less, more = (
                x * (1 - self.amounts * pl.col("low")),
                x * (1 + self.amounts * pl.col("high")),
            )
            digits = 0 if values.dtype.is_integer() else 2
            # Rounding must not move an end past the value, nor below the smallest amount.
            least = 10.0**-digits
            ends = pl.DataFrame({"x": values, "low": low, "high": high}).select(
                lo=pl.min_horizontal(less.round(digits).clip(lower_bound=least), x),
                hi=pl.max_horizontal(more.round(digits), x),
            ).cast(values.dtype)  # fmt: skip
        return intervals(ends["lo"], ends["hi"]).alias(values.name)

    def _sets(
        self, values: pl.Series, known: pl.Series, wide: pl.Series, keys: Keys, seed: int
    ) -> pl.Series:
        """Return sets of the value and others, drawn with repetition: some sets stay smaller."""
        size = pl.Series(integers(seed, "generalize/item/size", keys, 1, self.items))
        members = [values.alias("0")]
        for number in range(1, self.items):
            drawn = integers(seed, f"generalize/item/{number}", keys, 0, len(known) - 1)
            others = known.gather(drawn).set(~wide | (size <= number), None)
            members.append(others.alias(str(number)))
        sets = pl.DataFrame(members).select(pl.concat_list(pl.all()).list.drop_nulls())
        return sets.select(pl.first().list.unique().list.sort().alias(values.name)).to_series()
