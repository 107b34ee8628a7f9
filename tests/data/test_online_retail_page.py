"""The page about Online Retail prints what the commands print, where the file is."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from test_docs import DOCS, Block, blocks, lines, run_command, sandbox
from tokumei import Release, Risk, read, read_release
from tokumei.attacks import ExactRow, Jaccard
from tokumei.contracts import Attack, Threat
from tokumei.errors import SchemaError
from tokumei.registry import build
from tokumei.threats import ItemSets, PartialRows

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
    assert_the_last_table_holds(Path("retail.csv"))


def assert_the_last_table_holds(file: Path) -> None:
    """What the page concludes, as ranges: every release is drawn anew."""
    history = read(file)
    hidden, grouped = read_release(Path("hidden")), read_release(Path("grouped"))

    def value(metric: str, release: Release) -> float:
        return float(build("metric", {"method": metric})(history, release, seed=0).value)

    def found(attack: Attack, threat: Threat) -> float:
        return Risk(threat=threat, attack=attack)(history, hidden, seed=0).value

    assert found(Jaccard(), ItemSets()) == 0.25
    assert found(ExactRow(), PartialRows(share=0.01)) == 1
    assert found(ExactRow(), ItemSets()) > 0.25
    assert value("identical-groups", hidden) == 1
    assert value("identical-groups", grouped) == 4
    assert 1.6 <= value("rows-added", hidden) <= 1.9
    assert value("rows-added", grouped) == value("rows-deleted", hidden) == 0
    assert 0.17 <= value("rows-deleted", grouped) <= 0.23
    assert value("cells-changed", hidden) == 0
    assert value("cells-changed", grouped) > 0.9
    assert 0.25 <= value("top-items-missing", hidden) <= 0.4
    with pytest.raises(SchemaError):
        value("top-items-missing", grouped)
    assert 0.2 <= value("rfm-agreement", hidden) <= 0.4
    assert value("rfm-agreement", grouped) < 0.1
