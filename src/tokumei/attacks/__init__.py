"""Attacks: ways to name the people behind a release."""

from tokumei.attacks.exact_row import ExactRow
from tokumei.attacks.jaccard import Jaccard
from tokumei.attacks.multiset_jaccard import MultisetJaccard
from tokumei.attacks.random import Random
from tokumei.attacks.strip_decoys import StripDecoys

__all__ = ["ExactRow", "Jaccard", "MultisetJaccard", "Random", "StripDecoys"]
