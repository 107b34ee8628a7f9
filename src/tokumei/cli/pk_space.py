"""What the commands on records share: which columns, their ranges and their correlation."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from tokumei.cli.localized import Option
from tokumei.data.loading import load
from tokumei.errors import ParameterError
from tokumei.pk import Correlation, Domain
from tokumei.pk.files import read_correlation, read_domain
from tokumei.pk.perturbation import Records, read_records

F = TypeVar("F", bound=Callable[..., Any])
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Space:
    """The attributes as the options give them."""

    columns: str | None
    domain: Path | None
    correlation: Path | None
    drop_forbidden: bool

    def of(self, file: Path | None) -> Domain | Correlation:
        """Return the domain, from its file or from the data, and what the correlation leaves."""
        domain = self._domain(file)
        return domain if self.correlation is None else read_correlation(self.correlation, domain)

    def _domain(self, file: Path | None) -> Domain:
        names = None if self.columns is None else [part.strip() for part in self.columns.split(",")]
        if self.domain is not None:
            found = read_domain(self.domain)
            if names is None:
                return found
            ranges = dict(zip(found.names, found.ranges, strict=True))
            missing = [name for name in names if name not in ranges]
            if missing:
                raise ParameterError(f"{self.domain} has no range for {missing[0]}.")
            return Domain.of({name: ranges[name] for name in names})
        if names is None:
            raise ParameterError("Give the attributes, by --columns or by --domain.")
        if file is None:
            raise ParameterError("Without a file, the ranges must be given by --domain.")
        return Domain.found_in(load(file).rows, names)

    def read(self, file: Path, space: Domain | Correlation) -> Records:
        """Read the records of a file."""
        found = read_records(file, space, drop_forbidden=self.drop_forbidden)
        if found.forbidden:
            log.warning("%s records that cannot occur were dropped.", f"{found.forbidden:,}")
        return found


def space_options(function: F) -> F:
    """Add the options that say what the attributes are; they arrive as one `space`."""

    @functools.wraps(function)
    def with_space(*args: Any, **options: Any) -> Any:
        names = ("columns", "domain", "correlation", "drop_forbidden")
        return function(
            *args, space=Space(**{name: options.pop(name) for name in names}), **options
        )

    path = click.Path(path_type=Path)
    for option in (
        click.option(
            "--drop-forbidden",
            is_flag=True,
            cls=Option,
            help="Leave out records that the correlation forbids, instead of refusing the table.",
        ),
        click.option(
            "--correlation",
            type=path,
            cls=Option,
            help="Allowed combinations (CSV), or forbidden ones (TOML).",
        ),
        click.option(
            "--domain",
            type=path,
            cls=Option,
            help="TOML with the values of every attribute; without it they are those that occur.",
        ),
        click.option(
            "--columns", cls=Option, help="Columns to perturb, in order, separated by commas."
        ),
    ):
        with_space = option(with_space)
    return with_space  # type: ignore[return-value]


def mechanism_file(table: Path) -> Path:
    """Return where the mechanism of a perturbed table is written."""
    return table.with_name(f"{table.name}.pk.json")
