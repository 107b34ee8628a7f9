"""What the commands that reproduce papers share: where the page goes, and what is said last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tokumei.cli.drawing import print_json
from tokumei.cli.localized import tr
from tokumei.cli.options import output_option

PAGE = output_option(
    "New folder for the page, the tables (CSV) and the figures (SVG, PNG).",
    name="folder",
    required=True,
)


def tell(folder: Path, found: Any, *, as_json: bool) -> None:
    """Print what was found, or where the page is."""
    if as_json:
        print_json(found)
    else:
        click.echo(f"{tr('Open the page:')} {folder / 'index.html'}")
