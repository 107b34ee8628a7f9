"""Whether a release can have come from an original."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from tokumei.contracts import Release
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.tables import frame, spark_form, table


def check_pair(original: History, release: Release) -> None:
    """Raise a SchemaError when the release is of other data."""
    if original.on_spark:
        spark_form("folder:check_pair")(original, release)
        return
    for column in release.public.visible:
        if column not in original.visible:
            have = ", ".join(original.visible)
            raise SchemaError(
                f"The release has a column '{column}' that the original lacks; it has {have}: read "
                "both alike, or they do not belong together."
            )
    origins = release.key.rows.filter(~nw.col("origin").is_null()).select(row=nw.col("origin"))
    foreign = frame(origins.join(original.purchases, on=ROW, how="anti"))
    if len(foreign):
        raise SchemaError(
            f"The release has a row from row {foreign[ROW].sort()[0] + 1:,} of its original, but "
            f"this original has {original.rows:,} rows: they do not belong together."
        )
    known = table(pl.DataFrame({"person": original.persons()}))
    strangers = frame(release.key.pseudonyms.join(known, on="person", how="anti"))
    if len(strangers):
        raise SchemaError(
            f"Customer {strangers['person'].sort()[0]!r} of the key does not occur in the "
            "original: release and original do not belong together."
        )
    _check_key(release)
    _check_items(original, release)


def _check_key(release: Release) -> None:
    """Refuse a key that lacks pseudonyms: who is not in it would count as not found."""
    named = frame(release.key.pseudonyms)["pseudonym"]
    if named.is_empty():
        return  # the key as an attacker has it
    if named.is_duplicated().any():
        twice = named.filter(named.is_duplicated())[0]
        raise SchemaError(f"Each pseudonym must appear once in the key; {twice!r} appears twice.")
    known = table(named.alias("person").to_frame())
    nobody = frame(release.public.people().join(known, on="person", how="anti"))
    if len(nobody):
        raise SchemaError(f"The key lacks the pseudonym {nobody['person'].sort()[0]!r}.")


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
