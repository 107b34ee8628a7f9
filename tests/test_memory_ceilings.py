"""Files that unpack to more than there is memory are refused by a sentence, not by the kernel."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from tokumei import rules
from tokumei.data.limits import memory
from tokumei.errors import ReadError
from tokumei.rules.lines import MOST_LINES
from tokumei.rules.problems import Problems

CEILING = 3 << 29
"""Bytes: a little more than the libraries take when they are loaded."""
READ = """
import json, resource, sys
ceiling = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
import tokumei
from tokumei.data.microdata import read_microdata
from tokumei.errors import TokumeiError
from tokumei.pk.domain import Domain
from tokumei.pk.perturbation import read_records
from pathlib import Path
sex = Domain.of({"sex": ["male", "female"]})
readers = {"csv": [tokumei.read], "gz": [tokumei.read], "xlsx": [tokumei.read]}
readers["parquet"] = [tokumei.read, read_microdata, lambda path: read_records(path, sex)]
said = {}
for path in map(Path, sys.argv[2:]):
    for number, read in enumerate(readers[path.suffix[1:]]):
        try:
            read(path)
        except TokumeiError as error:
            said[f"{path.name} {number}"] = str(error)
print(json.dumps(said))
"""


THERE = f"bytes of memory or more; there are {CEILING:,}."
SAID = {
    "corners.xlsx": f"corners.xlsx is broken, or needs more than {CEILING:,} bytes of memory;",
    "lines.csv.gz": "lines.csv.gz has 60,000,000 rows of 2 columns, which need 1,920,000,000 bytes",
    "quoted.csv": f"quoted.csv has 25,001 rows of 5,000 columns, which need 2,000,080,000 {THERE}",
    "rows.parquet": "rows.parquet has 1,100,000 rows of 100 columns, which need 1,760,000,000 b",
    "texts.parquet": "texts.parquet has 34 rows of 1 columns, which need 1,700,0",
    "wide.csv": f"wide.csv has 25,000 rows of 5,000 columns, which need 2,000,000,000 {THERE}",
}


def bombs(folder: Path) -> list[Path]:
    """Small files of which each would need more than the ceiling."""
    nulls = pa.table({f"c{k}": pa.nulls(1_100_000, pa.int8()) for k in range(100)})
    pq.write_table(nulls, folder / "rows.parquet")
    long = pa.table({"customer": ["a" * 50_000_000]})
    packed = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    with pq.ParquetWriter(folder / "texts.parquet", long.schema, **packed) as writer:
        for _ in range(34):
            writer.write_table(long)
    with xlsxwriter.Workbook(folder / "corners.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "customer")
        sheet.write(1_048_575, 16_383, "x")
    header = ",".join(f"c{k}" for k in range(5_000))
    (folder / "wide.csv").write_text(f"{header}\n" + "x\n" * 25_000)
    (folder / "quoted.csv").write_text(f'"a\n",{header[3:]}\n' + "x\n" * 25_000)
    (folder / "lines.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b",\n" * 60_000_000, 1))
    return sorted(folder.iterdir())


def test_bombs_are_refused_under_a_ceiling(tmp_path: Path) -> None:
    files = bombs(tmp_path)
    assert sum(path.stat().st_size for path in files) < 2_000_000
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP")}
    done = subprocess.run(
        [sys.executable, "-c", READ, str(CEILING), *map(str, files)],
        env=os.environ | threads | {"POLARS_MAX_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    said = json.loads(done.stdout)
    assert len(said) == len(SAID) + 4  # Parquet has three readers
    for file, sentence in said.items():
        assert sentence.startswith(SAID[file.split()[0]])


def test_memory_is_that_of_the_machine_where_nothing_limits_it() -> None:
    assert 1 << 28 < memory() < 1 << 50


def test_memory_is_that_of_the_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr("tokumei.data.limits.CONTAINER", limit)
    limit.write_text("max\n")
    assert memory() > 1 << 28
    limit.write_text("1000000\n")
    assert memory() == 1_000_000


def test_a_contest_file_of_more_lines_than_any_contest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "A.csv"
    path.write_bytes(b"\n" * (MOST_LINES + 1))
    with pytest.raises(ReadError, match=r"A\.csv has 5,000,001 lines; a contest file may have 5,0"):
        rules.lines.read_cells(path, ("person", "item"), Problems("A.csv"))
