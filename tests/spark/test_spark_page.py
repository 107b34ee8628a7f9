"""What the page on Spark and the example say is run, on the session of the other tests."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from tokumei import generate

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def purchases(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "売上 1"  # Hadoop has its own ways with names
    folder.mkdir()
    monkeypatch.chdir(folder)
    generate("shop", customers=45, seed=1).to_native().write_parquet("purchases")
    return "purchases"


def test_the_page_on_spark(purchases: str, capsys: pytest.CaptureFixture[str]) -> None:
    from tokumei.cli.main import root

    blocks = dict(BLOCK.findall((ROOT / "docs" / "spark.md").read_text(encoding="utf-8")))
    # The Java of the session has another folder.
    code = blocks["python"].replace('"purchases"', repr(str(Path(purchases).absolute())))
    exec(compile(code, "docs/spark.md", "exec"), {})
    assert "information-loss" in capsys.readouterr().out
    told = ""
    for line in blocks["console"].splitlines():
        words = shlex.split(line.removeprefix("$ tokumei "))
        done = CliRunner().invoke(root, words)
        assert done.exit_code == 0, done.output
        told = done.output
    assert "jaccard" in told
    secret = Path("release") / "secret"
    assert {path.stat().st_mode & 0o077 for path in (secret, *secret.rglob("*"))} == {0}
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["purchases", "release"]
    names = pl.read_parquet("release/public/purchases.parquet/*.parquet").columns
    assert sorted(names) == sorted([*pl.read_parquet(purchases).columns, "row"])


def test_the_example_writes_a_release(purchases: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "on_spark.py"))["main"](
        str(Path(purchases).absolute()), "release"
    )
    assert (Path("release") / "public" / "about.json").is_file()
    assert "indistinguishable" in capsys.readouterr().out


def test_a_release_on_spark_is_parquet(purchases: str) -> None:
    from tokumei.cli.main import root

    words = ["anonymize", "pseudonyms-only", purchases, "-o", "release", "--spark", "local[1]"]
    refused = CliRunner().invoke(root, [*words, "--as", "csv"])
    assert str(refused.exception) == "On Spark a release is Parquet, not csv; leave --as out."
    assert not Path("release").exists()
