"""The page about Online Retail prints what the commands print, where the file is."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from test_docs import DOCS, Block, blocks, lines, run_command, sandbox

PAGE = DOCS / "online-retail.md"
RUN_HERE = "not run: needs the file of UCI; tests/data/test_online_retail_page.py runs it"
LEFT_OUT = "…"

__all__ = ["sandbox"]


def pieces(shown: list[str]) -> list[list[str]]:
    """What is shown of an output, cut where lines are left out."""
    found: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == LEFT_OUT:
            found.append([])
        else:
            found[-1].append(line)
    return [piece for piece in found if piece]


def run(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    for command, shown in block.commands:
        status = run_command(command)
        said = capsys.readouterr()
        assert status == 0, f"{command}: {said.err}"
        printed = lines([*said.err.splitlines(), *said.out.splitlines()])
        place = 0
        for piece in pieces(shown):
            starts = range(place, len(printed) - len(piece) + 1)
            found = [start for start in starts if printed[start : start + len(piece)] == piece]
            assert found, f"{command} does not print\n" + "\n".join(piece)
            place = found[0] + len(piece)


def test_a_line_that_is_not_printed_is_noticed(
    sandbox: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    right = "$ tokumei --version\n…\n"
    run(Block("console", right, RUN_HERE), capsys)
    with pytest.raises(AssertionError, match="does not print"):
        run(Block("console", right + "tokumei of yesterday\n", RUN_HERE), capsys)


@pytest.mark.realdata
def test_the_page_shows_what_the_commands_print(
    real_data: Path, sandbox: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("online_retail.parquet").symlink_to(real_data / "data/online_retail/online_retail.parquet")
    run_here = [block for block in blocks(PAGE) if block.note == RUN_HERE]
    assert len(run_here) > 5
    for block in run_here:
        run(block, capsys)
