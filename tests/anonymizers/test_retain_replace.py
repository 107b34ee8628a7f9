from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tokumei import History, publish
from tokumei.anonymizers import PseudonymsOnly, RetainReplace
from tokumei.errors import ParameterError, SchemaError
from tokumei.history import ROW
from tokumei.metrics import CrossTabulation, PkAnonymity
from tokumei.pk import Domain, anonymity, largest_rho, mechanism
from tokumei.tables import frame, table


def people(count: int) -> History:
    """Customers with one purchase each; men have no title Ms."""
    rng = np.random.default_rng(4)
    sex = rng.choice(["male", "female"], count)
    title = np.where(
        sex == "male", rng.choice(["Mr", "Dr"], count), rng.choice(["Ms", "Dr"], count)
    )
    persons = [f"c{number:05d}" for number in range(count)]
    customers = {"person": persons, "sex": sex, "title": title, "age": rng.integers(20, 24, count)}
    purchases = {
        ROW: range(count),
        "person": persons,
        "item": rng.choice(["tea", "milk", "rice"], count),
        "quantity": rng.integers(1, 4, count),
    }
    return History(table(pl.DataFrame(purchases)), table(pl.DataFrame(customers)))


def test_customers_are_perturbed_and_nothing_else() -> None:
    history = people(500)
    found = RetainReplace(columns="sex,age", k=20)(history, seed=1)
    before, after = frame(history.customers), frame(found.customers)
    assert after.schema == before.schema
    assert after.select("person", "title").equals(before.select("person", "title"))
    assert not after["sex"].equals(before["sex"])
    assert set(after["age"]) == set(before["age"])
    assert found.frame().equals(history.frame())


def test_purchases_are_perturbed_on_demand() -> None:
    history = people(300)
    found = RetainReplace(columns="item,quantity", table="purchases", k=20)(history, seed=1)
    assert found.frame().drop("item", "quantity").equals(history.frame().drop("item", "quantity"))
    assert not found.frame()["item"].equals(history.frame()["item"])


def test_forbidden_combinations_do_not_come_out_and_let_more_be_kept() -> None:
    history = people(2000)
    rule = "sex=male & title=Ms; sex=female & title=Mr"
    free, bound = (
        RetainReplace(columns="sex,title,age", k=50, forbidden=text)(history, seed=2)
        for text in ("", rule)
    )
    wrong = ((pl.col("sex") == "male") & (pl.col("title") == "Ms")).sum()
    assert frame(free.customers).select(wrong).item() > 0
    assert frame(bound.customers).select(wrong).item() == 0


@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("forbidden", ["", "sex=male & title=Ms; sex=female & title=Mr"])
def test_the_promised_k_is_found_in_the_release(k: int, forbidden: str) -> None:
    history = people(20_000)
    fields = {"columns": "sex,title,age", "forbidden": forbidden}
    release = publish(history, RetainReplace(k=k, **fields)(history, seed=1), secret=b"2")
    score = PkAnonymity(**fields)(history, release, seed=3)
    low, high = score.interval
    assert low <= k * 1.02
    assert high >= k * 0.98
    assert score.value == pytest.approx(k, rel=0.35)


def test_each_column_may_have_its_own_rho_under_the_same_k() -> None:
    history = people(20_000)
    fields = {"columns": "sex,title,age", "forbidden": "sex=male & title=Ms; sex=female & title=Mr"}
    release = publish(
        history, RetainReplace(k=5, choose="each", **fields)(history, seed=1), secret=b"2"
    )
    low, high = PkAnonymity(**fields)(history, release, seed=3).interval
    assert low <= 5.2
    assert high >= 4.8


def test_purchases_are_verified_too() -> None:
    history = people(20_000)
    fields = {"columns": "item,quantity", "table": "purchases"}
    release = publish(history, RetainReplace(rho=0.5, **fields)(history, seed=1), secret=b"2")
    expected = anonymity(mechanism(Domain.of({"i": list("abc"), "q": list("123")}), 0.5), 20_000)
    assert PkAnonymity(**fields)(history, release, seed=3).value == pytest.approx(expected, rel=0.1)


