"""The literal oracle agrees with the official programs and with examples worked by hand."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import literal
import pytest
from literal import Rows

VIEWS = ["25", "50", "75", "100"]
SUBMISSIONS_2017 = ["AT_price", "AT_mixed", "AT_sample"]
SUBMISSIONS_2018 = ["A_random", "A_wide"]


def rows_of(path: Path) -> Rows:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [line.split(",") for line in text.decode().replace("\r", "").splitlines()]


def expected(real_data: Path, year: str, submission: str) -> dict[str, Any]:
    text = (real_data / "golden" / f"pwscup{year}" / "expected.json").read_text()
    figures: dict[str, Any] = json.loads(text)[submission]
    return figures


def submission_2017(real_data: Path, name: str) -> Rows:
    if name == "AT_sample":
        return rows_of(real_data / "data/pwscup2017/AT_sample.csv")
    return rows_of(real_data / "golden/pwscup2017" / f"{name}.csv.gz")


@pytest.fixture(scope="module")
def T_2017(real_data: Path) -> Rows:
    return rows_of(real_data / "data/pwscup2017/T.csv")


@pytest.fixture(scope="module")
def customers_2017(real_data: Path) -> list[str]:
    return [row[0] for row in rows_of(real_data / "data/pwscup2017/M.csv")]


@pytest.fixture(scope="module")
def T_2018(real_data: Path) -> Rows:
    return rows_of(real_data / "data/pwscup2018/T.csv")


@pytest.mark.realdata
@pytest.mark.parametrize("name", SUBMISSIONS_2017)
def test_e3_to_e6_are_the_official_figures(real_data: Path, T_2017: Rows, name: str) -> None:
    AT = submission_2017(real_data, name)
    figures = expected(real_data, "2017", name)["utility"]
    assert literal.top_list(T_2017, AT) == figures["E3.list"]
    assert literal.top_similarity(T_2017, AT) == figures["E3.similarity"]
    assert literal.date_error(T_2017, AT) == figures["E4"]
    assert literal.price_error(T_2017, AT) == figures["E5"]
    assert literal.deleted(T_2017, AT) == figures["E6"]


@pytest.mark.realdata
def test_e1_and_e2_are_the_official_figures(real_data: Path, T_2017: Rows) -> None:
    AT = submission_2017(real_data, "AT_mixed")
    figures = expected(real_data, "2017", "AT_mixed")["utility"]
    assert literal.item_cf_wholesale(T_2017, AT) == figures["E1"]
    assert literal.item_cf_retail(T_2017, AT) == figures["E2"]


@pytest.mark.realdata
@pytest.mark.parametrize("name", SUBMISSIONS_2017)
def test_the_sample_attacks_have_the_official_rates(
    real_data: Path, T_2017: Rows, customers_2017: list[str], name: str
) -> None:
    truth = literal.answer(T_2017, submission_2017(real_data, name), customers_2017)
    S = rows_of(real_data / "golden/pwscup2017" / f"S_{name.removeprefix('AT_')}.csv.gz")
    views = {view: rows_of(real_data / "data/pwscup2017" / f"T{view}.csv") for view in VIEWS}
    rates = {
        key: {
            view: literal.rate(truth, literal.sample_attack(customers_2017, S, views[view], key))
            for view in VIEWS
        }
        for key in ["S1", "S2", "S3", "S4", "S5", "S6"]
    }
    assert rates == expected(real_data, "2017", name)["reidentification"]


@pytest.mark.realdata
def test_the_answer_to_the_sample_is_the_official_one(
    real_data: Path, T_2017: Rows, customers_2017: list[str]
) -> None:
    truth = literal.answer(T_2017, submission_2017(real_data, "AT_sample"), customers_2017)
    assert truth == rows_of(real_data / "golden/pwscup2017/F_sample.csv.gz")


@pytest.mark.realdata
@pytest.mark.parametrize("name", SUBMISSIONS_2018)
def test_information_loss_is_the_official_figure(real_data: Path, T_2018: Rows, name: str) -> None:
    A = rows_of(real_data / "golden/pwscup2018" / f"{name}.csv.gz")
    official = expected(real_data, "2018", name)["information_loss"]
    assert f"{literal.information_loss(T_2018, A):.12g}" == f"{official:.12g}"


@pytest.mark.realdata
@pytest.mark.parametrize("name", SUBMISSIONS_2018)
def test_exact_row_names_as_many_customers_as_the_official_attack(
    real_data: Path, T_2018: Rows, name: str
) -> None:
    A = rows_of(real_data / "golden/pwscup2018" / f"{name}.csv.gz")
    published = rows_of(real_data / "golden/pwscup2018" / f"{name}_published.csv.gz")
    truth = {anonymized[0]: row[0] for row, anonymized in zip(T_2018, A, strict=True)}
    guess = literal.exact_row(T_2018, published)
    correct = sum(truth[pseudonym] == customer for pseudonym, customer in guess.items())
    assert {"guesses": len(guess), "correct": correct} == expected(real_data, "2018", name)[
        "exact_row_attack"
    ]


@pytest.mark.realdata
def test_thresholds_are_the_official_table(real_data: Path) -> None:
    table = {int(n): int(r) for n, r in rows_of(real_data / "data/pwscup2018/R.csv")}
    some = [*range(301), *range(325, 1001, 25)]
    assert {n: literal.threshold(n) for n in some} == {n: table[n] for n in some}


def row_2017(customer: str, date: str, item: str, price: str, quantity: str) -> list[str]:
    return [customer, "0", date, "9:00", item, price, quantity]


DEL = ["DEL", "", "", "", "", "", ""]


def test_e4_counts_days_of_surviving_rows() -> None:
    T = [
        row_2017("c", "2010/12/1", "10A", "1", "1"),
        row_2017("c", "2010/12/9", "10A", "1", "1"),
        row_2017("d", "2011/1/31", "10A", "1", "1"),
    ]
    AT = [row_2017("p", "2010/12/4", "10A", "1", "1"), DEL, row_2017("q", "2011/1/30", "", "1", "")]
    assert literal.date_error(T, AT) == round(4 / 93, 10)
    assert literal.deleted(T, AT) == 0.3333


def test_wholesale_scores_are_full_dozens_up_to_six() -> None:
    T = [
        row_2017("c", "2010/12/1", "x", "1", "20"),
        row_2017("c", "2010/12/2", "x", "1", "4"),  # with the row before: two dozens
        row_2017("c", "2010/12/1", "y", "1", "999"),  # six
        row_2017("c", "2010/12/1", "z", "1", "11"),  # none
        row_2017("d", "2010/12/1", "x", "1", "12"),  # one
    ]
    # In T x = (2, 1) and y = (6, 0): cosine 2/sqrt(5). In AT d's row is c's too, x = (3), y = (6):
    # cosine 1. The item w is not one of T.
    AT = [["p", *row[1:]] for row in T] + [row_2017("p", "2010/12/1", "w", "1", "60")]
    w_T = 2 / sqrt(5)
    assert literal.item_cf_wholesale(T, AT) == round((1 - w_T) / w_T, 6)
    assert literal.item_cf_wholesale(T, [DEL] * len(T)) == 1.0
    # Retail: only z stays, and it has no other item beside it.
    assert literal.item_cf_retail(T, AT) == 0.0


def test_top_items_tie_by_the_greater_id() -> None:
    T = [
        row_2017("c", "2010/12/1", "a", "1", "1"),
        row_2017("c", "2010/12/1", "b", "1", "1"),
        row_2017("c", "2010/12/1", "c", "1", "1"),
        row_2017("d", "2010/12/1", "a", "1", "1"),
    ]
    AT = [["p", *row[1:]] for row in T[:3]] + [DEL]
    assert literal.top_items(T, {"a", "b", "c"}, 2) == ["a", "c"]
    assert literal.top_items(AT, {"a", "b", "c"}, 2) == ["c", "b"]
    assert literal.top_list(T, AT, k=2) == 0.5


def test_the_last_row_of_a_key_names_the_pseudonym() -> None:
    T = [
        row_2017("c", "2010/12/1", "10A", "1.5", "1"),
        row_2017("d", "2010/12/1", "10B", "1.5", "1"),
        row_2017("d", "2011/11/2", "20A", "2", "3"),
    ]
    AT = [["p", *T[0][1:]], ["q", *T[1][1:]], DEL]
    view = [DEL, *([*row[:4], row[4][:2], *row[5:]] for row in T)]
    truth = literal.answer(T, AT, ["d", "c"])
    assert truth == [["d", "q", *["DEL"] * 11], ["c", "p", *["DEL"] * 11]]
    guess = literal.sample_attack(["d", "c"], AT[:2], view, "S1")
    assert guess == [["d", "q", *["DEL"] * 11], ["c", "q", *["DEL"] * 11]]
    assert literal.rate(truth, guess) == 0.5


def test_an_interval_costs_the_expected_distance_in_standard_deviations() -> None:
    # Days 1 and 3, hundredths 100 and 300, quantities 2 and 6: sd 1, 100 and 2.
    T = [["c", "2010/12/1", "a", "1", "2"], ["d", "2010/12/3", "b", "3.00", "6"]]
    A = [["p", "[2010/12/1;2010/12/3]", "{a;b}", "[0.99;1.01]", "[1;4]"], ["*"] * 5]
    date, item, price, quantity = (0 + 1 + 2) / 3, 1 / 2, (1 + 0 + 1) / 3 / 100, (1 + 0 + 1 + 2) / 8
    hand = (date + item + price + quantity + 4) / 8
    assert literal.information_loss(T, A) == pytest.approx(hand, rel=1e-12)


def test_exact_row_wants_one_row_and_item_intersection_one_pseudonym() -> None:
    T = [
        ["c", "2010/12/1", "a", "1", "2"],
        ["c", "2010/12/1", "a", "1", "2"],
        ["d", "2010/12/1", "b", "1", "2"],
        ["e", "2010/12/1", "z", "1", "2"],
    ]
    published = [
        ["p", "2010/12/1", "a", "1", "2"],
        ["p", "2010/12/1", "*", "1", "2"],
        ["q", "2010/12/1", "b", "1", "2"],
    ]
    assert literal.exact_row(T, published) == {"q": "d"}
    # c has two rows, p and q no more; only p may hold a. For d only q is short enough. e has
    # none: q cannot hold z.
    assert literal.item_intersection(T, published) == {"p": "c", "q": "d"}
    # b buys what d buys and ends at q as well: d is later in the order of the ids.
    twin = ["b", *T[2][1:]]
    assert literal.item_intersection([*T, twin], published) == {"p": "c", "q": "d"}


def test_thresholds_of_small_guesses() -> None:
    assert [literal.threshold(n) for n in (0, 1, 6, 7, 10, 100)] == [1, 2, 7, 7, 10, 65]
    # One of two lines right: 2/3 + 1/9 is not below 1/2, both right: 1/9 is.
    assert literal.threshold(2, Fraction(1, 3), Fraction(1, 2)) == 2
