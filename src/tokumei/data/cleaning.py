"""Cleaning by named rules, each with a count of the rows that it dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tokumei.data.columns import LINE
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROLES, ROW

RULES: dict[str, tuple[tuple[str, ...], pl.Expr]] = {
    "no-customer": (("person",), pl.col("person").is_null()),
    "returns": (("quantity",), pl.col("quantity") <= 0),
    "free": (("price",), pl.col("price") <= 0),
    "unspecified-country": (("Country",), pl.col("Country") == "Unspecified"),
    "duplicates": ((), pl.struct(pl.exclude(LINE, ROW)).is_first_distinct().not_()),
}
"""Name of a rule → the columns it needs and the rows it drops."""


@dataclass(frozen=True, kw_only=True)
class Cleaning:
    """Which rows are left out when a history is read."""

    drop: tuple[str, ...] = ()
    first_customers: int | None = None
    """Keep the customers with the smallest ids only, so many."""

    def __post_init__(self) -> None:
        for rule in self.drop:
            if rule not in RULES:
                raise ParameterError(f"drop must be one of {', '.join(RULES)}, not '{rule}'.")
        if self.first_customers is not None and self.first_customers < 1:
            raise ParameterError(f"first_customers must be at least 1, not {self.first_customers}.")

    def followed_by(self, other: Cleaning | None) -> Cleaning:
        """Return these rules and after them the other's, each once."""
        if other is None:
            return self
        rules = tuple(dict.fromkeys((*self.drop, *other.drop)))
        return Cleaning(drop=rules, first_customers=other.first_customers or self.first_customers)

    @property
    def extra_columns(self) -> list[str]:
        """Columns without a role that the rules look at."""
        return [column for rule in self.drop for column in RULES[rule][0] if column not in ROLES]

    def __call__(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, Mapping[str, int]]:
        """Return the rows that stay, and how many each rule dropped."""
        dropped: dict[str, int] = {}
        for rule in self.drop:
            needed, unwanted = RULES[rule]
            if missing := [column for column in needed if column not in rows.columns]:
                raise SchemaError(f"To drop '{rule}', a column for {missing[0]} is needed.")
            kept = rows.filter(unwanted.not_().fill_null(value=True))
            dropped[rule] = len(rows) - len(kept)
            rows = kept
        if self.first_customers is not None:
            kept = rows.filter(_rank_of_person() <= self.first_customers)
            dropped[f"beyond the first {self.first_customers:,} customers"] = len(rows) - len(kept)
            rows = kept
        return rows, dropped


def rows_in_words(count: int) -> str:
    """Return `1 row` or `2,345 rows`."""
    return "1 row" if count == 1 else f"{count:,} rows"


def _rank_of_person() -> pl.Expr:
    number = pl.col("person").cast(pl.Int64, strict=False)
    return pl.struct(number, pl.col("person").alias("name")).rank("dense")


ONLINE_RETAIL = Cleaning(drop=("no-customer", "returns", "free"))
"""What the format itself leaves out; rules that a user names come after these."""
PWSCUP2016 = Cleaning(
    drop=("no-customer", "returns", "free", "unspecified-country"), first_customers=400
)
"""Rebuilds the table of PWSCUP 2016 from UCI Online Retail, row for row."""
