"""What an audit finds, and how it says it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tokumei import History, Key, Release, generate, publish, read
from tokumei.anonymizers import Decoys, DeleteRows, Equalize, PseudonymsOnly, Yamaoka
from tokumei.audit.auditing import Audit, audit, digests
from tokumei.audit.suite import whose_purchases
from tokumei.contracts import Anonymizer
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.tables import frame, table


@pytest.fixture(scope="module")
def small() -> History:
    return generate("shop", customers=24, seed=2)


def released(history: History, method: Anonymizer, **options: str) -> Release:
    return publish(history, method(history, seed=1), secret=b"2", **options)


def rates(found: Audit) -> dict[str, float]:
    return {one.attacker.name: one.score.value for one in found.risks}


def test_pseudonyms_protect_nobody(small: History) -> None:
    found = audit(small, released(small, PseudonymsOnly()))
    assert found.verdict == "nobody"
    assert found.headline.score.value == 1.0
    assert found.headline.score.baseline == pytest.approx(1 / 24)
    assert found.headline.score.interval == pytest.approx((0.862, 1.0), abs=1e-3)
    assert rates(found)["jaccard @ item-sets"] == 1.0
    assert rates(found)["exact-row @ partial-rows 25%"] == 1.0


def test_groups_made_identical_bound_every_attacker(small: History) -> None:
    found = audit(small, released(small, Equalize(groups="balanced", size=4)))
    assert found.verdict == "bounded"
    assert found.bound is not None
    assert found.bound.value == pytest.approx(1 / 4)
    low = [one.score.interval[0] for one in found.risks]
    assert max(low) <= 0.25


def test_exchanged_histories_protect_nobody(small: History) -> None:
    release = released(small, Yamaoka())
    found = audit(small, release)
    assert found.exchanged == 24
    assert found.verdict == "nobody"
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
    assert found.headline.attacker.name == "customer-attributes @ customers-table"
    assert found.headline.score.value == 1.0
    assert found.bound is not None
    assert found.bound.value == 1.0
    assert found.verdict == "nobody"


def test_monthly_pseudonyms_are_asked_by_month(small: History) -> None:
    found = audit(small, released(small, DeleteRows(share=0.1), period="month"))
    assert {one.attacker.knowledge for one in found.risks} == {
        f"monthly-view {share}" for share in ("25%", "50%", "75%", "100%")
    }


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
    assert found.verdict == "nobody"


def test_shared_rows_hold_against_every_attacker(shop: History) -> None:
    method = Decoys(clusters=15, min_size=4, share="rows", seconds=0.1)
    found = audit(shop, released(shop, method))
    assert found.verdict == "bounded"
    assert all(one.score.interval[0] <= 0.25 for one in found.risks)


def test_frames_of_the_audit_are_unchanged(small: History) -> None:
    release = released(small, PseudonymsOnly())
    before = release.public.frame(), frame(release.key.pseudonyms)
    audit(small, release)
    assert release.public.frame().equals(before[0])
    assert frame(release.key.pseudonyms).equals(before[1])
