"""Text files in: encodings, compression, shapes, and hostile files."""

from __future__ import annotations

import gzip
import os
import resource
import threading
import time
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokumei.data.text import read_strings
from tokumei.errors import ReadError, SchemaError

SHOP = "customer,item\nAnn,pear\nBob,fig\n"
SHOP_ROWS = [("Ann", "pear"), ("Bob", "fig")]


def file(folder: Path, content: str | bytes, name: str = "shop.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path, content: str | bytes, *, encoding: str | None = None) -> pl.DataFrame:
    return read_strings(file(folder, content), header=True, encoding=encoding)


def refusal(folder: Path, content: str | bytes, *, encoding: str | None = None) -> str:
    with pytest.raises((ReadError, SchemaError)) as caught:
        read(folder, content, encoding=encoding)
    return str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        SHOP,
        SHOP.rstrip("\n"),
        SHOP + "\n\n",
        SHOP.replace("\n", "\r\n"),
        SHOP.replace(",", "\t"),
        SHOP.replace(",", ";"),
        b"\xef\xbb\xbf" + SHOP.encode(),
        gzip.compress(SHOP.encode()),
    ],
    ids=["plain", "no last newline", "blank end", "CRLF", "tabs", "semicolons", "BOM", "gzip"],
)
def test_a_table_reads_the_same_in_every_dress(tmp_path: Path, content: str | bytes) -> None:
    rows = read(tmp_path, content)
    assert rows.columns == ["customer", "item"]
    assert rows.rows() == SHOP_ROWS


def test_every_cell_is_read_as_text(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b\n007,1.50\n").rows() == [("007", "1.50")]


def test_quoted_cells_may_hold_separators_quotes_and_newlines(tmp_path: Path) -> None:
    rows = read(tmp_path, 'a,b\n"x,y","5"" nail\nlong"\n')
    assert rows.rows() == [("x,y", '5" nail\nlong')]


@pytest.mark.parametrize("blank", ["", '""', " ", '"  "'])
def test_a_cell_of_nothing_but_spaces_is_empty(tmp_path: Path, blank: str) -> None:
    assert read(tmp_path, f"a,b\n{blank},x\n").rows() == [(None, "x")]


def test_without_a_header_the_columns_are_numbered(tmp_path: Path) -> None:
    rows = read_strings(file(tmp_path, "1,2\n3,4\n"), header=False)
    assert rows.columns == ["1", "2"]
    assert rows.rows() == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize(
    "content",
    ["", "\n", "\r\n\r\n", b"\xef\xbb\xbf", gzip.compress(b"")],
    ids=["nothing", "newline", "CRLF", "BOM", "gzip"],
)
def test_an_empty_file_is_refused(tmp_path: Path, content: str | bytes) -> None:
    assert refusal(tmp_path, content) == "shop.csv is empty; a history needs at least one row."


def test_a_header_without_rows_is_refused(tmp_path: Path) -> None:
    sentence = "shop.csv has a header and no rows; a history needs at least one row."
    assert refusal(tmp_path, "customer,item\n") == sentence


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"There is no file .*nowhere\.csv\."):
        read_strings(tmp_path / "nowhere.csv", header=True)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r" is a folder; a file is needed\."):
        read_strings(tmp_path, header=True)


# Encodings


def test_shift_jis_is_recognized(tmp_path: Path) -> None:
    rows = read(tmp_path, "顧客ID,商品\n会員一,りんご\n".encode("cp932"))
    assert rows.columns == ["顧客ID", "商品"]
    assert rows.rows() == [("会員一", "りんご")]


@pytest.mark.parametrize("name", ["José", "Hélène", "Müller", "£5"])
def test_latin_1_is_not_taken_for_shift_jis(tmp_path: Path, name: str) -> None:
    content = f"customer,item\nAnn,x\n{name},x\n".encode("latin-1")
    byte = next(byte for byte in name.encode("latin-1") if byte > 0x7F)
    assert refusal(tmp_path, content) == (
        f"shop.csv is not UTF-8 or Shift_JIS text (byte 0x{byte:02x} in line 3); "
        "say which it is (option encoding)."
    )
    assert read(tmp_path, content, encoding="latin-1")["customer"].to_list() == ["Ann", name]


@pytest.mark.parametrize("encoding", ["utf-16", "cp932", "euc-jp", "utf-8", "utf-8-sig"])
def test_a_given_encoding_is_used(tmp_path: Path, encoding: str) -> None:
    content = "顧客,商品\n会員,ﾘﾝｺﾞ\n".encode(encoding)
    rows = read(tmp_path, content, encoding=encoding)
    assert rows.columns == ["顧客", "商品"]
    assert rows.rows() == [("会員", "ﾘﾝｺﾞ")]


