"""Pk-anonymity by perturbation of correlated attributes, and reconstruction [saito2014]."""

from tokumei.pk.anonymity import anonymity, closed_form, largest_rho, least_ratio
from tokumei.pk.confidence import intervals
from tokumei.pk.correlated import Correlated
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.independent import Independent
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.mechanisms import mechanism
from tokumei.pk.perturbation import crosstab, perturb, records_of, tabulate
from tokumei.pk.planning import best_rho, expected_l1
from tokumei.pk.reconstruction import Reconstruction, reconstruct

__all__ = [
    "Correlated",
    "Correlation",
    "Domain",
    "Independent",
    "Mechanism",
    "Reconstruction",
    "anonymity",
    "best_rho",
    "closed_form",
    "crosstab",
    "expected_l1",
    "intervals",
    "largest_rho",
    "least_ratio",
    "mechanism",
    "perturb",
    "reconstruct",
    "records_of",
    "tabulate",
]
