"""What an audit finds, and how it says it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tokumei import History, Key, Release, Risk, generate, publish, read
from tokumei.anonymizers import Decoys, DeleteRows, Equalize, PseudonymsOnly, Yamaoka
from tokumei.attacks import Ensemble, ExactRow
from tokumei.audit.auditing import Audit, audit, digest_of, digests
from tokumei.audit.suite import THREATS, find_customers
from tokumei.audit.verdict import judge_groups
from tokumei.contracts import Anonymizer
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.metrics.question import Case, whose_purchases
from tokumei.report.scoring import scorecard
from tokumei.tables import frame, table
from tokumei.threats import PartialRows


@pytest.fixture(scope="module")
def small() -> History:
    return generate("shop", customers=24, seed=2)


def released(history: History, method: Anonymizer, **options: str) -> Release:
    return publish(history, method(history, seed=1), secret=b"2", **options)


def rates(found: Audit) -> dict[str, float]:
    return {one.score.name: one.score.value for one in found.risks}


def test_pseudonyms_protect_nobody(small: History) -> None:
    found = audit(small, released(small, PseudonymsOnly()))
    assert found.verdict == "exposed"
    assert found.judged.groups == ((1, 24),)
    assert found.headline.score.value == 1.0
    assert found.headline.score.baseline == pytest.approx(1 / 24)
    # All or nobody in 12 pairs: the exact interval is 0.025^(1/12).
    assert found.headline.score.interval == pytest.approx((0.735, 1.0), abs=1e-3)
    low = 1 - (1 - (0.025 / len(found.risks)) ** (1 / 12))
    assert found.largest.interval == pytest.approx((low, 1.0), abs=1e-3)
    assert rates(found)["jaccard @ item-sets"] == 1.0
    assert rates(found)["exact-row @ partial-rows 25%"] == 1.0


def test_groups_made_identical_bound_every_attacker(small: History) -> None:
    release = released(small, Equalize(groups="balanced", size=4))
    found = audit(small, release, max_risk=0.25)
    assert found.verdict == "safe"
    assert found.judged.worst == 0.25
    assert found.judged.groups == ((4, 24),)
    assert audit(small, release, max_risk=0.24).verdict == "exposed"
    assert found.bound is not None
    assert found.bound.value == pytest.approx(1 / 4)
    assert found.largest.interval is not None
    assert found.largest.interval[0] <= 0.25


def test_exchanged_histories_protect_nobody(small: History) -> None:
    release = released(small, Yamaoka())
    found = audit(small, release)
    assert found.exchanged == 24
    assert found.verdict == "exposed"
    whose = whose_purchases(small, release)
    assert (whose["person"] != whose["owner"]).all()


def test_a_tie_of_rows_goes_to_the_person_of_the_key() -> None:
    rows = pl.DataFrame({"customer": ["a", "a", "b", "b"], "item": list("wxyz")})
    history = read(rows)
    mixed = history.with_purchases(
        history.frame().with_columns(person=pl.Series(["a", "b", "a", "b"]))
    )
    whose = whose_purchases(history, publish(history, mixed, secret=b"1"))
    assert whose["person"].equals(whose["owner"], check_names=False)


def test_a_published_customers_table_is_attacked_by_itself(small: History) -> None:
    people = pl.DataFrame({"person": small.persons(), "birth": [str(n) for n in range(24)]})
    history = replace(small, customers=table(people))
    grouped = Equalize(groups="balanced", size=4)(history, seed=1)
    careless = publish(history, replace(grouped, customers=history.customers), secret=b"2")
    found = audit(history, careless)
    assert found.headline.score.name == "customer-attributes @ customers-table"
    assert found.headline.score.value == 1.0
    assert found.bound is not None
    assert found.bound.value == 1.0
    assert found.verdict == "exposed"


def test_monthly_pseudonyms_are_attacked_like_lasting_ones(small: History) -> None:
    release = released(small, DeleteRows(share=0.1), period="month")
    found = audit(small, release)
    known = {one.score.name.partition(" @ ")[2] for one in found.risks}
    shares = {f"partial-rows {share}" for share in ("25%", "50%", "75%")}
    assert known == {"item-sets", "full-knowledge", *shares}
    # Nothing but a tenth of the rows was removed: every customer-month that exists is named.
    assert found.headline.score.n == len(release.public.persons())
    assert found.headline.score.value == 1.0
    assert found.whole_customers == (24, 24)
    assert found.to_json()["counted"] == "customer-months"


def test_a_customer_with_several_pseudonyms_is_at_risk_in_each(small: History) -> None:
    rows = small.frame().filter(pl.col("person").is_in(small.persons()[:2]))
    two = small.with_purchases(rows)
    both = rows.with_columns(
        item=pl.lit(rows["item"][0]), price=1.0, quantity=1, basket=pl.lit("b"),
        time=pl.col("time").dt.truncate("1mo"),
    ).unique(["person", "time"], maintain_order=True)  # fmt: skip
    shared = both.filter(pl.col("time").is_duplicated())
    months = shared["time"].n_unique()
    release = publish(two, two.with_purchases(shared), secret=b"1", period="month")
    found = audit(two, release)
    assert found.judged.groups == ((2, 2),)
    assert found.judged.worst == min(1.0, months / 2)


def test_the_same_seed_gives_the_same_numbers_whatever_the_order_of_rows(small: History) -> None:
    release = released(small, DeleteRows(share=0.3))
    turned = small.with_purchases(small.frame().reverse())
    once, again = audit(small, release, seed=3), audit(turned, release, seed=3)
    assert once.to_json() == again.to_json()


def test_digests_tell_data_from_other_data(small: History) -> None:
    one, other = (released(small, DeleteRows(share=share)) for share in (0.1, 0.2))
    assert digests(small, one)["original"] == digests(small, other)["original"]
    assert digests(small, one)["release"] != digests(small, other)["release"]
    rows = small.frame().with_columns(quantity=pl.col("quantity") + (pl.col(ROW) == 0))
    assert digests(small.with_purchases(rows), one)["original"] != digests(small, one)["original"]


def test_a_digest_confirms_no_guess_at_the_original(small: History) -> None:
    """With few possible originals, a reader of the report could try them all."""
    release = released(small, DeleteRows(share=0.1))
    assert release.key.secret is not None
    assert digests(small, release)["original"] == digest_of(small, secret=release.key.secret)
    assert digests(small, release)["original"] != digest_of(small)
    of_a_file = replace(release, key=replace(release.key, secret=None))
    assert set(digests(small, of_a_file)) == {"release"}


def test_what_does_not_apply_is_left_out_with_its_reason() -> None:
    rows = pl.DataFrame({"customer": list("aabbccdd"), "item": list("stuvwxyz")})
    history = read(rows)
    found = audit(history, publish(history, history, secret=b"1"))
    reasons = {one.name: one.reason for one in found.left_out}
    assert "needs a customers table" in reasons["customers-table"]
    (where,) = (name for name in reasons if name.startswith("time-profile"))
    assert "needs a column for time" in reasons[where]
    assert where.startswith("time-profile @ item-sets, partial-rows 25%")
    assert "needs a column for" in reasons["rfm-agreement"]
    assert "cells-changed" not in reasons


def test_a_key_without_rows_leaves_out_what_needs_them(small: History) -> None:
    release = released(small, DeleteRows(share=0.3))
    key = Key(release.key.pseudonyms, Key.unknown().rows)
    found = audit(small, Release(release.public, key))
    reasons = {one.name: one.reason for one in found.left_out}
    assert reasons["rows-deleted"] == "The key does not tell which row came from which."
    assert "law" not in reasons
    assert len(found.criteria) == 8
    assert found.headline.score.value == 1.0


def test_a_release_of_other_data_is_recognized(small: History) -> None:
    other = generate("shop", customers=30, seed=9)
    with pytest.raises(SchemaError, match=r"do not belong together|must occur in the original"):
        audit(small, released(other, PseudonymsOnly()))


def test_a_release_with_columns_that_the_original_lacks_is_recognized(small: History) -> None:
    narrow = small.with_purchases(small.frame().drop("price"))
    with pytest.raises(SchemaError, match="has a column 'price' that the original lacks"):
        audit(narrow, released(small, PseudonymsOnly()))


@pytest.fixture(scope="module")
def contest(real_data: Path) -> History:
    folder = real_data / "data/pwscup2016"
    return read(folder / "T.csv", folder / "M.csv", format="pwscup2016")


@pytest.mark.realdata
def test_paper_decoys_are_told_from_what_they_promise(contest: History) -> None:
    method = Decoys(clusters=100, min_size=4, grouping="tfidf-kmeans", style="paper")
    found = audit(contest, released(contest, method))
    rate = rates(found)
    assert rate["jaccard @ item-sets"] == pytest.approx(0.25, abs=0.01)
    assert rate["strip-decoys @ full-knowledge"] >= 0.99
    assert rate["exact-row @ full-knowledge"] == 1.0
    assert found.verdict == "exposed"


def test_shared_rows_hold_against_every_attacker(shop: History) -> None:
    method = Decoys(clusters=15, min_size=4, share="rows", seconds=0.1)
    found = audit(shop, released(shop, method), max_risk=0.25)
    assert found.verdict == "safe"
    assert found.largest.interval is not None
    assert found.largest.interval[0] <= 0.25


def test_a_customer_who_is_alone_exposes_a_release(small: History) -> None:
    grouped = Equalize(groups="balanced", size=12)(small, seed=1)
    rows = grouped.frame()
    last = rows.filter(pl.col("person") == small.persons()[0]).tail(1)[ROW][0]
    release = publish(small, grouped.with_purchases(rows.filter(pl.col(ROW) != last)), secret=b"1")
    found = audit(small, release)
    assert found.bound is not None
    assert found.bound.value < 0.2  # on average few can be found, and one surely
    assert found.verdict == "exposed"
    assert found.judged.alone == 1
    assert found.to_json()["worst"]["customers_by_group_size"] == {"1": 1, "11": 11, "12": 12}


def test_what_attackers_measure_breaks_a_bound_that_does_not_hold(small: History) -> None:
    """The verifier is made to believe that all are alike; the attackers find everybody."""
    release = released(small, PseudonymsOnly())
    case = Case(small, release)
    alike = case.kinds.with_columns(kind=pl.lit(1, pl.UInt32))
    case.__dict__["kinds"] = alike
    risks, _ = find_customers(case, seed=0, threats=THREATS, attacks=[ExactRow()])
    judged = judge_groups(case, risks, max_risk=0.5)
    assert judged.worst == pytest.approx(1 / 24)
    assert judged.broken
    assert judged.luckiest is not None
    assert not judged.safe


def test_one_attack_has_one_rate_everywhere(small: History) -> None:
    release = released(small, DeleteRows(share=0.5))
    found = {one.score.name: one.score for one in audit(small, release, seed=5).risks}
    card = {score.name: score for score in scorecard(small, release, seed=5) if "@" in score.name}
    assert len(card) > 20
    assert all(found[name] == score for name, score in card.items())
    alone = Risk(threat=PartialRows(share=0.5), attack=Ensemble())(small, release, seed=5)
    assert alone == found["ensemble @ partial-rows 50%"]


def test_frames_of_the_audit_are_unchanged(small: History) -> None:
    release = released(small, PseudonymsOnly())
    before = release.public.frame(), frame(release.key.pseudonyms)
    audit(small, release)
    assert release.public.frame().equals(before[0])
    assert frame(release.key.pseudonyms).equals(before[1])
