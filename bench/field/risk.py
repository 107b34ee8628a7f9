"""How many customers a profile finds in a release."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from bench.field.comparing import Comparison, Measured, peer_process
from bench.measuring import core_seconds
from tokumei import History, Release, Risk, Score, generate, publish
from tokumei.anonymizers import DeleteRows
from tokumei.attacks import RfmProfile
from tokumei.rfm import analyze
from tokumei.tables import frame

TITLE = "Risk"
ABOUT = """\
A fifth of the rows of a shop is deleted, and the attacker knows the recency, frequency and spend
of everybody. The equal question is the nearest known customer of every released one:
anonymeter's search (Gower distance of the values) against our whole risk with `rfm-profile`
(places among all customers), which includes the threat, the judge and the baseline. anonymeter's
linkability asks something else, whether a released customer links what two parties know (recency
and frequency; spend); it has no counterpart here and stands beside for its time."""

CUSTOMERS = 2_000


def comparisons() -> list[Comparison]:
    data = f"generated shop, {CUSTOMERS:,} customers"
    return [
        Comparison("nearest profile", data, "anonymeter, nearest", against_nearest),
        Comparison("a risk of profiles", data, "anonymeter, linkability", against_linkability),
    ]


def against_nearest() -> Measured:
    found = asked("nearest")
    known, released = profiles()
    named = known["person"].gather(found["result"])
    right = float((named == released["person"]).sum()) / len(known)
    ours, score = our_risk()
    return Measured(ours, found["seconds"], f"found {score.value:.1%}, peer {right:.1%}")


def against_linkability() -> Measured:
    found = asked("linkability", "R,F", "M")
    low, high = found["result"]["interval"]
    ours, score = our_risk()
    quality = f"found {score.value:.1%}; another question: {found['result']['risk']:.1%} linked"
    return Measured(ours, found["seconds"], f"{quality} ({low:.1%} to {high:.1%})")


@cache
def shop() -> tuple[History, Release]:
    history = generate("shop", customers=CUSTOMERS, seed=0)
    return history, publish(history, DeleteRows(share=0.2)(history, seed=1), secret=b"1")


def our_risk() -> tuple[float, Score]:
    risk = Risk(attack=RfmProfile(top=1))
    score = risk(*shop(), seed=1)
    return core_seconds(lambda: risk(*shop(), seed=1), repeat=3), score


def profiles() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return person, R, F, M of the original, and of the release with the persons behind it."""
    history, release = shop()
    key = frame(release.key.pseudonyms).select("pseudonym", name="person")
    released = analyze(release.public).join(key, left_on="person", right_on="pseudonym")
    return analyze(history), released.select("R", "F", "M", person="name")


def asked(what: str, *parts: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("known.csv", "released.csv")]
        for path, rows in zip(paths, profiles(), strict=True):
            rows.select("R", "F", "M").write_csv(path)
        return peer_process("risk", what, *map(str, paths), *parts)
