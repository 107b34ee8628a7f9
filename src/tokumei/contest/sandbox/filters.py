"""The seccomp filter of both jails: a small BPF program, put together by hand.

It names what is refused, because what numpy, polars and R call is not a stable list. Newer
system calls than those we know are answered as if the kernel were older.
"""

from __future__ import annotations

import errno
import platform
import struct

# By name: the number on x86_64 and on aarch64, or None where there is no such call.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # Sockets of any family: TCP, UDP, unix by path and by abstract name, netlink, AF_ALG.
    # Their buffers are also memory of the kernel that no watchdog sees.
    "socket": (41, 198),
    "socketpair": (53, 199),
    # Namespaces, mounts and other roots.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Parts of the kernel with a history of holes, none of which a metric needs.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "fanotify_init": (300, 262),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # Memory that belongs to no process, so that the watchdog could not count it, or that would
    # outlive the run.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}

# What the jail without namespaces refuses besides. A process that cannot leave its group is
# ended with it, all at one moment; the others change files that Landlock lets anyone change.
REFUSED_WITHOUT_NAMESPACES: dict[str, tuple[int | None, int | None]] = {
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "truncate": (76, 45),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}

# R makes a directory for temporary files when it starts, and stops when it cannot. Without
# namespaces nothing may be made, so that the call is answered with success and does nothing.
PRETENDED: dict[str, tuple[int | None, int | None]] = {"mkdir": (83, None), "mkdirat": (258, 34)}

CLONE = (56, 220)
CLONE3 = (435, 435)
MMAP = (9, 222)
# The last call that programs need is futex_requeue; later ones are refused without being known.
NEWEST_KNOWN = 456

# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET.
NAMESPACE_FLAGS = 0x7E020000
MAP_SHARED_ANONYMOUS = 0x21

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

LOAD, AND, EQUAL, GREATER, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x25, 0x45, 0x06
KILL_PROCESS, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16


def filter_program(*, namespaces: bool) -> bytes | None:
    """Assemble the filter for this machine, or return None where its numbers are not known."""
    if platform.machine() not in MACHINES:
        return None
    column, architecture = MACHINES[platform.machine()]
    refused = REFUSED if namespaces else REFUSED | REFUSED_WITHOUT_NAMESPACES
    pretended = {} if namespaces else PRETENDED
    steps = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, architecture, 1, 0),
        _step(RETURN, KILL_PROCESS),
        _step(LOAD, NUMBER),
        _step(GREATER, NEWEST_KNOWN, 0, 1),
        _step(RETURN, ERRNO | errno.ENOSYS),
    ]
    for numbers in refused.values():
        steps += _answer(numbers[column], errno.EPERM)
    for numbers in pretended.values():
        steps += _answer(numbers[column], 0)
    # The flags of clone3 lie in memory that a filter cannot read; libc then uses clone.
    steps += _answer(CLONE3[column], errno.ENOSYS)
    steps += [
        _step(EQUAL, CLONE[column], 0, 4),
        _step(LOAD, FIRST_ARGUMENT),
        _step(ANY_BIT, NAMESPACE_FLAGS, 0, 1),
        _step(RETURN, ERRNO | errno.EPERM),
        _step(RETURN, ALLOW),
    ]
    # Shared memory without a file stays allocated when a process drops its view of it (with
    # madvise), and then nothing counts it: the watchdog of trap 3 would be blind.
    steps += [
        _step(EQUAL, MMAP[column], 0, 5),
        _step(LOAD, FIRST_ARGUMENT + 3 * 8),
        _step(AND, MAP_SHARED_ANONYMOUS),
        _step(EQUAL, MAP_SHARED_ANONYMOUS, 0, 1),
        _step(RETURN, ERRNO | errno.EPERM),
        _step(RETURN, ALLOW),
    ]
    return b"".join([*steps, _step(RETURN, ALLOW)])


def _answer(number: int | None, code: int) -> list[bytes]:
    """Answer a call with an error without making it; error 0 looks like success."""
    if number is None:
        return []
    return [_step(EQUAL, number, 0, 1), _step(RETURN, ERRNO | code)]


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, value)
