"""Pictures of README and documentation: all are there, made by a script, and small."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import test_docs
from test_docs import DOCS, PAGES, ROOT

pytestmark = test_docs.pytestmark

IMAGES = DOCS / "images"
SHOWN = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")
LARGEST = 150_000
"""Bytes: every checkout has all pictures of the past as well."""


@pytest.fixture(autouse=True)
def _tools_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def shown() -> dict[Path, list[Path]]:
    """Return picture → pages that show it."""
    found: dict[Path, list[Path]] = {}
    for page in PAGES:
        for target in SHOWN.findall(page.read_text(encoding="utf-8")):
            found.setdefault((page.parent / target).resolve(), []).append(page)
    return found


def test_every_picture_is_there_and_shown() -> None:
    missing = [path.name for path in shown() if not path.exists()]
    assert not missing
    assert {path.resolve() for path in IMAGES.iterdir()} <= set(shown())


def test_every_picture_is_taken_by_the_script() -> None:
    from tools.screenshots.__main__ import names

    assert {path.name for path in IMAGES.iterdir()} == {f"{name}.png" for name in names()}


def test_pictures_are_small() -> None:
    for path in IMAGES.iterdir():
        assert path.stat().st_size <= LARGEST, path.name


def test_a_page_shows_pictures_in_its_own_language() -> None:
    for picture, pages in shown().items():
        language = picture.stem.rpartition("-")[2]
        for page in pages:
            japanese = page.name.endswith(".ja.md") or page.is_relative_to(DOCS / "ja")
            assert language != ("en" if japanese else "ja"), f"{page.name} shows {picture.name}"


def test_a_picture_with_a_palette_has_the_colors_of_the_picture() -> None:
    from tools.screenshots.shrinking import indexed_png

    image = np.array([[[255, 255, 255], [217, 72, 1]], [[31, 119, 180], [255, 255, 255]]], np.uint8)
    png = indexed_png(image)
    chunks, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks[png[at + 4 : at + 8]] = png[at + 8 : at + 8 + length]
        at += length + 12
    assert struct.unpack(">II", chunks[b"IHDR"][:8]) == (2, 2)
    palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(2, 3)
    assert (palette[lines[:, 1:]] == image).all()


def test_pictures_of_methods_show_what_the_methods_do() -> None:
    from tools.method_pictures.scenes import drawings

    drawn = {name: drawing.svg() for name, drawing in drawings()}
    stored = {path.stem: path for path in (DOCS / "_static" / "methods").glob("*.svg")}
    assert stored.keys() == drawn.keys()
    for name, path in stored.items():
        assert path.read_text(encoding="utf-8") == drawn[name], "python -m tools.method_pictures"
        assert path.stat().st_size < 15_000
