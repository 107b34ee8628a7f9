"""Hostile scripts under every jail: nothing is reached, nothing is left, the problem is named."""

import os
import platform
import subprocess
import time
from collections.abc import Iterator

import pytest
from sandbox_world import HOSTILE, World, a_world, every_jail, language_of, require

from tokumei.contest.sandbox import Limits, SandboxUnavailable, Script, running
from tokumei.contest.sandbox.interpreters import find_interpreter
from tokumei.contest.sandbox.jails import ENVIRONMENT, Jail, Landlock
from tokumei.contest.sandbox.running import fresh_user, run_in
from tokumei.contest.sandbox.scores import parse_scores
from tokumei.contest.sandbox.values import MIB
from tokumei.errors import ParameterError

SCRIPTS = sorted(path.name for path in HOSTILE.iterdir())

# The words of the problem; a script that is not here must end well and find no way out.
PROBLEMS = {
    "fork_bomb.py.txt": "limit of 64 processes",
    "fork_bomb.R": "limit of 64 processes",
    "fork_storm.py.txt": "limit of 64 processes",
    "memory_one.py.txt": "memory limit of 512 MiB",
    "memory_one.R": "memory limit of 512 MiB",
    "memory_tree.py.txt": "memory limit of 512 MiB",
    "memory_tree.R": "memory limit of 512 MiB",
    "endless_loop.py.txt": "time limit",
    "endless_loop.R": "time limit",
    "sleep.py.txt": "time limit",
    "sleep.R": "time limit",
    "stdout_flood.py.txt": "printed more than 64 KiB",
    "stdout_flood.R": "printed more than 64 KiB",
    "symlink_result.py.txt": "printed nothing",
    "fifo_result.py.txt": "printed nothing",
    "huge_json.py.txt": "4,000 scores",
    "long_names.py.txt": "A score's name must be",
    "markup_name.py.txt": "A score's name must be",
    "nan.py.txt": "NaN; every score must be a finite number",
    "nan.R": "NaN; every score must be a finite number",
    "infinity.py.txt": "is not a finite number",
    "huge_integer.py.txt": "not JSON",
    "deep_nesting.py.txt": "nested too deeply",
    "bad_text.py.txt": "not text in UTF-8",
    "signals.py.txt": "signal SIGKILL",
    "signals.R": "signal SIGKILL",
}
# Also right, when the machine is so busy that ended processes are not counted off in time.
OR_ELSE = {"fork_dodger.py.txt": "limit of 64 processes"}
# Only where a script can make files at all.
PROBLEMS_OF_BUBBLEWRAP = {"many_files.py.txt": "too many files"}

SECONDS = {"endless_loop": 2, "sleep": 2}
OTHER_SECONDS = 15
SLACK = 10

# Scripts that do no harm without a jail: there they must find a way out, or they test nothing.
HARMLESS = [
    *("tcp.py.txt", "unix_path.py.txt", "unix_abstract.py.txt", "listen.py.txt"),
    *("read_system.py.txt", "read_home.py.txt", "read_submission.py.txt", "read_answers.py.txt"),
    *("environment.py.txt", "io_uring.py.txt", "unshare.py.txt", "ptrace.py.txt"),
    *("kernel_doors.py.txt", "open_files.py.txt", "tcp.R", "read_files.R", "environment.R"),
    *("shell.R", "links.R"),
]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with a_world(fresh_user()) as made:
        monkeypatch.setenv("TOKUMEI_SECRET", made.secret)
        monkeypatch.setattr("tempfile.tempdir", str(made.stage))
        monkeypatch.setattr(running, "fresh_user", lambda: made.user)
        yield made


def test_there_are_enough_scripts_in_both_languages() -> None:
    assert len(SCRIPTS) >= 25
    assert {language_of(name) for name in SCRIPTS} == {"python", "r"}
    assert PROBLEMS.keys() <= set(SCRIPTS)


