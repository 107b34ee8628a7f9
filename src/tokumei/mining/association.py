"""Association rules from cross tabulations.

A record has one item for each of its columns: `column=value`. A rule says that records with some
items also have another one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tokumei.errors import MissingExtra, ParameterError, SchemaError, Unachievable

COUNT = "count"
RULES = pl.Schema(
    {
        "antecedent": pl.List(pl.String),
        "consequent": pl.String(),
        "support": pl.Float64(),
        "confidence": pl.Float64(),
    }
)
CATEGORICAL = (pl.String, pl.Enum, pl.Categorical)
TOTAL_BITS = 30
"""The miner counts in 32 bits with a sign, and overflows without a word."""


def cross_tabulation(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the combinations of values that occur in these columns, sorted, with their `count`."""
    if COUNT in columns:
        raise SchemaError(f"A column to tabulate may not be called '{COUNT}'.")
    if missing := [name for name in columns if name not in rows.columns]:
        have = ", ".join(rows.columns)
        raise SchemaError(f"There is no column '{missing[0]}' to tabulate; there are {have}.")
    return rows.group_by(*columns).agg(pl.len().alias(COUNT)).sort(*columns)


def mine(table: pl.DataFrame, *, support: float = 0.05, confidence: float = 0.05) -> pl.DataFrame:
    """Return the association rules of a cross tabulation, those of most support first.

    The table has categorical columns, one row for each combination of their values, and a column
    `count`. A null is a suppressed value: the record counts, but has no item there.

    The result has a row for each rule: `antecedent`, at least one `column=value` in the order of
    the columns; `consequent`, one `column=value`; `support`, the share of records that have all of
    them; `confidence`, the share of the records with the antecedent that have the consequent too.
    Equal support is ordered by falling confidence, then by the texts.

    Counts may be estimates with a fraction, but the miner takes whole numbers. All are multiplied
    by one power of two, which brings their total to about 2³⁰, and then rounded: whole counts (up
    to a billion records) stay in exact proportion, and an estimate moves by less than a billionth
    of the total.
    """
    try:
        import fim
    except ImportError as error:
        raise MissingExtra("The mining of association rules", "mining") from error
    for name, threshold in (("support", support), ("confidence", confidence)):
        if not 0 < threshold <= 1:
            raise ParameterError(f"{name} must lie in (0, 1], not {threshold!r}.")
    columns = _categorical_columns(table)
    multiplicities = _multiplicities(table[COUNT])
    records = table.select(columns).iter_rows()
    transactions = {
        tuple((place, value) for place, value in enumerate(record) if value is not None): times
        for record, times in zip(records, multiplicities, strict=True)
    }
    # pyfim 6.28 does not report items that every transaction has; one without items prevents it.
    transactions[()] = transactions.get((), 0) + 1
    total = sum(multiplicities)
    # It rounds percentages: it gets limits that are a little too low, and ours are applied below.
    # Without mode "o" it would take the antecedent's support for the rule's.
    least = max(1, math.floor(support * total))
    found = fim.arules(transactions, supp=-least, conf=0, zmin=2, report="ab", mode="o")

    def text(item: tuple[int, str]) -> str:
        place, value = item
        return f"{columns[place]}={value}"

    rules = (
        ([text(item) for item in sorted(left)], text(right), both / total, both / with_left)
        for right, left, both, with_left in found
    )
    kept = [rule for rule in rules if rule[2] >= support and rule[3] >= confidence]
    kept.sort(key=lambda rule: (-rule[2], -rule[3], rule[0], rule[1]))
    return pl.DataFrame(kept, schema=RULES, orient="row")


def _categorical_columns(table: pl.DataFrame) -> list[str]:
    if COUNT not in table.columns or not table[COUNT].dtype.is_numeric():
        raise SchemaError(f"A cross tabulation needs a column '{COUNT}' of numbers.")
    columns = [name for name in table.columns if name != COUNT]
    for name in columns:
        if not isinstance(table[name].dtype, CATEGORICAL):
            kind = table[name].dtype
            raise SchemaError(f"Rules are mined from columns of texts; {name} is of type {kind}.")
    combinations = table.select(columns)
    if columns and (twice := combinations.is_duplicated()).any():
        which = ", ".join(map(str, combinations.row(twice.arg_true()[0])))
        raise SchemaError(f"A cross tabulation has every combination once; ({which}) is repeated.")
    return columns


def _multiplicities(counts: pl.Series) -> list[int]:
    numbers = counts.to_list()
    for number in numbers:
        if number is None or not 0 <= number < math.inf:
            raise SchemaError(f"A {COUNT} must be a finite number of at least 0, not {number}.")
    # fsum is exact, so that the order of rows cannot matter.
    _, bits = math.frexp(math.fsum(numbers))
    return [round(math.ldexp(number, TOTAL_BITS - bits)) for number in numbers]


@dataclass(frozen=True)
class RuleAgreement:
    """How far the original's top rules are found again in another table."""

    compared: int
    """How many rules of the original were looked for."""
    extracted: float
    """Share of them that the other table has, at any rank."""
    in_place: float
    """Share of them that have the same rank in the other table."""
    support_error: float
    """Mean absolute difference of support over those found again; 1 where none is."""
    confidence_error: float
    """Mean absolute difference of confidence over those found again; 1 where none is."""


def compare(original: pl.DataFrame, other: pl.DataFrame, *, top: int = 10) -> RuleAgreement:
    """Look for the original's top rules among all rules of the other; both as `mine` returns them.

    Saito 2014 speaks of the rate of right order among the extracted rules, and gives 60% and 80%
    where 90% were extracted: these are shares of ten rules, not of nine. So a rule is in place
    where its rank in the other's whole list is that in the original's, and the share is taken of
    all rules that were looked for. If the original has fewer than `top`, all of its rules are.
    """
    if top < 1:
        raise ParameterError(f"top must be at least 1, not {top}.")
    if original.is_empty():
        raise Unachievable(
            "The original has no association rule; lower the support or the confidence."
        )
    wanted = original.with_row_index("rank").head(top)
    found = wanted.join(
        other.with_row_index("rank"),
        on=["antecedent", "consequent"],
        suffix="_other",
        maintain_order="left",
    )

    def mean_difference(name: str) -> float:
        differences = (found[name] - found[f"{name}_other"]).abs().to_list()
        return math.fsum(differences) / len(differences) if differences else 1.0

    return RuleAgreement(
        compared=len(wanted),
        extracted=len(found) / len(wanted),
        in_place=int((found["rank"] == found["rank_other"]).sum()) / len(wanted),
        support_error=mean_difference("support"),
        confidence_error=mean_difference("confidence"),
    )
