"""`tokumei pk`, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typing_commands import Captured, refusal, result

from tokumei.cli.main import _run
from tokumei.data.census import allowed_pairs
from tokumei.data.census_like import generate_census

COLUMNS = ("--columns", "age,education,sex")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    generate_census(20_000, seed=1).write_parquet(tmp_path / "people.parquet")
    generate_census(20_000, seed=1).write_csv(tmp_path / "people.csv")
    allowed_pairs().write_csv(tmp_path / "allowed.csv")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_from_plan_to_reconstruction(capsys: Captured, people: Path, ending: str) -> None:
    source, target = people / f"people.{ending}", people / f"out.{ending}"
    given = (source, *COLUMNS, "--correlation", people / "allowed.csv", "--k", 3)
    plans = result(capsys, "pk", "plan", *given)
    assert plans["records"] == 20_000
    by_name = {(plan["attributes"], plan["choose"]): plan for plan in plans["plans"]}
    assert all(plan["k"] == pytest.approx(3) for plan in by_name.values())
    best = by_name["correlated", "each"]["expected_l1"]
    assert best < by_name["correlated", "one"]["expected_l1"]
    told = result(capsys, "pk", "perturb", *given, "--seed", 5, "-o", target)
    assert (told["records"], told["k"]) == (20_000, pytest.approx(3))
    assert told["rho"] == by_name["correlated", "one"]["rho"]
    mechanism = json.loads((people / f"out.{ending}.pk.json").read_bytes())
    assert mechanism["records"] == 20_000
    assert "seed" not in mechanism
    words = ("pk", "reconstruct", target, "--intervals", 0.9, "-o", people / "estimate.csv")
    found = result(capsys, *words)
    truth = result(capsys, "pk", "crosstab", *given[:3], "--correlation", people / "allowed.csv")
    assert sum(cell["count"] for cell in found["counts"]) == pytest.approx(20_000)
    pairs = zip(found["counts"], truth["counts"], strict=True)
    distance = sum(abs(a["count"] - b["count"]) for a, b in pairs) / 20_000
    assert distance < 1
    assert all(cell["low"] <= cell["high"] for cell in found["counts"])
    assert pl.read_csv(people / "estimate.csv").columns[-3:] == ["count", "low", "high"]


def test_the_table_at_the_terminal_says_what_is_where(capsys: Captured, people: Path) -> None:
    file = people / "people.csv"
    assert _run(["pk", "perturb", str(file), *COLUMNS, "-o", str(people / "o.csv")]) == 0
    shown = capsys.readouterr()
    assert "o.csv.pk.json" in shown.out
    assert "--domain gives them instead" in shown.err
    assert _run(["pk", "plan", str(file), *COLUMNS]) == 0
    assert _run(["pk", "reconstruct", str(people / "o.csv"), "--method", "inverse"]) == 0
    assert _run(["pk", "crosstab", str(file), *COLUMNS, "-o", str(people / "c.parquet")]) == 0
    assert "the largest are shown" in capsys.readouterr().out
    assert len(pl.read_parquet(people / "c.parquet")) == 684


def test_a_plan_needs_no_data(capsys: Captured, tmp_path: Path) -> None:
    domain = tmp_path / "domain.toml"
    domain.write_text('[attributes]\nage = ["0-19", "20+"]\nlicence = ["none", "car"]\n')
    (tmp_path / "rules.toml").write_text('[[forbidden]]\nage = ["0-19"]\nlicence = ["car"]\n')
    words = ("--domain", domain, "--correlation", tmp_path / "rules.toml", "--records", 1000)
    assert [plan["cells"] for plan in result(capsys, "pk", "plan", *words)["plans"]] == [4, 4, 3, 3]
    one = result(capsys, "pk", "plan", "--domain", domain, "--columns", "age", "--records", 10)
    assert one["plans"][0]["cells"] == 2


def test_every_refusal_is_one_sentence_and_writes_nothing(capsys: Captured, people: Path) -> None:
    file, out = people / "people.csv", people / "out.csv"
    perturb = ("pk", "perturb", file, "-o", out)
    domain = people / "domain.toml"
    domain.write_text('[attributes]\nsex = ["male", "other"]\n')
    rules = people / "rules.toml"
    rules.write_text('[[forbidden]]\nage = ["0-4"]\nsex = ["male"]\n')
    empty = people / "empty.toml"
    empty.write_text('[[forbidden]]\nage = ["0-4"]\nsex = ["male", "female"]\n')
    single = people / "single.toml"
    single.write_text('[attributes]\nsex = ["male"]\n')
    for words, sentence in (
        ((*perturb,), "Give the attributes, by --columns or by --domain."),
        ((*perturb, "--domain", domain), "column sex has 'female', which is outside."),
        ((*perturb, "--domain", single), "at least 2 values to be perturbed; sex has 'male'."),
        ((*perturb, "--columns", "sex", "--k", 30_000), "at most the number of records, 20,000"),
        ((*perturb, "--columns", "sex", "--rho", 1), "rho must lie in [0, 1), not 1.0."),
        ((*perturb, "--columns", "sex", "--rho", "half"), "rho must be a number"),
        ((*perturb, "--columns", "size"), "needs a column size; it has age, education, sex."),
        ((*perturb, "--columns", "age,sex", "--correlation", rules), "drop them, or allow"),
        ((*perturb, "--columns", "age,sex", "--correlation", empty), "leaves no sex for age ="),
        ((*perturb, "--columns", "color", "--domain", domain), "has no range for color."),
        (("pk", "plan", "--columns", "sex"), "the ranges must be given by --domain."),
        (("pk", "plan", "--domain", domain), "the number of records by --records."),
        (("pk", "reconstruct", file), "people.csv.pk.json: No such file"),
    ):
        said = refusal(capsys, *words)
        assert sentence in said
        assert "Traceback" not in said
    assert not out.exists()
    assert not (people / "out.csv.pk.json").exists()


def test_forbidden_records_are_dropped_when_asked(capsys: Captured, people: Path) -> None:
    rules = people / "rules.toml"
    rules.write_text('[[forbidden]]\nage = ["0-4"]\nsex = ["male"]\n')
    words = ("pk", "perturb", people / "people.csv", "--columns", "age,sex", "--drop-forbidden")
    told = result(capsys, *words, "--correlation", rules, "-o", people / "out.csv")
    assert told["records"] < 20_000
    kept = pl.read_csv(people / "out.csv")
    assert len(kept) == told["records"]
    assert kept.filter((pl.col("age") == "0-4") & (pl.col("sex") == "male")).is_empty()


def test_saito_is_reproduced_on_a_generated_table(capsys: Captured, tmp_path: Path) -> None:
    words = ("reproduce", "saito2014", "--records", 100_000, "--trials", 2, "-o", tmp_path / "out")
    told = result(capsys, *words)
    assert told["data"] == "generated"
    assert (told["cells"], told["valid_cells"], told["records"]) == (684, 306, 100_000)
    assert [row["k"] for row in told["l1"]] == [2, 3, 10]
    for row in told["l1"]:
        assert row["correlated"] < row["conventional"] / 1.22
        assert row["rho_correlated"] > row["rho_conventional"]
    for found in told["rules"].values():
        assert 0 <= found["in_place"] <= found["extracted"] <= 1
    by_method = {(point["method"], point["k"]): point for point in told["methods"]}
    for k in (2, 3, 10):
        assert by_method["closed_form", k]["anonymity"] >= k * (1 - 1e-9)
        assert by_method["correlated_each", k]["l1"] < by_method["correlated", k]["l1"]
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "this is a generated table of the same shape" in page
    assert "Table 3: association rules" in page
    assert "tokumei reproduce saito2014 --records 100000 --trials 2 --seed 0 -o OUT" in page


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("file", "name"),
    [("adult_uci.parquet", "adult"), ("gov_census_acs2018.parquet", "acs2018")],
)
def test_saito_runs_on_other_tables(
    capsys: Captured, tmp_path: Path, real_data: Path, file: str, name: str
) -> None:
    path = real_data / "data/other" / file
    words = ("reproduce", "saito2014", "--data", path, "--trials", 1, "-o", tmp_path / "out")
    told = result(capsys, *words)
    assert told["data"] == name
    assert 0 < told["dropped"] < 100
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "tokumei reproduce saito2014 --data FILE --trials 1 --seed 0 -o OUT" in page
