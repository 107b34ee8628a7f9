"""A real server as a process, and people in real browsers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Locator, Page, Playwright, expect

SHOTS = os.environ.get("TOKUMEI_SHOTS")
"""A folder for pictures of what the tests see, for those who want to look."""
PASSWORD = "a long password of mine"
SECONDS = 1_000
PATIENCE = 60 * SECONDS
"""For what has to be computed first, on a machine that does other things as well."""
LIVE = 2 * SECONDS
"""Within this, what one browser sees appears in the other."""
DROP = """
([selector, files]) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  const zone = document.querySelector(selector);
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  for (const kind of ["dragenter", "dragover", "drop"])
    zone.dispatchEvent(new DragEvent(kind, options));
}
"""


def chromium() -> str:
    """Return Debian's browser, or skip and say so."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    return found


def launched(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])


@contextmanager
def served(folder: Path, database_url: str) -> Iterator[str]:
    """Run `tokumei contest serve` on a free port of loopback; give the address."""
    command = [sys.executable, "-m", "tokumei", "contest", "serve", str(folder), "--port", "0"]
    environment = os.environ | {"TOKUMEI_DATABASE_URL": database_url, "PYTHONUNBUFFERED": "1"}
    with (
        (folder.parent / "server.log").open("w") as log,
        subprocess.Popen(
            [*command, "--json"], stdout=subprocess.PIPE, stderr=log, env=environment, text=True
        ) as process,
    ):
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()
            process.wait(30)


@dataclass
class Person:
    """Somebody at a browser, who sees no error of a script and no alert."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._alerted)
        self.page.on("console", self._logged)

    def _logged(self, said: ConsoleMessage) -> None:
        # A refused request is told by the page as well; a refresh is given up for what is clicked.
        expected = "status of 4" in said.text or "AbortError" in said.text
        if said.type == "error" and not expected:
            self.complaints.append(said.text)

    def _alerted(self, dialog: Dialog) -> None:
        self.complaints.append(f"alert: {dialog.message}")
        dialog.dismiss()

    def go(self, path: str) -> None:
        self.page.goto(f"{self.address}{path}")

    def see(self, selector: str, timeout: float = PATIENCE) -> Locator:
        found = self.page.locator(selector)
        expect(found.first).to_be_visible(timeout=timeout)
        return found

    def join(self, link: str, login: str) -> None:
        """Follow an invitation and choose a login."""
        self.page.goto(re.sub(r"^http://[^/]+", self.address, link))
        self.see("#accept")
        self.page.fill("#accept input[name=login]", login)
        self.page.fill("#accept input[name=password]", PASSWORD)
        self.page.click("#accept button")
        self.page.wait_for_url(f"{self.address}/")

    def press(self, selector: str, *, sure: bool = False) -> None:
        """Click, and say yes where the page asks whether one is sure."""
        self.page.click(selector)
        if sure:
            self.page.click("#confirm button[value=yes]")

    def drop(self, selector: str, *files: tuple[str, str]) -> None:
        """Drag files onto a part of the page."""
        self.page.evaluate(DROP, [selector, [list(file) for file in files]])

    def picture(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)
