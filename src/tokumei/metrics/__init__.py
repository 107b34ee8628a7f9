"""Metrics: what a release is still good for, and what it gives away."""

from tokumei.metrics.cells_changed import CellsChanged
from tokumei.metrics.decoy_violations import DecoyViolations
from tokumei.metrics.indistinguishable import Indistinguishable
from tokumei.metrics.item_count_error import ItemCountError
from tokumei.metrics.not_a_subset import NotASubset
from tokumei.metrics.rfm_cell_shares import RfmCellShares
from tokumei.metrics.risk import Risk
from tokumei.metrics.rows_added import RowsAdded
from tokumei.metrics.rows_deleted import RowsDeleted
from tokumei.metrics.spend_by_segment import SpendByDecadeAndCountry, SpendBySexAndCountry
from tokumei.metrics.top_items_missing import TopItemsMissing

__all__ = [
    "CellsChanged",
    "DecoyViolations",
    "Indistinguishable",
    "ItemCountError",
    "NotASubset",
    "RfmCellShares",
    "Risk",
    "RowsAdded",
    "RowsDeleted",
    "SpendByDecadeAndCountry",
    "SpendBySexAndCountry",
    "TopItemsMissing",
]
