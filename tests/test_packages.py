"""What is built is complete, and works where the source is not."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
MADE = {
    "src/tokumei/arena/static/arena.js",
    "src/tokumei/arena/static/made.json",
    "src/tokumei/arena/static/three.LICENSE.txt",
    "src/tokumei/contest/server/static/vendor/htmx.LICENSE.txt",
    "src/tokumei/contest/server/static/vendor/htmx.esm.min.js",
    "src/tokumei/contest/server/static/vendor/made.json",
}
"""Not in the repository: hatch_build.py makes them."""


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from tools import check_packages

        return check_packages


@pytest.fixture(scope="module")
def built(checks: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return checks.build(tmp_path_factory.mktemp("built"), isolated=False)


def repository() -> set[str]:
    """Every file that is not ignored."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no repository but an unpacked sdist")
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def test_the_sdist_is_the_repository_with_the_front_end_made(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as files:
        packed = {name.partition("/")[2] for name in files.getnames()}
    expected = {name for name in repository() if not name.startswith(".ci/")}
    assert packed == expected | MADE | {"PKG-INFO"}


def test_the_wheel_is_the_package_and_nothing_else(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as files:
        packed = {name.partition("/")[2] for name in files.getnames()}
    with ZipFile(built[1]) as files:
        shipped = {name for name in files.namelist() if ".dist-info/" not in name}
    inside = {name.removeprefix("src/") for name in packed if name.startswith("src/")}
    assert shipped == inside
    assert "tokumei/py.typed" in shipped


def test_the_oldest_packages_are_one_version_each(checks: ModuleType, built) -> None:
    pins = dict(pin.split("==") for pin in checks.oldest(built[1]))
    assert len(pins) == len(checks.oldest(built[1]))
    assert {"polars", "fastapi", "ortools", "pyfim"} <= pins.keys()
    assert "pyspark" not in pins


def test_the_wheel_works_where_the_source_is_not(
    checks: ModuleType, built: tuple[Path, Path], tmp_path: Path
) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-compile", built[1]], check=True)
    # Installing everything would take minutes, so the packages are those of this environment. Its
    # own .pth files, one of which leads to the source, are not read there.
    (found,) = environment.glob("lib/python*/site-packages")
    (found / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    installed = checks.Installed(built[1], environment / "bin", tmp_path)
    checks.check_source_is_absent(installed)
    assert installed.run("tokumei", "--version").startswith("tokumei ")
    checks.check_flow(installed)
    checks.check_contest(installed, "--rules", "custom", "--original", "shop.csv")
