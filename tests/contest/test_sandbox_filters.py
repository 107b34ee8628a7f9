"""The filter has the kernel's numbers, and where they are not known there is no sandbox."""

from pathlib import Path

import pytest

from tokumei.contest.sandbox import filters
from tokumei.contest.sandbox.probing import JAILS


@pytest.mark.parametrize(
    ("column", "header"),
    [
        (0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        (1, "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_filter_has_the_numbers_of_the_kernel(column: int, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"{header} is not here; Debian has it in linux-libc-dev")
    known = {}
    for line in Path(header).read_text().splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "#define" and words[2].isdigit():
            known[words[1].removeprefix("__NR3264_").removeprefix("__NR_")] = int(words[2])
    ours = filters.REFUSED | filters.REFUSED_WITHOUT_NAMESPACES | filters.PRETENDED
    ours |= {"clone": filters.CLONE, "clone3": filters.CLONE3, "mmap": filters.MMAP}
    for name, numbers in ours.items():
        assert numbers[column] == known.get(name), name


def test_a_machine_whose_system_calls_are_not_known_has_no_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert filters.filter_program(namespaces=True) is None
    for jail in JAILS:
        assert jail.missing() is not None
