"""The commands, as a user types them."""

import html
import json
import re
import shlex
import shutil
from pathlib import Path

import polars as pl
import pytest
from typing_commands import printed, result

from tokumei.cli import demo
from tokumei.cli.main import _run


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    assert _run(["data", "shop", "-n", "30", "--seed", "3", "-o", str(path)]) == 0
    return path


def test_the_flow_from_file_to_score(capsys, shop_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    done = result(capsys, "anonymize", "delete-rows", shop_file, "-o", folder, "--share", "0.4")
    assert done["method"] == {"method": "delete-rows", "share": 0.4}
    assert done["rows_after"] < done["rows_before"]
    assert sorted(path.name for path in folder.iterdir()) == ["public", "secret"]

    attacked = result(capsys, "attack", "exact-row", shop_file, folder)
    assert attacked["score"]["value"] == 1
    assert attacked["score"]["baseline"] == pytest.approx(1 / 30)

    guess = tmp_path / "guess.csv"
    partial = "partial-rows --share 0.1"
    result(capsys, "attack", "exact-row", shop_file, folder, "--threat", partial, "-o", guess)
    assert pl.read_csv(guess).columns == ["target", "value", "weight"]

    scores = {
        score["name"]: score for score in result(capsys, "score", shop_file, folder)["scores"]
    }
    assert scores["rows-deleted"]["value"] == pytest.approx(0.4, abs=0.05)
    assert scores["rows-added"]["range"] == [0, None]
    assert scores["exact-row @ full-knowledge"]["assumes"].startswith("The attacker knows")


def test_an_attacker_without_the_key_writes_the_same_guess(
    capsys, shop_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    printed(capsys, "anonymize", "delete-rows", shop_file, "-o", folder)
    printed(capsys, "attack", "exact-row", shop_file, folder, "-o", tmp_path / "owner.csv")
    shutil.rmtree(folder / "secret")
    words = ("attack", "exact-row", shop_file, folder)
    assert result(capsys, *words, "-o", tmp_path / "attacker.csv")["score"] is None
    assert (tmp_path / "owner.csv").read_bytes() == (tmp_path / "attacker.csv").read_bytes()
    assert "not marked" in printed(capsys, *words, "-o", tmp_path / "again.csv")
    assert _run([str(word) for word in words]) == 2
    assert "no secret part to mark the guess with" in capsys.readouterr().err


def test_without_a_seed_every_release_has_its_own(capsys, shop_file: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        out = printed(capsys, "anonymize", "pseudonyms-only", shop_file, "-o", tmp_path / name)
        secret = json.loads((tmp_path / name / "secret/method.json").read_text())
        assert str(secret["seed"]) not in out
    keys = [(tmp_path / name / "secret/pseudonyms.csv").read_text() for name in ("one", "two")]
    assert keys[0] != keys[1]


def test_steps_are_chained_by_then(capsys, shop_file: Path, tmp_path: Path) -> None:
    words = ("--then", "delete-rows --share 0.5", "--then", "perturb-amounts")
    done = result(capsys, "anonymize", "shift-dates", shop_file, "-o", tmp_path / "r", *words)
    steps = [step["method"] for step in done["method"]["steps"]]
    assert steps == ["shift-dates", "delete-rows", "perturb-amounts"]


def test_monthly_pseudonyms_in_parquet(capsys, shop_file: Path, tmp_path: Path) -> None:
    words = ("-o", tmp_path / "r", "--pseudonyms", "monthly", "--as", "parquet")
    printed(capsys, "anonymize", "pseudonyms-only", shop_file, *words)
    key = pl.read_csv(tmp_path / "r/secret/pseudonyms.csv")
    assert key.columns == ["pseudonym", "person", "period"]
    scores = result(capsys, "score", shop_file, tmp_path / "r")["scores"]
    assert scores[0]["n"] == len(key)


@pytest.mark.parametrize("world", ["shop", "transit"])
def test_generated_files_are_the_same_in_both_forms(capsys, tmp_path: Path, world: str) -> None:
    for ending in ("csv", "parquet"):
        printed(capsys, "data", world, "-n", "20", "--seed", "1", "-o", tmp_path / f"x.{ending}")
    plain = pl.read_csv(tmp_path / "x.csv", try_parse_dates=True)
    packed = pl.read_parquet(tmp_path / "x.parquet")
    assert plain.height == packed.height > 100
    assert plain.columns == packed.columns


def test_transit_cards_go_through_the_flow(capsys, tmp_path: Path) -> None:
    path, folder = tmp_path / "cards.csv", tmp_path / "r"
    printed(capsys, "data", "transit", "-n", "20", "-o", path)
    printed(capsys, "anonymize", "pseudonyms-only", path, "--keep", "entry", "-o", folder)
    header = (folder / "public/purchases.csv").read_text().splitlines()[0]
    assert header == "card,exit,time,fare,entry"
    scores = result(capsys, "score", path, folder, "--keep", "entry")["scores"]
    assert scores[0]["value"] == 1


def test_methods_lists_every_family(capsys) -> None:
    listed = result(capsys, "methods")
    assert {method["family"] for method in listed} == {
        "anonymizer", "threat", "attack", "judge", "metric",
    }  # fmt: skip
    (delete,) = (method for method in listed if method["name"] == "delete-rows")
    assert delete["parameters"][0]["allowed"] == "[0, 1)"
    assert {method["family"] for method in result(capsys, "methods", "attack")} == {"attack"}
    assert "delete-rows" in printed(capsys, "methods")


def test_help_shows_methods_ranges_and_the_paper(capsys) -> None:
    assert "delete-rows" in printed(capsys, "anonymize", "--help")
    shown = " ".join(printed(capsys, "anonymize", "delete-rows", "--help").split())
    assert "Share of the rows to delete. [[0, 1); default: 0.1]" in shown
    assert "harada2017" in printed(capsys, "anonymize", "yamaoka", "--help")
    assert "PATH" in printed(capsys, "stats", "--help")


def test_without_a_word_the_help_is_shown(capsys) -> None:
    assert printed(capsys) == printed(capsys, "--help")
    assert "Commands:\n" in printed(capsys, "anonymize")


def test_help_reads_in_japanese(capsys) -> None:
    shown = printed(capsys, "--lang", "ja", "anonymize", "delete-rows", "--help")
    assert "使い方:" in shown
    assert "削除する行の割合。" in shown
    assert "オプション" in shown


def test_stats_prints_the_fixed_contract(capsys, shop_file: Path) -> None:
    found = result(capsys, "stats", shop_file)
    assert list(found) == [
        "customers", "rows", "baskets", "items", "mean_items_per_customer", "mean_jaccard",
        "max_jaccard", "mean_shared_items", "price_min", "price_max", "quantity_min",
        "quantity_max", "period",
    ]  # fmt: skip
    assert found["customers"] == 30
    table = printed(capsys, "stats", shop_file)
    assert f"{found['rows']:,}" in table


@pytest.mark.realdata
def test_stats_of_the_contests_table(capsys, real_data: Path) -> None:
    found = result(capsys, "stats", real_data / "data/pwscup2016/T.csv", "--format", "pwscup2016")
    assert found["customers"] == 400
    assert found["mean_jaccard"] == pytest.approx(0.0300133, abs=5e-8)


@pytest.mark.realdata
def test_pwscup2016_is_rebuilt_row_for_row(capsys, real_data: Path, tmp_path: Path) -> None:
    source, target = real_data / "data/online_retail/online_retail.parquet", tmp_path / "T.csv"
    done = result(capsys, "data", "pwscup2016", source, "-o", target)
    assert done["rows"] == 38_087
    assert done["dropped"]["unspecified-country"] == 244
    assert target.read_text().splitlines() == (
        (real_data / "data/pwscup2016/T.csv").read_text().splitlines()
    )


def report_of(folder: Path) -> str:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "://" not in page
    assert re.search(r"<script|<link|url\(", page) is None
    return page


def test_demo_writes_data_releases_and_a_report(capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "SECONDS", 0.1)
    folder = tmp_path / "demo"
    done = result(capsys, "demo", "-n", "20", "-o", folder, "--lang", "en")
    page = report_of(folder)
    assert '<html lang="en">' in page
    assert "再識別率" not in page
    assert len(done["releases"]) == 5
    for release in done["releases"]:
        worst = max(s["value"] for s in release["scores"] if s["baseline"] is not None)
        assert f"{100 * worst:.1f}%" in page
    assert (folder / "pseudonyms-only/public/purchases.csv").is_file()
    commands = re.findall(r"<code>tokumei (.*?)</code>", page)
    assert len(commands) == 5
    monkeypatch.chdir(folder)
    for command in commands:
        printed(capsys, *shlex.split(html.unescape(command)))


def test_demo_prints_a_table_and_the_path_and_speaks_japanese(
    capsys, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(demo, "SECONDS", 0.1)
    shown = printed(capsys, "demo", "-n", "8", "-o", tmp_path / "d", "--lang", "ja")
    assert "pseudonyms-only" in shown
    assert str(tmp_path / "d" / "report.html") in shown.replace("\n", "")
    page = report_of(tmp_path / "d")
    assert '<html lang="ja">' in page
    assert "再識別率" in page


def test_long_work_shows_progress(capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tokumei.cli.drawing.PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    _run(["data", "shop", "-n", "6000", "-o", str(tmp_path / "x.parquet")])
    assert "generating shop" in capsys.readouterr().err


def test_four_columns_of_purchases_are_drawn_anew_at_once(
    capsys, shop_file: Path, tmp_path: Path
) -> None:
    """Of their values, some 10^11 combinations are possible: no table of them is made."""
    columns = ("--columns", "item,time,price,quantity", "--table", "purchases", "--rho", 0.2)
    folder = tmp_path / "release"
    printed(capsys, "anonymize", "retain-replace", shop_file, "-o", folder, *columns)
    before, after = (
        pl.read_csv(path, infer_schema=False)
        for path in (shop_file, folder / "public/purchases.csv")
    )
    assert len(after) == len(before)
    assert set(after["price"]) <= set(before["price"])
