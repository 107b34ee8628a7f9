"""Fuzz readers: `python -m fuzz --reader csv story --seconds 600`, or all of them.

Needs `pip install -e '.[dev]' 'atheris>=3,<4'`; atheris is in no extra of ours, as it is built for
Linux only. What a reader raises besides an error of ours is printed and kept as a file, and the
exit code is 1. The corpus is kept as well, so that the next run goes on from there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from math import ceil
from pathlib import Path

from fuzz.readers import READERS

KEPT = Path(tempfile.gettempdir()) / "tokumei-fuzz"
LEAST_SECONDS = 5
"""What is left after a crash must be worth a new start."""


def main() -> None:
    """Fuzz one reader after another, each in a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--reader", nargs="+", choices=READERS, default=list(READERS))
    parser.add_argument("--seconds", type=int, default=600, help="for each reader")
    parser.add_argument("--folder", type=Path, default=KEPT, help="for corpora and findings")
    options = parser.parse_args()
    failed = False
    for name in options.reader:
        findings = options.folder / name / "findings"
        findings.mkdir(parents=True, exist_ok=True)
        _run(name, options.seconds, options.folder / name)
        found = sorted(path.name for path in findings.iterdir())
        sys.stdout.write(f"{name}: {len(found)} findings {' '.join(found)}\n")
        sys.stdout.flush()
        failed |= bool(found)
    sys.exit(failed)


def _run(name: str, seconds: int, folder: Path) -> None:
    """Fuzz for so long; a crash of the whole process is a finding, after which it goes on."""
    end = time.monotonic() + seconds
    while (left := ceil(end - time.monotonic())) >= min(LEAST_SECONDS, seconds):
        command = [sys.executable, "-m", "fuzz.running", name, str(left), str(folder)]
        known = set((folder / "findings").iterdir())
        if subprocess.run(command, check=False).returncode == 0:  # noqa: S603
            return
        if set((folder / "findings").iterdir()) == known:
            raise SystemExit(f"{name}: fuzzing did not start, or ended without a finding.")


if __name__ == "__main__":
    main()
