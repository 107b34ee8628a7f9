"""Attacks: ways to name the people behind a release."""

from tokumei.attacks.basket_sizes import BasketSizes
from tokumei.attacks.candidate_intersection import CandidateIntersection
from tokumei.attacks.cell_values import CellValues
from tokumei.attacks.customer_attributes import CustomerAttributes
from tokumei.attacks.decoy_odds import DecoyOdds
from tokumei.attacks.ensemble import Ensemble
from tokumei.attacks.exact_row import ExactRow
from tokumei.attacks.fuzzy_rows import FuzzyRows
from tokumei.attacks.item_intersection import ItemIntersection
from tokumei.attacks.jaccard import Jaccard
from tokumei.attacks.key_matching import KeyMatching
from tokumei.attacks.multiset_jaccard import MultisetJaccard
from tokumei.attacks.published_order import PublishedOrder
from tokumei.attacks.random import Random
from tokumei.attacks.rfm_profile import RfmProfile
from tokumei.attacks.row_count import RowCount
from tokumei.attacks.strip_decoys import StripDecoys
from tokumei.attacks.time_of_day import TimeOfDay
from tokumei.attacks.time_profile import TimeProfile
from tokumei.attacks.unique_row import UniqueRow
from tokumei.attacks.value_profiles import ValueProfiles

__all__ = [
    "BasketSizes",
    "CandidateIntersection",
    "CellValues",
    "CustomerAttributes",
    "DecoyOdds",
    "Ensemble",
    "ExactRow",
    "FuzzyRows",
    "ItemIntersection",
    "Jaccard",
    "KeyMatching",
    "MultisetJaccard",
    "PublishedOrder",
    "Random",
    "RfmProfile",
    "RowCount",
    "StripDecoys",
    "TimeOfDay",
    "TimeProfile",
    "UniqueRow",
    "ValueProfiles",
]
