"""`tokumei methods`: everything that is registered."""

from __future__ import annotations

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, tr
from tokumei.cli.methods_group import summary
from tokumei.cli.options import common
from tokumei.parameters import parameters
from tokumei.registry import FAMILIES, find, names


@click.command("methods", cls=Command)
@click.argument("family", type=click.Choice(FAMILIES), required=False)
@common
def command(family: str | None, *, as_json: bool) -> None:
    """List the methods: anonymizers, threats, attacks, judges, metrics."""
    chosen = [kind for kind in FAMILIES if family in (None, kind)]
    methods = [(kind, name, find(kind, name)) for kind in chosen for name in names(kind)]
    if as_json:
        print_json(
            [
                {
                    "family": kind,
                    "name": name,
                    "summary": summary(method),
                    "parameters": [
                        {
                            "name": p.name,
                            "default": _plain(p.default),
                            "allowed": p.allowed,
                            "doc": p.doc,
                        }
                        for p in parameters(method)
                    ],
                }
                for kind, name, method in methods
            ]
        )
        return
    rows = [
        (tr(kind), name, tr(summary(method).split("\n\n")[0])) for kind, name, method in methods
    ]
    print_table("tokumei", (tr("family"), tr("name"), tr("what it does")), rows)


def _plain(default: object) -> object:
    return default if isinstance(default, bool | int | float | str | None) else None
