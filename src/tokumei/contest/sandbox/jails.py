"""The two jails: what command to start for a script, and what to take away before."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tokumei.contest.sandbox.filters import filter_program
from tokumei.contest.sandbox.interpreters import SETTINGS, SYSTEM, find_program
from tokumei.contest.sandbox.kernel import landlock_version
from tokumei.contest.sandbox.plans import Paths, Plan, Task, hard_process_limit

# Descriptors with fixed numbers, because they stand in bubblewrap's command line.
FILTER_DESCRIPTOR = 100
STATUS_DESCRIPTOR = 101

DATA = "/data"
SCRATCH = "/scratch"
TEMPORARY = "/tmp"  # noqa: S108
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")

NEEDS_LINUX = "it needs Linux"

# All that a script, and bubblewrap itself (trap 1), see of the environment. One thread for each
# library keeps the count of processes and the time of a run the same on every machine.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
}


class Jail(Protocol):
    """A way to run a script that cannot reach anything but its input and its output."""

    @property
    def name(self) -> str:
        """Return what messages call this jail."""
        ...

    def missing(self) -> str | None:
        """Say what this machine lacks for this jail, or None."""
        ...

    def plan(self, task: Task) -> Plan:
        """Plan the run of the task's script with its inputs as arguments."""
        ...


@dataclass(frozen=True)
class Bubblewrap:
    """Namespaces made by bubblewrap: the script sees another machine with almost nothing on it."""

    name: str = "bubblewrap"

    def missing(self) -> str | None:
        """Say which program is not installed, or None."""
        if sys.platform != "linux":
            return NEEDS_LINUX
        for program in ("bwrap", "prlimit"):
            if find_program(program) is None:
                return f"{program} is not installed"
        return _missing_filter()

    def plan(self, task: Task) -> Plan:
        """Show the script the system, its data and an empty folder, all but that read-only."""
        command = [
            str(find_program("bwrap")),
            *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
            *("--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"),
            *("--die-with-parent", "--new-session"),
            *("--seccomp", str(FILTER_DESCRIPTOR), "--json-status-fd", str(STATUS_DESCRIPTOR)),
            *_system_view(),
            *_read_only(task.interpreter.folders),
            # No /proc: the environment and the memory of bubblewrap would be there (trap 1).
            *("--ro-bind", str(task.folder), DATA),
            # Not --dev: it has a /dev/shm without a limit (trap 2), and a /dev/zero, of which
            # one can map memory that the watchdog does not see.
            *(word for device in DEVICES for word in ("--dev-bind", device, device)),
            *("--size", str(task.limits.disk), "--perms", "0700", "--tmpfs", SCRATCH),
            *("--symlink", SCRATCH, "/dev/shm"),  # noqa: S108
            *_temporary_folder(task.interpreter.folders),
            # The root itself is a writable file system in memory, without a limit.
            *("--remount-ro", "/", "--chdir", SCRATCH, "--"),
            # Counted inside the new user namespace: outside, all processes of the server's user
            # would count too.
            *(str(find_program("prlimit")), f"--nproc={hard_process_limit(task.limits)}", "--"),
            *task.interpreter.command,
            *(f"{DATA}/{file}" for file in task.files),
        ]
        environment = ENVIRONMENT | {"HOME": SCRATCH, "TMPDIR": SCRATCH}
        return Plan(command, environment, str(task.folder), task.user, task.limits, None)


@dataclass(frozen=True)
class Landlock:
    """The files of this machine with all but a few closed by Landlock, and no way to write any.

    For containers in which root may not make namespaces. Processes are told apart by a user
    of their own only, so that the server must be root to give them one.
    """

    name: str = "Landlock"

    def missing(self) -> str | None:
        """Say what the kernel lacks, or the server's rights, or None."""
        if sys.platform != "linux":
            return NEEDS_LINUX
        if os.geteuid() != 0:
            return "only root can give a script a user of its own"
        if landlock_version() == 0:
            return "the kernel has no Landlock"
        return _missing_filter()

    def plan(self, task: Task) -> Plan:
        """Leave the system and the data readable, and nothing writable but the null device."""
        command = [*task.interpreter.command, *(str(task.folder / file) for file in task.files)]
        settings = [path for path in SETTINGS if Path(path).exists()]
        system = [SYSTEM, *(str(path) for path in _system_folders() if not path.is_symlink())]
        readable = [*system, *settings, *task.interpreter.folders, str(task.folder)]
        environment = ENVIRONMENT | {"HOME": "/"}
        paths = Paths(readable, list(DEVICES))
        return Plan(command, environment, str(task.folder), task.user, task.limits, paths)


def _missing_filter() -> str | None:
    if filter_program(namespaces=True) is None:
        return f"the system calls of a {platform.machine()} processor are not known"
    return None


def _system_folders() -> list[Path]:
    """Return the folders of the system beside /usr: links into it on most machines today."""
    folders = [Path("/", name) for name in ("bin", "sbin", "lib", "lib32", "lib64")]
    return [folder for folder in folders if folder.exists()]


def _temporary_folder(shown: Iterable[str]) -> list[str]:
    """Let /tmp be the scratch folder, unless packages that are shown lie in it."""
    if any(Path(path).is_relative_to(TEMPORARY) for path in shown):
        return []
    return ["--symlink", SCRATCH, TEMPORARY]


def _read_only(paths: Iterable[str]) -> list[str]:
    return [word for path in paths for word in ("--ro-bind-try", path, path)]


def _system_view() -> list[str]:
    """Give the arguments that show the programs of this machine to bubblewrap's script."""
    words = _read_only((SYSTEM, *SETTINGS))
    for path in _system_folders():
        if path.is_symlink():
            words += ("--symlink", str(path.readlink()), str(path))
        else:
            words += _read_only([str(path)])
    return words
