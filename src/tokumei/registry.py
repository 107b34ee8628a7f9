"""All methods by name.

A method's file registers it with a decorator; `find` and `build` load the families on first use.
Other packages add theirs through the entry point group `tokumei.methods`: our own families are
listed there in the same way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, partial, wraps
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar, get_args

from tokumei.errors import ParameterError, SchemaError, TokumeiError, UnknownMethod
from tokumei.parameters import parameters
from tokumei.tables import spark_form

Family = Literal["anonymizer", "threat", "attack", "judge", "metric"]
FAMILIES: tuple[Family, ...] = get_args(Family)
C = TypeVar("C", bound=type)

_methods: dict[Family, dict[str, type]] = {family: {} for family in FAMILIES}
_names: dict[type, tuple[Family, str]] = {}
_on_spark: dict[Family, set[str]] = {family: set() for family in FAMILIES}
AS_IT_IS = "as it is"
"""Says of a method that its own call also takes Spark tables."""


def register(family: Family, name: str, *, spark: str | None = None) -> Callable[[C], C]:
    """Register a class under a name.

    `spark` says what is done with Spark tables: `AS_IT_IS`, or the place `module:function` in
    tokumei.spark of a form that takes the method before its arguments. Without it the method
    refuses them.
    """

    def add(method: C) -> C:
        if name in _methods[family]:
            raise TokumeiError(f"There are two {family}s called '{name}'; a name must be unique.")
        _methods[family][name] = method
        _names[method] = (family, name)
        if spark is not None:
            _on_spark[family].add(name)
        if spark != AS_IT_IS:
            _divert(method, family, name, spark)
        return method

    return add


def _divert(method: type, family: Family, name: str, spark: str | None) -> None:
    """Let calls with Spark tables go to the method's Spark form, if it has one."""
    local = method.__call__

    @wraps(local)
    def call(self: object, given: Any, /, *others: Any, **options: Any) -> Any:
        if not getattr(given, "on_spark", False):
            return local(self, given, *others, **options)
        if spark is None:
            have = ", ".join(names_on_spark(family))
            raise SchemaError(
                f"The {family} '{name}' does not take Spark tables; these do: {have}."
            )
        return spark_form(spark)(self, given, *others, **options)

    method.__call__ = call  # type: ignore[method-assign]


def names_on_spark(family: Family) -> list[str]:
    """Return the names of a family's methods that take Spark tables, sorted."""
    _load()
    return sorted(_on_spark[family])


anonymizer = partial(register, "anonymizer")
threat = partial(register, "threat")
attack = partial(register, "attack")
judge = partial(register, "judge")
metric = partial(register, "metric")


@cache
def _load() -> None:
    for point in sorted(entry_points(group="tokumei.methods"), key=lambda point: point.value):
        try:
            point.load()
        except Exception as error:
            raise TokumeiError(
                f"The methods of '{point.value}' cannot be loaded ({error}); "
                "uninstall or repair the package that brings them."
            ) from error


def names(family: Family) -> list[str]:
    """Return the names of a family's methods, sorted."""
    _load()
    return sorted(_methods[family])


def find(family: Family, name: str) -> type:
    """Return the class of a method."""
    _load()
    if name not in _methods[family]:
        raise UnknownMethod(family, name, _methods[family])
    return _methods[family][name]


def name_of(method: object) -> str:
    """Return the registered name of a method object or class."""
    kind = method if isinstance(method, type) else type(method)
    return _names[kind][1] if kind in _names else kind.__name__


def meaning(method: object) -> str:
    """Return the first paragraph of a method's docstring: what it does, in a sentence or two."""
    text = inspect.getdoc(type(method)) or ""
    first = text.split("\n\n", maxsplit=1)[0]
    return " ".join(first.replace(":math:", "").replace("`", "").split())


def build(family: Family, spec: Mapping[str, Any]) -> Any:
    """Make a method from its spec: `{"method": "delete-rows", "share": 0.1}`."""
    if "method" not in spec:
        raise ParameterError(f"A spec of {family} needs the entry 'method'; it has {dict(spec)}.")
    method = find(family, spec["method"])
    known = {parameter.name for parameter in parameters(method)}
    given = {key.replace("-", "_"): value for key, value in spec.items() if key != "method"}
    for key in given:
        if key not in known:
            raise UnknownMethod(f"parameter of {spec['method']}", key, known or {"none"})
    return method(**{key: _read(value) for key, value in given.items()})


def _read(value: Any) -> Any:
    if isinstance(value, Mapping) and "family" in value:
        return build(value["family"], {k: v for k, v in value.items() if k != "family"})
    return tuple(_read(part) for part in value) if isinstance(value, list | tuple) else value


def _written(value: Any) -> Any:
    if type(value) in _names:
        return {"family": _names[type(value)][0], **spec(value)}
    return [_written(part) for part in value] if isinstance(value, tuple) else value


def spec(method: object) -> dict[str, Any]:
    """Return the spec of a method: plain values, from which `build` makes it again."""
    fields = parameters(type(method))
    values = {parameter.name: _written(getattr(method, parameter.name)) for parameter in fields}
    return {"method": name_of(method), **values}
