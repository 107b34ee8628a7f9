"""Judges: how a guess is marked."""

from tokumei.judges.hit_rate import HitRate

__all__ = ["HitRate"]
