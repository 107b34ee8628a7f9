"""A method, also of another package, may take any name for a parameter."""

from __future__ import annotations

import json
import keyword
from dataclasses import asdict, fields, make_dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import pytest
from annotated_types import Ge
from typing_extensions import Doc

from tokumei import History, registry
from tokumei.cli import anonymize, attack
from tokumei.cli.main import _run
from tokumei.cli.methods_group import MethodGroup

Captured = pytest.CaptureFixture[str]


def shared_names(group: MethodGroup) -> list[str]:
    """Every name that an option or an argument of all methods has, in words or inside."""
    inside = [option.name for option in group.run.params if option.name]
    words = [word.lstrip("-") for option in group.run.params for word in option.opts]
    found = {word.replace("-", "_") for word in [*inside, *words, "help", "shared", "read_history"]}
    return sorted(word for word in found if len(word) > 1 and not keyword.iskeyword(word))


def greedy(group: MethodGroup, call: Any) -> type:
    """A method whose parameters have all the names that commands share."""
    kind = Annotated[float, Ge(0), Doc("A number.")]
    names = [(name, kind, 0.0) for name in shared_names(group)]
    made = make_dataclass("Greedy", names, frozen=True, namespace={"__call__": call})
    made.__doc__ = "Take every name."
    return made


def numbered(method: type) -> list[str]:
    """Another value for each parameter."""
    names = [field.name.replace("_", "-") for field in fields(method)]
    return [word for at, name in enumerate(names, 1) for word in (f"--{name}", str(at))]


def test_an_anonymizer_may_take_any_name(
    folder: Path, tmp_path: Path, capsys: Captured, empty_registry: None
) -> None:
    seen: dict[str, Any] = {}

    def call(self: Any, history: History, *, seed: int) -> History:
        seen.update(asdict(self), drawn_by=seed)
        return history

    method = registry.anonymizer("greedy")(greedy(anonymize.command, call))
    options = ["--shared-basket-column", "", "--shared-seed", "7"]
    release = tmp_path / "release"
    arguments = ["anonymize", "greedy", str(folder / "shop.csv"), "-o", str(release), *options]
    assert _run([*arguments, *numbered(method), "--shared-json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows_before"] > 0
    expected = {field.name: float(at) for at, field in enumerate(fields(method), 1)}
    assert seen == {**expected, "drawn_by": 7}
    columns = pl.read_csv(release / "public" / "purchases.csv").columns
    assert columns == ["person", "item", "time", "price", "quantity"]
    assert _run(["anonymize", "greedy", "-h"]) == 0
    assert "Take every name." in capsys.readouterr().out


def test_an_attack_may_take_any_name(folder: Path, capsys: Captured, empty_registry: None) -> None:
    from tokumei.attacks import ExactRow

    seen: dict[str, Any] = {}

    def call(self: Any, challenge: Any, *, seed: int) -> Any:
        seen.update(asdict(self))
        return ExactRow()(challenge, seed=seed)

    method = registry.attack("greedy")(greedy(attack.command, call))
    arguments = ["attack", "greedy", str(folder / "shop.csv"), str(folder / "release")]
    options = ["--shared-threat", "partial-rows --share 0.5", "--shared-json"]
    assert _run([*arguments, *options, *numbered(method)]) == 0
    assert json.loads(capsys.readouterr().out)["threat"]["share"] == 0.5
    assert seen == {field.name: float(at) for at, field in enumerate(fields(method), 1)}
