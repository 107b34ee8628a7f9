"""What holds for every command and group: help, languages, seeds."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import click
import pytest

from tokumei.cli.main import _run, root
from tokumei.cli.methods_group import MethodGroup

Captured = pytest.CaptureFixture[str]


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every group and command, with the words that lead to it."""

    def under(words: tuple[str, ...], command: click.Command) -> Any:
        yield words, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from under((*words, name), found)

    yield from under((), root)


def helped(capsys: Captured, *arguments: str) -> str:
    capsys.readouterr()
    assert _run(arguments) == 0
    out, err = capsys.readouterr()
    assert not err
    return out


@pytest.mark.filterwarnings("error")
def test_every_help_reads_in_both_languages(capsys: Captured) -> None:
    for words_before, _ in commands():
        english = helped(capsys, *words_before, "--lang", "en", "--help")
        assert english.startswith("Usage: tokumei")
        assert helped(capsys, *words_before, "--lang", "en", "-h") == english
        japanese = helped(capsys, *words_before, "--lang", "ja", "--help")
        assert japanese.startswith("使い方: tokumei")
        assert "--lang" in english


def reads(function: Any, name: str) -> bool:
    """Whether a function's body does anything with its argument."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    assert isinstance(tree, ast.FunctionDef)
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for part in tree.body
        for node in ast.walk(part)
    )


def test_a_seed_is_taken_only_where_it_is_used() -> None:
    seeded = 0
    for words_before, command in commands():
        if isinstance(command, MethodGroup):
            command = command.run
        elif isinstance(command, click.Group) or words_before[0] in ("anonymize", "attack"):
            continue
        for option in command.params:
            if "--seed" in option.opts:
                assert reads(command.callback, "seed"), f"{words_before} ignores its --seed"
                seeded += 1
    assert seeded > 10


def test_a_function_that_ignores_its_seed_is_noticed() -> None:
    def ignores(*, seed: int) -> int:
        return 0

    def draws(*, seed: int | None) -> int:
        return seed or 0

    assert not reads(ignores, "seed")
    assert reads(draws, "seed")


@pytest.mark.parametrize(
    ("words", "near"),
    [(["stat"], "stats"), (["contest", "innit"], "init"), (["anonymize", "decoy"], "decoys")],
)
def test_a_misspelled_command_gets_a_hint(words: list[str], near: str, capsys: Captured) -> None:
    assert _run(words) == 2
    assert capsys.readouterr().err.endswith(f"called '{words[-1]}'; did you mean '{near}'?\n")
