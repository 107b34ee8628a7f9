"""Association rules: mined from a cross tabulation, and compared between two of them."""

from tokumei.mining.association import RuleAgreement, compare, cross_tabulation, mine

__all__ = ["RuleAgreement", "compare", "cross_tabulation", "mine"]
