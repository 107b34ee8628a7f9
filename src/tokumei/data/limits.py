"""How much of somebody else's table is taken into memory.

A few kilobytes can unpack to more than any machine has, and the engines end the whole process where
they do not get it. So the size that a file says it has, or can be seen to have, is checked first.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tokumei.errors import ReadError

BYTES_OF_A_CELL = 16
"""In memory: what a text takes at least; reading and checking a table need copies besides."""
CONTAINER = Path("/sys/fs/cgroup/memory.max")
"""The limit of a container, as it sees it itself."""
UNKNOWN_MEMORY = 1 << 36
"""Bytes that are assumed where the system does not tell."""


def memory() -> int:
    """Return the bytes that this process can have: of the machine, its container, its own limit."""
    if sys.platform == "win32":
        return UNKNOWN_MEMORY
    import resource

    there = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY:
        there.append(allowed)
    if CONTAINER.is_file() and (most := CONTAINER.read_text(encoding="ascii").strip()).isdigit():
        there.append(int(most))
    return min(there)


def refuse_huge(name: str, *, rows: int, columns: int, unpacked: int = 0) -> None:
    """Raise a ReadError if a table cannot fit into memory, before anything is unpacked."""
    needed, there = max(rows * columns * BYTES_OF_A_CELL, unpacked), memory()
    if needed > there:
        raise ReadError(
            f"{name} has {rows:,} rows of {columns:,} columns, which need {needed:,} bytes of "
            f"memory or more; there are {there:,}."
        )
