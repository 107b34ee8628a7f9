"""Whether a release can have come from an original."""

from __future__ import annotations

import narwhals as nw

from tokumei.contracts import Release
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.tables import frame


def check_pair(original: History, release: Release) -> None:
    """Raise a SchemaError when the release is of other data."""
    origins = frame(release.key.rows.select("origin").filter(~nw.col("origin").is_null()))
    foreign = set(origins["origin"]) - set(original.frame()[ROW])
    if foreign:
        raise SchemaError(
            f"The release has a row from row {min(foreign) + 1:,} of its original, but this "
            f"original has {original.rows:,} rows: they do not belong together."
        )
    strangers = set(frame(release.key.pseudonyms)["person"]) - set(original.persons())
    if strangers:
        raise SchemaError(
            f"Customer {min(strangers)!r} of the key does not occur in the original: "
            "release and original do not belong together."
        )
    _check_items(original, release)


def _check_items(original: History, release: Release) -> None:
    if "item" not in original.visible or "item" not in release.public.visible:
        return
    rows = release.public.frame().select(ROW, "item")
    if rows["item"].dtype.is_nested():
        rows = rows.explode("item")
    known = original.frame()["item"].unique().implode()
    unknown = rows.drop_nulls("item").filter(~rows.drop_nulls("item")["item"].is_in(known))
    if len(unknown):
        name = release.public.source.name("item")
        raise SchemaError(
            f"Every item of a release must occur in the original; {unknown['item'][0]!r} does not "
            f"(row {unknown[ROW][0] + 2:,}, column {name})."
        )