def test_a_byte_order_mark_goes_also_when_the_encoding_is_given(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + SHOP.encode()
    assert read(tmp_path, content, encoding="utf-8").columns == ["customer", "item"]


def test_a_wrong_encoding_is_said_with_byte_and_line(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, "customer\nJosé\n".encode("latin-1"), encoding="utf-8")
    assert sentence.startswith("shop.csv is not utf-8 text (byte 0xe9 in line 2)")


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13"])
def test_an_unknown_encoding_is_refused(tmp_path: Path, encoding: str) -> None:
    sentence = f"There is no encoding called '{encoding}'."
    assert refusal(tmp_path, SHOP, encoding=encoding) == sentence


@pytest.mark.parametrize(
    ("encoding", "content"),
    [("utf-7", "+2AA-"), ("unicode_escape", "\\ud800"), ("punycode", "é"), ("undefined", "a")],
)
def test_a_file_that_an_encoding_cannot_mean_is_refused(
    tmp_path: Path, encoding: str, content: str
) -> None:
    sentence = refusal(tmp_path, SHOP + content + ",x\n", encoding=encoding)
    assert sentence.startswith(f"shop.csv is not {encoding} text (")


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_as_a_file(tmp_path: Path, *, packed: bool) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = gzip.compress(SHOP.encode()) if packed else SHOP.encode()
    writer = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    writer.start()
    assert read_strings(pipe, header=True).rows() == SHOP_ROWS
    writer.join(10)


# Broken and hostile files


@pytest.mark.parametrize("encoding", [None, "utf-8"])
def test_a_zero_byte_is_refused_with_its_line(tmp_path: Path, encoding: str | None) -> None:
    sentence = refusal(tmp_path, SHOP + "C\0d,x\n", encoding=encoding)
    assert sentence == "shop.csv is not a text file: line 4 has a zero byte."


@pytest.mark.parametrize("cut", [8, 20, -9, -1])
def test_a_truncated_gzip_file_is_refused(tmp_path: Path, cut: int) -> None:
    content = gzip.compress((SHOP * 1000).encode())[:cut]
    assert refusal(tmp_path, content).startswith("shop.csv is a broken or truncated gzip file (")


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    content = bytearray(gzip.compress((SHOP * 1000).encode()))
    content[-7] ^= 0xFF
    sentence = refusal(tmp_path, bytes(content))
    assert sentence.startswith("shop.csv is a broken or truncated gzip file (CRC check failed")


def test_a_row_with_too_many_cells_is_named_with_its_counts(tmp_path: Path) -> None:
    assert refusal(tmp_path, SHOP + "Cid,kiwi,3\nDan,x,y,z\n") == (
        "Every row of shop.csv must have 2 cells as the first has; row 4 has 3."
    )


def test_rows_are_counted_not_lines(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, 'customer,item\nAnn,"a\nlong\npear"\nBob,fig,3\n')
    assert sentence.endswith("row 3 has 3.")


def test_a_row_with_too_few_cells_has_empty_ones(tmp_path: Path) -> None:
    assert read(tmp_path, SHOP + "Cid\n").rows()[-1] == ("Cid", None)


@pytest.mark.parametrize(
    "row", ['Cid,"kiwi\nDan,x\n', 'Cid,5" nail\nDan,x\n', 'Cid,"5" nail\nDan,x\n', 'Cid,"kiwi']
)
def test_a_stray_quotation_mark_is_named_with_its_row(tmp_path: Path, row: str) -> None:
    assert refusal(tmp_path, SHOP + row) == (
        "shop.csv cannot be read as CSV: a quotation mark in row 4 is not closed, "
        "or stands inside a cell that is not quoted."
    )


def test_a_stray_quotation_mark_in_the_header_is_named(tmp_path: Path) -> None:
    assert "a quotation mark in row 1 is not closed" in refusal(tmp_path, 'customer,"item\nAnn,x\n')


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_of_100_mb_is_refused_early(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "shop.csv"
    million = b"x" * (1 << 20)
    with gzip.open(path, "wb", 1) if packed else path.open("wb") as hostile:
        hostile.write(SHOP.encode())
        for _ in range(100):
            hostile.write(million)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    with pytest.raises(ReadError) as caught:
        read_strings(path, header=True)
    assert str(caught.value) == (
        "Line 4 of shop.csv is longer than 1,048,576 bytes; is it a table with one row a line?"
    )
    assert time.monotonic() - begun < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 << 10  # kilobytes


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(words, words), min_size=1))
def test_what_polars_writes_is_read_back(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    table = pl.DataFrame(rows, schema=["a", "b"], orient="row")
    path = tmp_path / "table.csv"
    table.write_csv(path)
    assert read_strings(path, header=True).rows() == rows
