"""Anonymizers: one file for each method."""

from tokumei.anonymizers.chain import Chain
from tokumei.anonymizers.decoys import Decoys
from tokumei.anonymizers.delete_rows import DeleteRows
from tokumei.anonymizers.equalize import Equalize
from tokumei.anonymizers.generalize import Generalize
from tokumei.anonymizers.generalize_at_random import GeneralizeAtRandom
from tokumei.anonymizers.perturb_amounts import PerturbAmounts
from tokumei.anonymizers.pseudonyms_only import PseudonymsOnly
from tokumei.anonymizers.retain_replace import RetainReplace
from tokumei.anonymizers.shift_dates import ShiftDates
from tokumei.anonymizers.yamaoka import Yamaoka

__all__ = [
    "Chain",
    "Decoys",
    "DeleteRows",
    "Equalize",
    "Generalize",
    "GeneralizeAtRandom",
    "PerturbAmounts",
    "PseudonymsOnly",
    "RetainReplace",
    "ShiftDates",
    "Yamaoka",
]
