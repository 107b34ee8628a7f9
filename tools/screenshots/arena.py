"""The generated contest in the arena, at two moments."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

from tokumei.arena.generating import generate_story
from tokumei.arena.page import replay_page
from tokumei.words import Language
from tools.screenshots.camera import Camera

ANONYMIZE, BURNING = "2026-12-02T05:30:00Z", "2026-12-02T19:30:00Z"
WIDE, HALL = (960, 560), (1280, 720)


class View(NamedTuple):
    """How and when to look."""

    language: Language
    colors: Literal["light", "dark"]
    moment: str
    size: tuple[int, int] = WIDE
    query: str = ""


PICTURES = {
    "arena-anonymize-en": View("en", "light", ANONYMIZE),
    "arena-anonymize-ja": View("ja", "light", ANONYMIZE),
    "arena-attack-en": View("en", "dark", BURNING),
    "arena-attack-ja": View("ja", "dark", BURNING),
    "arena-projector-en": View("en", "dark", BURNING, HALL, "?projector"),
    "arena-projector-ja": View("ja", "dark", BURNING, HALL, "?projector"),
}


def take(camera: Camera) -> None:
    """Open the replay page, go to the moment, and wait until nothing moves."""
    story = generate_story(seed=0)
    with tempfile.TemporaryDirectory() as folder:
        for name, view in PICTURES.items():
            file = Path(folder) / f"{name}.html"
            file.write_text(replay_page(story, language=view.language), encoding="utf-8")
            with camera.page(view.size, language=view.language, colors=view.colors) as page:
                page.goto(file.as_uri() + view.query)
                page.wait_for_function("() => window.__arena?.snapshot().frames > 0")
                page.evaluate("__arena.snapshot().playing && __arena.play()")
                page.evaluate("t => __arena.seek(Date.parse(t))", view.moment)
                page.wait_for_function("() => !__arena.snapshot().moving")
                if view.moment == BURNING:
                    page.evaluate("__arena.play()")
                    page.wait_for_function(
                        "() => __arena.snapshot().ripples.some((one) => one.radius > 2.5)"
                    )
                camera.take(page, name)
