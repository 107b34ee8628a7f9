"""Which mechanism a space asks for."""

from __future__ import annotations

from collections.abc import Sequence

from tokumei.errors import ParameterError
from tokumei.pk.correlated import Correlated
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.independent import Independent
from tokumei.pk.mechanism import Mechanism


def mechanism(space: Domain | Correlation, rho: float | Sequence[float]) -> Mechanism:
    """Return the mechanism on a domain, or on what a correlation allows of it."""
    if isinstance(space, Correlation):
        return Correlated(space, _checked(rho, space.domain))
    return Independent(space, _checked(rho, space))


def _checked(rho: float | Sequence[float], domain: Domain) -> tuple[float, ...]:
    given = tuple(map(float, rho)) if isinstance(rho, Sequence) else (float(rho),)
    if len(given) == 1:
        given *= len(domain.names)
    if len(given) != len(domain.names):
        raise ParameterError(
            f"Give one rho, or one for each of the {len(domain.names)} attributes, "
            f"not {len(given)}."
        )
    for value in given:
        if not 0 <= value < 1:
            raise ParameterError(f"rho must lie in [0, 1), not {value}.")
    return given
