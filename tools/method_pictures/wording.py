"""Methods as one writes them on the command line."""

from __future__ import annotations

from tokumei import anonymizers
from tokumei.contracts import Anonymizer
from tokumei.parameters import parameters
from tokumei.registry import name_of


def released_by(method: Anonymizer) -> str:
    """Return how the release was made, as on the command line."""
    steps = method.steps if isinstance(method, anonymizers.Chain) else (method,)
    return "released by " + ", then ".join(map(words_of, steps))


def words_of(method: Anonymizer) -> str:
    """Return a method and the options in which it differs from the defaults."""
    given = [
        f"--{parameter.name.replace('_', '-')} {getattr(method, parameter.name)}"
        for parameter in parameters(type(method))
        if parameter.required or getattr(method, parameter.name) != parameter.default
    ]
    return " ".join([name_of(method), *given])
