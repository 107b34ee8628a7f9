"""Good scripts in every jail, what uploaders are told, and what happens when the server ends."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sandbox_world import every_jail, require

import tokumei
from tokumei.contest.sandbox import Limits, SandboxUnavailable, Script, running
from tokumei.contest.sandbox.jails import TEMPORARY, Jail, _temporary_folder
from tokumei.contest.sandbox.probing import JAILS
from tokumei.contest.sandbox.running import FIRST_USER, USERS, fresh_user, run_in
from tokumei.contest.sandbox.values import MIB
from tokumei.errors import ParameterError

ROOT = Path(tokumei.__file__).parents[1]

WITH_CSV = b"""
import csv, json, sys

def amounts(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [float(row["amount"]) for row in csv.DictReader(file)]

first, second = map(amounts, sys.argv[1:3])
print(json.dumps({"loss": sum(abs(a - b) for a, b in zip(first, second)) / len(first)}))
"""
WITH_NUMPY = b"""
import json, sys
import numpy as np

tables = [np.loadtxt(path, delimiter=",", skiprows=1, usecols=1) for path in sys.argv[1:]]
print(json.dumps({"loss": float(np.abs(tables[0] - tables[1]).mean())}))
"""
WITH_POLARS = b"""
import json, sys
import polars as pl

first, second = (pl.scan_csv(path) for path in sys.argv[1:])
joined = first.join(second, on="customer", suffix="_2")
loss = joined.select((pl.col("amount") - pl.col("amount_2")).abs().mean()).collect().item()
print(json.dumps({"loss": loss}))
"""
WITH_R = b"""
paths <- commandArgs(trailingOnly = TRUE)
first <- read.csv(paths[1])
second <- read.csv(paths[2])
cat(sprintf('{"loss": %.10g}', mean(abs(first$amount - second$amount))))
"""
GOOD = {
    "csv": Script("python", WITH_CSV),
    "numpy": Script("python", WITH_NUMPY),
    "polars": Script("python", WITH_POLARS),
    "R": Script("r", WITH_R),
}
HELLO = {
    "python": Script("python", b"print('{\"score\": 1}')"),
    "r": Script("r", b"cat('{\"score\": 1}')"),
}
NAMES = ("佐藤", "鈴木", "高橋")
QUICK_SECONDS = {"python": 0.5, "r": 2.0}


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Files that only the server may read, as those of a contest are."""
    rows = {"original": (100, 200, 300), "submitted": (101, 200, 303)}
    for name, amounts in rows.items():
        lines = [f"{who},{amount}" for who, amount in zip(NAMES, amounts, strict=True)]
        (tmp_path / name).write_text(
            "customer,amount\n" + "\n".join(lines) + "\n", encoding="utf-8"
        )
        (tmp_path / name).chmod(0o600)
    return [tmp_path / name for name in rows]


@every_jail
@pytest.mark.parametrize("kind", GOOD)
def test_a_good_script_gives_scores(kind: str, jail: Jail, tables: list[Path]) -> None:
    require(jail, GOOD[kind].language)
    outcome = run_in(jail, GOOD[kind], tables, Limits())
    assert outcome.problem is None, outcome.stderr
    assert outcome.scores == {"loss": 1.33333}


@every_jail
def test_a_script_sees_its_files_under_names_that_tell_nothing(
    jail: Jail, tables: list[Path]
) -> None:
    require(jail)
    source = b"""
import json, os, sys
names = [os.path.basename(path) for path in sys.argv[1:]]
print(json.dumps({name: len(open(path).read()) for name, path in zip(names, sys.argv[1:])}))
"""
    outcome = run_in(jail, Script("python", source), [*tables, tables[0]], Limits())
    assert outcome.scores is not None
    assert list(outcome.scores) == ["1.csv", "2.csv", "3.csv"]


@every_jail
@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"1 / 0", "The script ended with exit status 1; a script that worked ends with 0."),
        (b"import sys; sys.exit(3)", "The script ended with exit status 3"),
        (b"import os; os.kill(os.getpid(), 11)", "The script was ended by the signal SIGSEGV."),
        (b"", "The script printed nothing; it must print one JSON object."),
        (b"print('fine')", "not JSON"),
        (b"print('{}{}')", "not JSON"),
        (b"def broken(:", "exit status 1"),
        (b"\xff\x00", "exit status 1"),
    ],
)
def test_the_uploader_is_told_what_is_wrong(jail: Jail, source: bytes, problem: str) -> None:
    require(jail)
    outcome = run_in(jail, Script("python", source), [], Limits())
    assert outcome.scores is None
    assert problem in (outcome.problem or "")


@every_jail
def test_the_end_of_the_messages_is_kept_for_organizers(jail: Jail) -> None:
    require(jail)
    source = b"import sys; sys.stderr.write('x' * 100_000 + 'the end')"
    outcome = run_in(jail, Script("python", source), [], Limits())
    assert len(outcome.stderr) == 16 * 1024
    assert outcome.stderr.endswith("the end")


