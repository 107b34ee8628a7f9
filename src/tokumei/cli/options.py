"""What the commands share: options, reading a history, and a method from its fields."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click

from tokumei.cli.drawing import drawing
from tokumei.cli.localized import Option, language_option
from tokumei.errors import ParameterError
from tokumei.parameters import Parameter, parameters
from tokumei.registry import Family, build, find, names

PLACE = click.Path(path_type=str)
"""A file, or an address such as hdfs://host/folder, which as a `Path` would lose a slash."""
F = TypeVar("F", bound=Callable[..., Any])
SIMPLE = (bool, int, float, str)


def common(function: F) -> F:
    """Add `--json` and `--lang`; draw progress and notes while the command runs."""

    @functools.wraps(function)
    def drawn(*args: Any, **options: Any) -> Any:
        with drawing():
            return function(*args, **options)

    for option in (
        language_option,
        click.option("--json", "as_json", is_flag=True, cls=Option, help="Print JSON."),
    ):
        drawn = option(drawn)
    return drawn  # type: ignore[return-value]


def seed_option(
    text: str = "Seed of the random draws: the same seed gives the same result.",
) -> Callable[[F], F]:
    """Add `--seed`, to commands that draw something by it and to no others."""
    return click.option("--seed", type=click.IntRange(min=0), cls=Option, help=text)


def output_option(text: str, *, name: str = "output", **settings: Any) -> Callable[[F], F]:
    """Add `-o`, the file or folder to write, as the argument `name`."""
    kind = click.Path(path_type=Path)
    return click.option("-o", "--output", name, type=kind, cls=Option, help=text, **settings)


@dataclass(frozen=True)
class Reader:
    """Reads a history as the options say."""

    options: dict[str, Any]

    @property
    def format(self) -> str:
        """The form of the file."""
        return str(self.options["format"])

    @property
    def spark(self) -> Any:
        """The Spark session, if one was asked for."""
        from tokumei.tables import spark_form

        master = self.options.get("spark")
        return spark_form("session:session")(master) if master else None

    def __call__(self, path: Path | str) -> Any:
        """Read a file, or what else Spark knows by this name."""
        from tokumei.tables import spark_form

        options = {name: value for name, value in self.options.items() if name != "spark"}
        if self.spark is None:
            return _read(Path(path), **options)
        people, load = options.pop("customers"), spark_form("reading:load")
        customers = load(str(people), self.spark) if people else None
        return _read(load(str(path), self.spark), customers=customers, **options)

    def public(self, folder: Path) -> Any:
        """Read the public part of a release."""
        from tokumei.data.folder import read_public
        from tokumei.tables import spark_form

        if self.spark is None:
            return read_public(folder)
        return spark_form("folder:read_public")(folder, self.spark)

    def release(self, folder: Path) -> Any:
        """Read a release with its key."""
        from tokumei.data.folder import read_release
        from tokumei.tables import spark_form

        if self.spark is None:
            return read_release(folder)
        return spark_form("folder:read_release")(folder, self.spark)


def reading_options(function: F) -> F:
    """Add the options that say how a file is read; they arrive as one callable `read_history`."""
    return with_reader(function, READING)


def reading_options_and_spark(function: F) -> F:
    """Add the same options, and `--spark`, for commands that take histories on Spark as well."""
    return with_reader(function, {**READING, **ON_SPARK})


def with_reader(function: F, reading: dict[str, Callable[[Any], Any]]) -> F:
    """Add these options; they arrive as one callable `read_history`."""

    @functools.wraps(function)
    def reading_first(*args: Any, **options: Any) -> Any:
        reader = Reader({name: options.pop(name) for name in reading})
        return function(*args, read_history=reader, **options)

    for option in reversed(reading.values()):
        reading_first = option(reading_first)
    return reading_first  # type: ignore[return-value]


def _option(*declarations: str, **settings: Any) -> Callable[[Any], Any]:
    return click.option(*declarations, cls=Option, **settings)


def keep_option(*names: str) -> Callable[[Any], Any]:
    """Return the option that keeps columns without a role, under these names."""
    text = "Keep this column although it has no role (repeatable)."
    return _option(*names, "keep", multiple=True, help=text)


