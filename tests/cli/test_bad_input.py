"""Bad input on the command: one sentence, exit code 2, nothing half-written, no secret told."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tokumei.cli.main import _run

SEED = 987_654_321
SHOP = """customer,item,date,price,quantity,invoice
Ann,pear,2011-01-05,1.20,2,i1
Bob,fig,2011-01-06,3.50,1,i2
Bob,pear,2011-02-07,1.20,4,i3
Cid,kiwi,2011-03-01,0.40,9,i4
"""
LAST = "Dan,fig,2011-03-02,3.50,1,i5\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    return path


@pytest.fixture
def release(tmp_path: Path, shop: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "release"
    words = ["anonymize", "pseudonyms-only", shop, "-o", folder, "--seed", SEED]
    assert _run([str(word) for word in words]) == 0
    capsys.readouterr()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() if p.is_file() else b"" for p in sorted(folder.rglob("*"))}


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command that must be refused; return its sentence."""

    def run(*words: object) -> str:
        before = contents(tmp_path)
        assert _run([str(word) for word in words]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "Traceback" not in shown.err
        assert str(SEED) not in shown.err
        *notes, sentence = shown.err.splitlines()
        assert all(note.startswith(("note: ", "warning: ")) for note in notes), shown.err
        assert contents(tmp_path) == before
        return sentence.removeprefix("tokumei: ")

    return run


def test_a_sentence_names_the_option_as_the_command_has_it(tmp_path: Path, refused: Any) -> None:
    (tmp_path / "shop.csv").write_text("who,what\nAnn,pear\n")
    sentence = refused("stats", tmp_path / "shop.csv")
    assert sentence.endswith("the columns are who, what: say which it is (option --person).")


def bad_file(folder: Path, content: str | bytes, name: str = "bad.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "bad.csv is empty; a history needs at least one row."),
        (
            "customer,item\n",
            "bad.csv has a header and no rows; a history needs at least one row.",
        ),
        ("size\n5\n", "No column looks like the customer; the columns are size: say which "),
        (SHOP + "Dan,,2011-03-02,3.50,1,i5\n", "Every purchase needs an item, not empty (row 6, c"),
        (SHOP + LAST.replace("3.50", "-3.50"), "A price must be above zero (the rule 'free' dr"),
        (SHOP + LAST.replace("3.50", "NaN"), "A price must be a finite number, not nan (row 6, "),
        (SHOP + LAST.replace("3.50", "inf"), "A price must be a finite number, not inf (row 6, "),
        (SHOP + LAST.replace("3.50", "dear"), "A price must be a number, not 'dear' (row 6, colu"),
        (SHOP + LAST.replace(",1,", ",0,"), "A quantity must be above zero (the rule 'return"),
        (SHOP + LAST.replace(",1,", ",1.5,"), "A quantity must be a whole number, not '1.5' (row"),
        (SHOP + LAST.replace("2011-03-02", "2011/2/30"), "A time must be a date such as 2011-02-2"),
        (SHOP + LAST.replace("\n", ",x\n"), "Every row of bad.csv must have 6 cells as the first "),
        (SHOP + 'Dan,"fig', "bad.csv cannot be read as CSV: a quotation mark in row 6 is not clo"),
        (SHOP + "D\0n,fig\n", "bad.csv is not a text file: line 6 has a zero byte."),
        (SHOP.replace("Bob", "José").encode("latin-1"), "bad.csv is not UTF-8 or Shift_JIS text "),
        (gzip.compress(SHOP.encode())[:-9], "bad.csv is a broken or truncated gzip file ("),
        (SHOP.encode() + b"x" * (3 << 20), "Line 6 of bad.csv is longer than 1,048,576 bytes; "),
    ],
    ids=lambda value: "" if isinstance(value, bytes) or value.startswith("customer") else value,
)
def test_a_bad_file_is_refused_in_one_sentence(
    refused: Any, tmp_path: Path, content: str | bytes, said: str
) -> None:
    path = bad_file(tmp_path, content)
    assert refused("stats", path).startswith(said)
    sentence = refused("anonymize", "pseudonyms-only", path, "-o", tmp_path / "o", "--seed", SEED)
    assert sentence.startswith(said)


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_a_truncated_file_is_refused(refused: Any, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"bad.{ending}"
    rows = pl.DataFrame({"customer": ["Ann", "Bob"]})
    rows.write_parquet(path) if ending == "parquet" else rows.write_excel(path)
    path.write_bytes(path.read_bytes()[:-30])
    kind = "Parquet" if ending == "parquet" else "Excel"
    assert refused("stats", path) == f"bad.{ending} is a broken or truncated {kind} file."


def test_a_missing_file_is_named(refused: Any, tmp_path: Path) -> None:
    path = tmp_path / "nowhere.csv"
    assert refused("stats", path) == f"There is no file {path}."


def test_options_of_reading_are_checked(refused: Any, shop: Path) -> None:
    assert refused("stats", shop, "--encoding", "klingon") == (
        "There is no encoding called 'klingon'."
    )
    assert refused("stats", shop, "--person", "buyer").startswith(
        "The column 'buyer' given for person is not there; the columns are customer, item, "
    )
    assert refused("stats", shop, "--keep", "colour").startswith("There is no column 'colour'; ")
    assert refused("stats", shop, "--drop", "dust").endswith(", duplicates, not 'dust'.")
    assert refused("stats", shop, "--first-customers", "0") == (
        "first_customers must be at least 1, not 0."
    )
    assert refused("stats", shop, "--period", "2011") == (
        "period must look like 2010-12-01..2011-11-30, not '2011'."
    )
    assert refused("stats", shop, "--period", "2011-01-01..2011-02-28") == (
        "A time must lie in the period 2011-01-01 to 2011-02-28, "
        "not '2011-03-01' (row 5, column date)."
    )
    assert "'pwscup1999' is not one of 'table', 'online-retail'" in refused(
        "stats", shop, "--format", "pwscup1999"
    )


def test_duplicates_are_told_and_can_be_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = bad_file(tmp_path, SHOP + LAST * 3)
    assert _run(["stats", str(path), "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["rows"] == 7
    assert "warning: 2 rows repeat an earlier row in every column (first: row 7);" in shown.err
    assert _run(["stats", str(path), "--json", "--drop", "duplicates"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["rows"] == 5
    assert "warning" not in shown.err


def test_latin_1_is_read_when_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = bad_file(tmp_path, SHOP.replace("Bob", "José").encode("latin-1"))
    assert _run(["stats", str(path), "--json", "--encoding", "latin-1"]) == 0
    assert json.loads(capsys.readouterr().out)["customers"] == 3


@pytest.mark.parametrize(
    ("people", "said"),
    [
        (
            "customer,sex\nAnn,f\nBob,m\n",
            "Every customer of the purchases must stand in the customers table; "
            "'Cid' does not (row 5, column customer).",
        ),
        (
            "customer,sex\nAnn,f\nBob,m\nCid,m\nAnn,f\n",
            "A customer may have one row in the customers table; 'Ann' has rows 2 and 5.",
        ),
    ],
)
def test_customers_that_do_not_fit_are_refused(
    refused: Any, tmp_path: Path, shop: Path, people: str, said: str
) -> None:
    table = bad_file(tmp_path, people, "people.csv")
    assert refused("stats", shop, "--customers", table) == said


def test_an_idle_customer_is_kept_with_a_warning(
    tmp_path: Path, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = bad_file(tmp_path, "customer,sex\nAnn,f\nBob,m\nCid,m\nZoe,f\n", "people.csv")
    assert _run(["stats", str(shop), "--customers", str(table), "--json"]) == 0
    assert "warning: 1 customer has no purchases (first: 'Zoe', row 5" in capsys.readouterr().err


# Methods and their parameters


def test_an_unknown_method_gets_a_hint(refused: Any, tmp_path: Path, shop: Path) -> None:
    out = tmp_path / "out"
    assert refused("anonymize", "delete-row", shop, "-o", out) == (
        "There is no anonymizer called 'delete-row'; did you mean 'delete-rows'?"
    )
    assert refused("anonymize", "pseudonyms-only", shop, "-o", out, "--then", "delte-rows") == (
        "There is no anonymizer called 'delte-rows'; did you mean 'delete-rows'?"
    )
    assert refused("attack", "qqq", shop, out).startswith("There is no attack called 'qqq'; there ")


def test_a_parameter_out_of_range_is_refused(refused: Any, tmp_path: Path, shop: Path) -> None:
    words = ("anonymize", "delete-rows", shop, "-o", tmp_path / "out", "--share")
    assert refused(*words, "1.5") == "share must lie in [0, 1), not 1.5."
    assert refused(*words, "nan") == "share must be a finite number, not nan."
    assert "'half' is not a valid float" in refused(*words, "half")
    chained = ("--then", "delete-rows --share 2")
    assert refused("anonymize", "pseudonyms-only", shop, "-o", tmp_path / "out", *chained) == (
        "share must lie in [0, 1), not 2.0."
    )


@pytest.mark.parametrize("number", ["0", "-5"])
def test_a_world_without_people_is_refused(refused: Any, tmp_path: Path, number: str) -> None:
    sentence = refused("data", "shop", "-n", number, "-o", tmp_path / "shop2.csv")
    assert sentence == f"customers must be at least 1, not {number}."


# Outputs


def test_an_existing_output_is_not_overwritten(
    refused: Any, tmp_path: Path, shop: Path, release: Path
) -> None:
    folder = f"{release} exists already; give another name or remove it."
    assert refused("anonymize", "pseudonyms-only", shop, "-o", release) == folder
    assert refused("demo", "-n", "5", "-o", release) == folder
    file = f"{shop} exists already; give another name or remove it."
    assert refused("data", "shop", "-n", "5", "-o", shop) == file
    assert refused("attack", "random", shop, release, "-o", shop) == file


def test_an_output_of_unknown_kind_is_refused(refused: Any, tmp_path: Path) -> None:
    sentence = refused("data", "shop", "-n", "5", "-o", tmp_path / "shop.xlsx")
    assert sentence == "The output must end in .csv or .parquet, not '.xlsx'."


def test_an_unwritable_place_is_named(
    refused: Any, tmp_path: Path, shop: Path, release: Path
) -> None:
    for out, reason in (
        (shop / "out.csv", "Not a directory"),
        (tmp_path / "nowhere/out.csv", "No such file or directory"),
    ):
        sentence = f"{out} cannot be written ({reason}); nothing was left behind."
        assert refused("data", "shop", "-n", "5", "-o", out) == sentence
        assert refused("anonymize", "pseudonyms-only", shop, "-o", out) == sentence
        assert refused("attack", "random", shop, release, "-o", out) == sentence


def test_a_read_only_file_system_is_named(refused: Any) -> None:
    folder = Path("/proc/sys")
    if not folder.is_dir():
        pytest.skip("there is no /proc/sys, which nobody can write to")
    sentence = refused("data", "shop", "-n", "5", "-o", folder / "out.csv")
    assert sentence.startswith("/proc/sys/out.csv cannot be written (")


# Releases


def test_what_is_no_release_is_refused(refused: Any, tmp_path: Path, shop: Path) -> None:
    said = f"{tmp_path} is not a release: it has no public/about.json."
    assert refused("score", shop, tmp_path) == said
    assert refused("attack", "exact-row", shop, tmp_path, "-o", tmp_path / "g.csv") == said


def test_a_release_of_other_data_is_refused(
    refused: Any, tmp_path: Path, release: Path, shop: Path
) -> None:
    shorter = bad_file(tmp_path, SHOP[: SHOP.index("Cid")], "shorter.csv")
    assert refused("score", shorter, release).startswith(
        "The release has a row from row 4 of its original, but this original has 3 rows: "
    )
    others = bad_file(tmp_path, SHOP.replace("Bob", "Ben"), "others.csv")
    assert refused("attack", "exact-row", others, release) == (
        "Customer 'Bob' of the key does not occur in the original: "
        "release and original do not belong together."
    )
    path = release / "public/purchases.csv"
    path.write_text(path.read_text().replace("kiwi", "brick"))
    assert refused("score", shop, release).startswith(
        "Every item of a release must occur in the original; 'brick' does not (row "
    )


def test_a_tampered_release_is_refused(refused: Any, shop: Path, release: Path) -> None:
    path = release / "public/about.json"
    about = path.read_text()
    path.write_text("{")
    assert refused("score", shop, release).startswith(f"{path} is not valid JSON (")
    path.write_text(about.replace('"item": "item"', '"item": "thing"'))
    assert refused("score", shop, release) == (
        "purchases.csv has no column 'thing', which about.json promises."
    )
    path.write_text(about.replace("exact", "fog"))
    assert "that they are exact, interval or set, not 'fog'." in refused("score", shop, release)


def test_a_missing_key_is_said(refused: Any, shop: Path, release: Path) -> None:
    shutil.rmtree(release / "secret")
    said = f"{release} has no secret part; the key is needed to mark a guess."
    assert refused("score", shop, release) == said
