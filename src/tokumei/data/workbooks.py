"""Excel files, read by a process of their own that may have so much memory and no more.

The engine makes room for every cell between the first and the last of a sheet: a workbook of two
cells can ask for 500 GB. Where it does not get them, it ends the process that it runs in.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

from tokumei.data.limits import memory
from tokumei.errors import ReadError

MOST_MEMORY = 8 << 30
"""Bytes: a full sheet of a million rows and twenty columns needs half of it."""
EMPTY, BROKEN = 3, 4
"""Exit codes of the process; others are those of one that was ended."""


def read_workbook(path: Path) -> pl.DataFrame:
    """Return the first sheet of a workbook as texts."""
    with tempfile.TemporaryDirectory(prefix="tokumei-excel-") as place:
        rows = Path(place, "rows.arrow")
        # -P: without it Python would look for packages in the current folder first, where somebody
        # else's files may be.
        command = [sys.executable, "-P", "-m", __name__, str(path.resolve()), str(rows)]
        code = subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603
        if code == 0:
            return pl.read_ipc(rows.read_bytes())
    if code == EMPTY:
        raise ReadError(f"{path.name} is empty; a history needs at least one row.")
    if code == BROKEN:
        raise ReadError(f"{path.name} is a broken or truncated Excel file.")
    raise ReadError(
        f"{path.name} is broken, or needs more than {_ceiling():,} bytes of memory; "
        "save it as CSV if it is as large as that."
    )


def unpack(path: Path) -> pl.DataFrame:
    """Read a workbook in this process."""
    # As text: a column that mixes numbers and words (invoice C536379) would lose cells.
    return pl.read_excel(path, infer_schema_length=0)


def _ceiling() -> int:
    return min(MOST_MEMORY, memory())


def _main(path: str, target: str) -> int:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_ceiling(), _ceiling()))
    try:
        unpack(Path(path)).write_ipc(target)
    except pl.exceptions.NoDataError:
        return EMPTY
    except Exception:  # the Excel engine raises types of its own
        return BROKEN
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
