"""The report of the demo, and that of an audit."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tools.screenshots.camera import Camera

WIDTH = 1000
DEMO = ("demo --seed 0 -o demo",)
# As on the page about the audit.
AUDIT = (
    "data shop --customers 40 --seed 1 -o shop.csv",
    "anonymize decoys shop.csv --clusters 10 --min-size 4 --style paper --seconds 1 --seed 2 "
    "-o release",
    "audit shop.csv release --seed 0 -o report.html",
)
# Picture → language, commands, what the last of them writes, and how much of it is shown.
PICTURES = {
    "report-en": ("en", DEMO, "demo/report.html", 940),
    "report-ja": ("ja", DEMO, "demo/report.html", 940),
    "audit-en": ("en", AUDIT, "report.html", 820),
    "audit-ja": ("ja", AUDIT, "report.html", 820),
}


def take(camera: Camera) -> None:
    """Run the commands in an empty folder, and open what they write."""
    for name, (language, commands, report, height) in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                words = [*command.split(), "--lang", language]
                subprocess.run(  # noqa: S603
                    [sys.executable, "-m", "tokumei", *words],
                    cwd=folder,
                    check=True,
                    capture_output=True,
                )
            with camera.page((WIDTH, height), language=language) as page:
                page.goto((Path(folder) / report).as_uri())
                camera.take(page, name)
