"""The report on paper: a PDF through the browser of the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tokumei.data.writing import check_new, whole_file
from tokumei.errors import Unachievable

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 60


def browser() -> str | None:
    """Return the path of a browser that can print, if there is one."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def pdf(html: str, path: Path) -> None:
    """Print a page into a new file."""
    check_new(path)
    program = browser()
    if program is None:
        raise Unachievable("A PDF needs Chromium or Chrome on this machine; use --as html.")
    with tempfile.TemporaryDirectory() as folder:
        page, printed = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, encoding="utf-8")
        command = [
            program,
            "--headless",
            "--disable-gpu",
            # Its own profile: a browser that is open already would answer instead.
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={printed}",
            *_unboxed(),
            page.as_uri(),
        ]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603
        except subprocess.TimeoutExpired as error:
            raise Unachievable(
                f"Chromium did not print the report within {SECONDS} seconds; use --as html."
            ) from error
        if not printed.is_file():
            raise Unachievable(f"{program} did not print the report; use --as html.")
        content = printed.read_bytes()
    with whole_file(path) as file:
        file.write(content)


def _unboxed() -> list[str]:
    """Chromium refuses to run in its sandbox as root, which is what containers run as."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
