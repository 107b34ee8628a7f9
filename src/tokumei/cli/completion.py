"""Completion in bash, zsh and fish: click's own, over an outline of the commands.

All methods take a second or two to load, too long for the Tab key. So what the commands and their
options are called is kept in a file in the user's cache folder, and found out again when packages
or our own files have changed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tokumei
from tokumei.cli.localized import Command, Group
from tokumei.errors import TokumeiError

if TYPE_CHECKING:
    from tokumei.registry import Family

VARIABLE = "_TOKUMEI_COMPLETE"
"""Through this variable a shell asks; click's scripts set it."""
METHODS: dict[str, Family] = {"--then": "anonymizer", "--threat": "threat", "--judge": "judge"}
"""Options whose value begins with the name of a method, and its family."""


def complete(root: click.Group, instruction: str) -> int:
    """Print the script of a shell, or what may come next on its command line."""
    from click.shell_completion import shell_complete

    commands = root if instruction.endswith("_source") else _command("tokumei", _outline(root))
    return shell_complete(commands, {}, "tokumei", VARIABLE, instruction)


def cache_file() -> Path:
    """Return where the outline is kept."""
    folder = os.environ.get("XDG_CACHE_HOME")
    return (Path(folder) if folder else Path.home() / ".cache") / "tokumei" / "commands.json"


def _outline(root: click.Group) -> dict[str, Any]:
    """Return the names of everything, from the file where it is up to date."""
    file, stamp = cache_file(), _stamp()
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["stamp"] == stamp:
            return dict(kept["commands"])
    except (OSError, ValueError, LookupError, TypeError):
        pass  # there is none yet, or it is not ours
    told = _told(root, click.Context(root))
    part = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({"stamp": stamp, "commands": told}), encoding="utf-8")
        part.replace(file)
    except OSError:
        pass  # without a place to keep it, every Tab takes longer
    return told


def _stamp() -> list[list[Any]]:
    """Return what changes when a package comes, goes or is upgraded, and with our own files."""
    package = Path(tokumei.__file__).parent
    ours = max(file.stat().st_mtime_ns for file in package.rglob("*.py"))
    folders = sorted({Path(name) for name in sys.path if name.endswith("-packages")})
    changed = [[str(path), path.stat().st_mtime_ns] for path in folders if path.is_dir()]
    return [[str(package), ours], *changed]


def _told(command: click.Command, context: click.Context) -> dict[str, Any]:
    """Return a command as plain values: help, parameters, and the commands under it."""
    told: dict[str, Any] = {
        "help": (command.help or "").split("\n\n")[0],
        "parameters": [_parameter(parameter) for parameter in command.params],
    }
    if isinstance(command, click.Group):
        told["commands"] = {}
        for name in command.list_commands(context):
            try:
                under = command.get_command(context, name)
            except TokumeiError:  # an extra is missing
                under = Command(name)
            told["commands"][name] = _told(under or Command(name), context)
    return told


def _parameter(parameter: click.Parameter) -> dict[str, Any]:
    names = [*parameter.opts]
    if parameter.secondary_opts:
        names = [f"{names[0]}/{parameter.secondary_opts[0]}"]
    told: dict[str, Any] = {"name": parameter.name, "values": _values(parameter)}
    if isinstance(parameter, click.Option):
        told |= {"names": names, "help": parameter.help, "multiple": parameter.multiple}
        told["is_flag"] = parameter.is_flag
    else:
        told["nargs"] = parameter.nargs
    return told


def _values(parameter: click.Parameter) -> list[str] | str | None:
    """Return the values to choose from, `path` for files and folders, or nothing."""
    from tokumei.cli.options import method_names

    if isinstance(parameter.type, click.Choice):
        return [str(choice) for choice in parameter.type.choices]
    for name in parameter.opts:
        if name in METHODS:
            return method_names(METHODS[name])
    return "path" if isinstance(parameter.type, click.Path) else None


class _Outlined(Group):
    """A group that makes its commands from an outline when they are asked for."""

    def __init__(self, name: str, outline: dict[str, Any], **settings: Any) -> None:
        super().__init__(name, **settings)
        self.outline = outline

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.outline)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _command(cmd_name, self.outline[cmd_name]) if cmd_name in self.outline else None


def _command(name: str, told: dict[str, Any]) -> click.Command:
    settings: dict[str, Any] = {
        "help": told["help"],
        "params": [_made(parameter) for parameter in told["parameters"]],
    }
    if "commands" in told:
        return _Outlined(name, told["commands"], **settings)
    return Command(name, **settings)


def _made(told: dict[str, Any]) -> click.Parameter:
    values = told["values"]
    kind = click.Path() if values == "path" else click.Choice(values) if values else None
    if "names" not in told:
        return click.Argument([told["name"]], type=kind, nargs=told["nargs"])
    settings = {key: told[key] for key in ("help", "multiple", "is_flag")}
    return click.Option([told["name"], *told["names"]], type=kind, **settings)
