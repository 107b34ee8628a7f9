"""Watch a script that runs: its output, its time, its memory, and its end with all it started."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field

from tokumei.contest.sandbox import processes
from tokumei.contest.sandbox.jails import SCRATCH
from tokumei.contest.sandbox.plans import Plan, Report
from tokumei.contest.sandbox.values import KIB

TICK = 0.05
CHUNK = 64 * KIB
STDERR_KEPT = 16 * KIB
# An empty file costs memory of the kernel too, which no limit in bytes covers.
SCRATCH_FILES = 4096
# Bubblewrap outside, and as the first process inside.
HELPERS = 2
SECONDS_TO_END = 10.0
LOOK_ONLY = os.WEXITED | os.WNOHANG | os.WNOWAIT


@dataclass
class Watch:
    """Reads the two pipes and looks at the process tree until the script ends or must end."""

    plan: Plan
    script: subprocess.Popen[bytes]
    lifeline: int
    report: Report = field(default_factory=Report)

    def until_it_ends(self) -> None:
        """Return when the script has ended, or set `stopped` to the limit it exceeded."""
        end = time.monotonic() + self.plan.limits.seconds
        next_look = 0.0
        with selectors.DefaultSelector() as selector:
            for descriptor in (*self._pipes(), self.lifeline):
                os.set_blocking(descriptor, False)
                selector.register(descriptor, selectors.EVENT_READ)
            while self.report.stopped is None and not self._has_ended():
                for key, _ in selector.select(TICK):
                    if not self._read(key.fd):
                        selector.unregister(key.fd)
                now = time.monotonic()
                if self.report.stopped is not None:
                    break
                if now >= end:
                    self.report.stopped = "time"
                elif now >= next_look:
                    self._look()
                    next_look = time.monotonic() + TICK

    def end_all(self) -> bool:
        """End every process of the run, and tell whether none is left.

        In a pid namespace all others end with the first. Without one they are all in the group
        of the script, which the filter does not let them leave, and a signal to a group reaches
        all members at one moment, so that none escapes by forking.
        """
        end = time.monotonic() + SECONDS_TO_END
        # The script is not reaped yet, so that no other group can have its number.
        os.killpg(self.script.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.script.wait(SECONDS_TO_END)
        while time.monotonic() < end:
            # Only our own children: nobody else can reap them, so that their ids stay theirs.
            for process in processes.children(os.getpid()):
                os.kill(process, signal.SIGKILL)
            try:
                # All orphans of the run come to us: no child left means that nothing is left.
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return True
            time.sleep(TICK / 10)
        return False

    def drain(self) -> None:
        """Read what is left in the pipes; nobody can write to them any more."""
        for descriptor in self._pipes():
            while self._read(descriptor):
                pass

    def _pipes(self) -> tuple[int, int]:
        assert self.script.stdout is not None  # noqa: S101
        assert self.script.stderr is not None  # noqa: S101
        return self.script.stdout.fileno(), self.script.stderr.fileno()

    def _has_ended(self) -> bool:
        return os.waitid(os.P_PID, self.script.pid, LOOK_ONLY) is not None

    def _read(self, descriptor: int) -> bool:
        """Read what is there; tell whether more may come."""
        chunk = os.read(descriptor, CHUNK)
        report, limits = self.report, self.plan.limits
        if descriptor == self.lifeline:
            report.stopped = "server"
        elif descriptor == self._pipes()[0]:
            # Trap 7: this pipe is the only way out, and what leaves through it is short.
            report.stdout = (report.stdout + chunk)[: limits.output + 1]
            if len(report.stdout) > limits.output:
                report.stopped = report.stopped or "output"
        else:
            report.stderr = (report.stderr + chunk)[-STDERR_KEPT:]
        return bool(chunk)

    def _reap_orphans(self) -> None:
        """Let processes go that ended after their parents; until then they count as processes.

        Not without end: a script could make new ones as fast, and would not be watched meanwhile.
        """
        for _ in range(self.plan.limits.processes):
            ended = os.waitid(os.P_ALL, 0, LOOK_ONLY)
            if ended is None or ended.si_pid == self.script.pid:
                return
            os.waitpid(ended.si_pid, 0)

    def _look(self) -> None:
        limits, bubblewrap = self.plan.limits, self.plan.landlock is None
        self._reap_orphans()
        tree = processes.descendants(os.getpid())
        if len(tree) > limits.processes + HELPERS * bubblewrap:
            self.report.stopped = "processes"
        elif processes.memory_exceeds(tree, limits.memory):
            self.report.stopped = "memory"
        elif bubblewrap and (
            processes.files_in_scratch(tree, SCRATCH, limits.disk) > SCRATCH_FILES
        ):
            self.report.stopped = "files"
