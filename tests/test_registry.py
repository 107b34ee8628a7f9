import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tokumei import registry
from tokumei.anonymizers import Chain, DeleteRows, ShiftDates
from tokumei.errors import ParameterError, TokumeiError, UnknownMethod


def test_methods_are_found_by_name() -> None:
    assert registry.find("anonymizer", "delete-rows") is DeleteRows
    assert registry.name_of(DeleteRows()) == "delete-rows"


def test_an_unknown_method_comes_with_a_suggestion() -> None:
    with pytest.raises(UnknownMethod, match="did you mean 'delete-rows'"):
        registry.find("anonymizer", "delete-row")


def test_a_hopeless_name_comes_with_the_list() -> None:
    known = ", ".join(registry.names("attack"))
    with pytest.raises(UnknownMethod, match=f"there are {known}"):
        registry.find("attack", "zzzzzzzz")


def test_spec_is_plain_data() -> None:
    method = Chain(steps=(ShiftDates(days=3), DeleteRows(share=0.5)))
    assert registry.spec(method) == {
        "method": "chain",
        "steps": [
            {
                "family": "anonymizer",
                "method": "shift-dates",
                "days": 3,
                "together": "customer",
                "keep_times": False,
            },
            {"family": "anonymizer", "method": "delete-rows", "share": 0.5},
        ],
    }
    assert registry.build("anonymizer", registry.spec(method)) == method


def test_parameters_may_be_spelled_with_dashes() -> None:
    assert registry.build("attack", {"method": "exact-row", "top": 2}).top == 2


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(UnknownMethod, match="parameter of delete-rows called 'shar'; did you mean"):
        registry.build("anonymizer", {"method": "delete-rows", "shar": 0.5})


def test_a_spec_without_a_method_is_refused() -> None:
    with pytest.raises(ParameterError, match="needs the entry 'method'"):
        registry.build("anonymizer", {"share": 0.5})


def test_two_methods_of_one_name_are_refused() -> None:
    with pytest.raises(TokumeiError, match="two anonymizers called 'delete-rows'"):
        registry.anonymizer("delete-rows")(type("Other", (), {}))


def test_a_broken_package_of_methods_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no.such.module", "tokumei.methods")
    monkeypatch.setattr(registry, "entry_points", lambda group: [broken])
    registry._load.cache_clear()
    with pytest.raises(TokumeiError, match=r"The methods of 'no\.such\.module' cannot be loaded"):
        registry.names("attack")
    registry._load.cache_clear()


PLUGIN = '''
from dataclasses import dataclass
from tokumei.parameters import Checked
from tokumei.registry import anonymizer

@anonymizer("keep-nothing-secret")
@dataclass(frozen=True, kw_only=True)
class KeepNothingSecret(Checked):
    """Leave everything as it is."""

    def __call__(self, history, /, *, seed):
        return history
'''


def test_methods_of_another_installed_package_are_found(tmp_path: Path) -> None:
    """A package as pip lays it down: a module, and metadata with an entry point."""
    (tmp_path / "shop_methods.py").write_text(PLUGIN)
    metadata = tmp_path / "shop_methods-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-methods\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[tokumei.methods]\nshop = shop_methods\n")
    done = subprocess.run(
        [sys.executable, "-m", "tokumei", "anonymize", "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "keep-nothing-secret" in done.stdout
    assert "delete-rows" in done.stdout
