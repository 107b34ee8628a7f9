"""Judges: how a guess is marked."""

from tokumei.judges.hit_rate import HitRate
from tokumei.judges.shoot_down import ShootDown
from tokumei.judges.whole_history import WholeHistory

__all__ = ["HitRate", "ShootDown", "WholeHistory"]
