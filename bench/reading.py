"""How fast a file becomes a history, beside what pandas needs to read it and do nothing more."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import polars as pl

from bench.measuring import SHARED, seconds, show
from tokumei import generate, read

ROWS = 541_909


def online_retail() -> tuple[pl.DataFrame, str]:
    """Return the real table where it is, else a generated one of its size and columns."""
    real = SHARED / "data/online_retail/online_retail.parquet"
    if real.is_file():
        return pl.read_parquet(real), "UCI Online Retail"
    shop = generate("shop", customers=6_000, seed=0).frame().head(ROWS)
    return shop.select(
        pl.col("basket").alias("InvoiceNo"),
        pl.col("item").alias("StockCode"),
        pl.lit("a description of some words").alias("Description"),
        pl.col("quantity").alias("Quantity"),
        pl.col("time").alias("InvoiceDate"),
        pl.col("price").alias("UnitPrice"),
        pl.col("person").str.slice(1).cast(pl.Int64).alias("CustomerID"),
        pl.lit("United Kingdom").alias("Country"),
    ), "a generated table of the same size"


def main() -> None:
    logging.disable(logging.WARNING)
    table, origin = online_retail()
    with tempfile.TemporaryDirectory() as folder:
        packed, plain = Path(folder) / "data.parquet", Path(folder) / "data.csv"
        table.write_parquet(packed)
        table.write_csv(plain)
        cases = [
            ("Parquet to History", lambda: read(packed, format="online-retail"), 1.0,
             lambda: pd.read_parquet(packed)),
            ("CSV to History", lambda: read(plain, format="online-retail"), 2.0,
             lambda: pd.read_csv(plain, parse_dates=["InvoiceDate"])),
        ]  # fmt: skip
        rows = []
        for name, ours, limit, peer in cases:
            taken, theirs = seconds(ours), seconds(peer, repeat=3)
            rows.append(
                (name, f"{taken:.3f}", f"{limit:.1f}", f"{theirs:.3f}", f"{theirs / taken:.1f}x")
            )
    version = [sys.executable, "-m", "tokumei", "--version"]
    bare = [sys.executable, "-c", "pass"]
    taken, theirs = (
        seconds(lambda words=words: subprocess.run(words, check=True, capture_output=True))
        for words in (version, bare)
    )
    rows.append(
        ("tokumei --version", f"{taken:.3f}", "0.3", f"{theirs:.3f}", f"{theirs / taken:.1f}x")
    )
    heads = ("work", "seconds", "limit", "peer", "peer / ours")
    show(f"{origin}, {len(table):,} rows; peer: pandas reads only, bare Python", heads, rows)


if __name__ == "__main__":
    main()
