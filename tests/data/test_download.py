"""UCI Online Retail is fetched, checked and written, or nothing is written."""

from __future__ import annotations

import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

from tokumei import read
from tokumei.data import download
from tokumei.data.download import COLUMNS, content_digest, download_online_retail
from tokumei.errors import ParameterError, ReadError, WriteError

LINES = [
    ("536365", "85123A", "HEART", 6, datetime(2010, 12, 1, 8, 26), 2.55, 17850, "United Kingdom"),
    (536366, 71053, "LANTERN", -6, datetime(2010, 12, 1, 8, 28), 3.39, None, "France"),
    ("C536379", "D", None, -1, datetime(2010, 12, 1, 9, 41), 0.001, 14527, "EIRE"),
]
ROWS = pl.DataFrame(
    [(str(number), str(item), *others) for number, item, *others in LINES],
    schema=COLUMNS,
    orient="row",
)
DIGEST = content_digest(ROWS)


def workbook(columns: tuple[str, ...] = COLUMNS) -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        sheet = book.add_worksheet("Online Retail")
        as_time = book.add_format({"num_format": "m/d/yy h:mm"})
        for number, cells in enumerate([columns, *LINES]):
            for place, cell in enumerate(cells):
                form = [as_time] if isinstance(cell, datetime) else []
                sheet.write(number, place, cell, *form)
    return content.getvalue()


def archive(**files: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name.replace("_", "."), data)
    return content.getvalue()


def damaged() -> bytes:
    content = bytearray(archive(Online_xlsx=workbook()))
    content[200:240] = b"\xff" * 40
    return bytes(content)


PAGES: dict[str, bytes] = {
    "/good": archive(readme_txt=b"hello", Online_xlsx=workbook()),
    "/other-columns": archive(Online_xlsx=workbook(("a", *COLUMNS[1:]))),
    "/no-zip": b"<html>Not here</html>",
    "/nothing": b"",
    "/truncated": archive(Online_xlsx=workbook())[:-100],
    "/damaged": damaged(),
    "/no-workbook": archive(readme_txt=b"hello"),
    "/broken-workbook": archive(Online_xlsx=b"hello"),
}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        if self.path == "/gone":
            self.send_error(404)
            return
        self.send_response(200)
        if self.path == "/stated-oversize":
            self.send_header("Content-Length", str(10 << 30))
        elif self.path == "/broken-off":
            self.send_header("Content-Length", "5000")
        elif page is not None:
            self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page if page is not None else b"x" * 3000)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as pages:
        thread = threading.Thread(target=pages.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{pages.server_port}"
        pages.shutdown()
        thread.join()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_right_rows_are_written(tmp_path: Path, server: str, ending: str) -> None:
    target = tmp_path / f"retail.{ending}"
    assert download_online_retail(target, url=f"{server}/good", digest=DIGEST) == 3
    history = read(target, format="online-retail")
    assert history.rows == 1
    assert history.source.dropped == {"no-customer": 1, "returns": 1, "free": 0}
    if ending == "parquet":
        assert pl.read_parquet(target).equals(ROWS.cast({"InvoiceDate": pl.Datetime("ms")}))


def test_other_rows_are_refused(tmp_path: Path, server: str) -> None:
    with pytest.raises(ReadError) as caught:
        download_online_retail(tmp_path / "retail.csv", url=f"{server}/good")
    assert str(caught.value) == (
        "The downloaded rows are not those of Online Retail: "
        f"their digest is {DIGEST[:16]}…, not {download.DIGEST[:16]}…."
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("gone", "cannot be downloaded (Not Found)."),
        ("no-zip", "The download is not a zip archive with an Excel workbook."),
        ("nothing", "The download is not a zip archive with an Excel workbook."),
        ("truncated", "The download is not a zip archive with an Excel workbook."),
        ("damaged", "The download is not a zip archive with an Excel workbook."),
        ("broken-off", "The download is not a zip archive with an Excel workbook."),
        ("no-workbook", "The download is not a zip archive with an Excel workbook."),
        ("broken-workbook", "The downloaded workbook is broken."),
        ("other-columns", "The downloaded workbook must have the columns InvoiceNo, StockCode, "),
        ("stated-oversize", "is larger than 200 MB; it is not Online Retail."),
    ],
)
def test_what_is_not_online_retail_is_refused(
    tmp_path: Path, server: str, page: str, said: str
) -> None:
    with pytest.raises(ReadError) as caught:
        download_online_retail(tmp_path / "retail.csv", url=f"{server}/{page}", digest=DIGEST)
    assert said in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_download_without_end_is_broken_off(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "LARGEST", 2000)
    monkeypatch.setattr(download, "CHUNK", 500)
    with pytest.raises(ReadError, match="is larger than 0 MB; it is not Online Retail"):
        download_online_retail(tmp_path / "retail.csv", url=f"{server}/endless", digest=DIGEST)
    assert not list(tmp_path.iterdir())


def test_a_workbook_that_unpacks_too_large_is_refused(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = archive(Online_xlsx=b"0" * 1_000_000)
    monkeypatch.setitem(PAGES, "/bomb", page)
    monkeypatch.setattr(download, "LARGEST", 500_000)
    with pytest.raises(ReadError, match="workbook is too large"):
        download_online_retail(tmp_path / "retail.csv", url=f"{server}/bomb", digest=DIGEST)


def test_a_refused_connection_is_said(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    url = f"http://127.0.0.1:{port}/good"
    with pytest.raises(ReadError) as caught:
        download_online_retail(tmp_path / "retail.csv", url=url, digest=DIGEST)
    assert str(caught.value).startswith(f"{url} cannot be downloaded (")
    assert "refused" in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["retail.zip", "http://", "http://127.0.0.1:99999/", "x://y/z"])
def test_a_senseless_address_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ReadError, match="cannot be downloaded"):
        download_online_retail(tmp_path / "retail.csv", url=url, digest=DIGEST)


def test_a_file_on_disk_will_do(tmp_path: Path) -> None:
    (tmp_path / "retail.zip").write_bytes(PAGES["/good"])
    url = (tmp_path / "retail.zip").as_uri()
    assert download_online_retail(tmp_path / "retail.csv", url=url, digest=DIGEST) == 3


def test_the_target_is_checked_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"must end in \.csv or \.parquet, not '\.xlsx'"):
        download_online_retail(tmp_path / "retail.xlsx", url="http://127.0.0.1:1/")
    (tmp_path / "retail.csv").write_text("precious")
    with pytest.raises(WriteError, match="exists already"):
        download_online_retail(tmp_path / "retail.csv", url="http://127.0.0.1:1/")


@pytest.mark.realdata
def test_the_digest_is_that_of_the_whole_data_set(real_data: Path) -> None:
    rows = pl.read_parquet(real_data / "data/online_retail/online_retail.parquet")
    assert len(rows) == 541_909
    assert content_digest(rows) == download.DIGEST
