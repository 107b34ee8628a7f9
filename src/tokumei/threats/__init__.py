"""Threats: what an attacker knows and is asked."""

from tokumei.threats.customers_table import CustomersTable
from tokumei.threats.full_knowledge import FullKnowledge
from tokumei.threats.item_sets import ItemSets
from tokumei.threats.monthly_view import MonthlyView
from tokumei.threats.partial_rows import PartialRows

__all__ = ["CustomersTable", "FullKnowledge", "ItemSets", "MonthlyView", "PartialRows"]
