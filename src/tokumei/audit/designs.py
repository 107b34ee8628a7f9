"""The small design that `recommend` tries: what can reach a risk, and what people would try."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from tokumei.anonymizers import (
    Chain,
    Decoys,
    DeleteRows,
    Equalize,
    Generalize,
    GeneralizeAtRandom,
    PerturbAmounts,
    PseudonymsOnly,
    ShiftDates,
)
from tokumei.contracts import Anonymizer
from tokumei.history import History
from tokumei.parameters import parameters
from tokumei.registry import build, find

SEARCHING = 0.3
"""Share of the time that the searches may take together, nominally; they also load and align."""
SHORTEST, LONGEST = 0.1, 60.0
"""Nominal seconds of one search."""
SAFETY = (0.22, 0.3)
"""With one of these over the risk as the weight of safety, equalize leaves about as many customers
of a shop different as may be found."""
ALL_PAIRS = 500
"""Equalize compares all pairs of customers first; with more than these it takes many minutes."""
CELLS = {
    "time": "date_weight",
    "item": "item_weight",
    "price": "price_weight",
    "quantity": "quantity_weight",
}


def words(spec: Mapping[str, Any]) -> str:
    """Write an anonymizer as on the command line: `decoys --clusters 40 --share rows`.

    What is as by default is not said. The steps of a chain follow the first by `--then`.
    """
    if spec["method"] == "chain":
        first, *others = (words(step) for step in spec["steps"])
        return " ".join([first, *(f"--then {shlex.quote(step)}" for step in others)])
    said = [spec["method"]]
    for parameter in parameters(find("anonymizer", spec["method"])):
        value = spec.get(parameter.name, parameter.default)
        if value is None or value == parameter.default:
            continue
        flag = parameter.name.replace("_", "-")
        if parameter.type is bool:
            said.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            shown = str(value).removesuffix(".0") if parameter.type is float else str(value)
            said.append(f"--{flag} {shlex.quote(shown)}")
    return " ".join(said)


def design(history: History, *, risk: float, seconds: float) -> tuple[Anonymizer, ...]:
    """Return the anonymizers to try for a wished risk, the most promising first.

    Those whose groups keep the risk by construction come first, then those around them with
    half and twice the size of groups, then what shops do, for the picture of the frontier. Every
    search gets the same part of the time.
    """
    found = list(dict.fromkeys(_candidates(history, risk)))
    each = SEARCHING * seconds / sum(map(_searches, found))
    nominal = float(f"{min(LONGEST, max(SHORTEST, each)):.1g}")
    return tuple(
        replace(method, seconds=nominal) if _searches(method) else method for method in found
    )


def _searches(method: Anonymizer) -> TypeGuard[Decoys | Generalize | Equalize]:
    match method:
        case Decoys() | Generalize(grouping="search") | Equalize(groups="free"):
            return True
    return False


def _candidates(history: History, risk: float) -> Iterator[Anonymizer]:
    people = len(history.persons())
    k = _size(risk, people)
    equalize = _equalize(history)
    yield replace(equalize, groups="balanced", size=k)
    yield Generalize(k=k, grouping="rfm", objective="rfm")
    yield _shared_rows(risk, people, least=k)
    yield Generalize(k=k)
    yield Generalize(k=k, objective="mixed")
    yield Decoys(clusters=_clusters(risk, people), min_size=_least(risk, people, k))
    for other in (_size(2 * risk, people), _size(risk / 2, people)):
        yield replace(equalize, groups="balanced", size=other)
        yield Generalize(k=other, grouping="rfm", objective="rfm")
        yield Generalize(k=other)
        yield _shared_rows(1 / other, people, least=other)
    yield from _customary()
    for share in SAFETY if people <= ALL_PAIRS else ():
        yield replace(equalize, groups="free", safety=float(f"{share / risk:.2g}"))


def _customary() -> Iterator[Anonymizer]:
    """Yield what shops do: every customer stays different."""
    yield PseudonymsOnly()
    yield DeleteRows(share=0.3)
    yield DeleteRows(share=0.5)
    yield ShiftDates(days=14)
    yield PerturbAmounts(price=0.2, quantity=0.2)
    yield GeneralizeAtRandom()
    yield Chain(
        steps=(
            ShiftDates(days=30, together="row"),
            PerturbAmounts(price=0.5, quantity=0.5),
            DeleteRows(share=0.5),
        )
    )


def _size(risk: float, people: int) -> int:
    """Return the size of groups that keeps the risk; a group is two at least, all at most."""
    # Rounded first: 1 / 0.1 must be 10 and not a little more.
    return max(2, min(people, math.ceil(round(1 / risk, 9))))


def _clusters(risk: float, people: int) -> int:
    return max(1, math.floor(round(risk * people, 9)))


def _least(risk: float, people: int, wished: int) -> int:
    """Return the least size of so many clusters, as near to the wished one as there is room."""
    return max(1, min(wished, people // _clusters(risk, people)))


def _shared_rows(risk: float, people: int, *, least: int) -> Decoys:
    return Decoys(
        share="rows", clusters=_clusters(risk, people), min_size=_least(risk, people, least)
    )


def _equalize(history: History) -> Equalize:
    """Return the method that keeps every column the history has."""
    missing = [weight for name, weight in CELLS.items() if name not in history.visible]
    if not missing:
        return Equalize(objective="information-loss")
    own = {"method": "equalize", "objective": "own", **dict.fromkeys(missing, 0.0)}
    made: Equalize = build("anonymizer", own)
    return made
