"""The build hook: what comes from npm, and that nothing else does."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from hatchling.bridge.app import Application

ROOT = Path(__file__).parents[1]
FRONTEND = ROOT / "frontend"
SOURCE = "export default 1;\n"


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project whose only package lies beside it: npm needs no network for it."""
    package = tmp_path / "frontend" / "packages" / "htmx"
    (package / "dist").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "htmx.org", "version": "1.0.0"}')
    (package / "dist" / "htmx.esm.min.js").write_text(SOURCE)
    (package / "dist" / "never-shipped.js").write_text("")
    (package / "LICENSE").write_text("Do as you like.\n")
    wanted = {"htmx.org": "file:packages/htmx"}
    lock = {
        "name": "pages",
        "lockfileVersion": 3,
        "packages": {
            "": {"name": "pages", "dependencies": wanted},
            "node_modules/htmx.org": {"resolved": "packages/htmx", "link": True},
            "packages/htmx": {"name": "htmx.org", "version": "1.0.0"},
        },
    }
    frontend = tmp_path / "frontend"
    (frontend / "package.json").write_text(json.dumps({"name": "pages", "dependencies": wanted}))
    (frontend / "package-lock.json").write_text(json.dumps(lock))
    return tmp_path


def test_the_lock_file_names_versions_and_digests_but_no_address() -> None:
    text = (FRONTEND / "package-lock.json").read_text(encoding="utf-8")
    assert not re.search(r'https?:|"resolved"', text)
    packages = json.loads(text)["packages"]
    wanted = packages.pop("")["dependencies"]
    assert wanted == json.loads((FRONTEND / "package.json").read_text())["dependencies"]
    for package in packages.values():
        assert package["integrity"].startswith("sha512-")
    for name, version in wanted.items():
        assert packages[f"node_modules/{name}"]["version"] == version
    assert "omit-lockfile-registry-resolved=true" in (FRONTEND / ".npmrc").read_text()


def test_what_is_shipped_is_what_the_lock_file_names(hook: ModuleType) -> None:
    vendor = ROOT / hook.VENDOR
    assert hook.is_made(FRONTEND, vendor), "install again: pip install --editable ."
    assert {file.name for file in vendor.iterdir()} >= {*hook.SHIPPED, hook.MADE}
    version = json.loads((FRONTEND / "package.json").read_text())["dependencies"]["htmx.org"]
    assert f'"{version}"' in (vendor / "htmx.esm.min.js").read_text(encoding="utf-8")


def test_the_hook_copies_what_is_shipped_and_nothing_else(hook: ModuleType, place: Path) -> None:
    frontend, vendor = place / "frontend", place / hook.VENDOR
    assert not hook.is_made(frontend, vendor)
    hook.install(frontend)
    hook.make(frontend, vendor)
    assert {file.name for file in vendor.iterdir()} == {*hook.SHIPPED, hook.MADE}
    assert (vendor / "htmx.esm.min.js").read_text() == SOURCE
    assert hook.is_made(frontend, vendor)


def test_a_changed_file_or_lock_is_made_again(hook: ModuleType, place: Path) -> None:
    frontend, vendor = place / "frontend", place / hook.VENDOR
    hook.install(frontend)
    hook.make(frontend, vendor)
    (vendor / "htmx.esm.min.js").write_text("changed")
    assert not hook.is_made(frontend, vendor)
    hook.make(frontend, vendor)
    lock = frontend / "package-lock.json"
    lock.write_text(lock.read_text() + "\n")
    assert not hook.is_made(frontend, vendor)


def test_the_arena_is_that_of_its_sources(hook: ModuleType, tmp_path: Path) -> None:
    arena = ROOT / hook.ARENA
    assert hook.is_bundled(FRONTEND, arena), "install tokumei again: its sources have changed"
    assert {file.name for file in arena.iterdir()} == {hook.BUNDLE, *hook.LICENSES, hook.MADE}
    text = (arena / hook.BUNDLE).read_text(encoding="utf-8")
    assert "createArena" in text
    assert "three.js" in text.lower(), "the notice of three.js"
    # An unpacked sdist has the module, but not the packages that it is made of.
    if not (FRONTEND / "node_modules").is_dir():
        hook.install(FRONTEND)
    hook.bundle(FRONTEND, tmp_path / "again")
    assert (tmp_path / "again" / hook.BUNDLE).read_text(encoding="utf-8") == text
    (tmp_path / "again" / hook.BUNDLE).write_text("changed")
    assert not hook.is_bundled(FRONTEND, tmp_path / "again")


def test_without_a_registry_the_build_says_what_to_do(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    (tmp_path / "frontend").mkdir()
    for name in ("package.json", "package-lock.json"):
        (tmp_path / "frontend" / name).write_text((FRONTEND / name).read_text())
    # Nobody listens there, and the packages that npm has kept are not looked at.
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    builder = hook.FrontEnd(str(tmp_path), {}, None, None, str(tmp_path), "wheel", Application())
    with pytest.raises(SystemExit):
        builder.initialize("standard", {})
    said = capfd.readouterr()
    assert "check the network and npm's registry setting" in said.out + said.err
    assert not (tmp_path / hook.VENDOR).exists()


def test_node_is_asked_for_only_where_something_is_to_be_made(
    hook: ModuleType, tmp_path: Path
) -> None:
    def asked(root: Path) -> list[str]:
        return hook.FrontEnd(str(root), {}, None, None, "", "wheel", Application()).dependencies()

    assert asked(ROOT) == []
    assert asked(tmp_path) == [hook.NODE]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is an unpacked sdist")
def test_the_repository_has_our_own_source_only() -> None:
    listed = ["git", "check-ignore", "-q"]
    for path in (
        "src/tokumei/contest/server/static/vendor/htmx.esm.min.js",
        "src/tokumei/arena/static/arena.js",
        "node_modules/x",
    ):
        assert subprocess.run([*listed, path], cwd=ROOT, check=False).returncode == 0
