"""UCI Online Retail, fetched and checked, for users with internet."""

from __future__ import annotations

import hashlib
import http.client
import io
import tempfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import polars as pl

from tokumei.data.columns import ids, times
from tokumei.data.workbooks import read_workbook
from tokumei.data.writing import check_new, is_parquet, write_frame
from tokumei.errors import ReadError
from tokumei.progress import track

URL = "https://archive.ics.uci.edu/static/public/352/online+retail.zip"
"""Chen (2015), Online Retail, doi 10.24432/C5BW33, CC BY 4.0."""
DIGEST = "c9476932c0d6ede792a76682c0826fa39e5e80faa1dbfa39f6e6e929654c34ce"
"""`content_digest` of the 541,909 rows; the archive around them may be packed anew."""
LARGEST = 200 << 20
CHUNK = 1 << 20
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Others unpack without a limit to what they write at once."""
COLUMNS = (
    "InvoiceNo",
    "StockCode",
    "Description",
    "Quantity",
    "InvoiceDate",
    "UnitPrice",
    "CustomerID",
    "Country",
)


def download_online_retail(target: Path, *, url: str = URL, digest: str = DIGEST) -> int:
    """Fetch the data set, check its content, write it as CSV or Parquet; return its rows."""
    is_parquet(target)
    check_new(target)
    rows = _table(_workbook(_fetch(url)))
    found = content_digest(rows)
    if found != digest:
        raise ReadError(
            f"The downloaded rows are not those of Online Retail: their digest is {found[:16]}…, "
            f"not {digest[:16]}…."
        )
    write_frame(rows, target)
    return len(rows)


def _fetch(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310
            data = _body(response)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = getattr(error, "reason", error)
        raise ReadError(f"{url} cannot be downloaded ({reason}).") from error
    if data is None:
        raise ReadError(f"{url} is larger than {LARGEST >> 20} MB; it is not Online Retail.")
    return data


def _body(response: Any) -> bytes | None:
    """Return what is sent, or None as soon as it is too much."""
    stated = response.headers.get("Content-Length", "")
    size = int(stated) if stated.isdecimal() else LARGEST
    if size > LARGEST:
        return None
    steps = range(-(-size // CHUNK))
    data = b"".join(response.read(CHUNK) for _ in track(steps, len(steps), "downloading"))
    return None if response.read(1) else data


def _workbook(archive: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            inside = next(info for info in files.infolist() if info.filename.endswith(".xlsx"))
            if inside.file_size <= LARGEST and inside.compress_type in METHODS:
                return files.read(inside)
    except Exception as error:  # a broken archive raises whatever its parts do
        raise ReadError("The download is not a zip archive with an Excel workbook.") from error
    raise ReadError("The workbook is too large, or packed otherwise, to be Online Retail.")


def _table(workbook: bytes) -> pl.DataFrame:
    with tempfile.TemporaryDirectory(prefix="tokumei-download-") as place:
        path = Path(place, "workbook.xlsx")
        path.write_bytes(workbook)
        try:
            rows = read_workbook(path)
        except ReadError as error:
            raise ReadError("The downloaded workbook is broken.") from error
    if tuple(rows.columns) != COLUMNS:
        raise ReadError(f"The downloaded workbook must have the columns {', '.join(COLUMNS)}.")
    return rows.with_columns(
        ids(rows["InvoiceNo"]),
        ids(rows["StockCode"]),
        pl.col("Quantity").cast(pl.Int64, strict=False),
        # Excel keeps times as fractions of a day, which may fall a moment short of the minute.
        times(rows["InvoiceDate"]).cast(pl.Datetime("ms")).dt.round("1m"),
        pl.col("UnitPrice").cast(pl.Float64, strict=False),
        ids(rows["CustomerID"]).cast(pl.Int64, strict=False),
    )


def content_digest(rows: pl.DataFrame) -> str:
    """Return the SHA-256 of the rows, independent of how they were stored.

    Descriptions are left out: programs disagree on their spaces.
    """
    plain = rows.select(
        "InvoiceNo",
        "StockCode",
        "Quantity",
        pl.col("InvoiceDate").dt.strftime("%Y-%m-%d %H:%M"),
        (pl.col("UnitPrice") * 1000).round().cast(pl.Int64),
        "CustomerID",
        "Country",
    )
    return hashlib.sha256(plain.write_csv().encode()).hexdigest()
