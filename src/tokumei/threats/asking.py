"""The question that most threats ask, who is behind each pseudonym."""

from __future__ import annotations

import narwhals as nw
import polars as pl

from tokumei.contracts import Answer, Challenge, Release
from tokumei.history import History
from tokumei.tables import settle, table


def who_is_who(
    history: History, release: Release, known: History, assumes: str
) -> tuple[Challenge, Answer]:
    """Ask for the customer behind every pseudonym that has purchases."""
    targets = settle(release.public.purchases.select(target=nw.col("person")).unique())
    challenge = Challenge(
        release=release.public,
        known=known,
        targets=targets,
        candidates=table(pl.DataFrame({"value": history.persons()})),
        assumes=assumes,
    )
    truth = release.key.pseudonyms.select(target=nw.col("pseudonym"), value=nw.col("person"))
    return challenge, Answer(settle(truth.join(targets, on="target", how="semi")))
