"""Every registered method runs by the real command, with default and with example options.

The cases come from the registry and from the examples of the other laws: a method that is
registered later is run as well.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from test_laws import objects

from tokumei import History, Score, registry
from tokumei.audit.designs import words
from tokumei.cli.main import _run
from tokumei.cli.options import method_from_text, method_names, on_command_line
from tokumei.parameters import parameters
from tokumei.registry import spec

Captured = pytest.CaptureFixture[str]
ROLES = ("person", "item", "time", "price", "quantity", "basket")
READING = [word for role in ROLES for word in (f"--{role}-column", role)]
"""How the file is read, in names that no method takes."""


def files(place: Path) -> list[str]:
    people = ["--customers-file", str(place / "people.csv")]
    kept = [word for name in ("sex", "birth", "country") for word in ("--keep-column", name)]
    return [str(place / "shop.csv"), *READING, *people, *kept]


def said(capsys: Captured, arguments: list[str]) -> Any:
    """Run a command and return what it tells programs."""
    capsys.readouterr()
    status = _run([*arguments, "--json"])
    out, err = capsys.readouterr()
    assert status == 0, f"tokumei {shlex.join(arguments)}: {err}"
    return json.loads(out)


def typed(method: Any) -> list[str]:
    """A method with all its parameters as a user types it."""
    found = [registry.name_of(method)]
    for parameter in parameters(type(method)):
        value, flag = getattr(method, parameter.name), parameter.name.replace("_", "-")
        if isinstance(value, bool):
            found.append(f"--{flag}" if value else f"--no-{flag}")
        elif value is not None:
            found += [f"--{flag}", str(value)]
    return found


def plainly(family: registry.Family) -> list[Any]:
    """The methods of a family as they are by default, where they have a default."""
    return [
        pytest.param(name, id=name)
        for name in method_names(family)
        if not any(parameter.required for parameter in parameters(registry.find(family, name)))
    ]


# Anonymizers: by default, with example options, and as our own pages print them.


@pytest.mark.parametrize("name", plainly("anonymizer"))
def test_every_anonymizer_runs_by_default(
    name: str, folder: Path, tmp_path: Path, capsys: Captured
) -> None:
    taken = {parameter.name for parameter in parameters(registry.find("anonymizer", name))}
    quickly = ["--seconds", "0.1"] if "seconds" in taken else []
    arguments = [name, str(folder / "shop.csv"), "-o", str(tmp_path / "release"), *quickly]
    assert said(capsys, ["anonymize", *arguments])["method"]["method"] == name
    assert (tmp_path / "release" / "public" / "purchases.csv").is_file()


@pytest.mark.parametrize("method", objects("anonymizer"))
def test_every_anonymizer_runs_as_it_is_written(
    method: Any, folder: Path, tmp_path: Path, capsys: Captured
) -> None:
    """As in reports and in what `recommend` proposes, steps of a chain included."""
    name, *options = shlex.split(words(spec(method)))
    arguments = [name, *files(folder), "-o", str(tmp_path / "release"), *options]
    assert said(capsys, ["anonymize", *arguments])["method"] == json.loads(json.dumps(spec(method)))


@pytest.mark.parametrize("family", registry.FAMILIES)
def test_every_method_can_be_typed(family: registry.Family) -> None:
    for case in objects(family):
        (method,) = case.values
        if on_command_line(type(method)):  # and not made of other methods
            assert method_from_text(family, shlex.join(typed(method))) == method


# Attacks, threats and judges.


@pytest.mark.parametrize("name", plainly("attack"))
def test_every_attack_runs_by_default(name: str, folder: Path, capsys: Captured) -> None:
    told = said(capsys, ["attack", name, *files(folder), str(folder / "release")])
    assert told["attack"]["method"] == name
    assert 0 <= told["score"]["value"] <= 1


@pytest.mark.parametrize(
    "method", [case for case in objects("attack") if on_command_line(type(case.values[0]))]
)
def test_every_attack_runs_with_options(method: Any, folder: Path, capsys: Captured) -> None:
    name, *options = typed(method)
    arguments = [name, *files(folder), str(folder / "release"), *options]
    assert said(capsys, ["attack", *arguments])["attack"] == spec(method)


@pytest.mark.parametrize("method", objects("threat"))
def test_every_threat_is_played(method: Any, folder: Path, capsys: Captured) -> None:
    asked = ["--threat", shlex.join(typed(method))]
    told = said(capsys, ["attack", "random", *files(folder), str(folder / "release"), *asked])
    assert told["threat"] == spec(method)


@pytest.mark.parametrize("method", objects("judge"))
def test_every_judge_marks(method: Any, folder: Path, capsys: Captured) -> None:
    asked = ["--judge", shlex.join(typed(method))]
    told = said(capsys, ["attack", "exact-row", *files(folder), str(folder / "release"), *asked])
    assert told["judge"] == spec(method)


# Metrics, which `score` applies.


def test_a_metric_that_is_registered_is_scored(
    folder: Path, tmp_path: Path, capsys: Captured, empty_registry: None
) -> None:
    @registry.metric("rows-of-a-plug-in")
    @dataclass(frozen=True)
    class Rows:
        """Count the rows."""

        def __call__(self, original: History, release: Any, *, seed: int) -> Score:
            rows = release.public.rows
            return Score(name="rows-of-a-plug-in", value=rows, better="higher", range=(0, 1e9), n=1)

    few = [str(folder / "shop.csv"), "--first-customers", "10"]
    made = said(capsys, ["anonymize", "delete-rows", *few, "-o", str(tmp_path / "release")])
    told = said(capsys, ["score", *few, str(tmp_path / "release")])
    scores = {score["name"]: score["value"] for score in told["scores"]}
    assert scores["rows-of-a-plug-in"] == made["rows_after"]
    assert len(scores) > 10


def test_the_command_itself_runs_without_a_warning(folder: Path, tmp_path: Path) -> None:
    arguments = ["perturb-amounts", str(folder / "shop.csv"), "-o", str(tmp_path / "release")]
    options = ["--price", "0.2", "--price-column", "price", "--json"]
    ran = subprocess.run(
        [
            sys.executable,
            "-W",
            "error::UserWarning",
            "-m",
            "tokumei",
            "anonymize",
            *arguments,
            *options,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["method"]["price"] == 0.2
