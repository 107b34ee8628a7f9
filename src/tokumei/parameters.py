"""A method's fields are its parameters, declared once.

`share: Annotated[float, Interval(ge=0, le=1), Doc("Share of the rows.")] = 0.1` is the check, the
command-line option, the entry in a contest's TOML and the line in the reference.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Interval, Le, Lt
from typing_extensions import Doc

from tokumei.errors import ParameterError


@dataclass(frozen=True)
class Bounds:
    """The allowed range of a number."""

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False

    def __contains__(self, value: float) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below

    @property
    def sign(self) -> str:
        """The range in signs that need no translation."""
        if self.high == math.inf:
            return f"{'>' if self.low_open else '≥'} {self.low:g}"
        if self.low == -math.inf:
            return f"{'<' if self.high_open else '≤'} {self.high:g}"
        return str(self).removeprefix("in ")

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"{'above' if self.low_open else 'at least'} {self.low:g}"
        if self.low == -math.inf:
            return f"{'below' if self.high_open else 'at most'} {self.high:g}"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"in {left}{self.low:g}, {self.high:g}{right}"


@dataclass(frozen=True)
class Parameter:
    """One field of a method: its type, range, default and meaning."""

    name: str
    type: Any
    default: Any
    required: bool
    optional: bool
    bounds: Bounds | None
    choices: tuple[str, ...]
    doc: str

    @property
    def allowed(self) -> str:
        """What may be given, for help texts: a range, a choice, or nothing to say."""
        if self.choices:
            return " | ".join(self.choices)
        return self.bounds.sign if self.bounds else ""

    def check(self, value: Any) -> None:
        """Raise a ParameterError unless the value may be given."""
        if value is None and self.optional:
            return
        if self.choices and value not in self.choices:
            raise ParameterError(f"{self.name} must be {' or '.join(self.choices)}, not {value!r}.")
        if self.type is bool and not isinstance(value, bool):
            raise ParameterError(f"{self.name} must be true or false, not {value!r}.")
        if self.type in (int, float):
            self._check_number(value)

    def _check_number(self, value: Any) -> None:
        whole = self.type is int
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            kind = "a whole number" if whole else "a number"
            raise ParameterError(f"{self.name} must be {kind}, not {value!r}.")
        if not math.isfinite(value):
            raise ParameterError(f"{self.name} must be a finite number, not {value!r}.")
        if self.bounds and value not in self.bounds:
            verb = "lie " if str(self.bounds).startswith("in ") else "be "
            raise ParameterError(f"{self.name} must {verb}{self.bounds}, not {value!r}.")


def _bounds(metadata: tuple[Any, ...]) -> Bounds | None:
    given: dict[str, Any] = {}
    for mark in metadata:
        for limit in mark if isinstance(mark, Interval) else [mark]:
            match limit:
                case Ge(ge):
                    given |= {"low": ge}
                case Gt(gt):
                    given |= {"low": gt, "low_open": True}
                case Le(le):
                    given |= {"high": le}
                case Lt(lt):
                    given |= {"high": lt, "high_open": True}
    return Bounds(**given) if given else None


def _parameter(field: dataclasses.Field[Any], hint: Any) -> Parameter:
    metadata: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
        metadata = tuple(marks)
    optional = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    if optional:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    return Parameter(
        name=field.name,
        type=hint,
        default=None if field.default is dataclasses.MISSING else field.default,
        required=field.default is dataclasses.MISSING,
        optional=optional,
        bounds=_bounds(metadata),
        choices=get_args(hint) if get_origin(hint) is Literal else (),
        doc=next((mark.documentation for mark in metadata if isinstance(mark, Doc)), ""),
    )


def parameters(method: type) -> tuple[Parameter, ...]:
    """Return the declared parameters of a method."""
    hints = get_type_hints(method, include_extras=True)
    return tuple(_parameter(field, hints[field.name]) for field in dataclasses.fields(method))


class Checked:
    """A dataclass whose fields are checked against their declaration when it is made."""

    def __post_init__(self) -> None:
        for parameter in parameters(type(self)):
            parameter.check(getattr(self, parameter.name))
