"""How many kinds of customers a release has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from typing_extensions import Doc

from tokumei.cells import to_text
from tokumei.contracts import Release, Score
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import metric
from tokumei.tables import frame

ASSUMES = {
    "items": "The attacker knows the item set of every customer.",
    "rows": "The attacker knows every purchase of every customer.",
}


@metric("indistinguishable", spark="metrics:indistinguishable")
@dataclass(frozen=True, kw_only=True)
class Indistinguishable(Checked):
    """Different customers of the release, as a share of all: what the best attacker can name.

    Customers whose item sets (or rows, in every column, and attributes) are equal are one kind. Of
    g equal customers an attacker names one rightly on average, whatever the method, so the share of
    kinds bounds the re-identification rate. Computed from the public part alone.

    Limits: it is an average. Who is alone in its kind is found, however small the share.
    """

    by: Annotated[
        Literal["items", "rows"], Doc("Whether item sets are compared, or rows in every column.")
    ] = "items"

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        kinds = kinds_of_customers(release.public, by=self.by)
        n = len(kinds)
        value = kinds["kind"].n_unique() / n
        name = f"indistinguishable-{self.by}"
        return Score(name, value, "lower", (0.0, 1.0), n, assumes=ASSUMES[self.by])


def kinds_of_customers(public: History, *, by: str) -> pl.DataFrame:
    """Return person, kind: a text that is equal for customers who cannot be told apart."""
    rows = public.frame()
    if by == "items":
        public.require("item", to="compare item sets")
        sets = rows.select("person", "item").unique().sort("item")
        sets = sets.with_columns(_without_separators(sets["item"]))
        return sets.group_by("person").agg(kind=pl.col("item").str.join("\x1f"))
    compared = [name for name in rows.columns if name not in ("person", "basket", ROW)]
    owner = ["person", "basket"] if "basket" in rows.columns else ["person"]
    rows = rows.select(*owner, kinds_of_rows(rows, compared))
    # Baskets are equal when their rows are, whatever their numbers; so are customers.
    if "basket" in rows.columns:
        rows = rows.group_by("person", "basket").agg(pl.col("kind").sort().str.join("\x1e"))
    kinds = rows.group_by("person").agg(pl.col("kind").sort().str.join("\x1d"))
    return kinds if public.customers is None else _with_attributes(kinds, frame(public.customers))


def kinds_of_rows(rows: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Return a text for each row; those of two rows are equal if these cells are."""
    texts = [_without_separators(to_text(rows[name], plain_text)) for name in columns]
    texts = texts or [pl.repeat("", len(rows), eager=True)]
    joined = pl.concat_str(pl.all(), separator="\x1f")
    return pl.DataFrame(texts).select(joined.alias("kind")).to_series()


def _without_separators(texts: pl.Series) -> pl.Series:
    """Write what is put between texts otherwise where a text holds it."""
    if texts.str.contains(r"[\x1b-\x1f]").any():
        for number, sign in enumerate("\x1b\x1c\x1d\x1e\x1f"):
            texts = texts.str.replace_all(sign, f"\x1b{number}")
    return texts


def _with_attributes(kinds: pl.DataFrame, customers: pl.DataFrame) -> pl.DataFrame:
    """Tell customers apart by their attributes as well, as whoever gets the release can."""
    compared = [name for name in customers.columns if name != "person"]
    attributes = kinds_of_rows(customers, compared).alias("attributes")
    described = customers.select("person", attributes)
    return kinds.join(described, on="person", how="left").select(
        "person", kind=pl.col("kind") + "\x1c" + pl.col("attributes").fill_null("")
    )


def plain_text(values: pl.Series) -> pl.Series:
    """Write exact values as they are."""
    return values.cast(pl.String)
