"""Build the sdist, and the wheel from it, and see that a stranger can use the wheel.

    .venv/bin/python -m tools.check_packages             with the newest packages that it allows
    .venv/bin/python -m tools.check_packages --oldest    with the oldest
    .venv/bin/python -m tools.check_packages --tests     and the core tests, against the wheel

Everything happens in a temporary folder and a virtual environment of its own, so that the source is
out of reach. `tests/test_packages.py` does the quick part of it in every run of the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import Parser
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener
from zipfile import ZipFile

import click
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
EXTRAS = ("contest", "exact", "mining")
"""Not spark: it needs Java, and its tests are for themselves."""
TESTED = ("contract", "data", "cli", "contest/store")
TEST_TOOLS = ("pytest>=9,<10", "hypothesis>=6.130,<7", "duckdb", "pandas>=3,<4", "xlsxwriter")
STATIC = "tokumei/contest/server/static/"
TYPED = """\
import tokumei

history: tokumei.History = tokumei.generate("shop", customers=20, seed=0)
reveal_type(tokumei.publish(history, history))
"""


@dataclass(frozen=True)
class Installed:
    """A wheel in a virtual environment, and a folder to work in."""

    wheel: Path
    programs: Path
    folder: Path

    def run(self, program: str, *words: str) -> str:
        """Run a program of the environment, and return what it prints."""
        return said(self.programs / program, *words, cwd=self.folder)


def said(*words: str | Path, cwd: Path) -> str:
    """Run a command without the settings of whoever calls, and return what it prints."""
    keep = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(  # noqa: S603
        list(map(str, words)), cwd=cwd, env=keep, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path, *, isolated: bool) -> tuple[Path, Path]:
    """Build the sdist, and from that alone the wheel; isolated, with build packages of its own."""
    said(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder)
    said(*pip, *(() if isolated else ("--no-build-isolation",)), sdist, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def oldest(wheel: Path) -> list[str]:
    """Return the lower bounds of a wheel's requirements, each as a version to install."""
    with ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(files.read(name).decode())
    needed = [Requirement(text) for text in told.get_all("Requires-Dist", [])]
    wanted = {
        (one.name, bound.version)
        for one in needed
        for bound in one.specifier
        if bound.operator == ">="
        and (one.marker is None or any(one.marker.evaluate({"extra": it}) for it in EXTRAS))
    }
    return [f"{name}=={version}" for name, version in sorted(wanted)]


def install(wheel: Path, folder: Path, pins: list[str], more: tuple[str, ...] = ()) -> Installed:
    """Install a wheel with its extras into an empty virtual environment."""
    environment, constraints = folder / "venv", folder / "constraints.txt"
    said(sys.executable, "-m", "venv", environment, cwd=folder)
    constraints.write_text("\n".join(pins) + "\n", encoding="utf-8")
    pip = (environment / "bin" / "pip", "install", "--quiet", "--constraint", constraints)
    said(*pip, f"{wheel}[{','.join(EXTRAS)}]", *more, cwd=folder)
    return Installed(wheel, environment / "bin", folder)


def check_source_is_absent(it: Installed) -> None:
    """See that what runs is the wheel."""
    where = it.run("python", "-c", "import tokumei; print(tokumei.__file__)")
    if not Path(where.strip()).is_relative_to(it.programs.parent):
        raise SystemExit(f"Not the wheel is used but {where}")


def check_flow(it: Installed) -> None:
    """Make data, anonymize and attack them."""
    it.run("tokumei", "data", "shop", "-n", "20", "--seed", "1", "-o", "shop.csv")
    it.run("tokumei", "anonymize", "delete-rows", "shop.csv", "-o", "release", "--seed", "1")
    told = json.loads(it.run("tokumei", "attack", "exact-row", "shop.csv", "release", "--json"))
    if told["score"]["value"] != 1:
        raise SystemExit(f"Deleting rows hides nobody from this attack, but it found {told}")


