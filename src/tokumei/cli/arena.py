"""`tokumei arena`: the contest in three dimensions, as one file."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.arena.generating import generate_story
from tokumei.arena.page import replay_page
from tokumei.arena.story import Story, read_story
from tokumei.cli.drawing import print_json
from tokumei.cli.localized import Command, Group, Option, language, tr
from tokumei.cli.options import common, output_option, seed_option
from tokumei.data.writing import check_new, whole_file
from tokumei.errors import MissingExtra

seconds_option = click.option(
    "--seconds",
    type=click.IntRange(5, 3600),
    default=120,
    cls=Option,
    help="How long the whole contest plays.",
)


@click.group("arena", cls=Group)
def command() -> None:
    """Show a contest in three dimensions: ice that is safe, and fire that melts it.

    The pages of a running contest show it live; these commands write it as a file that needs no
    server, to be played again.
    """


@command.command("replay", cls=Command)
@click.argument("events", type=click.Path(path_type=Path))
@output_option("New HTML file.", default=Path("contest.html"))
@seconds_option
@common
def replay(events: Path, output: Path, *, seconds: int, as_json: bool) -> None:
    """Write the replay of a contest as one HTML file that needs nothing else.

    EVENTS is what tokumei arena events wrote.
    """
    check_new(output)
    _write_page(read_story(events), output, seconds=seconds, as_json=as_json)


@command.command("demo", cls=Command)
@output_option("New HTML file.", default=Path("arena.html"))
@click.option(
    "--teams", type=click.IntRange(2, 500), default=20, cls=Option, help="Number of teams."
)
@click.option(
    "--events",
    "events",
    type=click.Path(path_type=Path),
    cls=Option,
    help="Also write the generated contest, as lines of JSON.",
)
@seconds_option
@seed_option()
@common
def demo(
    output: Path,
    *,
    teams: int,
    events: Path | None,
    seconds: int,
    as_json: bool,
    seed: int | None,
) -> None:
    """Write the replay of a generated contest."""
    for path in filter(None, (output, events)):
        check_new(path)
    story = generate_story(teams=teams, seed=seed or 0)
    if events is not None:
        _write(story.to_lines(), events)
    _write_page(story, output, seconds=seconds, as_json=as_json)


@command.command("events", cls=Command)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@output_option("New file for the lines of JSON.", default=Path("events.jsonl"))
@common
def events(folder: Path, output: Path, *, as_json: bool) -> None:
    """Write what happened in a contest as lines of JSON, for tokumei arena replay.

    DIR is the folder of the contest. The file has what organizers see.
    """
    try:
        from tokumei.contest.opening import open_contest
        from tokumei.contest.store.viewing import ORGANIZER
        from tokumei.contest.story import story
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tokumei"):
            raise
        raise MissingExtra("A contest", "contest") from error
    check_new(output)
    with open_contest(folder) as contest, contest.database.read() as connection:
        told = story(contest, connection, ORGANIZER)
    _write(told.to_lines(), output)
    _say(output, told, as_json=as_json)


def _write_page(story: Story, output: Path, *, seconds: int, as_json: bool) -> None:
    _write(replay_page(story, language=language(), seconds=seconds), output)
    _say(output, story, as_json=as_json)


def _write(text: str, output: Path) -> None:
    with whole_file(output) as file:
        file.write(text.encode())


def _say(output: Path, story: Story, *, as_json: bool) -> None:
    kinds = [line["kind"] for line in story.lines]
    if as_json:
        counted = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
        print_json({"file": str(output), "lines": counted})
        return
    click.echo(f"{tr('Saved:')} {output}")
    teams, entries, guesses = (kinds.count(kind) for kind in ("team", "submission", "guess"))
    click.echo(
        f"{tr('Teams:')} {teams:,}; {tr('submissions:')} {entries:,}; {tr('guesses:')} {guesses:,}"
    )
