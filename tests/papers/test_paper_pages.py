"""What the pages about papers say is what the commands make."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import polars as pl
import pytest

from tokumei.cli.main import _run
from tokumei.report import harada2017_figures

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = pytest.mark.parametrize("docs", [DOCS, DOCS / "ja"], ids=["en", "ja"])
LIST = r"(\d[\d, toand、～]*\d)"


def numbers(said: str) -> set[int]:
    """The numbers of a list such as `1, 3, 5 to 7 and 9 to 12` or `1、3、5～7、9～12`."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:(?: to |～)(\d+))?", said):
        found |= set(range(int(first), int(last or first) + 1))
    return found


@LANGUAGES
@pytest.mark.parametrize("page", ["decoys.md", "papers/harada2017.md"])
def test_the_figures_of_harada_are_those_that_the_command_draws(docs: Path, page: str) -> None:
    drawn = re.findall(r'"Fig\. (\d+(?:\.\d)?)', inspect.getsource(harada2017_figures))
    text = " ".join((docs / page).read_text(encoding="utf-8").split())
    claimed = re.search(rf"(?:and 4, Figures |4 と図 ){LIST}(?:, Figures |、卒業論文の図 )", text)
    thesis = re.search(r"(?:12, Figures |卒業論文の図 )(\d\.\d) (?:and|と) (\d\.\d)", text)
    assert claimed
    assert thesis
    assert numbers(claimed[1]) == {int(name) for name in drawn if "." not in name}
    assert set(thesis.groups()) == {name for name in drawn if "." in name}


@pytest.fixture(scope="module")
def saito(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables that the command of the page makes."""
    folder = tmp_path_factory.mktemp("paper") / "saito2014"
    assert _run(["reproduce", "saito2014", "--seed", "1", "-o", str(folder)]) == 0
    return folder


def rows_after(page: Path, heads: int) -> list[list[str]]:
    """The rows of the tables with so many columns, each without its first cell."""
    lines = re.findall(r"^\|(.*)\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [row[1:] for row in cells if len(row) == heads and re.match(r"[\d.]+%?$", row[1])]


@LANGUAGES
def test_the_tables_of_saito_are_those_of_the_command(docs: Path, saito: Path) -> None:
    page = docs / "papers" / "saito2014.md"
    errors = pl.read_csv(saito / "table2.csv")
    paper = [[f"{value:.3f}" for value in errors[name]] for name in errors.columns[1:3]]
    ours = ("conventional", "correlated, the paper's bound", "correlated, exact bound")
    names = (*ours, "correlated, rho for each")
    assert rows_after(page, 4) == [*paper, *([f"{v:.4f}" for v in errors[n]] for n in names)]
    low, high = errors["our ratio"].min(), errors["our ratio"].max()
    assert re.search(rf"{low:.1f}(?: to |～){high:.1f}", page.read_text(encoding="utf-8"))

    rules = pl.read_csv(saito / "table3.csv")
    order = ["paper, conventional", "paper, correlated, exact bound"]
    order += ["ours, conventional", "ours, correlated, exact bound"]
    made = {row[0]: row[1:] for row in rules.iter_rows()}
    assert [[_share(cell) for cell in row] for row in rows_after(page, 5)] == [
        [pytest.approx(value, abs=6e-5) for value in made[name]] for name in order
    ]


def _share(text: str) -> float:
    return float(text.removesuffix("%")) / 100


@LANGUAGES
def test_the_numbers_of_saito_have_one_place(docs: Path) -> None:
    ours = {cell for row in rows_after(docs / "papers" / "saito2014.md", 4) for cell in row}
    assert len(ours) == 18
    assert not ours & set(re.findall(r"\d\.\d+", (docs / "pk.md").read_text(encoding="utf-8")))
