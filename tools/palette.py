"""The colors of the contest's pages, for what is drawn elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import tokumei

SHEET = Path(tokumei.__file__).parent / "report" / "static" / "palette.css"


def colors(scheme: str) -> dict[str, str]:
    """Return name → color; `scheme` is light or dark."""
    light, _, rest = SHEET.read_text(encoding="utf-8").partition("prefers-color-scheme: dark")
    part = light if scheme == "light" else rest.partition("@media")[0]
    return dict(re.findall(r"--([\w-]+): (#\w+)", part))
