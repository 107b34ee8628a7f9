"""Metrics: what a release is still good for, and what it gives away."""

from tokumei.metrics.association_rules import AssociationRules
from tokumei.metrics.cells_changed import CellsChanged
from tokumei.metrics.cross_tabulation import CrossTabulation
from tokumei.metrics.date_error import DateError
from tokumei.metrics.decoy_violations import DecoyViolations
from tokumei.metrics.identical_groups import IdenticalGroups
from tokumei.metrics.indistinguishable import Indistinguishable
from tokumei.metrics.information_loss import InformationLoss
from tokumei.metrics.item_count_error import ItemCountError
from tokumei.metrics.item_similarity import ItemSimilarity
from tokumei.metrics.not_a_subset import NotASubset
from tokumei.metrics.pk_anonymity import PkAnonymity
from tokumei.metrics.price_error import PriceError
from tokumei.metrics.rfm_agreement import RfmAgreement
from tokumei.metrics.rfm_cell_shares import RfmCellShares
from tokumei.metrics.risk import Risk
from tokumei.metrics.rows_added import RowsAdded
from tokumei.metrics.rows_deleted import RowsDeleted
from tokumei.metrics.spend_by_segment import SpendByDecadeAndCountry, SpendBySexAndCountry
from tokumei.metrics.top_items import TopItemsList, TopItemsSimilarity
from tokumei.metrics.top_items_missing import TopItemsMissing
from tokumei.metrics.uncovered_cells import UncoveredCells

__all__ = [
    "AssociationRules",
    "CellsChanged",
    "CrossTabulation",
    "DateError",
    "DecoyViolations",
    "IdenticalGroups",
    "Indistinguishable",
    "InformationLoss",
    "ItemCountError",
    "ItemSimilarity",
    "NotASubset",
    "PkAnonymity",
    "PriceError",
    "RfmAgreement",
    "RfmCellShares",
    "Risk",
    "RowsAdded",
    "RowsDeleted",
    "SpendByDecadeAndCountry",
    "SpendBySexAndCountry",
    "TopItemsList",
    "TopItemsMissing",
    "TopItemsSimilarity",
    "UncoveredCells",
]
