"""What a game counts: the costs of changed cells, deleted rows and groups, for any history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.equalizing.kernels import Data
from tokumei.errors import ParameterError
from tokumei.history import ROW, History

Ints = npt.NDArray[np.int64]
UNIT = 1_000
"""A deleted row in whole units; the assignments count in whole numbers."""


@dataclass(frozen=True)
class Weights:
    """How a game adds up: deleted rows / rows + weighted changed cells / cells + groups / n."""

    cells: Mapping[str, float]
    """The weight of a changed cell, for each column; they are taken relative to their sum."""
    safety: float = 1.0

    def __post_init__(self) -> None:
        if not self.cells or min(self.cells.values()) < 0 or sum(self.cells.values()) <= 0:
            raise ParameterError(
                f"The weights of cells must be at least 0 and not all 0, not {dict(self.cells)}."
            )
        if self.safety < 0:
            raise ParameterError(f"The weight of safety must be at least 0, not {self.safety}.")


SIMPLIFIED = Weights({"time": 1, "item": 1})
"""The game of Hamada's article."""


@dataclass(frozen=True, eq=False)
class Game:
    """A history as codes, with the costs of a game."""

    data: Data
    persons: pl.Series
    ids: pl.Series
    """The row ids in the order of the codes."""
    weights: Weights
    people: int
    """How many customers safety is a share of."""
    rows: int

    def total(self, cost: int) -> float:
        """Return a cost in units as a share, as the game's total is."""
        return cost / (UNIT * self.rows)


def game_of(history: History, weights: Weights, *, people: int | None = None) -> Game:
    """Turn a history into codes; customers are sorted by name and their rows by id."""
    names = list(weights.cells)
    history.require(*names, to="make customers identical")
    frame = history.frame().sort("person", ROW)
    persons = frame["person"].unique(maintain_order=True)
    counts = frame["person"].rle().struct.field("len").to_numpy()
    people = people or len(persons)
    shares = np.array([weights.cells[name] for name in names]) / sum(weights.cells.values())
    data = Data(
        start=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        cells=np.stack([codes(frame[name]) for name in names]),
        change=np.rint(UNIT * shares).astype(np.int64),
        deletion=UNIT,
        group=round(UNIT * weights.safety * len(frame) / people),
    )
    return Game(data, persons, frame[ROW], weights, people, len(frame))


def codes(values: pl.Series) -> npt.NDArray[np.int32]:
    """Return a small number for every value; times count by their day."""
    if values.dtype.is_temporal():
        values = values.cast(pl.Date)
    return values.rank("dense").to_numpy().astype(np.int32)
