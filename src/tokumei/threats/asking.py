"""The two questions that threats ask."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import polars as pl

from tokumei.contracts import Answer, Challenge, Release
from tokumei.errors import SchemaError
from tokumei.history import ROW, History, months
from tokumei.tables import Table, frame, settle, table

ABSENT = "DEL"
"""The name of nobody: the customer has no row of that month in the release."""


def who_is_who(
    history: History, release: Release, known: History, assumes: str
) -> tuple[Challenge, Answer]:
    """Ask for the customer behind every pseudonym that has purchases."""
    targets = settle(release.public.purchases.select(target=nw.col("person")).unique())
    challenge = Challenge(
        release=release.public,
        known=known,
        targets=targets,
        candidates=_everybody(history),
        assumes=assumes,
    )
    truth = release.key.pseudonyms.select(target=nw.col("pseudonym"), value=nw.col("person"))
    return challenge, Answer(settle(truth.join(targets, on="target", how="semi")))


def _everybody(history: History) -> Table:
    if not history.on_spark:
        return table(pl.DataFrame({"value": history.persons()}))
    return settle(history.people().select(value=nw.col("person")))


def whose_month(
    history: History,
    release: Release,
    known: History,
    assumes: str,
    asked: Sequence[str] | None = None,
) -> tuple[Challenge, Answer]:
    """Ask for the pseudonym of every customer in every month (of the history, unless given).

    The targets have the columns person and month, the answer the column person: whoever asks for
    whole histories needs them.
    """
    owned = history.frame().select(ROW, "person", month=months(history.frame()["time"]))
    persons = pl.DataFrame({"person": history.persons()})
    calendar = pl.DataFrame({"month": asked or owned["month"].unique().sort()})
    targets = persons.join(calendar, how="cross").select(
        (pl.col("person") + " " + pl.col("month")).alias("target"), "person", "month"
    )
    released = release.public.frame().select(ROW, value="person")
    pseudonyms = released["value"].unique().sort()
    if ABSENT in pseudonyms:
        raise SchemaError(f"No pseudonym may be {ABSENT}: it says that a customer has none.")
    origins = frame(release.origins())
    kept = released.join(origins, on=ROW).join(owned, left_on="origin", right_on=ROW)
    # Where a month has several pseudonyms, the one with most rows stands for it.
    held = (
        kept.group_by("person", "month", "value").len()
        .sort("len", "value", descending=[True, False])
        .unique(["person", "month"], keep="first", maintain_order=True)
    )  # fmt: skip
    truth = targets.join(held.drop("len"), on=["person", "month"], how="left")
    challenge = Challenge(
        release=release.public,
        known=known,
        targets=table(targets),
        candidates=table(pl.DataFrame({"value": [ABSENT, *pseudonyms]})),
        assumes=assumes,
    )
    truth = truth.select("target", pl.col("value").fill_null(ABSENT), "person")
    return challenge, Answer(table(truth))
