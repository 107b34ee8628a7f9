"""A browser that takes small pictures."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from playwright.sync_api import Browser, Page

from tools.screenshots.shrinking import indexed_png

# The arena is drawn by WebGL, here without a graphics card.
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE = 300_000
"""Milliseconds; drawing three dimensions without a graphics card takes its time."""
LOCALES = {"en": "en-US", "ja": "ja-JP"}
PIXELS = """
async (png) => {
  const image = await createImageBitmap(await (await fetch(png)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const bytes = context.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return [image.height, image.width, btoa(text)];
}
"""


@dataclass(frozen=True)
class Camera:
    """Takes pictures into a folder."""

    browser: Browser
    folder: Path

    @contextmanager
    def page(
        self,
        size: tuple[int, int],
        *,
        language: str = "en",
        colors: Literal["light", "dark"] = "light",
        state: Any = None,
    ) -> Iterator[Page]:
        """Open a page of a new visitor, or of one who was logged in before."""
        width, height = size
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            locale=LOCALES[language],
            color_scheme=colors,
            storage_state=state,
        )
        context.set_default_timeout(PATIENCE)
        yield context.new_page()
        context.close()

    def take(self, page: Page, name: str) -> None:
        """Write what is seen as a PNG with a palette."""
        png = base64.b64encode(page.screenshot()).decode()
        with self.page((10, 10)) as blank:
            found = blank.evaluate(PIXELS, f"data:image/png;base64,{png}")
        height, width, pixels = found
        flat = np.frombuffer(base64.b64decode(pixels), dtype=np.uint8)
        image = flat.reshape(height, width, 4)[:, :, :3]
        (self.folder / f"{name}.png").write_bytes(indexed_png(image))
