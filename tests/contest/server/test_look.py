"""The palette can be read: contrast by WCAG, in light and in dark; pages use no other colors."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

import tokumei
from tokumei.contest.server import app
from tokumei.report.rendering import rendered

STATIC = app.STATIC
PACKAGE = Path(tokumei.__file__).parent
PALETTE = PACKAGE / "report" / "static" / "palette.css"
REPORTS = [
    *(PACKAGE / "report" / "templates").glob("*.html"),
    PACKAGE / "contest" / "server" / "templates" / "final_report.html",
]
STYLED = [*STATIC.glob("*.css"), *REPORTS]
PIECES = {"page.html", "tables_and_figures.html"}
TEXT_ON_PAGES = [
    *product(("text", "quiet", "fire", "ice", "utility", "link"), ("ground", "panel")),
    *(("text", f"{name}-panel") for name in ("fire", "ice", "utility")),
    *(("quiet", f"{name}-panel") for name in ("fire", "ice", "utility")),
    ("fire", "fire-panel"),
    ("ice", "ice-panel"),
    ("link", "ice-panel"),
    ("link", "fire-panel"),
    ("link", "utility-panel"),
    ("button-text", "button"),
    *((f"on-heat-{step}", f"heat-{step}") for step in range(6)),
]


def palettes() -> dict[str, dict[str, str]]:
    text = PALETTE.read_text(encoding="utf-8")
    light, dark, printed = re.split(r"@media [^{]+\{", text)
    named = r"--([\w-]+): (#[0-9a-f]{6});"
    first = dict(re.findall(named, light))
    return {
        "light": first,
        "dark": first | dict(re.findall(named, dark)),
        "print": dict(re.findall(named, printed)),
    }


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_has_the_contrast_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON_PAGES)
def test_text_can_be_read(scheme: str, text: str, ground: str) -> None:
    colors = palettes()[scheme]
    assert contrast(colors[text], colors[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_edges_of_fields_can_be_seen(scheme: str) -> None:
    colors = palettes()[scheme]
    for ground in ("ground", "panel"):
        assert contrast(colors["edge"], colors[ground]) >= 3


def test_only_the_palette_names_colors() -> None:
    for sheet in STYLED:
        found = re.findall(r"#(?:[0-9a-fA-F]{3}){1,2}\b", sheet.read_text(encoding="utf-8"))
        assert not found, sheet.name


def test_every_color_that_is_used_has_a_value() -> None:
    colors = palettes()
    for sheet in STYLED:
        text = sheet.read_text(encoding="utf-8").replace("{{ step }}", "0")
        for name in re.findall(r"var\(--([\w-]+)\)", text):
            assert name in colors["light"], (sheet.name, name)
    # Whoever prints from a dark screen gets nothing of the dark palette.
    assert set(colors["print"]) == set(colors["light"])


def test_every_report_has_the_palette_and_lets_nothing_run() -> None:
    for report in REPORTS:
        if report.name not in PIECES:
            assert report.read_text(encoding="utf-8").startswith('{% extends "page.html" %}')
    page = rendered("page.html", language="en")
    assert PALETTE.read_text(encoding="utf-8").strip() in page
    assert "Content-Security-Policy\" content=\"default-src 'none'; style-src" in page


def test_scripts_of_ours_write_no_markup_and_evaluate_nothing() -> None:
    for script in Path(STATIC).glob("*.js"):
        text = script.read_text(encoding="utf-8")
        for never in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert never not in text, script.name
        assert len(text.splitlines()) < 300
