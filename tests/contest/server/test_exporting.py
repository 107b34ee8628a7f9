"""Files of tables: the same cells in every format, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
import zipfile

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokumei.contest.server.exporting import (
    Sheet,
    guarded,
    results_sheet,
    unguarded,
    write,
    write_all,
)
from tokumei.contest.server.tables import ResultsRow, ResultsTable
from tokumei.contest.store.metrics import Metric
from tokumei.contest.store.standings import Value

NASTY = st.text(
    st.sampled_from("=+-@＝＋－＠﹦'\"\t\r\n ,;x1’\u3000\ufeff\u200b\u0301"), max_size=6
)
TEXTS = NASTY | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def read_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+81", "'+81"),
        ("-5", "'-5"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ('"=1+1', "'\"=1+1"),
        ("'=1+1", "''=1+1"),
        (" =1+1", "' =1+1"),
        ("＝1+1", "'＝1+1"),
        ("＋１", "'＋１"),
        ("－１", "'－１"),
        ("＠x", "'＠x"),
        ("ice & fire", "ice & fire"),
        ("a=b", "a=b"),
        ("'tis", "'tis"),
        ("氷と炎", "氷と炎"),
        ("", ""),
    ],
)
def test_texts_that_a_spreadsheet_would_run_begin_with_an_apostrophe(
    cell: str, written: str
) -> None:
    assert guarded(cell) == written
    assert unguarded(written) == cell
    assert read_csv(write(Sheet({"a": "text"}, [[cell]]), "csv")) == [["a"], [written]]


@given(TEXTS)
@example("'=1")
def test_no_text_of_a_csv_file_is_run_and_all_come_back(text: str) -> None:
    header, row = read_csv(
        write(Sheet({text: "text", f"n{text}": "number"}, [[text, -1.5]]), "csv")
    )
    for cell in (header[0], row[0]):
        plain = unicodedata.normalize("NFKC", cell)
        assert plain[:1] not in set("=+-@\t\r\n")
        # Also not where a spreadsheet drops spaces and quotes.
        assert cell.startswith("'") or plain.strip("\" '\u200b\ufeff’")[:1] not in set("=+-@")
        assert unguarded(cell) == text
    assert row[1] == "-1.5"


@given(st.lists(st.tuples(TEXTS, st.none() | NUMBERS, st.none() | TEXTS), max_size=4))
def test_every_format_gives_the_same_cells_back(
    rows: list[tuple[str, float | None, str | None]],
) -> None:
    sheet = Sheet({"a": "text", "b": "number", "c": "text"}, rows)
    cells = [list(row) for row in rows]
    assert [list(row.values()) for row in json.loads(write(sheet, "json"))] == cells
    frame = pl.read_parquet(io.BytesIO(write(sheet, "parquet")))
    assert (frame.columns, [list(row) for row in frame.rows()]) == (["a", "b", "c"], cells)
    # CSV does not tell an empty text from none.
    texts = [[a, "" if b is None else b, c or ""] for a, b, c in rows]
    found = read_csv(write(sheet, "csv"))[1:]
    assert [[unguarded(a), float(b) if b else "", unguarded(c)] for a, b, c in found] == texts


def test_times_flags_and_objects() -> None:
    sheet = Sheet(
        {"at": "time", "is": "yes_or_no", "what": "json"},
        [[1_000_000, True, {"a": "é"}], [None, None, None]],
    )
    assert json.loads(write(sheet, "json"))[0] == {
        "at": "1970-01-01T00:00:01Z",
        "is": True,
        "what": {"a": "é"},
    }
    assert read_csv(write(sheet, "csv"))[1:] == [
        ["1970-01-01T00:00:01.000000Z", "true", '{"a": "é"}'],
        ["", "", ""],
    ]
    frame = pl.read_parquet(io.BytesIO(write(sheet, "parquet")))
    assert frame["at"].dtype == pl.Datetime("us", "UTC")
    assert frame["at"][0].isoformat() == "1970-01-01T00:00:01+00:00"


def test_a_table_without_rows_keeps_its_columns() -> None:
    sheet = Sheet({"a": "text", "b": "number"}, [])
    assert read_csv(write(sheet, "csv")) == [["a", "b"]]
    assert pl.read_parquet(io.BytesIO(write(sheet, "parquet"))).columns == ["a", "b"]
    assert json.loads(write(sheet, "json")) == []


def test_csv_is_what_excel_in_japan_reads() -> None:
    content = write(Sheet({"team": "text"}, [["氷"]]), "csv")
    assert content == "\N{BYTE ORDER MARK}team\r\n氷\r\n".encode()


def test_several_tables_make_one_file() -> None:
    sheets = {"teams": Sheet({"id": "whole"}, [[1]]), "none": Sheet({"id": "whole"}, [])}
    assert json.loads(write_all(sheets, "json")) == {"teams": [{"id": 1}], "none": []}
    with zipfile.ZipFile(io.BytesIO(write_all(sheets, "csv"))) as archive:
        assert archive.namelist() == ["teams.csv", "none.csv"]
        assert read_csv(archive.read("teams.csv")) == [["id"], ["1"]]


def test_problems_stand_beside_and_two_scripts_of_one_title_are_two_columns() -> None:
    titles = [("script:1", "loss"), ("script:2", "loss"), ("script:3", "team")]
    table = ResultsTable(
        metrics=(
            *(Metric(name, title, "utility", "lower", 1) for name, title in titles),
            Metric("total", "Total", "total", "lower", 2),
        ),
        better="lower",
        by_ranks=False,
        frozen=None,
        sees="all",
        rows=(
            ResultsRow(
                rank=None,
                team_id=1,
                team="ice",
                submission_id=7,
                created=0,
                chosen=False,
                total=None,
                values={
                    "script:1": Value(0.5, None),
                    "script:2": Value(None, "It failed."),
                    "script:3": Value(None, None),
                    "total": Value(None, "No total."),
                },
                own=True,
            ),
        ),
    )
    [row] = json.loads(write(results_sheet(table), "json"))
    assert row == {
        "rank": None,
        "team": "ice",
        "submission": 7,
        "created": "1970-01-01T00:00:00Z",
        "chosen": False,
        "total": None,
        "total_problem": "No total.",
        "loss": 0.5,
        "loss_problem": None,
        "loss (script:2)": None,
        "loss (script:2)_problem": "It failed.",
        "team (script:3)": None,
        "team (script:3)_problem": None,
    }
