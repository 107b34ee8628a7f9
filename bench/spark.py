"""How cost grows with the number of customers on Spark, on this machine (Linux).

`python -m bench spark --sizes 20000 50000`. Cost is told in seconds of a core, which other work on
the machine does not change, and which are what a cluster is sized by; the wall clock stands beside.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from bench.measuring import exponent, show
from tokumei import Risk, publish, read, statistics
from tokumei.anonymizers import Decoys, DeleteRows, Generalize
from tokumei.attacks import Jaccard
from tokumei.data.generating import blocks
from tokumei.data.writing import write_blocks
from tokumei.metrics import Indistinguishable, InformationLoss, RfmAgreement
from tokumei.spark import session
from tokumei.tables import height
from tokumei.threats import ItemSets

MASTER = "local[2]"
SIZES = (20_000, 50_000, 100_000, 200_000)
STEPS = ("statistics", "rows", "rfm", "decoys", "exact", "minhash", "generalize")
"""What can be left out; rfm goes with rows, exact and minhash with decoys."""
WHALE = 1_000_000
TICKS = os.sysconf("SC_CLK_TCK")


def main(options: list[str] | None = None) -> None:
    logging.disable(logging.WARNING)
    given = _options(options or [])
    spark = session(
        MASTER,
        spark_ui_enabled="false",
        spark_driver_memory=given.memory,
        spark_driver_host="127.0.0.1",
        spark_driver_bindAddress="127.0.0.1",
        spark_sql_shuffle_partitions=str(given.partitions),
    )
    times: dict[str, list[tuple[float, float]]] = {}
    used = Cores()
    java = spark.sparkContext._gateway.proc.pid
    memory: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes:
            path = Path(folder) / f"{size}.parquet"
            made = blocks("shop", size, 0)
            write_blocks(skewed(made) if given.skew else made, path)
            for process in (java, os.getpid()):
                _forget_peak(process)
            for name, taken in _measured(spark, path, given, used).items():
                times.setdefault(name, []).append(taken)
            memory.append(
                f"{size:,}: Java {_peak(java):,.0f} MB, Python {_peak(os.getpid()):,.0f} MB; "
                f"tables that are kept, in memory and on disk: {_kept(spark):,.0f} MB"
            )
            spark.catalog.clearCache()
    rows = [
        (
            name,
            *(f"{cores:.0f} ({clock:.0f})" for cores, clock in taken),
            f"{exponent(given.sizes, [cores for cores, _ in taken]):.2f}",
        )
        for name, taken in times.items()
    ]
    heads = ("core-seconds (clock)", *(f"n = {size:,}" for size in given.sizes), "exponent")
    show(f"Cost on {MASTER} against the number of customers n", heads, rows)
    print("peak memory of the driver, whose Java here also does the work:")
    print("\n".join(memory))


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--memory", default="2g")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1.0, help="search of each block")
    parser.add_argument("--skip", nargs="*", default=(), choices=STEPS)
    parser.add_argument("--skew", action="store_true", help="a huge customer, a ubiquitous item")
    return parser.parse_args(words)


def skewed(parts: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Add a customer with a million rows, and an item to every basket."""
    for number, part in enumerate(parts):
        yield part
        yield part.unique("basket", keep="first", maintain_order=True).with_columns(
            item=pl.lit("carrier bag")
        )
        if number == 0:
            rows = part.sample(WHALE, with_replacement=True, seed=0)
            ten = (pl.int_range(pl.len()) // 10).cast(pl.String)
            yield rows.with_columns(customer=pl.lit("whale"), basket=pl.lit("whale") + ten)


def _measured(
    spark: Any, path: Path, given: argparse.Namespace, used: Cores
) -> dict[str, tuple[float, float]]:
    """Return the seconds of cores, and of the clock, that each step takes."""
    times: dict[str, tuple[float, float]] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = used.look(), time.perf_counter()
        result = work()
        cores, clock = used.look() - start[0], time.perf_counter() - start[1]
        times[name] = cores, clock
        print(f"{path.stem} customers, {name}: {cores:.0f} ({clock:.0f}) s", flush=True)
        return result

    shop = timed("read and clean", lambda: _counted(read(spark.read.parquet(str(path)))))
    if "statistics" not in given.skip:
        timed("statistics", lambda: statistics(shop))
    if "rows" not in given.skip:
        _row_by_row(shop, given, timed)
    if "decoys" not in given.skip:
        _decoys(shop, given, timed)
    if "generalize" not in given.skip:
        wide = Generalize(seconds=given.seconds / 10)
        timed("generalize", lambda: _counted(wide(shop, seed=1)))
    return times


def _row_by_row(shop: Any, given: argparse.Namespace, timed: Callable[..., Any]) -> None:
    fewer = timed(
        "delete-rows, publish",
        lambda: _published(shop, DeleteRows(share=0.2)(shop, seed=1)),
    )
    timed("information loss", lambda: InformationLoss()(shop, fewer, seed=1))
    if "rfm" not in given.skip:
        timed("RFM agreement", lambda: RfmAgreement()(shop, fewer, seed=1))


def _decoys(shop: Any, given: argparse.Namespace, timed: Callable[..., Any]) -> None:
    method = Decoys(clusters=height(shop.people()) // 4, min_size=3, seconds=given.seconds)
    made = timed("decoys", lambda: _counted(method(shop, seed=1)))
    release = timed("publish decoys", lambda: _published(shop, made))
    kinds = timed("indistinguishable", lambda: Indistinguishable()(shop, release, seed=1))
    assert kinds.value <= 1 / 4, kinds
    for search in ("exact", "minhash"):
        if search not in given.skip:
            risk = Risk(threat=ItemSets(), attack=Jaccard(top=1, search=search))
            score = timed(f"jaccard, {search}", lambda risk=risk: risk(shop, release, seed=3))
            found = f"re-identified {score.value:.12f}, at most {kinds.value:.4f} expected"
            print(f"{release.public.rows} rows, {found}")


def _counted(history: Any) -> Any:
    assert history.rows
    return history


def _published(original: Any, anonymized: Any) -> Any:
    release = publish(original, anonymized, secret=b"2")
    assert release.public.rows
    return release


def _forget_peak(process: int) -> None:
    """Let the most memory of a process begin at what it has now."""
    Path(f"/proc/{process}/clear_refs").write_text("5")


def _peak(process: int) -> float:
    """Return the most memory of a process, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes.split()[1]) / 1024


def _kept(spark: Any) -> float:
    """Return the size of all tables that Spark keeps, in MB."""
    tables = spark.sparkContext._jsc.sc().getRDDStorageInfo()
    return sum(table.memSize() + table.diskSize() for table in tables) / 1e6


class Cores:
    """The processor time of this process and of all below it: Java, and workers that come and go.

    What a worker used is gone with it, so all are looked at once a second.
    """

    def __init__(self) -> None:
        self.used: dict[int, int] = {}
        threading.Thread(target=self._look_again, daemon=True).start()

    def _look_again(self) -> None:
        while True:
            self.look()
            time.sleep(1)

    def look(self) -> float:
        """Return the seconds of all cores until now."""
        below: dict[int, list[int]] = {}
        now: dict[int, int] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            process = int(stat.parent.name)
            below.setdefault(int(fields[1]), []).append(process)
            now[process] = int(fields[11]) + int(fields[12])
        asked = [os.getpid()]
        while asked:
            process = asked.pop()
            self.used[process] = now.get(process, 0)
            asked += below.get(process, [])
        return sum(list(self.used.values())) / TICKS
