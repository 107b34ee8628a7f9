"""Tables of records in, perturbed tables and cross tabulations out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from tokumei.data.loading import BROKEN_PARQUET, PARQUET, Loaded, check_parquet, load
from tokumei.data.writing import is_parquet, whole_file
from tokumei.draws import uniform
from tokumei.errors import ReadError, SchemaError
from tokumei.history import as_kind
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain, check_cells
from tokumei.pk.independent import MOST_CELLS
from tokumei.pk.kernels import Floats, Ints
from tokumei.pk.mechanism import Keys, Mechanism
from tokumei.pk.mechanisms import mechanism
from tokumei.progress import track

BATCH = 1 << 20
"""Records that are decoded at a time; of the others, one number is held."""


@dataclass(frozen=True, eq=False)
class Records:
    """A table as the cells of its records."""

    cells: Ints
    forbidden: int
    """How many records the correlation forbids; they are left out."""


def records_of(
    rows: pl.DataFrame, space: Domain | Correlation, *, drop_forbidden: bool = False
) -> Records:
    """Return the cells of all records of a table; a forbidden one is an error unless dropped."""
    return _gathered(iter([rows]), 1, space, first_row=1, drop_forbidden=drop_forbidden)


def read_records(
    path: Path, space: Domain | Correlation, *, drop_forbidden: bool = False
) -> Records:
    """Return the cells of all records of a file; Parquet is read piece by piece."""
    names = (space.domain if isinstance(space, Correlation) else space).names
    if path.suffix.lower() not in PARQUET:
        loaded = load(path)
        return _gathered(
            iter([loaded.rows]),
            1,
            space,
            first_row=loaded.first_line,
            drop_forbidden=drop_forbidden,
        )
    check_parquet(path)
    try:
        file = pq.ParquetFile(path)
        columns = file.schema_arrow.names
    except BROKEN_PARQUET as error:
        raise ReadError(f"{path} cannot be read as Parquet ({error}).") from error
    with file:
        for name in names:
            if name not in columns:
                raise SchemaError(f"The table needs a column {name}; it has {', '.join(columns)}.")
        pieces = max(1, -(-file.metadata.num_rows // BATCH))
        batches = _batches(file, names, path)
        return _gathered(batches, pieces, space, first_row=1, drop_forbidden=drop_forbidden)


def _batches(file: pq.ParquetFile, names: Sequence[str], path: Path) -> Iterator[pl.DataFrame]:
    try:
        for batch in file.iter_batches(batch_size=BATCH, columns=list(names)):
            rows = pl.from_arrow(batch)
            assert isinstance(rows, pl.DataFrame)  # noqa: S101 - a batch has columns
            yield rows
    except BROKEN_PARQUET as error:
        raise ReadError(f"{path.name} is a broken or truncated Parquet file.") from error


def _gathered(
    batches: Iterator[pl.DataFrame],
    total: int,
    space: Domain | Correlation,
    *,
    first_row: int,
    drop_forbidden: bool,
) -> Records:
    # What a record is does not depend on rho.
    coder = mechanism(space, 0.0)
    parts: list[Ints] = []
    forbidden, example = 0, 0
    for rows in track(batches, total, "reading records"):
        cells = coder.cell_of(coder.domain.encode(rows, first_row=first_row))
        wrong = np.flatnonzero(cells < 0)
        if len(wrong) and not forbidden:
            example = first_row + int(wrong[0])
        forbidden += len(wrong)
        first_row += len(rows)
        parts.append(cells[cells >= 0])
    found = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    if forbidden and not drop_forbidden:
        raise SchemaError(
            f"The correlation forbids {forbidden:,} of {forbidden + len(found):,} records, the "
            f"first in row {example:,}; drop them, or allow what they hold."
        )
    if not len(found):
        raise ReadError("The table has no records that could be counted.")
    return Records(found, forbidden)


def perturb(table: Any, by: Mechanism, *, seed: int, keys: Keys | None = None) -> Any:
    """Return the table with its attributes perturbed; other columns and the order stay.

    The table is a polars, pandas, pyarrow or DuckDB one, and comes back as it came.

    What a record becomes depends on the seed and its key (its place, unless given), so a table may
    be perturbed in pieces. Whoever knows the seed can tell which values were kept. The order of
    the rows is a link to the original: shuffle before you give the table away.
    """
    loaded = Loaded(table, 1, "polars") if isinstance(table, pl.DataFrame) else load(table)
    rows = loaded.rows
    if isinstance(by.space, Correlation) or rows.is_empty():
        records_of(rows, by.space)
    places = np.arange(len(rows)) if keys is None else keys
    drawn = by.redraw(by.domain.encode(rows), places, seed=seed)
    columns = by.domain.decode(drawn, rows.schema).iter_columns()
    return as_kind(rows.with_columns(columns), loaded.kind)


def tabulate(cells: Ints, of: Mechanism) -> Floats:
    """Return the cross tabulation: the number of records in every cell, in lexicographic order."""
    check_cells(of.cells, MOST_CELLS)
    return np.bincount(cells, minlength=of.cells).astype(np.float64)


def crosstab(counts: Floats, of: Mechanism) -> pl.DataFrame:
    """Return a cross tabulation as a table: the values of every cell, and its count."""
    return of.domain.decode(of.codes).with_columns(count=pl.Series(counts))


def write_shuffled(cells: Ints, of: Mechanism, path: Path, *, seed: int) -> None:
    """Write records in random order as Parquet or CSV, piece by piece."""
    order = np.argsort(uniform(seed, "retain-replace/order", np.arange(len(cells))), kind="stable")
    pieces = range(0, len(cells), BATCH)
    with whole_file(path) as file:
        writer: pq.ParquetWriter | None = None
        for start in track(pieces, len(pieces), "writing records"):
            codes = of.codes_of(cells[order[start : start + BATCH]])
            rows = of.domain.decode(codes).cast(pl.String)
            if not is_parquet(path):
                file.write(rows.write_csv(include_header=start == 0).encode())
                continue
            table = rows.to_arrow()
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
