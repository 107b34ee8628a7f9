"""A group with one command for each method of a family."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import click

from tokumei.cli.localized import Command, Group
from tokumei.cli.options import FIELD, method_from_options, method_names, method_options
from tokumei.registry import Family, find

TEX_SIGNS = {
    r"\pm": "±",
    r"\sum": "Σ",
    r"\min": "min",
    r"\max": "max",
}
"""How the formulas of docstrings are written on a terminal."""


class MethodGroup(Group):
    """`tokumei VERB METHOD …`: the methods come from the registry, their options from their fields.

    `run` gets the finished method and the options that all methods of the family share.
    """

    def __init__(self, family: Family, run: click.Command, **settings: Any) -> None:
        super().__init__(**settings)
        self.family: Family = family
        self.kind = family
        self.run = run

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the methods."""
        return method_names(self.family)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Make the command of a method."""
        method = find(self.family, cmd_name)
        fields = method_options(method)
        shared: Callable[..., Any] = self.run.callback  # type: ignore[assignment]

        def call(**options: Any) -> Any:
            rest = {key: value for key, value in options.items() if not key.startswith(FIELD)}
            return shared(method=method_from_options(self.family, cmd_name, options), **rest)

        first, *others = (beside(option, fields) for option in self.run.params)
        return Command(
            cmd_name, callback=call, params=[first, *fields, *others], help=summary(method)
        )


def beside(shared: click.Parameter, fields: Sequence[click.Option]) -> click.Parameter:
    """Leave an option that all methods share the names that a method does not take.

    The method wins: a name means in its own command what it means in `--then` and in Python. An
    option whose names are all taken is called `--shared-NAME` there.
    """
    taken = {name for field in fields for name in (*field.opts, *field.secondary_opts)}
    if taken.isdisjoint(shared.opts):
        return shared
    left = [name for name in shared.opts if name not in taken]
    renamed = copy.copy(shared)
    renamed.opts = left or [f"--shared-{shared.opts[-1].lstrip('-')}"]
    return renamed


def summary(method: type) -> str:
    """Return a method's own words about itself, without the list of references."""
    text = inspect.getdoc(method) or ""
    body, _, references = text.partition("References\n----------\n")
    paragraphs = [body.strip()]
    if references:
        paragraphs.append(f"Paper: {' '.join(references.split())}")
    text = "\n\n".join(paragraphs).replace(":math:", "").replace("`", "")
    for tex, sign in TEX_SIGNS.items():
        text = text.replace(tex, sign)
    return text