def check_types(it: Installed) -> None:
    """See that mypy knows the types of the wheel, which has py.typed."""
    (it.folder / "typed.py").write_text(TYPED, encoding="utf-8")
    python = f"--python-executable={it.programs / 'python'}"
    told = said(sys.executable, "-m", "mypy", "--strict", python, "typed.py", cwd=it.folder)
    if 'Revealed type is "tokumei.contracts.Release"' not in told:
        raise SystemExit(told)


def check_contest(it: Installed, *words: str) -> None:
    """Make a contest, serve it, log in, and get the arena and every file of the pages."""
    made = json.loads(it.run("tokumei", "contest", "init", "spring", *words, "--json"))
    link = next(one["link"] for one in made["links"] if one["role"] == "organizer")
    account = {"login": "somebody", "password": "a long password", "secret": link.split("#")[1]}
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    with serving(it, "spring") as address, ZipFile(it.wheel) as files:
        fetch(browser, f"{address}/api/invitations/accept", account)
        page = fetch(browser, f"{address}/arena").decode()
        for module in re.findall(r'"(/[\w/.-]+\.js)"', page):
            fetch(browser, address + module)
        if "/arena.js" not in page:
            raise SystemExit("The page of the arena does not load the arena.")
        for name in (name for name in files.namelist() if name.startswith(STATIC)):
            served = fetch(browser, f"{address}/static/{name.removeprefix(STATIC)}")
            if served != files.read(name):
                raise SystemExit(f"What is served as {name} is another file.")


@contextmanager
def serving(it: Installed, contest: str) -> Iterator[str]:
    """Serve a contest at any free port of this machine; give its address."""
    words = ("contest", "serve", contest, "--port", "0", "--workers", "0", "--json")
    with subprocess.Popen(  # noqa: S603
        [it.programs / "tokumei", *words], cwd=it.folder, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None  # noqa: S101
            yield json.loads(server.stdout.readline())["address"]
        finally:
            server.terminate()


def fetch(browser: OpenerDirector, address: str, data: dict[str, str] | None = None) -> bytes:
    """Return what is at an address, or at one to which data are sent."""
    body = None if data is None else json.dumps(data).encode()
    request = Request(address, body, {"Content-Type": "application/json"})  # noqa: S310
    with browser.open(request, timeout=60) as answer:
        return bytes(answer.read())


def check_tests(it: Installed) -> None:
    """Run the core tests against the wheel, from a copy without the source."""
    shutil.copytree(ROOT / "tests", it.folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", it.folder)
    chosen = [f"tests/{name}" for name in TESTED]
    # The plug-in of anyio's oldest versions warns, and warnings are errors.
    told = it.run("pytest", "-q", "-p", "no:anyio", "-m", "not realdata and not spark", *chosen)
    click.echo(told.strip().splitlines()[-1])


@click.command()
@click.option("--oldest", "use_oldest", is_flag=True, help="Install the oldest packages allowed.")
@click.option("--tests", "run_tests", is_flag=True, help="Also run the core tests.")
def main(*, use_oldest: bool, run_tests: bool) -> None:
    """Check the packages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _, wheel = build(folder, isolated=True)
        click.echo(f"built {wheel.name} from the sdist")
        pins = oldest(wheel) if use_oldest else []
        it = install(wheel, folder, pins, TEST_TOOLS if run_tests else ())
        click.echo(it.run("pip", "freeze").strip())
        check_source_is_absent(it)
        click.echo(it.run("tokumei", "--version").strip())
        check_types(it)
        click.echo("mypy sees the types")
        check_contest(it, "--demo")
        click.echo("a contest is served, with its pages and the arena")
        it.run("tokumei", "demo", "-o", "demo")
        click.echo("the demo wrote its report")
        if run_tests:
            check_tests(it)


if __name__ == "__main__":
    main()
