"""Groups of k customers with the same generalized rows."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from annotated_types import Ge, Gt, Interval
from typing_extensions import Doc

from tokumei.alignment.aligning import align
from tokumei.alignment.cells import Cells, cells_of, cheap_cells_of
from tokumei.alignment.mixing import mixed
from tokumei.alignment.rfm_groups import aligned_to_leader, profiles_of, rfm_groups
from tokumei.alignment.rows import NUMBERS, Rows, rows_of
from tokumei.alignment.search import by_row_count, search
from tokumei.alignment.telling import told_like_leaders
from tokumei.cells import intervals
from tokumei.errors import SchemaError, Unachievable
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.progress import track
from tokumei.registry import anonymizer
from tokumei.tables import table

log = logging.getLogger(__name__)

Ints = npt.NDArray[np.int64]
CELLS = ("time", "item", "price", "quantity")


@anonymizer("generalize", spark="blocks:generalize")
@dataclass(frozen=True, kw_only=True)
class Generalize(Checked):
    """Put customers into groups of at least k and release the same rows for all of a group.

    The rows of a group are aligned, one of each member; every aligned row becomes a date interval,
    a set of items, a price interval and a quantity interval that hold the values of all. Rows that
    find no partners are deleted. If pseudonyms and row order are random, nothing in the release
    tells the members of a group apart.

    The search minimizes the objective over groups and alignment together. For the information loss
    a cell is suppressed where that costs less than the interval. For RFM analysis, groups are
    made within the classes of R, F and M, and intervals are widened until their middles tell the
    ranks of the group's leader. The mixture weighs both.

    Limits: customers with many more rows than the others lose them, a sum is known only as an
    interval, and baskets, other columns and the customers table are left out. What all members of a
    group have in common is told of each of them.

    References
    ----------
    [kobayashi2019] Section 3. Differs: the paper sorts by the number of rows and does not say how
    rows are aligned; groupings rfm and search, assignment and suppression are ours.

    """

    k: Annotated[int, Ge(2), Doc("Smallest number of customers in a group.")] = 3
    grouping: Annotated[
        Literal["search", "rfm", "row-count"],
        Doc("How groups are chosen: by search, by similar R, F and M, or by the number of rows."),
    ] = "search"
    alignment: Annotated[
        Literal["assignment", "order"],
        Doc("Whether rows are aligned at the least cost, or the earliest ones in order of date."),
    ] = "assignment"
    objective: Annotated[
        Literal["information-loss", "rfm", "mixed", "none"],
        Doc("What groups and cells should preserve; none keeps every interval as it comes."),
    ] = "information-loss"
    weight: Annotated[
        float, Interval(ge=0, le=1), Doc("Weight of RFM agreement in the mixed objective.")
    ] = 0.5
    seconds: Annotated[float, Gt(0), Doc("Time that the search may take, nominally.")] = 60.0

    def __call__(self, history: History, /, *, seed: int) -> History:
        return self.released(history, seed=seed)

    @property
    def needs_rfm(self) -> bool:
        """Whether groups or cells depend on the ranks of R, F and M among all customers."""
        told = self.objective in ("rfm", "mixed") and self.grouping != "row-count"
        return self.grouping == "rfm" or told

    def columns(self, history: History) -> list[str]:
        """Return the columns that become intervals and sets."""
        found = [name for name in CELLS if name in history.visible]
        if not found:
            raise SchemaError("To generalize, the history needs a time, item, price or quantity.")
        history.require(*found, to="generalize rows")
        return found

    def released(
        self, history: History, *, seed: int, spreads: Mapping[str, float] | None = None
    ) -> History:
        """Generalize a history, or a block of one whose columns have these standard deviations."""
        needed = self.columns(history)
        rows, persons, ids = rows_of(history)
        if spreads is not None:
            known = np.array([spreads.get(name) or np.inf for name in NUMBERS])
            rows = replace(rows, spread=known)
        if rows.people < self.k:
            raise Unachievable(
                f"Groups of {self.k} need as many customers; there are {rows.people:,}."
            )
        tuples, cells = self._made(history, rows, persons, ids, seed)
        note_losses(history)
        return _released(history, needed, ids, tuples, cells)

    def _made(
        self, history: History, rows: Rows, persons: pl.Series, ids: pl.Series, seed: int
    ) -> tuple[list[Ints], Cells]:
        """Return the tuples of all groups, and their cells."""
        if self.grouping == "row-count":
            # As they appear in the original, which is how the paper's program seems to sort.
            first = ids.gather(rows.start[:-1]).to_numpy()
            tuples = list(by_row_count(rows, self.k, how=self.alignment, ties=first).tuples)
        elif self.grouping == "search" and self.objective in ("information-loss", "none"):
            tuples = list(search(rows, self.k, seconds=self.seconds, seed=seed).tuples)
        else:
            return self._by_rfm(history, rows, persons, seed)
        return tuples, self._cells(rows, tuples)

    def _cells(self, rows: Rows, tuples: list[Ints]) -> Cells:
        made = cheap_cells_of if self.objective == "information-loss" else cells_of
        return made(rows, tuples)

    def _aligned(self, rows: Rows, groups: list[Ints]) -> list[Ints]:
        steps = track(groups, len(groups), "aligning groups")
        return [align(rows, group, how=self.alignment)[0] for group in steps]

    def _by_rfm(
        self, history: History, rows: Rows, persons: pl.Series, seed: int
    ) -> tuple[list[Ints], Cells]:
        """Return groups of customers with like R, F and M."""
        history.require("time", "price", "quantity", to="analyze recency, frequency and spend")
        profiles = profiles_of(history, persons)
        if self.grouping == "search" and self.objective == "mixed" and self.weight < 1:
            return mixed(
                rows, profiles, self.k, weight=self.weight, seconds=self.seconds, seed=seed
            )
        groups = rfm_groups(rows, profiles, self.k)
        if self.objective in ("information-loss", "none"):
            tuples = self._aligned(rows, groups)
            return tuples, self._cells(rows, tuples)
        told = told_like_leaders(
            rows, groups, [aligned_to_leader(rows, group) for group in groups], profiles
        )
        return told.tuples, cells_of(rows, told.tuples, ends=told.ends)


def _released(
    history: History, names: list[str], ids: pl.Series, tuples: list[Ints], cells: Cells
) -> History:
    """Write the cells of each tuple into the rows that it aligns; other rows are deleted."""
    number = np.repeat(
        np.arange(len(cells.items)), np.concatenate([np.full(len(t), t.shape[1]) for t in tuples])
    )
    row = ids.gather(np.concatenate([part.ravel() for part in tuples]))
    original = history.frame()
    known = original["item"].unique().sort() if "item" in names else pl.Series([], dtype=pl.String)
    columns = {
        name: _column(name, cells, original.schema[name], known).gather(number) for name in names
    }
    written = pl.DataFrame({ROW: row, **columns})
    kept = original.select(ROW, "person").join(written, on=ROW, maintain_order="left")
    return History(table(kept.select("person", *names, ROW)), source=history.source)


def schema_after(names: list[str], schema: Mapping[str, pl.DataType]) -> pl.Schema:
    """Return the columns of a generalized history, in their order."""
    wide = {
        name: pl.List(schema[name])
        if name == "item"
        else pl.Struct({"lo": schema[name], "hi": schema[name]})
        for name in names
    }
    return pl.Schema({"person": pl.String(), **wide, ROW: pl.Int64()})


def _column(name: str, cells: Cells, dtype: pl.DataType, known: pl.Series) -> pl.Series:
    """Return one cell for each tuple, suppressed where it must be."""
    gone = pl.Series("_gone", cells.suppressed[:, CELLS.index(name)])
    if name == "item":
        names = known.to_list()
        values = pl.Series(name, [[names[code] for code in items] for items in cells.items])
    else:
        ends = getattr(cells.ends, "day" if name == "time" else name)
        low, high = (_typed(ends[:, end], dtype, last=bool(end)) for end in (0, 1))
        values = intervals(low.alias(name), high)
    kept = pl.DataFrame([values.alias(name), gone]).select(pl.when(~pl.col("_gone")).then(name))
    return kept.to_series()


def _typed(values: Ints, dtype: pl.DataType, *, last: bool) -> pl.Series:
    """Return days, hundredths or pieces in the type of their column; a day ends at its end."""
    if dtype == pl.Date:
        return pl.Series(values).cast(pl.Int32).cast(pl.Date)
    if dtype.is_temporal():
        days = pl.Series(values + last).cast(pl.Int32).cast(pl.Date).cast(pl.Datetime("us"))
        return days - timedelta(microseconds=1) if last else days
    if dtype.is_float():
        return (pl.Series(values) / 100).round(2)
    return pl.Series(values)


def note_losses(history: History) -> None:
    """Say what would tell the members of a group apart and is therefore left out."""
    others = [name for name in history.visible if name not in ("person", *CELLS)]
    if others:
        log.info("columns that are not generalized are left out: %s", ", ".join(others))
    if history.customers is not None:
        log.info("the customers table would tell members of a group apart and is left out")
