"""Attacks: ways to name the people behind a release."""

from tokumei.attacks.exact_row import ExactRow
from tokumei.attacks.random import Random

__all__ = ["ExactRow", "Random"]
