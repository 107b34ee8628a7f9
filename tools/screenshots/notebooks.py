"""The notebooks, with code and results."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tokumei.contest.serving import bind
from tools.screenshots.camera import PATIENCE, Camera

FOLDER = Path("examples/notebooks").resolve()
SIZE = (1000, 860)
# Picture → notebook, the heading to scroll to and where it is then, and what is there when all
# cells have run.
PICTURES = {
    "notebook-audit": ("audit_a_frame.py", "Every attacker at once", "start", "iframe"),
    "notebook-compare": ("compare_anonymizers.py", "What to take from it", "end", ".vega-embed"),
    "notebook-contest": (
        "enter_a_contest.py",
        "Check and score it at home",
        "start",
        "text=The guess is marked",
    ),
}
SCROLL = """
([words, block]) => {
  const heading = [...document.querySelectorAll("h2")].find((h2) => h2.textContent.includes(words));
  heading.style.scrollMargin = "2rem";
  heading.scrollIntoView({ block });
}
"""


def take(camera: Camera) -> None:
    """Run each notebook as marimo shows it, and look at one part of it."""
    for name, (notebook, heading, place, last) in PICTURES.items():
        with served(FOLDER / notebook) as address, camera.page(SIZE) as page:
            page.goto(f"{address}/?show-code=true")
            page.wait_for_selector(last, state="attached")
            page.evaluate(SCROLL, [heading, place])
            page.wait_for_timeout(2_000)
            camera.take(page, name)


@contextmanager
def served(notebook: Path) -> Iterator[str]:
    """Run a notebook on a free port of this machine; give the address."""
    with bind("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "marimo", "-q", "run", str(notebook), "--headless"]
        server = subprocess.Popen(  # noqa: S603
            [*command, "--include-code", "-p", str(port)], cwd=folder
        )
        try:
            _wait_for(address)
            yield address
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str) -> None:
    end = time.monotonic() + PATIENCE / 1_000
    while True:
        try:
            urlopen(address).close()  # noqa: S310
        except URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
        else:
            return
