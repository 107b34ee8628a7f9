"""The probes find jails that leak, and without a jail that holds no script runs."""

import dataclasses
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sandbox_world import require

import tokumei
from tokumei.contest.sandbox import SandboxUnavailable, Script, available, probe, probing, run
from tokumei.contest.sandbox.interpreters import find_interpreter
from tokumei.contest.sandbox.jails import Bubblewrap, Landlock, Paths
from tokumei.contest.sandbox.plans import Plan, Task
from tokumei.contest.sandbox.running import fresh_user
from tokumei.errors import TokumeiError

HELLO = Script("python", b"print('{\"score\": 1}')")


@pytest.fixture
def fresh_probe() -> Iterator[None]:
    probe.cache_clear()
    yield
    probe.cache_clear()


@dataclass(frozen=True)
class Leaky(Landlock):
    """A jail that leaves every file open."""

    name: str = "leaky"

    def plan(self, task: Task) -> Plan:
        plan = super().plan(task)
        return dataclasses.replace(plan, landlock=Paths(["/"], []))


@dataclass(frozen=True)
class Talkative(Bubblewrap):
    """A jail whose first process has an environment to read."""

    name: str = "talkative"

    def plan(self, task: Task) -> Plan:
        plan = super().plan(task)
        return dataclasses.replace(plan, environment=plan.environment | {"PASSWORD": "secret"})


@dataclass(frozen=True)
class Broken(Bubblewrap):
    """A jail that cannot start anything."""

    name: str = "broken"

    def plan(self, task: Task) -> Plan:
        return dataclasses.replace(super().plan(task), command=["/not/there"])


def test_the_jails_of_this_machine_are_probed_once() -> None:
    findings = probe()
    assert [finding.jail for finding in findings] == [Bubblewrap(), Landlock()]
    assert probe() is findings
    assert all("escaped" not in (finding.reason or "") for finding in findings)


def test_the_best_jail_is_used() -> None:
    jail = available()
    if jail is None:
        pytest.skip("no sandbox works here")
    assert run(HELLO, []).scores == {"score": 1}


@pytest.mark.usefixtures("fresh_probe")
@pytest.mark.parametrize(
    ("jail", "based_on", "ways"),
    [
        (Leaky(), Landlock(), ["read-canary", "read-passwd"]),
        (Talkative(), Bubblewrap(), ["environment"]),
    ],
    ids=["leaky", "talkative"],
)
def test_a_jail_that_leaks_is_not_used(
    jail: Bubblewrap | Landlock,
    based_on: Bubblewrap | Landlock,
    ways: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    require(based_on)
    probe.cache_clear()
    monkeypatch.setattr(probing, "JAILS", (jail,))
    with caplog.at_level(logging.WARNING):
        assert available() is None
    assert f"The sandbox {jail.name} is not used: the probe escaped by" in caplog.text
    for way in ways:
        assert way in caplog.text
    with pytest.raises(SandboxUnavailable, match="the probe escaped by"):
        run(HELLO, [])


@pytest.mark.usefixtures("fresh_probe")
def test_a_jail_that_cannot_start_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    require(Bubblewrap())
    probe.cache_clear()
    monkeypatch.setattr(probing, "JAILS", (Broken(), Bubblewrap()))
    assert available() == Bubblewrap()
    assert "/not/there" in (probe()[0].reason or "")


@pytest.mark.usefixtures("fresh_probe")
def test_without_a_jail_scripts_are_refused_with_the_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tokumei.contest.sandbox.jails.find_program", lambda name: None)
    monkeypatch.setattr("tokumei.contest.sandbox.jails.landlock_version", lambda: 0)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert available() is None
    with pytest.raises(SandboxUnavailable) as caught:
        run(HELLO, [])
    assert isinstance(caught.value, TokumeiError)
    assert str(caught.value) == (
        "Uploaded scripts cannot be run safely here (bubblewrap: bwrap is not installed; "
        "Landlock: the kernel has no Landlock)."
    )


def test_landlock_needs_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert Landlock().missing() == "only root can give a script a user of its own"


def test_a_language_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokumei.contest.sandbox.interpreters.find_program", lambda name: None)
    with pytest.raises(SandboxUnavailable, match="need Rscript, which is not installed"):
        find_interpreter("r")
    monkeypatch.setattr("tokumei.contest.sandbox.interpreters._is_reachable", lambda path: False)
    with pytest.raises(SandboxUnavailable, match="may not read the Python of this server"):
        find_interpreter("python")


@pytest.mark.skipif(os.geteuid() != 0, reason="this server is not root: the other tests show it")
def test_a_server_that_is_not_root_uses_bubblewrap() -> None:
    """Started by the Python of the system, which every user may run."""
    require(Bubblewrap())
    python = Path("/usr/bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    if not python.exists():
        pytest.skip(f"{python} is not here")
    user = fresh_user()
    server = f"""
import sys
sys.path.insert(0, {str(Path(tokumei.__file__).parents[1])!r})
from tokumei.contest.sandbox import available, probe, run, Limits, Script
assert available() is not None, probe()
many = b"import os, time\\nfor _ in range(80): os.fork() or time.sleep(30)\\ntime.sleep(30)"
problem = run(Script("python", many), [], Limits(seconds=10)).problem
empty = b"for number in range(100_000): open(str(number), 'w').close()"
problem += run(Script("python", empty), [], Limits(seconds=10, disk=10_000_001)).problem
big = b"import os, time; os.fork(); x = bytearray(b'x') * 100_000_000; time.sleep(9)"
problem += run(Script("python", big), [], Limits(seconds=10, memory=2**27)).problem
print(available().name, run(Script("python", {HELLO.source!r}), []).scores, problem, sep="|")
"""
    done = subprocess.run(
        [python, "-B", "-c", server],
        user=user,
        group=user,
        extra_groups=[],
        env={},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (
        "bubblewrap|{'score': 1.0}|The script exceeded the limit of 64 processes."
        "The script made too many files.The script exceeded the memory limit of 128 MiB."
    )