@every_jail
def test_a_scratch_folder_is_for_one_run_only(jail: Jail) -> None:
    """With namespaces a script may keep files while it runs; without them it may not at all."""
    require(jail)
    source = b"""
import json, os
before = os.path.exists("kept")
try:
    open("kept", "w").write("x")
except OSError:
    pass
print(json.dumps({"before": int(before), "after": int(os.path.exists("kept"))}))
"""
    for _ in range(2):
        outcome = run_in(jail, Script("python", source), [], Limits())
        assert outcome.scores == {"before": 0, "after": int(jail.name == "bubblewrap")}


@every_jail
@pytest.mark.parametrize("language", HELLO)
def test_a_small_script_is_quick(jail: Jail, language: str) -> None:
    require(jail, HELLO[language].language)
    times = []
    for _ in range(5):
        started = time.monotonic()
        assert run_in(jail, HELLO[language], [], Limits()).scores == {"score": 1}
        times.append(time.monotonic() - started)
    assert min(times) < QUICK_SECONDS[language]


@every_jail
def test_scripts_run_side_by_side(jail: Jail) -> None:
    require(jail)
    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(lambda _: run_in(jail, HELLO["python"], [], Limits()).scores, range(12))
        )
    assert done == [{"score": 1}] * 12


@every_jail
def test_processor_time_in_several_threads_counts(jail: Jail) -> None:
    require(jail)
    source = b"""
import hashlib, threading
work = lambda: hashlib.pbkdf2_hmac("sha256", b"x", b"y", 1_000_000_000)
threading.Thread(target=work).start()
work()
"""
    outcome = run_in(jail, Script("python", source), [], Limits(seconds=2))
    assert outcome.problem == "The script exceeded the time limit of 2 seconds."


def test_a_contest_in_a_folder_that_scripts_may_read_is_refused() -> None:
    require(JAILS[0])
    with pytest.raises(SandboxUnavailable, match="The contest lies under /usr"):
        run_in(JAILS[0], HELLO["python"], [Path("/usr/share/contest/1.csv")], Limits())


@every_jail
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a script a user to know it by")
def test_nothing_outlives_a_server_that_is_killed(jail: Jail, tables: list[Path]) -> None:
    """Neither processes nor the copies of the data."""
    require(jail)
    user = fresh_user()
    server = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from tokumei.contest.sandbox import running, probing, Limits, Script
running.fresh_user = lambda: {user}
jail = next(jail for jail in probing.JAILS if jail.name == {jail.name!r})
source = b"import os, time; os.fork(); os.fork(); time.sleep(60)"
running.run_in(jail, Script("python", source), [Path({str(tables[0])!r})], Limits())
"""
    with subprocess.Popen([sys.executable, "-c", server]) as process:
        assert _eventually(lambda: len(_processes_of(user)) >= 4)
        process.send_signal(signal.SIGKILL)
    assert _eventually(lambda: not _processes_of(user))
    assert _eventually(lambda: not _folders_of(user))


@every_jail
def test_a_supervisor_that_ends_is_no_fault_of_the_script(
    jail: Jail, monkeypatch: pytest.MonkeyPatch
) -> None:
    require(jail)
    monkeypatch.setattr(running, "SUPERVISOR", "raise SystemExit('no memory')")
    with pytest.raises(SandboxUnavailable, match="supervisor ended with 1: no memory"):
        run_in(jail, HELLO["python"], [], Limits())


def test_a_bubblewrap_that_fails_is_no_fault_of_the_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jail = JAILS[0]
    require(jail)
    monkeypatch.setattr("tokumei.contest.sandbox.jails.DEVICES", ("/dev/not-there",))
    with pytest.raises(SandboxUnavailable, match="The sandbox bubblewrap failed: bwrap: Can't"):
        run_in(jail, HELLO["python"], [], Limits())


@every_jail
def test_a_script_cannot_pass_its_failure_off_as_one_of_the_sandbox(jail: Jail) -> None:
    require(jail)
    source = b"import sys; sys.exit('bwrap: Creating new namespace failed')"
    assert run_in(jail, Script("python", source), [], Limits()).problem is not None


def test_every_run_has_a_user_of_its_own() -> None:
    users = {fresh_user() for _ in range(100)}
    assert len(users) > 90
    assert all(FIRST_USER <= user < FIRST_USER + USERS < 2**31 for user in users)


@pytest.mark.parametrize("name", ["seconds", "memory", "output", "processes", "disk"])
def test_limits_are_above_zero(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} is 0, but must be above 0"):
        Limits(**{name: 0})
    assert Limits().memory == 512 * MIB


def _processes_of(user: int) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.stat().st_uid == user:
                found.append(path.name)
        except FileNotFoundError:
            continue
    return found


def _folders_of(user: int) -> list[Path]:
    return [
        path for path in Path(tempfile.gettempdir()).glob("tokumei-*") if path.stat().st_gid == user
    ]


def _eventually(holds: object, seconds: float = 20) -> bool:
    assert callable(holds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(("folder", "linked"), [("/usr/lib", True), (f"{TEMPORARY}/lib", False)])
def test_packages_in_the_temporary_folder_stay_there(folder: str, linked: bool) -> None:
    assert (TEMPORARY in _temporary_folder([folder])) == linked
