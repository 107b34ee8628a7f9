"""`tokumei plan` and `tokumei reproduce`."""

import json
from pathlib import Path

import polars as pl
import pytest

from tokumei.cli.main import _run


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    assert _run(["data", "shop", "-n", "60", "--seed", "3", "-o", str(path)]) == 0
    return path


def test_plan_proposes_and_draws(capsys, shop_file: Path, tmp_path: Path) -> None:
    for ending in ("svg", "png", "html", "json"):
        chart = tmp_path / f"plan.{ending}"
        assert _run(["plan", str(shop_file), "-o", str(chart)]) == 0
        assert chart.stat().st_size > 1000
    assert "tokumei anonymize decoys" in capsys.readouterr().out


def test_a_planned_risk_is_not_exceeded(capsys, shop_file: Path) -> None:
    capsys.readouterr()
    assert _run(["plan", str(shop_file), "--risk", "0.2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["clusters"], found["min_size"]) == (12, 5)
    assert found["expected_risk"] <= 0.2
    costs = [point["added_at_random"] for point in found["curve"]]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("words", [["--risk", "0"], ["--risk", "1.5"], ["-o", "plan.pdf"]])
def test_plan_refuses_nonsense(capsys, shop_file: Path, words: list[str]) -> None:
    assert _run(["plan", str(shop_file), *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()[-1]) > 20


def test_a_paper_needs_its_data(capsys, tmp_path: Path) -> None:
    words = ["reproduce", "harada2017", "--data", str(tmp_path), "-o", str(tmp_path / "out")]
    assert _run(words) == 2
    assert "has no pwscup2016/T.csv" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.realdata
def test_harada2017_is_reproduced(capsys, real_data: Path, tmp_path: Path) -> None:
    """One trial and short searches: the page is whole and the contract holds."""
    out = tmp_path / "out"
    words = ["--data", str(real_data / "data/pwscup2016"), "-o", str(out), "--trials", "1"]
    assert _run(["reproduce", "harada2017", *words, "--seconds", "0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["theory"]["c_star_400"] == 130
    assert found["theory"]["c_star_4000"] == 1427
    assert found["strip"]["expected"] == 0.25
    assert found["strip"]["paper"] > 0.95
    assert found["strip"]["camouflage"] <= 0.27
    keys = {"method", "c", "s_min", "added", "jaccard", "reid", "seconds"}
    assert all(set(row) == keys for row in found["table4"])
    assert {row["method"] for row in found["table4"]} == {"1", "2", "search"}
    for row in found["table4"]:  # one trial: where several have the most items, one is drawn
        assert row["reid"] == pytest.approx(row["c"] / 400, abs=0.02)
    correlation = found["table3"]
    assert min(correlation["added"][name] for name in ("U1-cMAE", "U2-cMAE", "U3-RFM")) > 0.8
    assert correlation["c"]["reid"] > 0.99
    page = (out / "index.html").read_text(encoding="utf-8")
    for name in ("table1", "table3", "table4", "fig1", "fig2_2", "fig3", "fig5", "fig6", "fig7",
                 "fig9", "fig10", "fig11", "fig12", "fig3_1", "strip", "others"):  # fmt: skip
        assert f'id="{name}"' in page
        assert not pl.read_csv(out / f"{name}.csv").is_empty()
    assert (out / "fig9.png").stat().st_size > 5_000
    assert "<script" not in page
    command = "tokumei reproduce harada2017 --data DIR --trials 1 --seconds 0.1 --seed 0 -o OUT"
    assert command in page
