"""The entry point: commands are loaded when they are called, errors become one sentence."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module

import click

import tokumei
from tokumei.cli.completion import VARIABLE, complete
from tokumei.cli.localized import Group, Option, forget_language
from tokumei.errors import TokumeiError

COMMANDS = (
    "stats",
    "rfm",
    "plan",
    "anonymize",
    "attack",
    "score",
    "audit",
    "recommend",
    "check",
    "judge",
    "publish",
    "contest",
    "arena",
    "convert",
    "pk",
    "reproduce",
    "methods",
    "data",
    "ble",
    "demo",
)


class Root(Group):
    """The commands, each from a module of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of the flow."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"tokumei.cli.{cmd_name}")
        command: click.Command = module.command
        return command


@click.group("tokumei", cls=Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(tokumei.__version__, message="tokumei %(version)s", cls=Option)
def root() -> None:
    """Anonymize purchase histories, attack the result, and see who can still be found."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 done, 1 exposed (audit), 2 bad input, 130 interrupted."""
    sys.exit(_flushed(_run(arguments)))


def psd2csv(arguments: Sequence[str] | None = None) -> None:
    """Run `tokumei ble convert` under the name of the thesis's program."""
    given = sys.argv[1:] if arguments is None else arguments
    main(["ble", "convert", *given])


def _run(arguments: Sequence[str] | None) -> int:
    forget_language()
    try:
        if asked := os.environ.get(VARIABLE):
            return complete(root, asked)
        status = root.main(args=arguments, prog_name="tokumei", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _fail(error.format_message())
    except TokumeiError as error:
        return _fail(str(error))
    except click.Abort:
        click.echo("Interrupted; nothing was left half-written.", err=True)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has left; there is nobody to tell
        return 0
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _fail(f"{name}{error.strerror or str(error).rstrip('.')}.")
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            raise
        from tokumei.tables import spark_form

        return _fail(f"Spark: {spark_form('session:reason_of')(error)}.")
    return status if isinstance(status, int) else 0


def _flushed(status: int) -> int:
    """Write what is still held back; where that fails, say so once."""
    if sys.stdout is None:  # closed by whoever called
        return status
    try:
        sys.stdout.flush()
    except OSError as error:
        # Python would try it again at its very end, and fail in words and a code of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if status == 0 and not isinstance(error, BrokenPipeError):
            return _fail(f"{error.strerror}.")
    return status


def _fail(sentence: str) -> int:
    said = re.sub(r"\(option (\w+)\)", r"(option --\1)", " ".join(sentence.split()))
    click.echo(f"tokumei: {said}", err=True)
    return 2
