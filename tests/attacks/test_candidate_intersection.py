"""Who can be behind a pseudonym, by hand."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from tokumei import History, publish, read
from tokumei.anonymizers import GeneralizeAtRandom
from tokumei.attacks import CandidateIntersection
from tokumei.cells import intervals
from tokumei.contracts import Challenge
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.judges import HitRate
from tokumei.tables import frame, table
from tokumei.threats import FullKnowledge


@pytest.fixture
def known() -> History:
    rows = [
        ("Ann", date(2011, 1, 3), "tea", 1.0, 2),
        ("Ann", date(2011, 1, 9), "rice", 4.0, 1),
        ("Ben", date(2011, 1, 4), "tea", 1.5, 3),
        ("Ben", date(2011, 1, 20), "rice", 4.0, 1),
    ]
    names = ["person", "time", "item", "price", "quantity"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def released(*rows: tuple[str, tuple[int, int] | None, list[str] | None, int | None]) -> History:
    """Rows of pseudonym, days of January, items, quantity."""
    ends = [[date(2011, 1, row[1][end]) if row[1] else None for row in rows] for end in (0, 1)]
    counts = pl.Series([row[3] for row in rows], dtype=pl.Int64)
    made = pl.DataFrame(
        {
            ROW: range(len(rows)),
            "person": [row[0] for row in rows],
            "time": intervals(*map(pl.Series, ends)),
            "item": pl.Series([row[2] for row in rows], dtype=pl.List(pl.String)),
            "quantity": intervals(counts, counts),
        }
    )
    return History(table(made))


def shares(release: History, known: History, **options: object) -> dict[tuple[str, str], float]:
    targets = release.frame().select(target="person").unique()
    people = known.frame().select(value="person").unique()
    challenge = Challenge(release, known, table(targets), table(people), "By hand.")
    guess = frame(CandidateIntersection(**options)(challenge, seed=1).pairs)  # type: ignore[arg-type]
    return {(row[0], row[1]): row[2] for row in guess.select("target", "value", "weight").rows()}


def test_the_weight_is_the_share_of_rows_that_fit(known: History) -> None:
    release = released(("p", (1, 5), ["tea", "salt"], 2), ("p", (8, 10), ["rice"], 1))
    assert shares(release, known, one_to_one=False) == {("p", "Ann"): 1.0}
    wider = released(("p", (1, 5), ["tea"], None), ("p", (8, 10), None, None))
    assert shares(wider, known, one_to_one=False) == {("p", "Ann"): 1.0, ("p", "Ben"): 0.5}


def test_a_known_purchase_of_an_untold_item_fits_every_item(known: History) -> None:
    """Ben's tea of the 4th is suppressed: it may be the salt, Ann's tea may not."""
    tea = (pl.col("person") == "Ben") & (pl.col("item") == "tea")
    item = pl.when(~tea).then("item").alias("item")
    partly = known.with_purchases(known.frame().with_columns(item))
    salt = released(("p", (1, 5), ["salt"], None), ("p", None, ["rice"], None))
    assert shares(salt, partly, one_to_one=False) == {("p", "Ann"): 0.5, ("p", "Ben"): 1.0}
    exact = salt.with_purchases(salt.frame().with_columns(pl.col("item").list.first()))
    assert shares(exact, partly, one_to_one=False) == {("p", "Ann"): 0.5, ("p", "Ben"): 1.0}


def test_silence_fits_everybody_but_who_has_fewer_rows(known: History) -> None:
    release = released(("p", None, None, None), ("p", None, None, None), ("p", None, None, None))
    assert shares(release, known, one_to_one=False) == {}
    two = released(("p", None, None, None), ("p", None, None, None))
    assert shares(two, known, one_to_one=False) == {("p", "Ann"): 1.0, ("p", "Ben"): 1.0}


def test_one_to_one_gives_everyone_another_name(known: History) -> None:
    """q can be Ann only, so p is Ben, although p could be both."""
    release = released(("p", None, ["tea"], None), ("q", (3, 3), ["tea"], None))
    assert shares(release, known) == {("p", "Ben"): 1.0, ("q", "Ann"): 1.0}


def test_random_generalization_hides_nobody(shop: History) -> None:
    wide = GeneralizeAtRandom()(shop, seed=3)
    challenge, answer = FullKnowledge()(shop, publish(shop, wide, secret=b"1"), seed=1)
    assert HitRate()(CandidateIntersection()(challenge, seed=1), answer).value > 0.95


def test_a_release_without_common_columns_is_refused(known: History) -> None:
    bare = History(known.purchases.select(ROW, "person"))
    with pytest.raises(SchemaError, match="must share a column"):
        shares(bare, known)
