"""`tokumei audit`, from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from tokumei.audit.printing import browser
from tokumei.cli.main import _run

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit")
    shop, release = str(path / "shop.csv"), str(path / "release")
    assert _run(["data", "shop", "-n", "20", "--seed", "3", "-o", shop]) == 0
    assert _run(["anonymize", "delete-rows", shop, "--share", "0.2", "-o", release]) == 0
    return path


def run(*words: object) -> int:
    return _run([*map(str, words)])


def test_the_summary_is_on_the_terminal(capsys: Captured, folder: Path) -> None:
    capsys.readouterr()
    assert run("audit", folder / "shop.csv", folder / "release") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Exposed: the best attacker finds 100.0% of the customers; the limit")
    for name in ("exact-row", "jaccard", "ensemble", "indistinguishable-rows", "left out:"):
        assert name in shown
    assert run("audit", folder / "shop.csv", folder / "release", "--lang", "ja") == 0
    assert capsys.readouterr().out.startswith("危険: ")


def test_every_form_of_the_report_is_written(
    capsys: Captured, folder: Path, tmp_path: Path
) -> None:
    forms = ["html", "md", "json", *(["pdf"] if browser() else [])]
    for form in forms:
        words = ("audit", folder / "shop.csv", folder / "release", "-o", tmp_path / f"r.{form}")
        assert run(*words) == 0
    assert "<svg" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "| jaccard |" in (tmp_path / "r.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run("audit", folder / "shop.csv", folder / "release", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    written = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    for part in ("risks", "guarantees", "utilities", "left_out", "criteria"):
        assert told[part] == written[part]
    assert set(told["provenance"]["digests"]) == {"original", "release"}
    if browser():
        assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_a_published_file_is_audited_with_its_key(
    capsys: Captured, folder: Path, tmp_path: Path
) -> None:
    public = folder / "release/public/purchases.csv"
    key = folder / "release/secret/pseudonyms.csv"
    capsys.readouterr()
    assert run("audit", folder / "shop.csv", public, "--key", key, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "exposed"
    reasons = {one["name"]: one["reason"] for one in told["left_out"]}
    assert "which row came from which" in reasons["rows-deleted"]


def test_a_limit_that_is_asked_for_and_exceeded_ends_with_1(
    capsys: Captured, folder: Path, tmp_path: Path
) -> None:
    shop, groups = folder / "shop.csv", tmp_path / "groups"
    made = ("anonymize", "equalize", shop, "--groups", "balanced", "--size", 5, "-o", groups)
    assert run(*made) == 0
    assert run("audit", shop, groups, "--max-risk", 0.2) == 0
    capsys.readouterr()
    assert run("audit", shop, groups, "--max-risk", 0.19, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["max_risk"]) == ("exposed", 0.19)
    assert told["worst"]["chance"] == 0.2
    for limit in (0, 1, float("nan")):
        assert run("audit", shop, groups, "--max-risk", limit) == 2
        assert f"max_risk must lie in (0, 1), not {float(limit)}." in capsys.readouterr().err


def test_the_report_names_no_folder_of_the_machine(
    capsys: Captured, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["audit", str(folder / "shop.csv"), str(folder / "release")]
    words += [f"--output={tmp_path / 'r.json'}"]
    monkeypatch.setattr("sys.argv", ["tokumei", *words])
    assert run(*words) == 0
    written = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert written["provenance"]["command"] == "tokumei audit shop.csv release --output=r.json"


def test_trials_of_recommend_are_the_last_figure(folder: Path, tmp_path: Path) -> None:
    shop, trials = folder / "shop.csv", tmp_path / "trials"
    words = ("--risk", 0.5, "--keep", "rfm", "--seconds", 0.5, "--seed", 1)
    assert run("recommend", shop, *words, "-o", trials) == 0
    report = tmp_path / "r.html"
    assert run("audit", shop, folder / "release", "-o", report, "--frontier", trials) == 0
    page = report.read_text(encoding="utf-8")
    assert re.findall(r'<figure id="([^"]+)"', page)[-1] == "frontier"
    (title,) = re.findall(r'<figure id="frontier">\n<h3>([^<]+)</h3>', page)
    assert "loses least" in title


def test_wrong_pairs_are_recognized(capsys: Captured, folder: Path, tmp_path: Path) -> None:
    shop, release = folder / "shop.csv", folder / "release"
    other, narrow = tmp_path / "other.csv", tmp_path / "narrow.csv"
    assert run("data", "shop", "-n", 25, "--seed", 8, "-o", other) == 0
    pl.read_csv(shop).drop("price").write_csv(narrow)
    empty = tmp_path / "trials"
    empty.mkdir()
    for words, sentence in (
        ((release, shop), "give the original first and the release second"),
        ((shop, shop), "or a published file with its key (--key)"),
        ((other, release), "must occur in the original"),
        ((narrow, release), "has a column 'price' that the original lacks"),
        ((shop, release, "--key", shop), "has its own key; leave --key out"),
        ((shop, shop, "--key", shop), "must have a column 'pseudonym'"),
        ((shop, release, "-o", tmp_path / "r.doc"), "must end in .html, .md, .json, .pdf"),
        ((shop, release, "-o", tmp_path / "r.html", "--frontier", empty), "has no trials of"),
        ((shop, tmp_path / "nothing"), "nothing is neither"),
    ):
        capsys.readouterr()
        assert run("audit", *words) == 2
        said = capsys.readouterr().err
        assert sentence in said
        assert "Traceback" not in said
    assert not list(tmp_path.glob("r.*"))
