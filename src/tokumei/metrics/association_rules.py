"""Whether the same association rules can be mined from the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from annotated_types import Ge, Interval
from typing_extensions import Doc

from tokumei.attributes import Columns, WhichTable, column_names, records
from tokumei.contracts import Release, Score
from tokumei.history import History
from tokumei.mining import compare, cross_tabulation, mine
from tokumei.parameters import Checked
from tokumei.registry import metric


@metric("association-rules")
@dataclass(frozen=True, kw_only=True)
class AssociationRules(Checked):
    """How well the original's association rules of most support are found again in the release.

    A rule says that records with some values also have another one, as in sex=f, country=Japan →
    item=tea. Its support is the share of records that have all these values; its confidence is the
    share of the records with the left side that have the right side too. Rules of equal support are
    ordered by confidence, then by their texts.

    The release is mined as it is, with the same thresholds, and a rule may have any rank there. A
    suppressed cell has no value. Needs tokumei[mining].

    Limits: rules below the least support, which are those about few people, are not looked at.

    References
    ----------
    [saito2014] Section 4.2. Differs: the paper mines a reconstructed cross tabulation, and does not
    say whether the left side of a rule may be empty; here it may not.

    """

    columns: Columns
    table: WhichTable = "purchases"
    support: Annotated[float, Interval(gt=0, le=1), Doc("Least support of a rule.")] = 0.05
    confidence: Annotated[float, Interval(gt=0, le=1), Doc("Least confidence of a rule.")] = 0.05
    top: Annotated[int, Ge(1), Doc("How many rules of the original are looked for.")] = 10
    measure: Annotated[
        Literal["extracted", "in-place", "support-error", "confidence-error"],
        Doc(
            "Share of the rules found, share found at the same rank, or mean difference of support "
            "or confidence over those found."
        ),
    ] = "extracted"

    def __post_init__(self) -> None:
        super().__post_init__()
        column_names(self.columns, least=2)

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        before, after = (
            mine(self._tabulated(part), support=self.support, confidence=self.confidence)
            for part in (history, release.public)
        )
        agreement = compare(before, after, top=self.top)
        value = getattr(agreement, self.measure.replace("-", "_"))
        better: Literal["higher", "lower"] = "lower" if "error" in self.measure else "higher"
        name = "association-rules"
        if self.measure != "extracted":
            name = f"{name}-{self.measure}"
        return Score(name, value, better, (0.0, 1.0), agreement.compared)

    def _tabulated(self, of: History) -> pl.DataFrame:
        names = column_names(self.columns, least=2)
        rows = records(of, self.table, names, to="mine rules")
        return cross_tabulation(rows.with_columns(pl.col(names).cast(pl.String)), names)
