"""One way to answer both questions: who is it, and whose month is it.

An attack finds pairs of pseudonym and person; the challenge decides which of the two is asked for.
"""

from __future__ import annotations

import polars as pl

from tokumei.contracts import Challenge, Guess
from tokumei.history import months
from tokumei.tables import Table, columns, frame


def asks_by_month(challenge: Challenge) -> bool:
    """Tell whether the pseudonym of each customer and month is asked, not who a pseudonym is."""
    return "month" in columns(challenge.targets)


def pseudonyms(challenge: Challenge) -> pl.Series:
    """Return the pseudonyms that the question is about."""
    if asks_by_month(challenge):
        return frame(challenge.candidates)["value"]
    return frame(challenge.targets)["target"]


def people(challenge: Challenge) -> pl.Series:
    """Return the customers that the question is about."""
    if asks_by_month(challenge):
        return frame(challenge.targets)["person"].unique()
    return frame(challenge.candidates)["value"]


def guess(challenge: Challenge, found: Table | pl.DataFrame) -> Guess:
    """Turn pseudonym, person, weight into a guess.

    Asked by month, a pseudonym is offered to whom it resembles most, in the months in which it has
    purchases.
    """
    if not asks_by_month(challenge):
        return Guess(found.rename({"pseudonym": "target", "person": "value"}))
    pairs = found if isinstance(found, pl.DataFrame) else frame(found)
    challenge.release.require("time", to="tell the month of a pseudonym")
    rows = challenge.release.frame()
    seen = rows.select(pseudonym="person", month=months(rows["time"])).unique()
    best = pairs.filter(pl.col("weight") == pl.col("weight").max().over("pseudonym"))
    named = best.join(seen, on="pseudonym").join(frame(challenge.targets), on=["person", "month"])
    return Guess(named.select("target", value="pseudonym", weight="weight"))