CONTESTS = ("pwscup2016", "pwscup2017", "pwscup2018", "simplified")
FORMAT_NAMES = ("table", "online-retail", *CONTESTS)
ROLES = {
    "person": "Column of the customer.",
    "item": "Column of the item.",
    "time": "Column of the time.",
    "price": "Column of the unit price.",
    "quantity": "Column of the quantity.",
    "basket": "Column of the basket (invoice).",
}
READING: dict[str, Callable[[Any], Any]] = {
    "format": _option(
        "--format", type=click.Choice(FORMAT_NAMES), default="table", help="Form of the file."
    ),
    "customers": _option(
        "--customers",
        "--customers-file",
        type=click.Path(path_type=Path),
        help="File with one row for each customer.",
    ),
    # The second name is there for methods that have an option of the first.
    **{role: _option(f"--{role}", f"--{role}-column", help=text) for role, text in ROLES.items()},
    "keep": keep_option("--keep", "--keep-column"),
    "drop": _option(
        "--drop",
        multiple=True,
        help="Leave out rows by this rule (repeatable): no-customer, returns, free, "
        "unspecified-country, duplicates.",
    ),
    "first_customers": _option(
        "--first-customers", type=int, help="Keep so many customers, those with the smallest ids."
    ),
    "period": _option(
        "--period", help="First and last day, as 2010-12-01..2011-11-30; other times are an error."
    ),
    "encoding": _option("--encoding", help="Encoding of text files; UTF-8 or Shift_JIS is found."),
}
ON_SPARK = {
    "spark": _option(
        "--spark",
        help="Work on Spark: local[2], spark://host:7077 or yarn; files are Parquet, or tables.",
    ),
}


def _read(
    path: Any,
    *,
    drop: tuple[str, ...],
    first_customers: int | None,
    period: str | None,
    **options: Any,
) -> Any:
    from tokumei.data.cleaning import Cleaning
    from tokumei.data.reading import read

    cleaning = Cleaning(drop=drop, first_customers=first_customers)
    return read(path, cleaning=cleaning, period=_period(period), **options)


def _period(text: str | None) -> tuple[date, date] | None:
    if text is None:
        return None
    try:
        first, last = (date.fromisoformat(day) for day in text.split(".."))
    except ValueError as error:
        raise ParameterError(
            f"period must look like 2010-12-01..2011-11-30, not '{text}'."
        ) from error
    return first, last


def on_command_line(method: type) -> bool:
    """Tell whether all parameters of a method can be given as options."""
    return all(parameter.choices or parameter.type in SIMPLE for parameter in parameters(method))


def method_names(family: Family) -> list[str]:
    """Return the methods of a family that can be given on the command line."""
    return [name for name in names(family) if on_command_line(find(family, name))]


FIELD = "field_"
"""Before a method's own names, so that they never meet the names of what commands share."""


def method_options(method: type) -> list[click.Option]:
    """Turn the fields of a method into options."""
    return [_method_option(parameter) for parameter in parameters(method)]


def _method_option(parameter: Parameter) -> click.Option:
    flag, name = f"--{parameter.name.replace('_', '-')}", f"{FIELD}{parameter.name}"
    settings: dict[str, Any] = {"help": parameter.doc, "required": parameter.required}
    if not parameter.required:
        settings["default"] = parameter.default
    if parameter.type is bool:
        return Option([f"{flag}/--no-{flag[2:]}", name], **settings)
    if parameter.choices:
        return Option([flag, name], type=click.Choice(parameter.choices), **settings)
    return Option([flag, name], type=parameter.type, allowed=parameter.allowed, **settings)


def method_from_options(family: Family, name: str, options: Mapping[str, Any]) -> Any:
    """Make a method from what `method_options` took, among other options."""
    own = {key: value for key, value in options.items() if key.startswith(FIELD)}
    fields = {key.removeprefix(FIELD): value for key, value in own.items()}
    return build(family, {"method": name, **fields})


def method_from_text(family: Family, text: str) -> Any:
    """Make a method from words as on the command line: `delete-rows --share 0.1`."""
    name, *words = shlex.split(text) or [""]
    method = find(family, name)
    context = click.Command(name, params=[*method_options(method)], add_help_option=False)
    return method_from_options(family, name, context.make_context(name, words).params)
