"""What pseudonyms, basket numbers and the order of rows tell about the customers.

A bound for customers who are alike holds only where their names and the places of their rows are
random. `publish` makes them so; whether those of a file are is tested here, with the key.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from tokumei.audit.alike_links import Alike
from tokumei.audit.criteria import Sentence
from tokumei.audit.likeness import Kind, likeness
from tokumei.audit.link_orders import customer_orders, text_orders
from tokumei.audit.orders import Agreement, Values, agreement, heads, same_order, side
from tokumei.contracts import Release
from tokumei.history import ROW, History
from tokumei.tables import frame

MOST_BASKETS = 50
"""So many baskets of a customer are compared where the key does not tell which became which."""

NAMES: dict[Kind, Sentence] = {
    "equal": Sentence("Pseudonyms equal to their customer's id: {count:,} of {n:,} compared"),
    "part": Sentence(
        "Pseudonyms that contain their customer's id or are part of it: {count:,} of {n:,} "
        "compared, by chance {chance:.1f}"
    ),
    "alike": Sentence(
        "Pseudonyms that are more like their customer's id than like any other: {count:,} of {n:,} "
        "compared, by chance {chance:.1f}"
    ),
    "hash": Sentence(
        "Pseudonyms that are a hash of their customer's id ({hash}): {count:,} of {n:,} compared"
    ),
}
BASKETS: dict[Kind, Sentence] = {
    "equal": Sentence("Basket numbers equal to the original's: {count:,} of {n:,} compared"),
    "part": Sentence(
        "Basket numbers that contain the original's or are part of it: {count:,} of {n:,} "
        "compared, by chance {chance:.1f}"
    ),
    "alike": Sentence(
        "Basket numbers that are more like the original's than like any other: {count:,} of {n:,} "
        "compared, by chance {chance:.1f}"
    ),
    "hash": Sentence(
        "Basket numbers that are a hash of the original's ({hash}): {count:,} of {n:,} compared"
    ),
}
NAME_ORDER = Sentence(
    "Pseudonyms, when sorted, follow an order of the customers in the original: rank correlation "
    "{correlation:.2f}; neighbors are {closer:.0%} closer than by chance"
)
BASKET_ORDER = Sentence(
    "Basket numbers, when sorted, follow an order of the original: rank correlation "
    "{correlation:.2f}; neighbors are {closer:.0%} closer than by chance"
)
TABLE_ORDER = Sentence(
    "The customers table follows an order of the customers in the original: rank correlation "
    "{correlation:.2f}; neighbors are {closer:.0%} closer than by chance"
)
ROW_ORDER = Sentence(
    "The rows follow the order of the original: rank correlation {correlation:.2f}; neighbors are "
    "{closer:.0%} closer than by chance"
)
OWN_ORDER = Sentence(
    "Rows of one customer follow their order in the original: rank correlation {correlation:.2f}"
)
PLACE_ORDER = Sentence(
    "The places of a pseudonym's rows follow an order of the customers in the original: rank "
    "correlation {correlation:.2f}; neighbors are {closer:.0%} closer than by chance"
)
INVENTED_ROWS = Sentence(
    "The order of the rows tells invented ones from the others: rank correlation {correlation:.2f}"
)
INVENTED_BASKETS = Sentence(
    "The order of basket numbers tells invented rows from the others: rank correlation "
    "{correlation:.2f}"
)


class Links(NamedTuple):
    """What tells about the customers beside the contents; nothing where it looks random."""

    names: tuple[Sentence, ...]
    baskets: tuple[Sentence, ...]
    rows: tuple[Sentence, ...]

    @property
    def all(self) -> tuple[Sentence, ...]:
        """Everything, in this order."""
        return (*self.names, *self.baskets, *self.rows)


def links(original: History, release: Release) -> Links:
    """Return what names and order tell about the customers."""
    alike = Alike(original, release)
    return Links(
        name_links(original, release, alike),
        basket_links(original, release, alike),
        row_links(original, release, alike),
    )


def name_links(original: History, release: Release, alike: Alike) -> tuple[Sentence, ...]:
    """Return what the pseudonyms tell."""
    key = _key(release)
    names = _likeness(
        NAMES, key["pseudonym"], key["person"], key.get_column("period", default=None)
    )
    orders = customer_orders(original, key["person"])
    followed = _strongest(text_orders(key["pseudonym"]), orders, _months(key))
    return (*names, *_said(NAME_ORDER, followed), *alike.names())


def basket_links(original: History, release: Release, alike: Alike) -> tuple[Sentence, ...]:
    """Return what the basket numbers tell; each counts once, whoever has it."""
    within = alike.baskets()
    if "basket" not in release.public.visible or "basket" not in original.visible:
        return tuple(within)
    rows = release.public.frame().select(ROW, "basket", pseudonym="person").drop_nulls().sort(ROW)
    origins = frame(release.key.rows)
    kept = rows.join(origins if len(origins) else _traced(original, release), on=ROW)
    baskets = rows.unique("basket", keep="first", maintain_order=True)
    baskets = baskets.join(_key(release), on="pseudonym", maintain_order="left")
    by_owner = customer_orders(original, baskets["person"])
    places, months = text_orders(baskets["basket"]), _months(baskets)
    followed = [_strongest(places, by_owner, months, runs=baskets["pseudonym"])]
    before = original.frame().select("person", origin=ROW, before="basket").drop_nulls()
    pairs = kept.join(before, on="origin").sort("origin")
    pairs = pairs.unique("basket", keep="first", maintain_order=True)
    by_basket = [*text_orders(pairs["before"]), pairs["origin"].to_numpy()]
    followed.append(_strongest(text_orders(pairs["basket"]), by_basket, runs=pairs["pseudonym"]))
    if len(origins):
        told = _said(INVENTED_BASKETS, _invented_baskets(kept))
    else:
        told = []
        if 2 * len(pairs) < len(baskets):
            pairs = _possible_pairs(baskets, before)
    names = _likeness(BASKETS, pairs["basket"], pairs["before"])
    return (*names, *_said(BASKET_ORDER, _most(followed)), *told, *within)


def _invented_baskets(traced: pl.DataFrame) -> Agreement | None:
    """Tell whether sorted basket numbers part invented baskets from others."""
    invented = pl.col("origin").is_null().all().cast(int)
    baskets = traced.group_by("basket", maintain_order=True).agg(
        invented, pl.col("pseudonym").first()
    )
    places, flags = text_orders(baskets["basket"]), [baskets["origin"].to_numpy()]
    return _strongest(places, flags, runs=baskets["pseudonym"])


def _possible_pairs(baskets: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Pair released baskets with all those of their customer."""
    before = before.unique(["person", "before"], keep="first", maintain_order=True)
    few = before.group_by("person", maintain_order=True).head(MOST_BASKETS)
    held = baskets.group_by("pseudonym", maintain_order=True).head(MOST_BASKETS)
    return held.join(few, on="person", maintain_order="left_right")