@every_jail
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_hostile_script_is_held(name: str, jail: Jail, world: World) -> None:
    require(jail, language_of(name))
    limits = Limits(seconds=SECONDS.get(name.partition(".")[0], OTHER_SECONDS))
    started = time.monotonic()
    outcome = run_in(jail, world.script(name), world.inputs, limits)
    elapsed = time.monotonic() - started

    assert world.damage() == []
    assert elapsed < limits.seconds + SLACK
    assert world.secret not in f"{outcome}"
    assert len(outcome.stderr) <= 16 * 1024
    assert "\x1b" not in outcome.stderr
    problems = PROBLEMS | (PROBLEMS_OF_BUBBLEWRAP if jail.name == "bubblewrap" else {})
    if name in problems:
        assert problems[name] in (outcome.problem or ""), outcome
        assert outcome.scores is None
    elif name == "many_digits.py.txt":
        assert outcome.scores == {"loss": 0.123457}
    elif outcome.problem is None or name not in OR_ELSE:
        assert outcome.problem is None, outcome
        assert outcome.scores == {"escaped": 0}
    else:
        assert OR_ELSE[name] in outcome.problem


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run the scripts as another user")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the scripts' numbers are of x86_64")
@pytest.mark.parametrize("name", HARMLESS)
def test_without_a_jail_the_script_would_escape(name: str, world: World) -> None:
    script = world.script(name)
    interpreter = find_interpreter(script.language)
    path = world.folder / f"script{interpreter.suffix}"
    path.write_bytes(script.source)
    done = subprocess.run(
        [*interpreter.command, str(path), *map(str, world.inputs)],
        user=world.user,
        group=world.user,
        extra_groups=[],
        env=ENVIRONMENT | {"TOKUMEI_SECRET": world.secret},
        cwd=world.folder / "writable",
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert parse_scores(done.stdout) == {"escaped": 1}


@every_jail
def test_trap_1_the_environment_of_the_first_process_is_clean(jail: Jail, world: World) -> None:
    """The parent's environment is in /proc/1/environ unless bubblewrap starts with a clean one."""
    require(jail)
    source = b"""
import json, os
names = set(os.environ)
for process in ("1", "self"):
    try:
        with open(f"/proc/{process}/environ") as file:
            names |= {entry.partition("=")[0] for entry in file.read().split(chr(0)) if entry}
    except OSError:
        pass
print(json.dumps({name: 1 for name in names}))
"""
    outcome = run_in(jail, Script("python", source), [], Limits())
    assert outcome.scores is not None
    assert outcome.scores.keys() <= {*ENVIRONMENT, "HOME", "TMPDIR", "PWD", "LC_CTYPE"}


@every_jail
def test_trap_2_shared_memory_has_a_limit(jail: Jail, world: World) -> None:
    """`--dev` of bubblewrap leaves /dev/shm unlimited."""
    require(jail)
    outcome = run_in(jail, world.script("shared_memory_fill.py.txt"), [], Limits(disk=8 * MIB))
    assert outcome.scores == {"escaped": 0}
    source = b"""
import json, os
space = os.statvfs("/dev/shm")
print(json.dumps({"size": space.f_blocks * space.f_frsize * os.access("/dev/shm", os.W_OK)}))
"""
    if jail.name == "bubblewrap":
        outcome = run_in(jail, Script("python", source), [], Limits(disk=8 * MIB))
        assert outcome.scores == {"size": 8_388_610}  # 8 MiB, in six digits


@every_jail
def test_trap_3_memory_is_counted_over_all_processes(jail: Jail, world: World) -> None:
    """RLIMIT_AS is per process: three of 60 MB stay far below it, and above the limit together."""
    require(jail)
    source = b"""
import os, time
for _ in range(2):
    if os.fork() == 0:
        break
content = bytearray(b"x") * 60_000_000
time.sleep(20)
"""
    limits = Limits(memory=128 * MIB, seconds=OTHER_SECONDS)
    outcome = run_in(jail, Script("python", source), [], limits)
    assert outcome.problem == "The script exceeded the memory limit of 128 MiB."
    assert outcome.seconds < OTHER_SECONDS


@every_jail
def test_memory_that_processes_share_counts_once(jail: Jail, world: World) -> None:
    require(jail)
    source = b"""
import os, time
content = bytearray(b"x") * 60_000_000
for _ in range(4):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
time.sleep(1)
print('{"done": 1}')
"""
    outcome = run_in(jail, Script("python", source), [], Limits(memory=128 * MIB))
    assert outcome.scores == {"done": 1}


@every_jail
def test_trap_4_no_script_runs_as_root(
    jail: Jail, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root ignores RLIMIT_NPROC."""
    require(jail)
    source = b"import json, os; print(json.dumps({'user': os.getuid(), 'group': os.getgid()}))"
    outcome = run_in(jail, Script("python", source), [], Limits())
    assert outcome.scores is not None
    assert 0 not in outcome.scores.values()
    if os.geteuid() == 0:
        monkeypatch.setattr(running, "fresh_user", lambda: 0)
        with pytest.raises(SandboxUnavailable):
            run_in(jail, Script("python", source), [], Limits())


@every_jail
def test_trap_5_r_has_the_files_that_it_needs(jail: Jail, world: World) -> None:
    """R needs 256 open files to start."""
    require(jail, "r")
    source = b"cat(sprintf('{\"files\": %s}', system('ulimit -n', intern = TRUE)))"
    outcome = run_in(jail, Script("r", source), [], Limits())
    assert outcome.scores == {"files": 256}
    with pytest.raises(ParameterError, match="R needs at least 256"):
        Limits(files=255)


@every_jail
def test_trap_6_no_script_shadows_a_package(jail: Jail, world: World) -> None:
    """A script called pandas.py would be imported in place of pandas."""
    require(jail)
    source = b"""
import json, sys, os
import numpy
names = {os.path.basename(sys.argv[0]), *os.listdir(os.path.dirname(sys.argv[0]))}
own = any(path in ("", os.path.dirname(sys.argv[0]), os.getcwd()) for path in sys.path)
print(json.dumps({"isolated": sys.flags.isolated, "own folder": int(own),
                  "guessable": int(any("numpy" in name or "pandas" in name for name in names)),
                  "real": int(numpy.array([1, 2]).sum())}))
"""
    outcome = run_in(jail, Script("python", source), [], Limits())
    assert outcome.scores == {"isolated": 1, "own folder": 0, "guessable": 0, "real": 3}


def test_without_namespaces_no_process_leaves_its_group(world: World) -> None:
    """The group is what all of them are ended by."""
    jail = Landlock()
    require(jail)
    source = b"""
import json, os
left = 0
for leave in (os.setsid, os.setpgrp, lambda: os.setpgid(0, 0)):
    child = os.fork()
    if child == 0:
        try:
            leave()
        except OSError:
            os._exit(0)
        os._exit(1)
    left += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps({"left": left}))
"""
    assert run_in(jail, Script("python", source), [], Limits()).scores == {"left": 0}


@every_jail
@pytest.mark.parametrize("name", ["symlink_result.py.txt", "fifo_result.py.txt"])
def test_trap_7_no_path_of_the_script_is_opened(jail: Jail, name: str, world: World) -> None:
    """The one way out is a pipe, and what a script leaves is gone with its file system."""
    require(jail)
    outcome = run_in(jail, world.script(name), world.inputs, Limits())
    assert outcome.problem == "The script printed nothing; it must print one JSON object."
    assert world.damage() == []
