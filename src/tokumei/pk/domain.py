"""Categorical attributes and their ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.data.columns import has_texts
from tokumei.errors import ParameterError, SchemaError, Unachievable, place

Codes = npt.NDArray[np.int32]
"""One line for each attribute: the places of its values in the range."""


@dataclass(frozen=True)
class Domain:
    """Attributes in a fixed order, each with the values that it can have, in order."""

    names: tuple[str, ...]
    ranges: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.names:
            raise ParameterError("A domain needs at least one attribute.")
        if len(set(self.names)) < len(self.names):
            raise ParameterError(f"The attributes must differ; there are {', '.join(self.names)}.")
        for name, values in zip(self.names, self.ranges, strict=True):
            if len(set(values)) < len(values):
                twice = next(value for value in values if values.count(value) > 1)
                raise ParameterError(f"The range of {name} names '{twice}' twice.")
            if len(values) < 2:
                raise ParameterError(
                    f"An attribute needs at least 2 values to be perturbed; {name} has "
                    f"{', '.join(map(repr, values)) or 'none'}."
                )

    @classmethod
    def of(cls, ranges: Mapping[str, Sequence[str]]) -> Domain:
        """Make a domain from attribute → values.

        >>> Domain.of({"sex": ["male", "female"], "licence": ["none", "moped", "car"]}).shape
        (2, 3)
        """
        return cls(tuple(ranges), tuple(tuple(values) for values in ranges.values()))

    @classmethod
    def found_in(cls, rows: pl.DataFrame, names: Sequence[str]) -> Domain:
        """Take the values that occur, in rising order; an Enum column has its own range.

        Which values occur is itself a fact about the people in the table: whoever publishes what
        was drawn from such ranges should know.
        """
        _require(rows, names)
        return cls.of({name: _values(rows[name]) for name in names})

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return tuple(map(len, self.ranges))

    @property
    def cells(self) -> int:
        """The number of combinations, possible or not."""
        return math.prod(self.shape)

    def encode(self, rows: pl.DataFrame, *, first_row: int = 1) -> Codes:
        """Return the codes of all records; a value outside its range is an error with its row."""
        _require(rows, self.names)
        codes = np.empty((len(self.names), len(rows)), dtype=np.int32)
        for line, name, values in zip(codes, self.names, self.ranges, strict=True):
            found = _as_enum(rows[name], values)
            if found.null_count():
                wrong = found.is_null().arg_true()
                value = rows[name][wrong[0]]
                shown = "is empty" if value is None else f"has '{value}', which is outside"
                raise SchemaError(
                    f"Every {name} must lie in its range of {len(values)} values; "
                    f"{place((wrong + first_row).to_list(), name)} {shown}."
                )
            line[:] = found.to_physical().to_numpy()
        return codes

    def decode(self, codes: Codes, schema: Mapping[str, pl.DataType] | None = None) -> pl.DataFrame:
        """Return records as a table of Enums, or of the types that the table had."""
        columns = []
        for name, values, line in zip(self.names, self.ranges, codes, strict=True):
            column = pl.Series(name, values, dtype=pl.Enum(values))
            if schema is not None and schema[name] != column.dtype:
                column = _typed(column.cast(pl.String), schema[name])
            columns.append(column.gather(line))
        return pl.DataFrame(columns)


def check_cells(cells: int, most: int) -> None:
    """Refuse more combinations than can be counted."""
    if cells > most:
        raise Unachievable(
            f"The attributes may have at most {most:,} combinations to be counted together, not "
            f"{cells:,}; take fewer attributes, or classes of values."
        )


def _require(rows: pl.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name not in rows.columns:
            have = ", ".join(rows.columns)
            raise SchemaError(f"The table needs a column {name}; it has {have}.")
        if rows[name].dtype.is_nested():
            raise SchemaError(f"Every {name} must be exact; some are generalized.")
        if not has_texts(rows[name].dtype):
            raise SchemaError(f"Every {name} must be a text or a number, not {rows[name].dtype}.")


def _values(column: pl.Series) -> list[str]:
    if isinstance(column.dtype, pl.Enum):
        return column.dtype.categories.to_list()
    present = column.drop_nulls()
    if isinstance(column.dtype, pl.Categorical):
        present = present.cast(pl.String)
    return present.unique().sort().cast(pl.String).to_list()


def _typed(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    if isinstance(dtype, pl.Date | pl.Datetime | pl.Time):
        return texts.str.strptime(dtype)
    return texts.cast(dtype)


def _as_enum(column: pl.Series, values: Sequence[str]) -> pl.Series:
    wanted = pl.Enum(values)
    if column.dtype == wanted:
        return column
    texts = column if column.dtype == pl.String else column.cast(pl.String)
    return texts.cast(wanted, strict=False)
