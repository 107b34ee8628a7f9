"""Break the judges and verifiers on purpose, one small change at a time, and see that a test fails.

    .venv/bin/python -m tools.mutate            all modules of tools/mutate.toml
    .venv/bin/python -m tools.mutate judges/    those whose path begins so

A change that no test notices survives and is printed; the share that is noticed is the score.
`tools/mutate.toml` lists the modules with their tests, and the changes that change nothing, each
with its reason. Tests that need the papers' data or Spark are left out, so that anybody gets the
same score.

Every change has its own process. One process for each group of modules collects their tests and is
forked for each change; the functions then get the changed code. What runs on import, as a constant
at the top, cannot be changed so late: for it the tests are collected anew. Only the tests that
reached the changed line run, the fastest first, until one fails.
"""

import ast
import gc
import importlib
import math
import os
import pickle
import signal
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from click import echo

from tools.mutations import Change, changes

SOURCE = Path("src/tokumei")
LIBRARIES = ("hypothesis", "narwhals", "numba", "polars", "pyarrow", "pytest", "scipy.stats")
LEAST_SCORE = 0.85
"""Of every module; below it the exit code is 1."""
LONGEST = 3600
LEAST_SECONDS, TIMES_SLOWER = 30, 20
"""A change that makes its tests so much slower counts as noticed: it does not end."""
OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not realdata and not spark"]
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}
"""No threads before the forks, and no plugins, which would be imported for every change."""
AGAIN = 99
"""The exit code of a process that could not change a function that exists."""


def in_child(work: Callable[[], int], seconds: float) -> int:
    """Run in a forked process, silently; return its exit code, or -1 where it took too long."""
    child = os.fork()
    if not child:
        code = 1
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            code = work()
        finally:
            os._exit(code)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


class Module:
    """A module, its changes, and those among them that are tried."""

    def __init__(self, name: str, reasons: dict[str, str]) -> None:
        self.name, self.reasons = name, reasons
        self.path = (SOURCE / name).resolve()
        self.tree = ast.parse(self.path.read_text())
        self.made = changes(self.tree)
        self.tried = [change for change in self.made if change.text not in reasons]
        if unknown := set(reasons) - {change.text for change in self.made}:
            raise SystemExit(f"{name} has no change like this any more: {min(unknown)}")


class Group:
    """Modules with the same tests; also the plugin of pytest that tries their changes."""

    def __init__(self, modules: list[Module], tests: list[str], folder: Path) -> None:
        self.modules, self.tests, self.folder = modules, tests, folder
        self.lines: dict[str, set[tuple[str, int]]] = defaultdict(set)
        """The lines of the modules that each test reaches."""
        self.seconds: dict[str, float] = {}

    def survivors(self) -> Iterator[tuple[Module, list[Change]]]:
        """Return the changes that no test notices."""
        if in_child(lambda: self.run(self.tests, self), LONGEST):
            raise SystemExit(f"These tests fail as they are: {' '.join(self.tests)}")
        codes, self.lines, self.seconds = self.load("found")
        for module in self.modules:
            yield (
                module,
                [
                    change
                    for change, code in zip(module.tried, codes[module.name], strict=True)
                    if (self.tried_anew(module, change) if code == AGAIN else code) == 0
                ],
            )

    def run(self, tests: list[str], *plugins: object) -> int:
        """Run tests in this process."""
        import pytest

        return pytest.main([*OPTIONS, f"--basetemp={self.folder / 'tests'}", *tests], plugins)

    def save(self, name: str, found: object) -> None:
        """Keep what a child found."""
        (self.folder / name).write_bytes(pickle.dumps(found))

    def load(self, name: str) -> Any:
        """Return what a child found."""
        return pickle.loads((self.folder / name).read_bytes())  # noqa: S301

    def tests_of(self, module: Module, change: Change) -> tuple[list[str], float]:
        """Return the tests that a change concerns, the fastest first, and how long to wait."""
        path = str(module.path)
        wanted = {(path, line) for line in change.lines}
        tests = [
            test
            for test, lines in self.lines.items()
            if lines & wanted or (change.on_import and any(path == place for place, _ in lines))
        ]
        tests.sort(key=self.seconds.__getitem__)
        return tests, LEAST_SECONDS + TIMES_SLOWER * sum(self.seconds[test] for test in tests)

    def tried_anew(self, module: Module, change: Change) -> int:
        """Change a module before it is imported."""
        tests, seconds = self.tests_of(module, change)

        def work() -> int:
            change.apply()
            sys.meta_path.insert(0, Changed(module))
            return self.run(tests)

        return in_child(work, seconds) if tests else 0

    def pytest_runtestloop(self, session: Any) -> bool:
        """Watch the tests as they are, then run them for every change, all in forked processes."""
        items = {item.nodeid: item for item in session.items}

        def watch() -> int:
            code = run_items(session, list(items.values()), self.watched)
            self.save("watched", (self.lines, self.seconds))
            return code

        session.testsfailed = in_child(watch, LONGEST)
        if session.testsfailed:
            return True
        self.lines, self.seconds = self.load("watched")
        live = functions()

        def tried(module: Module, change: Change) -> int:
            tests, seconds = self.tests_of(module, change)

            def work() -> int:
                change.apply()
                try:
                    replace_code(live, compile(module.tree, module.path, "exec"))
                except ValueError:  # it uses other variables of the function around it
                    return AGAIN
                return run_items(session, [items[test] for test in tests], self.timed)

            return in_child(work, seconds) if tests else 0

        codes = {
            module.name: [
                AGAIN if change.on_import else tried(module, change) for change in module.tried
            ]
            for module in self.modules
        }
        self.save("found", (codes, self.lines, self.seconds))
        return True

    def watched(self, item: Any, run: Callable[[], None]) -> None:
        """Note which lines of the modules a test reaches, and how long it takes."""
        lines = self.lines[item.nodeid]
        paths = {str(module.path) for module in self.modules}

        def note(frame: FrameType, *_: object) -> Any:
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            return note

        start = time.monotonic()
        sys.settrace(lambda frame, *_: note if frame.f_code.co_filename in paths else None)
        run()
        sys.settrace(None)
        self.seconds[item.nodeid] = time.monotonic() - start

    def timed(self, item: Any, run: Callable[[], None]) -> None:
        """End this process where a test takes too long, and do not wait for the time of all."""
        signal.alarm(LEAST_SECONDS + math.ceil(TIMES_SLOWER * self.seconds[item.nodeid]))
        run()


