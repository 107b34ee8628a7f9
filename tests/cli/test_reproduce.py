"""`tokumei rfm`, and the pages of the papers, on a small shop in place of their data."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typing_commands import Captured, result

from tokumei import History
from tokumei.cli.main import _run
from tokumei.data.pwscup import contest_text


def contest_data(folder: Path, shop: History, year: str) -> Path:
    path = folder / year / "T.csv"
    path.parent.mkdir()
    path.write_text(contest_text(shop, year))
    if year == "pwscup2017":
        people = "".join(f"{name},f,1970/1/1,Japan\n" for name in shop.persons())
        path.with_name("M.csv").write_text(people)
    return path


def test_rfm_writes_a_table_and_two_charts(capsys: Captured, tmp_path: Path, shop: History) -> None:
    file = contest_data(tmp_path, shop, "pwscup2018")
    words = ("rfm", file, "--format", "pwscup2018", "--bins", 4, "-o", tmp_path / "out")
    told = result(capsys, *words)
    assert (told["customers"], told["bins"]) == (60, 4)
    table = pl.read_csv(tmp_path / "out/rfm.csv")
    assert table["M rank"].min() == 1
    assert table["M rank"].max() == 4
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"pareto.png", "pareto.svg", "scatter.png", "scatter.svg"} < names


def test_kobayashi_is_reproduced(capsys: Captured, tmp_path: Path, shop: History) -> None:
    contest_data(tmp_path, shop, "pwscup2018")
    words = ("reproduce", "kobayashi2019", "--data", tmp_path, "--seconds", 0.1)
    told = result(capsys, *words, "-o", tmp_path / "out")
    assert {row["k"] for row in told["table4"]} == {2, 3, 4}
    for row in told["table4"]:
        assert row["smallest_group"] >= row["k"]
        assert row["uncovered_cells"] == 0
        assert {"grouping", "R", "F", "M", "RFM", "safety", "information_loss"} < set(row)
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "Table 4: RFM agreement" in page
    assert "tokumei reproduce kobayashi2019 --data DIR --seconds 0.1 --seed 0 -o OUT" in page
    assert page.count("<svg") == 4


def test_hamadas_example_needs_no_data(capsys: Captured, tmp_path: Path) -> None:
    told = result(capsys, "reproduce", "hamada2018", "-o", tmp_path / "out")
    assert told["example"]["all"] == 0.9375
    assert told["example"]["optimum"] == 0.8125
    assert told["frontier"] == []
    assert (tmp_path / "out/totals.csv").is_file()
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "tokumei reproduce hamada2018 --seconds 60 --seed 0 -o OUT" in page


def test_hamada_is_reproduced(capsys: Captured, tmp_path: Path, shop: History) -> None:
    contest_data(tmp_path, shop, "pwscup2017")
    words = ("reproduce", "hamada2018", "--data", tmp_path, "--seconds", 0.2)
    told = result(capsys, *words, "-o", tmp_path / "out")
    points = {point["method"]: point for point in told["frontier"]}
    assert points["identity"]["total"] == 1
    best = points["search, safety x 1"]
    assert best["total"] == pytest.approx(best["safety"] + best["utility"])
    assert best["total"] < min(points[f"groups of {size}"]["total"] for size in range(2, 11))
    assert all(entry["valid"] for entry in told["contest"])
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "tokumei reproduce hamada2018 --data DIR --seconds 0.2 --seed 0 -o OUT" in page


def test_a_folder_without_the_data_is_named(capsys: Captured, tmp_path: Path) -> None:
    for paper, file in (("kobayashi2019", "pwscup2018/T.csv"), ("hamada2018", "pwscup2017/T.csv")):
        words = ["reproduce", paper, "--data", str(tmp_path), "-o", str(tmp_path / "out")]
        assert _run(words) == 2
        assert f"has no {file}" in capsys.readouterr().err
