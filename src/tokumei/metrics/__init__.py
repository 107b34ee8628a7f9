"""Metrics: what a release is still good for, and what it gives away."""

from tokumei.metrics.cells_changed import CellsChanged
from tokumei.metrics.item_count_error import ItemCountError
from tokumei.metrics.risk import Risk
from tokumei.metrics.rows_added import RowsAdded
from tokumei.metrics.rows_deleted import RowsDeleted

__all__ = ["CellsChanged", "ItemCountError", "Risk", "RowsAdded", "RowsDeleted"]
