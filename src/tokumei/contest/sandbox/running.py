"""Run a script in a jail and say what came of it."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import tokumei
from tokumei.contest.sandbox.interpreters import SYSTEM, Interpreter, find_interpreter
from tokumei.contest.sandbox.jails import Jail
from tokumei.contest.sandbox.plans import Plan, Report, Task
from tokumei.contest.sandbox.scores import BadScores, parse_scores
from tokumei.contest.sandbox.values import KIB, MIB, Limits, Outcome, SandboxUnavailable, Script

# Users that no machine gives to anybody: above the ranges of containers, below 2 ** 31.
FIRST_USER = 1_900_000_000
USERS = 2**24

# How long the supervisor may take besides the script: to start, and to end what does not want to.
GRACE_SECONDS = 30.0

SUPERVISOR = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from tokumei.contest.sandbox.supervisor import main
main()
"""


def run_in(jail: Jail, script: Script, inputs: Sequence[Path], limits: Limits) -> Outcome:
    """Run a script in one jail; raise `SandboxUnavailable` when the jail, not the script, fails."""
    interpreter = find_interpreter(script.language)
    _refuse_exposed(inputs, interpreter)
    user = fresh_user() if os.geteuid() == 0 else None
    with _staged(script, interpreter.suffix, inputs, user) as (folder, name, copies):
        report = _supervise(jail.plan(Task(interpreter, folder, name, copies, user, limits)))
    if report.failure is not None:
        raise SandboxUnavailable(f"The sandbox {jail.name} failed: {report.failure}.")
    return _outcome(report, limits)


def _refuse_exposed(inputs: Sequence[Path], interpreter: Interpreter) -> None:
    """Refuse a contest whose other files, the answers among them, scripts could read."""
    for folder in (SYSTEM, *interpreter.folders):
        if any(path.resolve().is_relative_to(Path(folder).resolve()) for path in inputs):
            raise SandboxUnavailable(
                f"The contest lies under {folder}, which scripts may read; move it elsewhere."
            )


def fresh_user() -> int:
    """Return a user id for one run: nothing else belongs to it, also not another script."""
    return FIRST_USER + secrets.randbelow(USERS)


@contextmanager
def _staged(
    script: Script, suffix: str, inputs: Sequence[Path], user: int | None
) -> Iterator[tuple[Path, str, tuple[str, ...]]]:
    """Copy script and inputs, under names that tell nothing, to where only the script can read.

    The script's name is random, so that it shadows no package (trap 6).
    """
    with tempfile.TemporaryDirectory(prefix="tokumei-") as place:
        folder = Path(place)
        name = f"s{secrets.token_hex(8)}{suffix}"
        (folder / name).write_bytes(script.source)
        copies = tuple(f"{number}.csv" for number, _ in enumerate(inputs, start=1))
        for source, copy in zip(inputs, copies, strict=True):
            shutil.copyfile(source, folder / copy)
        if user is not None:
            for path in (*folder.iterdir(), folder):
                os.chown(path, 0, user)
                path.chmod(0o750 if path == folder else 0o640)
        yield folder, name, copies


def _supervise(plan: Plan) -> Report:
    """Start the supervisor, which gets a clean environment (trap 1) and ends when we end."""
    root = str(Path(tokumei.__file__).parents[1])
    lifeline, held = os.pipe()
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", "-B", "-c", SUPERVISOR, root, str(lifeline)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={},
        cwd="/",
        pass_fds=[lifeline],
        start_new_session=True,
    ) as supervisor:
        os.close(lifeline)
        try:
            said, complaint = supervisor.communicate(plan.to_json(), _patience(plan.limits))
        except subprocess.TimeoutExpired:
            supervisor.kill()
            return Report(failure="its supervisor did not end in time")
        finally:
            # On an interrupt of the server too: the supervisor then ends the script, and itself.
            os.close(held)
    if supervisor.returncode != 0:
        failure = f"its supervisor ended with {supervisor.returncode}: {complaint.strip()}"
        return Report(failure=failure)
    return Report.from_json(said)


def _patience(limits: Limits) -> float:
    return limits.seconds + GRACE_SECONDS


def _outcome(report: Report, limits: Limits) -> Outcome:
    scores, problem = None, _stopped(report, limits)
    if problem is None:
        try:
            scores = parse_scores(report.stdout)
        except BadScores as error:
            problem = str(error)
    return Outcome(scores, problem, _readable(report.stderr), report.seconds)


def _readable(message: bytes) -> str:
    """Decode a message without the characters that command a terminal."""
    text = message.decode("utf-8", errors="replace")
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)


def _stopped(report: Report, limits: Limits) -> str | None:
    sentences = {
        "time": f"The script exceeded the time limit of {limits.seconds:g} seconds.",
        "memory": f"The script exceeded the memory limit of {limits.memory // MIB:,} MiB.",
        "processes": f"The script exceeded the limit of {limits.processes} processes.",
        "output": f"The script printed more than {limits.output // KIB:,} KiB.",
        "files": "The script made too many files.",
    }
    if report.stopped is not None:
        return sentences[report.stopped]
    status = report.status or 0
    if status == 0:
        return None
    # Bubblewrap reports a signal as a shell does, by a status above 128.
    number = -status if status < 0 else status - 128
    if number == signal.SIGXCPU:
        return sentences["time"]
    if number in set(signal.Signals):
        return f"The script was ended by the signal {signal.Signals(number).name}."
    return f"The script ended with exit status {status}; a script that worked ends with 0."
