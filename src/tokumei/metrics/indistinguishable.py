"""How many kinds of customers a release has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from typing_extensions import Doc

from tokumei.contracts import Release, Score
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.registry import metric
from tokumei.tables import frame

ASSUMES = {
    "items": "The attacker looks at item sets alone; the release shows more.",
    "rows": "The attacker knows every purchase of every customer; pseudonyms, basket numbers and "
    "the order of rows are random.",
}

RULED_OUT = "!"
"""A sign that no kind begins with: of those who show purchases and made none."""


@metric("indistinguishable", spark="metrics:indistinguishable")
@dataclass(frozen=True, kw_only=True)
class Indistinguishable(Checked):
    """Kinds of customers in the release, as a share of all customers.

    By rows, customers are of one kind if their rows are equal in every column and their attributes
    are equal. If pseudonyms, basket numbers and the order of rows are random, an attacker names on
    average one customer of each kind, whatever the attacker knows: the share bounds the
    re-identification rate. A basket number that several customers have tells them apart. Who shows
    purchases, but has none in the original, is nobody to be taken for: such pseudonyms are of
    another kind.

    By items, customers are of one kind if their item sets are equal. This is a fact about item sets
    alone and bounds no attack: the release shows more. All customers in the public part count,
    also those without purchases.

    Limits: it is an average. A customer alone in a kind is found, however small the share.
    """

    by: Annotated[
        Literal["items", "rows"], Doc("Whether item sets are compared, or rows in every column.")
    ] = "items"

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        kinds = kinds_in_release(history, release, by=self.by)
        n = len(kinds)
        value = kinds["kind"].n_unique() / n
        name = f"indistinguishable-{self.by}"
        return Score(name, value, "lower", (0.0, 1.0), n, assumes=ASSUMES[self.by])


def kinds_in_release(history: History, release: Release, *, by: str) -> pl.DataFrame:
    """Return person, kind, as below; by rows, those who show purchases that they cannot have made.

    An attacker who knows the original rules out customers without purchases where purchases are
    shown, so others find no protection among them. Where none are shown, all may have been deleted.
    """
    kinds = kinds_of_customers(release.public, by=by)
    if by == "items":
        return kinds
    key = frame(release.key.pseudonyms).select("person", pseudonym="pseudonym")
    bought, shown = (part.frame().select("person") for part in (history, release.public))
    silent = key.join(bought, on="person", how="anti").select(person="pseudonym")
    silent = silent.join(shown, on="person", how="semi")
    ruled_out = pl.col("person").is_in(silent["person"].implode())
    kind = pl.when(ruled_out).then(pl.concat_str(pl.lit(RULED_OUT), "kind")).otherwise("kind")
    return kinds.with_columns(kind=kind)


def kinds_of_customers(public: History, *, by: str) -> pl.DataFrame:
    """Return person, kind: a text that is equal for customers who cannot be told apart.

    Two customers of one kind (by rows) can be exchanged: with the baskets that each has alone
    renamed, the release stays the same.
    """
    rows = public.frame()
    if by == "items":
        public.require("item", to="compare item sets")
        rows = rows.select("person", "item").unique()
        rows = rows.select("person", texts_of_rows(rows, ["item"]))
    else:
        compared = [name for name in rows.columns if name not in ("person", "basket", ROW)]
        owner = [name for name in ("person", "basket") if name in rows.columns]
        rows = rows.select(*owner, texts_of_rows(rows, compared))
        if "basket" in owner:
            rows = _baskets(rows)
    kinds = rows.group_by("person").agg(_together())
    if public.customers is None:
        return kinds
    kinds = frame(public.people()).join(kinds, on="person", how="left")
    if by == "items":
        return kinds.with_columns(pl.col("kind").fill_null(""))
    return _with_attributes(kinds, frame(public.customers))


def _together() -> pl.Expr:
    """Join the texts of some rows, whatever their order."""
    return pl.col("kind").sort().str.join("")


def _baskets(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a text for each basket of a customer.

    The number of a basket that one customer alone has says nothing; that of several tells in which
    of them a customer is. No number (null) is seen as well.
    """
    rows = rows.with_columns(_text(pl.col("basket"), rows.schema["basket"]))
    baskets = rows.group_by("person", "basket").agg(_together())
    private = pl.col("basket").is_not_null() & (pl.len().over("basket") == 1)
    number = pl.when(private).then(pl.lit("+")).otherwise(_sealed(pl.col("basket")))
    return baskets.select("person", _sealed(number + pl.col("kind")).alias("kind"))


def _with_attributes(kinds: pl.DataFrame, customers: pl.DataFrame) -> pl.DataFrame:
    """Tell customers apart by their attributes as well, and by whether they have any."""
    compared = [name for name in customers.columns if name != "person"]
    texts = texts_of_rows(customers, compared).alias("attributes")
    described = kinds.join(customers.select("person", texts), on="person", how="left")
    parts = (_sealed(pl.col(name)) for name in ("kind", "attributes"))
    return described.select("person", kind=pl.concat_str(list(parts)))


def texts_of_rows(rows: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Return a text for each row; those of two rows are equal if and only if these cells are."""
    texts = rows.select(_text(pl.col(name), rows.schema[name]).alias(name) for name in columns)
    cells = pl.concat_str([_sealed(pl.col(name)) for name in columns] or pl.repeat("", len(rows)))
    return texts.select(cells.alias("kind")).select(_sealed(pl.col("kind"))).to_series()


def _text(cell: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Write a cell so that whatever a reader of the table can tell apart has another text.

    Null stays null, and is not '*'; 0.0 is not -0.0; the members of a set have the order in which
    they stand; times have all their digits.
    """
    match dtype:
        case pl.List():
            member = _text(pl.element(), dtype.inner)  # type: ignore[arg-type]
            return cell.list.eval(_sealed(member)).list.join("")
        case pl.Array():
            return _text(cell.arr.to_list(), pl.List(dtype.inner))
        case pl.Struct():
            fields = ((cell.struct.field(field.name), field.dtype) for field in dtype.fields)
            parts = [_sealed(_text(part, kind)) for part, kind in fields]  # type: ignore[arg-type]
            return pl.when(cell.is_not_null()).then(pl.concat_str(parts))
        case pl.Binary():
            return cell.bin.encode("hex")
    return (cell.to_physical() if dtype.is_temporal() else cell).cast(pl.String)


def _sealed(text: pl.Expr) -> pl.Expr:
    """Put its length before a text, so that joined texts can be read in one way only.

    Null becomes a colon without a length.
    """
    return pl.concat_str(text.str.len_bytes(), pl.lit(":"), text, ignore_nulls=True)
