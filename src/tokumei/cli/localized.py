"""Commands whose help can be read in English and in Japanese."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

import click

from tokumei.errors import UnknownMethod
from tokumei.words import LANGUAGES, Language, preferred_language, translate

F = TypeVar("F", bound=Callable[..., Any])

_language: ContextVar[Language | None] = ContextVar("tokumei_language", default=None)


def language() -> Language:
    """Return the language that the user asked for, or that of the environment."""
    return _language.get() or preferred_language()


def forget_language() -> None:
    """Go back to the language of the environment."""
    _language.set(None)


def tr(text: str) -> str:
    """Translate for the user at the terminal."""
    return translate(text, language())


class Formatter(click.HelpFormatter):
    """Headings in the user's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        super().write_usage(prog, args, f"{tr(prefix or 'Usage:')} ")

    def write_heading(self, heading: str) -> None:
        """Write a heading."""
        super().write_heading(tr(heading))


click.Context.formatter_class = Formatter


class Option(click.Option):
    """An option whose help is translated when it is shown; `allowed` says what may be given."""

    def __init__(self, *declarations: Any, allowed: str = "", **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.allowed = allowed

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return names and help of the option."""
        shown = copy.copy(self)
        shown.show_default = False
        notes = [self.allowed] if self.allowed else []
        if self.required:
            notes.append(tr("required"))
        elif isinstance(self.default, str | int | float | Path) and (
            self.default is not False and self.default != ""
        ):
            notes.append(f"{tr('default:')} {self.default}")
        shown.required = False
        shown.help = tr(self.help or "") + (f"  [{'; '.join(notes)}]" if notes else "")
        return click.Option.get_help_record(shown, ctx)


def _choose(_ctx: click.Context, _option: click.Parameter, value: Language | None) -> None:
    if value:
        _language.set(value)


LANGUAGE = Option(
    ["--lang"],
    type=click.Choice(LANGUAGES),
    is_eager=True,
    expose_value=False,
    callback=_choose,
    help="Language of what people read.",
)


def language_option(function: F) -> F:
    """Add `--lang`."""
    vars(function).setdefault("__click_params__", []).append(LANGUAGE)
    return function


class _Localized(click.Command):
    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for paragraph in (self.help or "").split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(tr(paragraph))

    def get_short_help_str(self, limit: int = 45) -> str:
        return tr((self.short_help or self.help or "").split("\n\n")[0]).removesuffix(".")

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = tr("Show this message and exit.")
        return option


class Command(_Localized):
    """A command with translated help."""


class Group(_Localized, click.Group):
    """A group with translated help, `--lang`, and a hint for a misspelled command."""

    command_class = Command
    kind = "command"

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, with `--lang` before `--help`."""
        *own, helping = super().get_params(ctx)
        return [*own, LANGUAGE, helping]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names."""
        known, name = self.list_commands(ctx), args[0]
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            raise UnknownMethod(self.kind, name, known)
        return super().resolve_command(ctx, args)