def test_for_purchases_k_is_about_rows_and_not_about_customers() -> None:
    """A customer with 12% of the rows is named for every row, and 12% is more than 1/50."""
    rows = (
        people(1000)
        .frame()
        .with_columns(
            person=pl.when(pl.int_range(1000) % 25 < 3).then(pl.lit("most")).otherwise("person")
        )
    )
    history = History(table(rows))
    changed = RetainReplace(columns="item", table="purchases", k=50)(history, seed=1)
    assert (changed.frame()["person"] == "most").mean() == 0.12
    said = " ".join((RetainReplace.__doc__ or "").split())
    assert "links a perturbed record to its original" in said
    assert "a customer with 12% of the rows is behind a perturbed row with a probability" in said


def test_an_unchanged_release_has_no_anonymity() -> None:
    history = people(500)
    release = publish(history, PseudonymsOnly()(history, seed=1), secret=b"2")
    score = PkAnonymity(columns="sex,age")(history, release, seed=3)
    assert (score.value, score.interval) == (1.0, (1.0, 1.0))


def test_values_that_were_not_drawn_uniformly_have_no_anonymity() -> None:
    history = people(5000)
    # A third of the values changes as by retain-replace, but always to the next one.
    ages = frame(history.customers).with_columns(
        age=pl.when(pl.int_range(5000) % 3 == 0)
        .then((pl.col("age") - 19) % 4 + 20)
        .otherwise("age")
    )
    release = publish(history, replace(history, customers=table(ages)), secret=b"2")
    assert PkAnonymity(columns="age")(history, release, seed=3).value == 1.0


def test_reconstructing_brings_the_cross_tabulation_back() -> None:
    history = people(20_000)
    release = publish(
        history, RetainReplace(columns="sex,title", k=50)(history, seed=1), secret=b"2"
    )
    raw = CrossTabulation(columns="sex,title")(history, release, seed=3)
    again = CrossTabulation(columns="sex,title", reconstructed=True)(history, release, seed=3)
    assert again.value < raw.value / 5


def test_a_cross_tabulation_by_hand() -> None:
    history = people(4)
    customers = frame(history.customers).with_columns(sex=pl.Series(["m", "m", "m", "f"]))
    before = replace(history, customers=table(customers))
    after = replace(
        history, customers=table(customers.with_columns(sex=pl.Series(["m", "f", "x", "f"])))
    )
    # m 3/4 → 1/4, f 1/4 → 2/4, x 0 → 1/4.
    score = CrossTabulation(columns="sex")(before, publish(before, after, secret=b"1"), seed=1)
    assert score.value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"columns": "sex,sex"}, "must name different columns"),
        ({"columns": "person"}, "may not have 'person'"),
        ({"columns": "sex", "k": 1}, "k must be above 1"),
        ({"columns": "sex", "rho": 1.0}, r"rho must lie in \[0, 1\)"),
        ({"columns": "sex", "forbidden": "sex"}, "looks like age=0-4"),
    ],
)
def test_wrong_parameters_are_refused(fields: dict, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        RetainReplace(**fields)


def test_what_the_history_lacks_is_named() -> None:
    history = people(10)
    with pytest.raises(SchemaError, match="the customers need a column 'size'; they have sex"):
        RetainReplace(columns="size")(history, seed=1)
    with pytest.raises(SchemaError, match="needs a customers table"):
        RetainReplace(columns="sex")(replace(history, customers=None), seed=1)
    with pytest.raises(ParameterError, match="at most the number of records, 10; not 11"):
        RetainReplace(columns="sex", k=11)(history, seed=1)
    with pytest.raises(SchemaError, match="forbids"):
        RetainReplace(columns="sex,age", forbidden="sex=male & age=20|21|22")(history, seed=1)


def test_the_largest_rho_is_used() -> None:
    history = people(30_000)
    changed = RetainReplace(columns="sex", k=1000)(history, seed=1)
    rho = largest_rho(Domain.of({"sex": ["f", "m"]}), 1000, 30_000)
    same = (frame(changed.customers)["sex"] == frame(history.customers)["sex"]).mean()
    assert same == pytest.approx(rho + (1 - rho) / 2, abs=0.01)
