"""A process of its own for every run: it starts the jail, watches it, and ends all of it.

It is apart from the server so that a run is cleaned up even when the server is killed, and so
that what is taken away before the start of a script is not taken from the server.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

from tokumei.contest.sandbox import kernel
from tokumei.contest.sandbox.filters import filter_program
from tokumei.contest.sandbox.jails import FILTER_DESCRIPTOR, STATUS_DESCRIPTOR
from tokumei.contest.sandbox.plans import Plan, Report, hard_process_limit
from tokumei.contest.sandbox.values import MIB
from tokumei.contest.sandbox.watch import Watch

# Programs reserve far more addresses than they use, polars 1.4 GB. Trap 3: this limit is for one
# process, so that it only bounds what can happen between two looks at the tree.
ADDRESS_HEADROOM = 3 * 1024 * MIB
NICENESS = 10
FIRST_VICTIM = "1000"


def main() -> None:
    """Run the plan on the standard input; the lifeline is the descriptor given by number."""
    lifeline = int(sys.argv[1])
    os.set_inheritable(lifeline, False)  # noqa: FBT003
    plan = Plan.from_json(sys.stdin.read())
    kernel.adopt_orphans()
    try:
        report = _supervise(plan, lifeline)
    except (OSError, subprocess.SubprocessError) as error:
        report = Report(failure=str(error))
    if report.stopped == "server":
        # Nobody is there to tell, nor to remove the copies of the data.
        shutil.rmtree(plan.folder, ignore_errors=True)
    else:
        sys.stdout.write(report.to_json())


def _supervise(plan: Plan, lifeline: int) -> Report:
    program = filter_program(namespaces=plan.landlock is None)
    if program is None:
        return Report(failure="there is no filter of system calls for this machine")
    status, status_writer = os.pipe()
    os.dup2(_file_with(program), FILTER_DESCRIPTOR, inheritable=False)
    os.dup2(status_writer, STATUS_DESCRIPTOR, inheritable=False)
    os.close(status_writer)
    started = time.monotonic()
    # The preparation runs between fork and exec, which is safe as this process has one thread.
    with subprocess.Popen(  # noqa: S603
        plan.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=plan.environment,
        cwd="/",
        pass_fds=[FILTER_DESCRIPTOR, STATUS_DESCRIPTOR] if plan.landlock is None else [],
        start_new_session=True,
        preexec_fn=lambda: _prepare(plan, program),
    ) as script:
        os.close(STATUS_DESCRIPTOR)
        watch = Watch(plan, script, lifeline)
        watch.until_it_ends()
        if not watch.end_all():
            return Report(failure="processes of the script did not end")
        watch.drain()
    report = watch.report
    report.seconds = time.monotonic() - started
    report.status = script.returncode
    if plan.landlock is None and report.stopped is None:
        report.failure = _failure_of_bubblewrap(status, report)
    return report


def _file_with(content: bytes) -> int:
    file = os.memfd_create("filter")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _failure_of_bubblewrap(status: int, report: Report) -> str | None:
    """Tell a failure of bubblewrap from one of the script, which may look just the same."""
    with os.fdopen(status, "rb") as file:
        if b'"exit-code"' in file.read():
            return None
    return report.stderr.decode(errors="replace").strip() or "bubblewrap ended without a status"


def _prepare(plan: Plan, program: bytes) -> None:
    """Take everything away that the jail does not need, in the process that becomes the jail."""
    limits = plan.limits
    os.nice(NICENESS)
    # Before the change of user, after which the file belongs to root.
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123
        file.write(FIRST_VICTIM)
    if plan.user is not None:
        os.setgroups([])
        os.setresgid(plan.user, plan.user, plan.user)
        os.setresuid(plan.user, plan.user, plan.user)
    # Trap 4: root ignores the limit of processes, and much else.
    if 0 in (*os.getresuid(), *os.getresgid()):
        raise PermissionError("scripts never run as root")
    kernel.die_with_parent(signal.SIGKILL)
    # A signal that tells what happened comes a second before the one that cannot be ignored.
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits.memory + ADDRESS_HEADROOM),
        (resource.RLIMIT_FSIZE, limits.disk),
        (resource.RLIMIT_NOFILE, limits.files),
    ):
        resource.setrlimit(kind, (most, most))
    if plan.landlock is not None:
        processes = hard_process_limit(limits)
        resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
        kernel.forbid_new_privileges()
        kernel.restrict_paths(plan.landlock.readable, plan.landlock.writable)
        kernel.install_filter(program)
