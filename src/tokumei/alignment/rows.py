"""Purchases as arrays: the form in which groups of customers are aligned."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.cells import deviation, units
from tokumei.errors import SchemaError
from tokumei.history import ROW, History

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CELLS = ("time", "item", "price", "quantity")
NUMBERS = ("time", "price", "quantity")


@dataclass(frozen=True, eq=False)
class Rows:
    """The purchases, customer by customer, and what their cells weigh.

    A weight of 0 leaves a column out; a spread that is infinite makes its intervals cost nothing.
    """

    start: Ints
    """The rows of person p are start[p] .. start[p + 1] - 1."""
    day: Ints
    item: Ints
    price: Ints
    """In hundredths."""
    quantity: Ints
    spread: Floats
    """Standard deviations of day, price, quantity; infinite where all values are equal."""
    weight: Floats
    """Of the cells date, item, price, quantity in the objective."""
    label: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """What the members of a group should have in common, for every person; or nothing."""
    penalty: float = 0.0
    """What it costs, in cells, to be in a group whose commonest label is another."""

    @property
    def people(self) -> int:
        """The number of customers."""
        return len(self.start) - 1

    @property
    def sizes(self) -> Ints:
        """The number of rows of every customer."""
        return np.diff(self.start)

    def of(self, people: Ints) -> tuple[Rows, Ints]:
        """Return the rows of some people, and the numbers that these rows have here."""
        sizes = self.sizes[people]
        start = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.arange(start[-1]) + np.repeat(self.start[people] - start[:-1], sizes)
        part = replace(
            self,
            start=start,
            day=self.day[rows],
            item=self.item[rows],
            price=self.price[rows],
            quantity=self.quantity[rows],
            label=self.label[people] if len(self.label) else self.label,
        )
        return part, rows


def rows_of(history: History) -> tuple[Rows, pl.Series, pl.Series]:
    """Return the purchases as arrays, the customers in their order, and the row ids in theirs.

    Customers are sorted by name and their rows by id, so the order of the history does not matter.
    Customers without purchases are left out; a column that is missing has the weight 0.
    """
    present = [name for name in CELLS if name in history.visible]
    history.require(*present, to="align rows")
    frame = history.frame().select("person", ROW, *present).sort("person", ROW)
    for name in present:
        if frame[name].null_count():
            raise SchemaError(f"To align rows, every {name} must be exact; some are suppressed.")
    persons = frame["person"].unique(maintain_order=True)
    counts = frame["person"].rle().struct.field("len").to_numpy()
    zeros = np.zeros(len(frame), dtype=np.int64)
    numbers = {name: _units(frame[name]) if name in present else zeros for name in NUMBERS}
    spreads = [deviation(frame[name]) if name in present else 0.0 for name in NUMBERS]
    item = zeros
    if "item" in present:
        item = frame["item"].rank("dense").to_numpy().astype(np.int64) - 1
    rows = Rows(
        start=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        day=numbers["time"],
        item=item,
        price=numbers["price"],
        quantity=numbers["quantity"],
        spread=np.array([sd or np.inf for sd in spreads]),
        weight=np.array([float(name in present) for name in CELLS]),
    )
    return rows, persons, frame[ROW]


def _units(values: pl.Series) -> Ints:
    return units(values).to_numpy().astype(np.int64)
