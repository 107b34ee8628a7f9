"""Methods on Spark give what they give on one machine."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tokumei import Answer, Guess, History, Release, Risk, publish, read, registry
from tokumei.anonymizers import (
    Chain,
    Decoys,
    DeleteRows,
    Equalize,
    Generalize,
    PerturbAmounts,
    PseudonymsOnly,
    RetainReplace,
    ShiftDates,
)
from tokumei.attacks import ExactRow, Jaccard, Random
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW
from tokumei.judges import HitRate, ShootDown
from tokumei.metrics import (
    CellsChanged,
    CrossTabulation,
    DateError,
    Indistinguishable,
    InformationLoss,
    ItemCountError,
    NotASubset,
    PriceError,
    RfmAgreement,
    RfmCellShares,
    RowsAdded,
    RowsDeleted,
    TopItemsList,
    TopItemsSimilarity,
    UncoveredCells,
)
from tokumei.tables import frame, small, spark_form
from tokumei.threats import FullKnowledge, ItemSets, PartialRows

ANONYMIZERS = [
    PseudonymsOnly(),
    DeleteRows(share=0.3),
    PerturbAmounts(),
    ShiftDates(),
    ShiftDates(days=20, together="row", keep_times=True),
    RetainReplace(columns="sex,country"),
    RetainReplace(columns="item,quantity", table="purchases", rho=0.5),
    Decoys(clusters=15, min_size=4, seconds=0.1),
    Decoys(seconds=0.1, style="paper"),
    Decoys(clusters=15, seconds=0.1, share="rows"),
    Generalize(seconds=0.1),
    Generalize(k=4, grouping="rfm"),
    Chain(steps=(Decoys(clusters=20, seconds=0.1), DeleteRows(share=0.2))),
]
METRICS = [
    RowsAdded(),
    RowsDeleted(),
    CellsChanged(),
    UncoveredCells(),
    DateError(),
    PriceError(),
    InformationLoss(),
    NotASubset(),
    ItemCountError(),
    TopItemsList(k=7),
    TopItemsSimilarity(k=7),
    RfmAgreement(),
    RfmAgreement(of="M", bins=4, draws=2),
    RfmCellShares(),
    Indistinguishable(),
    Indistinguishable(by="rows"),
    CrossTabulation(columns="sex,country"),
    CrossTabulation(columns="item,quantity", table="purchases"),
    CrossTabulation(columns="quantity", table="purchases", reconstructed=True),
]
THREATS = [FullKnowledge(), ItemSets(), PartialRows(share=0.5)]
ATTACKS = [ExactRow(), Jaccard(), Jaccard(weights="idf", top=1), Jaccard(top=3)]
JUDGES = [HitRate(), HitRate(top=3), ShootDown()]
TESTED: dict[registry.Family, list[Any]] = {
    "anonymizer": ANONYMIZERS,
    "threat": THREATS,
    "attack": [*ATTACKS, Random()],
    "judge": JUDGES,
    "metric": [*METRICS, Risk(threat=ItemSets(), attack=Jaccard())],
}
PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


@pytest.mark.parametrize("family", TESTED)
def test_every_method_that_takes_spark_tables_is_tested_and_told(family: registry.Family) -> None:
    found = registry.names_on_spark(family)
    assert {registry.name_of(method) for method in TESTED[family]} == set(found)
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in found if f"`{name}`" not in page] == []


def test_every_spark_form_that_the_code_names_is_there() -> None:
    named = re.compile(r"""(?:spark_form\(|spark=)["'](\w+:\w+)["']""")
    sources = (Path(__file__).parents[2] / "src").rglob("*.py")
    places = {place for path in sources for place in named.findall(path.read_text("utf-8"))}
    assert len(places) > 20
    for place in places:
        assert callable(spark_form(place)), place


def ids(method: Any) -> str:
    return registry.name_of(method)


def same(one: Any, other: Any) -> None:
    """Whatever the order of rows and the kind of numbers."""
    frames = [small(part) if not isinstance(part, pl.DataFrame) else part for part in (one, other)]
    names = sorted(frames[0].columns)
    ordered = [part.select(names) for part in frames]
    by = [name for name in ("row", "person", "target", "value", "pseudonym") if name in names]
    assert_frame_equal(*(part.sort(by or names) for part in ordered), abs_tol=1e-9)


def same_history(one: History, other: History) -> None:
    same(one.purchases, other.purchases)
    assert (one.customers is None) == (other.customers is None)
    if one.customers is not None and other.customers is not None:
        same(one.customers, other.customers)


@pytest.mark.parametrize("method", ANONYMIZERS, ids=ids)
def test_anonymizers_give_the_same_rows(method: Any, local: History, distant: History) -> None:
    same_history(method(local, seed=5), method(distant, seed=5))


def test_publishing_gives_the_same_release(release: Release, distant_release: Release) -> None:
    same_history(release.public, distant_release.public)
    same(release.key.pseudonyms, distant_release.key.pseudonyms)
    same(release.key.rows, distant_release.key.rows)


def test_publishing_by_month_gives_the_same_release(local: History, distant: History) -> None:
    here, there = (publish(part, part, secret=b"3", period="month") for part in (local, distant))
    same_history(here.public, there.public)
    same(here.key.pseudonyms, there.key.pseudonyms)


@pytest.mark.parametrize("period", [None, "month"])
def test_baskets_are_numbered_by_customer_on_both_engines(
    local: History, spark: Any, period: Any
) -> None:
    from tokumei.spark import to_cluster

    # As many shops do: the baskets of every customer are 0 and 1, and some rows have none.
    number = (pl.col(ROW) % 3).cast(pl.String).replace("2", None).alias("basket")
    here = local.with_purchases(local.frame().with_columns(number))
    there = to_cluster(here, spark)
    one, other = (publish(part, part, secret=b"3", period=period) for part in (here, there))
    same_history(one.public, other.public)
    assert other.key.secret == b"3"
    shown = small(other.public.purchases).drop_nulls("basket")
    assert shown.group_by("basket").agg(pl.col("person").n_unique())["person"].max() == 1
    holders = shown["person"].n_unique()
    assert holders < shown["basket"].n_unique() <= 2 * holders


@pytest.mark.parametrize("method", METRICS, ids=ids)
def test_metrics_give_the_same_score(
    method: Any,
    local: History,
    distant: History,
    release: Release,
    distant_release: Release,
) -> None:
    here = method(local, release, seed=1)
    there = method(distant, distant_release, seed=1)
    assert replace(there, value=here.value) == here
    assert there.value == pytest.approx(here.value, abs=1e-9, rel=1e-9)


def test_metrics_read_generalized_cells(local: History, distant: History) -> None:
    method = Generalize(seconds=0.1)
    here, there = (publish(part, method(part, seed=5), secret=b"6") for part in (local, distant))
    for metric in (InformationLoss(), UncoveredCells(), CellsChanged(), RfmAgreement()):
        one, other = metric(local, here, seed=1), metric(distant, there, seed=1)
        assert other.value == pytest.approx(one.value, abs=1e-9)
    assert Indistinguishable(by="rows")(distant, there, seed=1).value <= 1 / 3


@pytest.mark.parametrize("threat", THREATS, ids=ids)
def test_threats_ask_the_same(
    threat: Any,
    local: History,
    distant: History,
    release: Release,
    distant_release: Release,
) -> None:
    here, truth = threat(local, release, seed=1)
    there, told = threat(distant, distant_release, seed=1)
    same(here.targets, there.targets)
    same(here.candidates, there.candidates)
    same(truth.pairs, told.pairs)
    if not isinstance(threat, ItemSets):  # the ids of item sets say nothing
        same(here.known.purchases, there.known.purchases)


@pytest.mark.parametrize("attack", ATTACKS, ids=ids)
def test_attacks_guess_the_same(
    attack: Any,
    local: History,
    distant: History,
    release: Release,
    distant_release: Release,
) -> None:
    threat = FullKnowledge()
    here, there = threat(local, release, seed=1), threat(distant, distant_release, seed=1)
    one, other = attack(here[0], seed=4), attack(there[0], seed=4)
    same(one.pairs, other.pairs)
    for judge in JUDGES:
        mark, again = judge(one, here[1]), judge(other, there[1])
        assert again.value == pytest.approx(mark.value, abs=1e-12)
        assert again.n == mark.n


def test_a_risk_has_its_baseline_on_spark(distant: History, distant_release: Release) -> None:
    score = Risk(threat=ItemSets(), attack=Jaccard())(distant, distant_release, seed=1)
    assert score.baseline is not None
    assert score.value > 0.9 > 0.1 > score.baseline >= 0


@pytest.mark.parametrize("n", [61, 103, 201])
def test_quantiles_are_those_of_numpy(spark: Any, n: int) -> None:
    from tokumei.spark.frames import to_spark
    from tokumei.spark.rfm import cuts_of

    values = np.random.default_rng(n).gamma(1.0, 100.0, n).round(2)
    found = cuts_of(to_spark(pl.DataFrame({"M": values}), spark), "M", 5)
    assert found == pytest.approx(np.quantile(values, [0.2, 0.4, 0.6, 0.8]), abs=1e-9)


def test_attributes_that_are_not_known_tell_customers_apart(spark: Any) -> None:
    from tokumei.spark import to_cluster

    rows = pl.DataFrame({"customer": ["ann", "bob"], "item": ["tea", "tea"]})
    people = pl.DataFrame({"customer": ["ann", "bob"], "a": [None, "x"], "b": ["x", None]})
    local = read(rows, people, keep=["a", "b"])
    for part in (local, to_cluster(local, spark)):
        score = Indistinguishable(by="rows")(part, publish(part, part, secret=b"1"), seed=1)
        assert score.value == 1


def test_random_names_stay_within_the_question(distant: History, distant_release: Release) -> None:
    challenge, _ = FullKnowledge()(distant, distant_release, seed=1)
    guess = small(Random(names=3)(challenge, seed=2).pairs)
    assert set(guess["value"]) <= set(small(challenge.candidates)["value"])
    assert set(guess["target"]) == set(small(challenge.targets)["target"])
    assert guess.height <= 3 * small(challenge.targets).height
    assert not guess.select("target", "value").is_duplicated().any()


def test_a_method_without_a_spark_form_names_those_that_have_one(distant: History) -> None:
    with pytest.raises(SchemaError, match=r"'equalize' does not take Spark tables; .*delete-rows"):
        Equalize()(distant, seed=1)


def test_a_whole_table_is_never_brought_to_one_machine(distant: History) -> None:
    with pytest.raises(SchemaError, match="no form for Spark tables"):
        distant.frame()
    with pytest.raises(SchemaError, match="no form for Spark tables"):
        frame(distant.purchases)


def test_a_history_on_spark_counts_nothing_to_show_itself(distant: History) -> None:
    assert repr(distant).startswith("History(on Spark; person")


def test_an_empty_guess_scores_nothing_on_spark(distant: History, distant_release: Release) -> None:
    _, answer = FullKnowledge()(distant, distant_release, seed=1)
    empty = Guess(answer.pairs.with_columns(weight=nw.lit(1.0)).head(0))
    assert HitRate()(empty, Answer(answer.pairs)).value == 0


def test_one_machine_searches_exactly(local: History, release: Release) -> None:
    challenge, _ = FullKnowledge()(local, release, seed=1)
    with pytest.raises(ParameterError, match="One machine searches exactly"):
        Jaccard(search="minhash")(challenge, seed=1)
