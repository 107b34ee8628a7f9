"""The calls to the kernel that Python has no function for: prctl, seccomp and Landlock."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Sequence
from pathlib import Path

LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_VERSION_FLAG = 1
LANDLOCK_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1, 1 << 1, 1 << 2, 1 << 3
# How many rights over files every version of Landlock knows; all that are known are taken away.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
NEWEST_FILE_RIGHTS = 16
ALL_NETWORK_RIGHTS = 0b11
ALL_SCOPES = 0b11
FIRST_WITH_NETWORK, FIRST_WITH_SCOPES = 4, 6

PR_SET_PDEATHSIG, PR_SET_SECCOMP = 1, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
SECCOMP_MODE_FILTER = 2
STEP_SIZE = 8


def landlock_version() -> int:
    """Return the version of Landlock in the running kernel, or 0 where there is none."""
    try:
        return _system_call(LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_VERSION_FLAG)
    except (OSError, AttributeError):
        return 0


def restrict_paths(readable: Sequence[str], writable: Sequence[str]) -> None:
    """Take all rights over files away for ever, but reading and running what is listed."""
    version = landlock_version()
    rights = (1 << FILE_RIGHTS.get(version, NEWEST_FILE_RIGHTS)) - 1
    attributes = struct.pack("=Q", rights)
    if version >= FIRST_WITH_NETWORK:
        attributes += struct.pack("=Q", ALL_NETWORK_RIGHTS)
    if version >= FIRST_WITH_SCOPES:
        attributes += struct.pack("=Q", ALL_SCOPES)
    ruleset = _system_call(LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    for path in readable:
        _allow(ruleset, path, EXECUTE | READ_FILE | READ_DIRECTORY)
    for path in writable:
        _allow(ruleset, path, READ_FILE | WRITE_FILE)
    _system_call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    if not stat.S_ISDIR(Path(path).stat().st_mode):
        rights &= ~READ_DIRECTORY
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", rights, place)
    _system_call(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, rule, 0)
    os.close(place)


def forbid_new_privileges() -> None:
    """Make set-user-id programs run without their privileges, from now on and in all children."""
    _control(PR_SET_NO_NEW_PRIVS, 1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _control(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(signal_number: int) -> None:
    """Ask for a signal when the parent ends."""
    _control(PR_SET_PDEATHSIG, signal_number)


def install_filter(program: bytes) -> None:
    """Filter the system calls of this process and of its children; needs no new privileges."""
    steps = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // STEP_SIZE, ctypes.addressof(steps))
    _control(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header)


def _control(option: int, *arguments: int | bytes) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    values = [_long(argument) for argument in arguments]
    values += [ctypes.c_ulong(0)] * (4 - len(values))
    _check(library.prctl(ctypes.c_int(option), *values))


def _system_call(number: int, *arguments: int | bytes | None) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    result = library.syscall(ctypes.c_long(number), *map(_long, arguments))
    return _check(result)


def _long(argument: int | bytes | None) -> ctypes.c_ulong | ctypes.c_char_p:
    # ctypes would pass a bare int as 32 bits.
    if isinstance(argument, int):
        return ctypes.c_ulong(argument)
    return ctypes.c_char_p(argument)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
