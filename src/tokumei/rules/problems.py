"""Every problem of a file, by row and column, in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from tokumei.errors import SubmissionError

Severity = Literal["failure", "warning"]
SCHEMA = {
    "row": pl.Int64,
    "column": pl.String,
    "rule": pl.String,
    "value": pl.String,
    "severity": pl.String,
}
LABELS = {"person": "pseudonym", "basket": "invoice", "clock": "time"}
"""How a contest calls the columns that have another name inside."""
LONGEST_VALUE = 60
"""Characters of a value that are shown."""
LISTED = 1_000
"""Problems that are listed one by one; all are counted."""


class Problems:
    """Collects problems while a file is checked."""

    def __init__(self, file: str, labels: Mapping[str, str] = LABELS) -> None:
        self.file = file
        self.labels = labels
        self.parts: list[pl.DataFrame] = []

    def breaks(
        self,
        rule: str,
        column: str,
        rows: pl.Series | Sequence[int],
        values: pl.Series | Sequence[str | None],
        severity: Severity = "failure",
    ) -> None:
        """Note that these rows (counted from 1) break a rule with these values."""
        if not len(rows):  # most rules are kept, and making a table takes time
            return
        part = pl.DataFrame({"row": rows, "value": values}).select(
            pl.col("row").cast(pl.Int64),
            pl.lit(self.labels.get(column, column)).alias("column"),
            pl.lit(rule).alias("rule"),
            _shown(pl.col("value").cast(pl.String)),
            pl.lit(severity).alias("severity"),
        )
        self.parts.append(part)

    def report(self) -> Report:
        """Return all problems in the order of the rows."""
        found = pl.concat([pl.DataFrame(schema=SCHEMA), *self.parts])
        return Report(self.file, found.sort("row", maintain_order=True))


def _shown(value: pl.Expr) -> pl.Expr:
    """Cut long values; what is not printable could steer a terminal."""
    plain = value.fill_null("").str.replace_all(r"[\p{C}]", "\N{REPLACEMENT CHARACTER}")
    long = plain.str.len_chars() > LONGEST_VALUE
    return pl.when(long).then(plain.str.slice(0, LONGEST_VALUE) + "…").otherwise(plain)


@dataclass(frozen=True)
class Broken:
    """One rule that is broken in one column: how often, and where first."""

    rule: str
    column: str
    severity: Severity
    count: int
    rows: tuple[int, ...]
    value: str


@dataclass(frozen=True, eq=False)
class Report:
    """What a check found; valid unless something is a failure."""

    file: str
    found: pl.DataFrame
    """row, column, rule, value, severity."""

    @property
    def valid(self) -> bool:
        """Whether nothing but warnings was found."""
        return not (self.found["severity"] == "failure").any()

    def summary(self) -> list[Broken]:
        """Return the broken rules, failures first, each with its number of places."""
        grouped = self.found.group_by("severity", "rule", "column", maintain_order=True).agg(
            pl.len().alias("count"), pl.col("row").head(5).alias("rows"), pl.col("value").first()
        )
        return [
            Broken(
                part["rule"],
                part["column"],
                part["severity"],
                part["count"],
                tuple(part["rows"]),
                part["value"],
            )
            for part in grouped.sort("severity", maintain_order=True).iter_rows(named=True)
        ]

    def require_valid(self) -> None:
        """Raise a SubmissionError if a rule is broken."""
        if not self.valid:
            raise SubmissionError(self.sentence(), self)

    def sentence(self) -> str:
        """Say in one sentence what is wrong first, and how much more."""
        failures = self.found.filter(severity="failure")
        if failures.is_empty():
            return f"{self.file} keeps the rules."
        first = failures.row(0, named=True)
        rest = len(failures) - 1
        more = f" There {'is 1 more problem' if rest == 1 else f'are {rest:,} more problems'}."
        value = f", not {first['value']!r}" if first["value"] else ""
        return (
            f"{self.file}: {first['rule']}{value} (row {first['row']:,}, column {first['column']})."
            f"{more if rest else ''}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: all counts, and the first problems one by one."""
        return {
            "file": self.file,
            "valid": self.valid,
            "count": len(self.found),
            "summary": [
                {
                    "rule": part.rule,
                    "column": part.column,
                    "severity": part.severity,
                    "count": part.count,
                    "rows": list(part.rows),
                    "value": part.value,
                }
                for part in self.summary()
            ],
            "problems": self.found.head(LISTED).to_dicts(),
        }