def row_links(original: History, release: Release, alike: Alike) -> tuple[Sentence, ...]:
    """Return what the places of rows tell, in the purchases and in the customers table."""
    key = _key(release)
    rows = release.public.frame().select(ROW, pseudonym="person").sort(ROW)
    found = [*_said(PLACE_ORDER, _places(original, rows.join(key, on="pseudonym").sort(ROW)))]
    origins = frame(release.key.rows)
    traced = rows.join(origins if len(origins) else _traced(original, release), on=ROW).sort(ROW)
    kept = traced.drop_nulls("origin")
    place, origin = kept[ROW].to_numpy(), kept["origin"].to_numpy()
    followed = _strongest([place], [origin], runs=kept["pseudonym"]) or same_order(place, origin)
    found += _said(ROW_ORDER, followed)
    if len(origins):
        found += _said(OWN_ORDER, agreement(place, origin, kept["pseudonym"]))
        place, invented = traced[ROW].to_numpy(), traced["origin"].is_null().cast(int).to_numpy()
        told = _strongest([place], [invented], runs=traced["pseudonym"])
        told = told or agreement(place, invented, traced["pseudonym"])
        found += _said(INVENTED_ROWS, told)
    if release.public.customers is not None:
        listed = frame(release.public.customers).select(pseudonym="person").with_row_index("place")
        listed = listed.join(key, on="pseudonym").sort("place")
        orders = customer_orders(original, listed["person"])
        place = listed["place"].cast(pl.Int64).to_numpy()
        found += _said(TABLE_ORDER, _strongest([place], orders))
    return (*found, *alike.places())


