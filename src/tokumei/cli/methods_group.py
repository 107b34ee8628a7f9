"""A group with one command for each method of a family."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from tokumei.cli.localized import Command, Group
from tokumei.cli.options import method_names, method_options
from tokumei.errors import UnknownMethod
from tokumei.registry import Family, build, find

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
        self.run = run

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the methods."""
        return method_names(self.family)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Make the command of a method."""
        if cmd_name not in (known := method_names(self.family)):
            raise UnknownMethod(self.family, cmd_name, known)
        method = find(self.family, cmd_name)
        fields = method_options(method)
        named = {field.name for field in fields}
        shared: Callable[..., Any] = self.run.callback  # type: ignore[assignment]

        def call(**options: Any) -> Any:
            parameters = {key: value for key, value in options.items() if key in named}
            rest = {key: value for key, value in options.items() if key not in named}
            return shared(method=build(self.family, {"method": cmd_name, **parameters}), **rest)

        return Command(
            cmd_name,
            callback=call,
            params=[*self.run.params[:1], *fields, *self.run.params[1:]],
            help=summary(method),
        )


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
