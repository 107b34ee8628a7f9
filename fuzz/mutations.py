"""Changes that know a format: tables of any type, members of a ZIP, nested JSON and TOML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import polars as pl
from bench.mutants import MUTATIONS as OF_TEXT
from bench.mutants import STRANGE, Mutation

NAMES = (
    *("person", "customer", "item", "time", "date", "price", "quantity", "basket", "_line", "row"),
    *("age", "education", "sex", "AGE", "YEARSCH", "SEX", "address", "device", "pseudonym"),
    *("顧客", "", " ", "PERSON", "a" * 300),
)
VALUES: tuple[tuple[Any, pl.DataType], ...] = (
    ("x", pl.String()),
    ("2011/2/28", pl.Categorical()),
    ("b", pl.Enum(["b"])),
    (7, pl.Int8()),
    (2**64 - 1, pl.UInt64()),
    (-(2**63), pl.Int64()),
    (2**100, pl.Int128()),
    (float("nan"), pl.Float64()),
    (float("inf"), pl.Float32()),
    (1.5, pl.Float64()),
    (Decimal("1.5"), pl.Decimal(38, 1)),
    (True, pl.Boolean()),
    (None, pl.Null()),
    (b"\xff", pl.Binary()),
    (date(9999, 12, 31), pl.Date()),
    (datetime(1, 1, 1), pl.Datetime("ms")),
    (datetime(2262, 1, 1), pl.Datetime("ns", "Asia/Tokyo")),
    (time(23, 59), pl.Time()),
    (timedelta(days=-1), pl.Duration()),
    (["a", None], pl.List(pl.String())),
    ([1, 2], pl.Array(pl.Int64(), 2)),
    ({"lo": 1.0, "hi": 2.0}, pl.Struct({"lo": pl.Float64(), "hi": pl.Float64()})),
    ({"x": None}, pl.Struct({"x": pl.String()})),
)


def random_table(draw: Random) -> pl.DataFrame:
    """Return a small table with columns of any names and types."""
    rows = draw.choice((0, 1, 2, 5))
    columns = {}
    for name in draw.sample(NAMES, draw.randint(1, 6)):
        value, kind = draw.choice(VALUES)
        cells = [None if draw.random() < 0.2 else value for _ in range(rows)]
        columns[name] = pl.Series(cells, dtype=kind)
    return pl.DataFrame(columns)


def fresh_parquet(draw: Random, _data: bytes) -> bytes:
    """Forget the file, and write a table of any types."""
    target = io.BytesIO()
    packing = draw.choice(("uncompressed", "zstd", "snappy"))
    random_table(draw).write_parquet(target, compression=packing)
    return target.getvalue()


def near_the_end(draw: Random, data: bytes) -> bytes:
    """Change a byte of the last ones, where Parquet and ZIP say what there is."""
    if not data:
        return data
    at = len(data) - 1 - draw.randrange(min(len(data), 600))
    return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


def inside_zip(change: Mutation) -> Mutation:
    """Apply a change to a member of a ZIP, and pack it again."""

    def changed(draw: Random, data: bytes) -> bytes:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                members = {info.filename: packed.read(info) for info in packed.infolist()}
        except Exception:  # it is no ZIP any more, as others mutated it
            return change(draw, data)
        return _zipped(draw, members, change)

    return changed


def _zipped(draw: Random, members: dict[str, bytes], change: Mutation) -> bytes:
    target = io.BytesIO()
    chosen = draw.choice(sorted(members)) if members else ""
    methods = [zipfile.ZIP_DEFLATED] * 8 + [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    fate = draw.random()
    with zipfile.ZipFile(target, "w") as packed:
        for name, content in members.items():
            if name != chosen:
                packed.writestr(name, content, draw.choice(methods))
            elif fate < 0.7:
                packed.writestr(name, change(draw, content), draw.choice(methods))
            elif fate < 0.8:
                packed.writestr(
                    draw.choice((f"../{name}", f"/{name}", f"a/{name}", "x", "é\n")), b""
                )
            elif fate < 0.9:
                packed.writestr(name, content)
                packed.writestr(f"{name}/x", content)
    return target.getvalue()


def nested(draw: Random, data: bytes) -> bytes:
    """Put deep nesting where something stands."""
    depth = draw.choice((3, 1_000, 4_000))
    opening, closing = draw.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"{a=", b"}")))
    at = draw.randrange(len(data) + 1)
    return data[:at] + opening * depth + closing * depth + data[at:]


WORDS = (
    *(
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"0",
        b"-1",
        b"1e400",
        b"NaN",
        b"Infinity",
        b"9" * 400,
    ),
    *(b'"\\ud800"', b'"\\u0000"', b"1.5", b'["a"]', b'{"a":1}', b"1979-05-27", b"07:32:00", b"nan"),
    *(b"2026-01-01T00:00:00Z", b'"../x"', b'"/x"', b'"x\\u0000y"', b"[[]]", b"9" * 19, b"-0.0"),
)


def other_value(draw: Random, data: bytes) -> bytes:
    """Put another value after a colon, an equals sign, a comma or a bracket."""
    places = [at + 1 for at, byte in enumerate(data) if byte in b":=,["]
    if not places:
        return data
    start = draw.choice(places)
    ends = [at for at in range(start, min(len(data), start + 200)) if data[at] in b",]}\n"]
    end = draw.choice(ends[:2]) if ends else start
    return data[:start] + draw.choice((*WORDS, *STRANGE[:80])) + data[end:]


def part_of(splitter: bytes, change: Mutation) -> Mutation:
    """Apply a change to one of the files that stand in one input."""

    def changed(draw: Random, data: bytes) -> bytes:
        parts = data.split(splitter)
        at = draw.randrange(len(parts))
        parts[at] = change(draw, parts[at])
        return splitter.join(parts)

    return changed


Changes = Sequence[Callable[[Random, bytes], bytes]]
TEXT: Changes = OF_TEXT
PARQUET: Changes = (fresh_parquet, near_the_end, near_the_end)
NESTED: Changes = (nested, other_value, other_value, other_value, *OF_TEXT[:6])
ZIP: Changes = (*map(inside_zip, OF_TEXT), near_the_end, near_the_end)
