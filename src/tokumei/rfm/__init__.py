"""RFM analysis: recency, frequency and spend of customers, on exact and generalized histories."""

from tokumei.rfm.analysis import analyze, ranks, spend

__all__ = ["analyze", "ranks", "spend"]