def _traced(original: History, release: Release) -> pl.DataFrame:
    """Return row and origin of the rows that only one row of the same customer equals."""
    before, now = original.frame(), release.public.frame().rename({"person": "pseudonym"})
    now = now.join(_key(release), on="pseudonym")
    same = [
        name
        for name in ("item", "time", "price", "quantity")
        if name in now.columns and now.schema[name] == before.schema[name]
    ]
    pairs = now.join(before.rename({ROW: "origin"}), on=["person", *same], nulls_equal=True)
    alone = pl.col(ROW).is_unique() & pl.col("origin").is_unique()
    return pairs.select(ROW, "origin").filter(alone)


def _places(original: History, rows: pl.DataFrame) -> Agreement | None:
    """Compare where the rows of pseudonyms are with the customers of the original."""
    middles = rows.group_by("pseudonym", maintain_order=True).agg(
        pl.col(ROW).median(), pl.col("^person|period$").first()
    )
    orders, months = customer_orders(original, middles["person"]), _months(middles)
    middle = middles[ROW].to_numpy()
    if rows["pseudonym"].rle_id().n_unique() == len(middles):
        return _strongest([middle], orders, months)  # one block of rows after the other
    return _most(side(middle, order, months) for order in orders)


def _key(release: Release) -> pl.DataFrame:
    key = frame(release.key.pseudonyms).drop_nulls(["pseudonym", "person"])
    return key.unique("pseudonym", keep="first").sort("pseudonym")


def _months(pairs: pl.DataFrame) -> pl.Series | None:
    """Return the months within which pseudonyms are compared, as dates are public."""
    return pairs["period"] if "period" in pairs.columns else None


def _likeness(
    sentences: dict[Kind, Sentence],
    names: pl.Series,
    others: pl.Series,
    salts: pl.Series | None = None,
) -> list[Sentence]:
    ours, theirs = (part.cast(pl.String).to_list() for part in (names, others))
    found = likeness(ours, theirs, None if salts is None else salts.fill_null("").to_list())
    if found is None:
        return []
    values: dict[str, str | int | float]
    values = {"count": found.count, "n": found.n, "chance": found.chance, "hash": found.hash}
    return [replace(sentences[found.kind], values=values)]


def _strongest(
    ones: Iterable[Values],
    others: list[Values],
    blocks: pl.Series | None = None,
    *,
    runs: pl.Series | None = None,
) -> Agreement | None:
    """Return the strongest agreement of some order with another; a run counts once."""
    found = []
    for one in ones:
        at = np.arange(len(one)) if runs is None else heads(one, runs)
        within = None if blocks is None else blocks.gather(at)
        found += [agreement(one[at], other[at], within) for other in others]
    return _most(found)


def _most(found: Iterable[Agreement | None]) -> Agreement | None:
    return max(
        (one for one in found if one),
        key=lambda one: max(abs(one.correlation), one.closer),
        default=None,
    )


def _said(sentence: Sentence, found: Agreement | None) -> list[Sentence]:
    if found is None:
        return []
    return [replace(sentence, values={"correlation": found.correlation, "closer": found.closer})]
