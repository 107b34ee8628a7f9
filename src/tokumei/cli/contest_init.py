"""`tokumei contest init DIR`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from tokumei.cli.contest_options import (
    PATH,
    drawn,
    folder_argument,
    links_json,
    show_links,
    url_option,
)
from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Command, Option, tr
from tokumei.contest.creating import URL, Data, Link, create
from tokumei.contest.demo import USUAL_RULES, create_demo
from tokumei.contest.demo_transit import create_transit_demo
from tokumei.contest.settings import CUSTOM
from tokumei.contest.store.names import clean_name
from tokumei.errors import ParameterError
from tokumei.rules import RULES


@click.command("init", cls=Command)
@folder_argument
@click.option(
    "--rules",
    "rules_name",
    type=click.Choice((*RULES, CUSTOM)),
    cls=Option,
    help="The rules of a contest year, or custom for data and scripts of one's own.",
)
@click.option("--original", type=PATH, cls=Option, help="The data that teams anonymize: T.")
@click.option("--master", type=PATH, cls=Option, help="M, the customers table (2016 and 2017).")
@click.option(
    "--column",
    "columns",
    multiple=True,
    cls=Option,
    help="The role of a column in a custom contest, as card=person (repeatable).",
)
@click.option("--title", cls=Option, help="What the contest is called.")
@click.option(
    "--demo",
    is_flag=False,
    flag_value="shop",
    type=click.Choice(("shop", "transit")),
    cls=Option,
    help="Make a contest to play with: generated data, three teams, some submissions.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    cls=Option,
    help="Seed of a demo's data; secrets are always drawn anew.",
)
@url_option(URL)
@drawn
def command(
    folder: Path,
    rules_name: str | None,
    original: Path | None,
    master: Path | None,
    columns: tuple[str, ...],
    title: str | None,
    demo: str | None,
    url: str,
    *,
    as_json: bool,
    seed: int | None,
) -> None:
    """Make the folder of a contest, and a link for its first organizer.

    Rules, phases and quotas stand in DIR/contest.toml, where they can be changed before the server
    starts. With --demo everything is made up: tokumei contest init cup --demo, then tokumei
    contest serve cup.
    """
    titles = dict.fromkeys(("en", "ja"), clean_name(title, "title")) if title else None
    if demo is not None:
        if original or master or columns:
            raise ParameterError("A demo has generated data; leave --original and the like out.")
        links = _demo(folder, demo, rules_name, titles, seed or 0, url)
    else:
        if rules_name is None or original is None:
            raise ParameterError("A contest needs --rules and --original, or --demo.")
        if seed is not None:
            raise ParameterError("Only a demo has a seed; the secret of a contest is drawn.")
        data = Data(original, master, _columns(columns))
        links = create(folder, rules_name, data, title=titles, url=url)
    if as_json:
        print_json({"folder": str(folder), "links": links_json(links)})
        return
    click.echo(f"{tr('The contest is here:')} {folder}")
    show_links(links)
    click.echo(f"{tr('Start the server:')} tokumei contest serve {folder}")


def _demo(
    folder: Path,
    demo: str,
    rules_name: str | None,
    titles: Mapping[str, str] | None,
    seed: int,
    url: str,
) -> list[Link]:
    if demo == "transit":
        if rules_name not in (None, CUSTOM):
            raise ParameterError(f"The demo of transit cards is custom, not {rules_name}.")
        return create_transit_demo(folder, title=titles, seed=seed, url=url)
    if rules_name == CUSTOM:
        raise ParameterError("The custom demo is --demo transit.")
    return create_demo(folder, rules_name or USUAL_RULES, title=titles, seed=seed, url=url)


def _columns(given: tuple[str, ...]) -> dict[str, str]:
    columns = {}
    for text in given:
        name, equals, role = text.rpartition("=")
        if not equals or not name:
            raise ParameterError(f"A column is given as card=person, not '{text}'.")
        columns[name] = role
    return columns
