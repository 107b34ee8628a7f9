"""Orders in which names and customers can be set: by text, by number, by what they bought."""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.audit.orders import Values
from tokumei.cells import low
from tokumei.history import ROW, History
from tokumei.tables import frame


def text_orders(texts: pl.Series) -> list[Values]:
    """Return the places of texts by the alphabet, by length first, and by the numbers in them."""
    plain = texts.cast(pl.String).to_list()
    digits = ["".join(sign for sign in text if sign.isdecimal()) for text in plain]
    keys = [plain, [f"{len(text):06}{text}" for text in plain]]
    if all(digits):
        numbers = [text.lstrip("0") for text in digits]
        keys.append([f"{len(text):06}{text}" for text in numbers])
    places = [np.unique(np.array(key, dtype=object), return_inverse=True)[1] for key in keys]
    different = {place.tobytes(): place for place in places}
    return list(different.values())


def customer_orders(original: History, persons: pl.Series) -> list[Values]:
    """Return the places of customers by id, by their rows and times, and in the customers table."""
    rows = original.frame()
    time = [low(rows["time"]).alias("time")] if "time" in rows.columns else []
    bought = rows.select("person", ROW, *time).group_by("person")
    known = bought.agg(
        pl.col(ROW).min().alias("first"),
        pl.col(ROW).median().alias("middle"),
        pl.len().alias("rows"),
        *(pl.col(part.name).min().to_physical().alias("time") for part in time),
    )
    if original.customers is not None:
        listed = frame(original.customers).select("person").with_row_index("listed")
        known = listed.join(known, on="person", how="full", coalesce=True)
    found = pl.DataFrame({"person": persons}).join(
        known, on="person", how="left", maintain_order="left"
    )
    # Who has no rows, or is not listed, comes last.
    measured = [found[name].cast(pl.Float64).fill_null(np.inf) for name in found.columns[1:]]
    return [*text_orders(persons), *(part.to_numpy() for part in measured)]