class Changed(SourceFileLoader):
    """Gives one module other code than its file has."""

    def __init__(self, module: Module) -> None:
        name = ".".join(("tokumei", *Path(module.name).with_suffix("").parts))
        super().__init__(name, str(module.path))
        self.tree = module.tree

    def find_spec(self, name: str, *_: object) -> Any:
        """Answer for the one module."""
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _: str) -> CodeType:
        """Compile the changed module."""
        return compile(self.tree, self.path, "exec")


def run_items(session: Any, items: list[Any], around: Callable[..., None] | None = None) -> int:
    """Run collected tests until one fails; return how many did."""
    for item, following in zip(items, [*items[1:], None], strict=True):

        def run(item: Any = item, following: Any = following) -> None:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

        around(item, run) if around else run()
        if session.shouldfail:
            break
    return int(session.testsfailed > 0)


def functions() -> dict[tuple[str, str, int], list[FunctionType]]:
    """Return the functions that exist, by file, name and line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            found[_key(thing.__code__)].append(thing)
    return found


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def replace_code(live: dict[tuple[str, str, int], list[FunctionType]], module: CodeType) -> None:
    """Give functions that exist the code of a changed module."""
    for code in _codes(module):
        for function in live.get(_key(code), []):
            if function.__code__ != code:
                function.__code__ = code


def _codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _codes(part)


def main(part: str = "") -> None:
    """Print what survives, and the score of every module."""
    settings = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    os.environ |= ENVIRONMENT
    for library in LIBRARIES:
        importlib.import_module(library)
    rows: dict[str, tuple[int, ...]] = {}
    low = False
    for group in settings["group"]:
        names = [name for name in group["modules"] if name.startswith(part)]
        modules = [Module(name, settings["equivalent"].get(name, {})) for name in names]
        if not modules:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for module, missed in Group(modules, group["tests"], Path(folder)).survivors():
                for change in missed:
                    echo(f"{SOURCE / module.name}:{change.line} {change.text}")
                rows[module.name] = (len(module.made), len(missed), len(module.reasons))
    if not rows:
        raise SystemExit(f"No module of tools/mutate.toml begins with {part}.")
    rows["together"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    echo(f"{'module':32}{'changes':>8}{'noticed':>8}{'survive':>8}{'equal':>8}{'score':>8}")
    for name, (made, lost, equal) in rows.items():
        noticed = made - equal - lost
        share = noticed / max(1, made - equal)
        low |= share < LEAST_SCORE
        echo(f"{name:32}{made:8}{noticed:8}{lost:8}{equal:8}{share:8.1%}")
    sys.exit(low)


if __name__ == "__main__":
    main(*sys.argv[1:])
