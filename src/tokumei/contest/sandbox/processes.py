"""What a tree of processes uses, read from /proc."""

from __future__ import annotations

import mmap
import os
from collections import defaultdict
from pathlib import Path

from tokumei.contest.sandbox.values import KIB

PROC = Path("/proc")


def descendants(ancestor: int) -> list[int]:
    """Return the ids of all processes that come from one, itself not among them."""
    families = _children_by_parent()
    found = list(families[ancestor])
    for process in found:
        found.extend(families[process])
    return found


def children(parent: int) -> list[int]:
    """Return the ids of the processes whose parent is this one."""
    return _children_by_parent()[parent]


def _children_by_parent() -> defaultdict[int, list[int]]:
    families = defaultdict(list)
    for name in _names():
        if (parent := _parent(name)) is not None:
            families[parent].append(int(name))
    return families


def _names() -> list[str]:
    with os.scandir(PROC) as entries:
        return [entry.name for entry in entries if entry.name.isdigit()]


def _parent(process: str) -> int | None:
    text = _text(process, "stat")
    # The name in brackets is the program's own choice and may hold spaces and brackets.
    return int(text.rpartition(")")[2].split()[1]) if text else None


def command_lines() -> list[str]:
    """Return how every process of this machine was started."""
    return [_text(name, "cmdline") for name in _names()]


def memory_exceeds(processes: list[int], limit: int) -> bool:
    """Tell whether processes use more memory together than a limit, in bytes.

    Pages that several share count once; the cheap sum, which counts them for each, is enough
    while it stays below the limit.
    """
    if sum(map(_resident, processes)) <= limit:
        return False
    return sum(map(_proportional, processes)) > limit


def _resident(process: int) -> int:
    text = _text(str(process), "statm")
    return int(text.split()[1]) * mmap.PAGESIZE if text else 0


def _proportional(process: int) -> int:
    for line in _text(str(process), "smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * KIB
    # Not for us to read, or ending: what it certainly occupies.
    return _resident(process)


def files_in_scratch(processes: list[int], scratch: str, size: int) -> int:
    """Count the files in the scratch space of a jail, where one of the processes sees it."""
    for process in processes:
        try:
            space = os.statvfs(PROC / str(process) / "root" / scratch.lstrip("/"))
        except OSError:
            continue
        # Until bubblewrap has changed the root, the path means a folder of this machine. The size
        # tells them apart; the kernel rounds it up to whole pages.
        if 0 <= space.f_blocks * space.f_frsize - size < mmap.PAGESIZE:
            return space.f_files - space.f_ffree
    return 0


def _text(process: str, name: str) -> str:
    """Read a file of a process; empty when the process has ended or is not ours to read."""
    try:
        return (PROC / process / name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
