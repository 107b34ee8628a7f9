"""Draw all pictures, from the root: `python -m tools.method_pictures`."""

from __future__ import annotations

from pathlib import Path

from tokumei.registry import names
from tools.method_pictures.scenes import drawings

FOLDER = Path("docs/_static/methods")


def main() -> None:
    """Write all pictures, and remove those of methods that are no more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = dict(drawings())
    wanted = {name for family in ("anonymizer", "threat", "attack") for name in names(family)}
    if set(made) != wanted:
        raise SystemExit(f"Add or remove the pictures of {', '.join(sorted(wanted ^ set(made)))}.")
    for name, drawing in made.items():
        (FOLDER / f"{name}.svg").write_text(drawing.svg(), encoding="utf-8")
    for path in FOLDER.glob("*.svg"):
        if path.stem not in made:
            path.unlink()


if __name__ == "__main__":
    main()
