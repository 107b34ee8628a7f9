"""Threats: what an attacker knows and is asked."""

from tokumei.threats.full_knowledge import FullKnowledge
from tokumei.threats.monthly_view import MonthlyView
from tokumei.threats.partial_rows import PartialRows

__all__ = ["FullKnowledge", "MonthlyView", "PartialRows"]
