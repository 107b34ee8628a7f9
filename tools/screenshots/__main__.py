"""Take all pictures from the root, or those of some kinds: `python -m tools.screenshots contest`.

It needs Chromium. Whatever is shown is generated with fixed seeds, but pages of a contest also show
the time, and no two browsers draw letters alike: pictures are looked at, not compared.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.screenshots import arena, contest, notebooks, reports
from tools.screenshots.camera import FLAGS, Camera

KINDS = {"reports": reports, "arena": arena, "contest": contest, "notebooks": notebooks}
IMAGES = Path("docs/images")


def names() -> set[str]:
    """Return the names of all pictures."""
    return {name for kind in KINDS.values() for name in kind.PICTURES}


def main(kinds: list[str]) -> None:
    """Take the pictures, and remove those that no kind lists."""
    if unknown := set(kinds) - set(KINDS):
        raise SystemExit(f"There are {', '.join(KINDS)}, and no {', '.join(sorted(unknown))}.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for kind in kinds or KINDS:
            KINDS[kind].take(Camera(browser, IMAGES))
        browser.close()
    for path in IMAGES.glob("*.png"):
        if path.stem not in names():
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
