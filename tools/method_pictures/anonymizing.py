"""What an anonymizer does: the original beside the release."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei import History, anonymizers, publish
from tokumei.cells import exactly
from tokumei.contracts import Anonymizer
from tokumei.draws import repeatable_secret
from tokumei.history import ROW
from tokumei.registry import name_of
from tokumei.tables import frame
from tools.method_pictures.drawing import LINE, Drawing
from tools.method_pictures.rows import CELLS, HEADS, LEFT, RIGHT, heading, shown
from tools.method_pictures.wording import released_by


@dataclass(frozen=True)
class Comparison:
    """A release, row by row, beside its original."""

    columns: list[str]
    """Those of the cells that the release still has."""
    texts: dict[int, list[str]]
    """Released row → its cells, the pseudonym first."""
    kept: dict[int, int]
    """Row of the original → released row."""
    added: list[int]
    """Released rows that come from none."""
    owner: dict[str, str]
    """Pseudonym → customer, by the key."""
    changed: dict[int, set[str]]
    """Row of the original → columns whose cells no longer say its value."""


def before_and_after(history: History, method: Anonymizer, *, seed: int) -> Drawing:
    """Draw the original beside the release."""
    found = compared(history, method, seed=seed)
    drawing = Drawing(f"{name_of(method)}: {finding(history, found)}", released_by(method))
    texts = {row: list(cells) for row, cells in found.texts.items()}
    if isinstance(method, anonymizers.Yamaoka):  # what it changes is the key
        for cells in texts.values():
            cells[0] = f"{cells[0]} = {found.owner[cells[0]]}"
    for row in found.added:
        texts[row][0] = f"+ {texts[row][0]}"
    widths = {
        name: 20 + round(7.2 * max(len(HEADS[name]), *(len(c[place]) for c in texts.values())))
        for place, name in enumerate(("person", *found.columns))
    }
    heading(drawing, "before", "released", widths, 54)
    y = 54 + 2 * LINE
    originals = dict(
        zip(history.in_row_order()[ROW], shown(history, ("person", *CELLS)), strict=True)
    )
    for person in history.persons():
        for row, cells in originals.items():
            if cells[0] == person:
                draw_row(drawing, y, row, cells, found, texts, widths)
                y += LINE
        for row in found.added:
            if found.owner[found.texts[row][0]] == person:
                drawing.row(RIGHT, y, texts[row], widths, ["new"] * len(widths))
                y += LINE
        y += 5
    return drawing


def draw_row(
    drawing: Drawing,
    y: int,
    row: int,
    cells: list[str],
    found: Comparison,
    texts: dict[int, list[str]],
    widths: dict[str, int],
) -> None:
    """Draw a row of the original and what became of it."""
    if row not in found.kept:
        drawing.row(0, y, cells, LEFT, ["gone"] * len(LEFT))
        drawing.text(RIGHT, y, "– deleted", "s")
        return
    drawing.row(0, y, cells, LEFT, [""] * len(LEFT))
    kinds = ["new" if name in found.changed[row] else "" for name in found.columns]
    drawing.row(RIGHT, y, texts[found.kept[row]], widths, ["", *kinds])


def compared(history: History, method: Anonymizer, *, seed: int) -> Comparison:
    """Publish a release, and use its key to tell which row came from which."""
    release = publish(history, method(history, seed=seed), secret=repeatable_secret(seed))
    public = release.public.frame()
    columns = [name for name in CELLS if name in public.columns]
    origin = dict(frame(release.key.rows).select("row", "origin").iter_rows())
    texts = dict(zip(public[ROW], shown(release.public, ("person", *columns)), strict=True))
    return Comparison(
        columns,
        texts,
        kept={origin[row]: row for row in texts if origin[row] is not None},
        added=sorted((row for row in texts if origin[row] is None), key=lambda row: texts[row]),
        owner=dict(frame(release.key.pseudonyms).select("pseudonym", "person").iter_rows()),
        changed=changes(history.in_row_order(), public, origin, columns),
    )


def finding(history: History, found: Comparison) -> str:
    """Say how much is deleted, changed and added."""
    lost, cells = history.rows - len(found.kept), len(found.kept) * len(found.columns)
    count = sum(map(len, found.changed.values()))
    true = dict(history.frame().select(ROW, "person").iter_rows())
    owners = {row: found.owner[found.texts[kept][0]] for row, kept in found.kept.items()}
    moved = {owner for row, owner in owners.items() if owner != true[row]}
    parts = [
        f"{lost} of {history.rows} rows deleted" * (lost > 0),
        f"{count} of {cells} cells changed" * (count > 0),
        f"{len(found.added)} rows added" * (len(found.added) > 0),
        f"the key gives {len(moved)} histories to other names" * (len(moved) > 0),
    ]
    return ", ".join(filter(None, parts)) or "nothing but the names is changed"


def changes(
    original: pl.DataFrame, public: pl.DataFrame, origin: dict[int, int | None], columns: list[str]
) -> dict[int, set[str]]:
    """Return which cells of each kept row no longer say the original's value."""
    rows = public.with_columns(
        pl.col(ROW).replace_strict(origin, return_dtype=pl.Int64).alias("_o")
    )
    rows = rows.drop_nulls("_o").sort("_o")
    truth = original.filter(pl.col(ROW).is_in(rows["_o"].implode())).sort(ROW)
    found: dict[int, set[str]] = {row: set() for row in rows["_o"]}
    for name in columns:
        for row, same in zip(rows["_o"], exactly(rows[name], truth[name]), strict=True):
            if not same:
                found[row].add(name)
    return found
