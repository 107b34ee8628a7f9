"""On random small contests our judge agrees with the slow oracle that reads the rules literally."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import literal
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import MONTHS, Rows

from tokumei import rules
from tokumei.rules import Entry, Judgment, Original

DAYS_IN_MONTH = (31, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30)
PERCENTS = ("25", "50", "75", "100")
ATTACKS = ("S1", "S2", "S3", "S4", "S5", "S6")
# Two characters tell some of them apart, and one has a single character.
ITEMS = ("22423", "22728", "85099B", "85099C", "M", "POST")
PRICES = ("2.1", "2.10", "50", "0.05", "4.95", "19.99", "1.5")
QUANTITIES = (1, 2, 5, 11, 12, 13, 24, 71, 72, 73, 84, 90)


YEAR_2017, YEAR_2018 = rules.find("pwscup2017"), rules.find("pwscup2018")


def rows_of(text: str) -> Rows:
    return [line.split(",") for line in text.splitlines()]


def written(path: Path, rows: Rows) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


# 2017


@dataclass
class Contest2017:
    customers: list[str]
    T: Rows
    AT: Rows
    S: Rows
    views: dict[str, Rows]
    guess: Rows = field(default_factory=list)


def dates_of(month: int) -> st.SearchStrategy[str]:
    return st.integers(1, DAYS_IN_MONTH[month]).map(lambda day: f"{MONTHS[month]}/{day}")


@st.composite
def contests_2017(draw: Any) -> Contest2017:
    customers = draw(st.permutations(["C10", "C2", "C30", "C4"][: draw(st.integers(1, 4))]))
    # A customer of M may have bought nothing.
    buyers = customers[: max(1, len(customers) - draw(st.integers(0, 1)))]
    months = draw(st.lists(st.integers(0, 11), min_size=1, max_size=3, unique=True))
    cells = st.tuples(
        st.sampled_from(buyers),
        st.sampled_from(months),
        st.sampled_from(ITEMS),
        st.sampled_from(PRICES),
        st.sampled_from(QUANTITIES),
    )
    drawn = draw(st.lists(cells, min_size=1, max_size=25))
    T = [
        [buyer, str(number), draw(dates_of(month)), "9:05", item, price, str(quantity)]
        for number, (buyer, month, item, price, quantity) in enumerate(drawn)
    ]
    items = st.sampled_from(sorted({row[4] for row in T}))
    names = st.sampled_from([f"P{number}" for number in range(12)])
    pseudonym = {key: draw(names) for key in {(row[0], literal.month_of(row[2])): 0 for row in T}}
    deleted = draw(st.sets(st.integers(0, len(T) - 1), max_size=len(T) // 2))
    AT = []
    for number, row in enumerate(T):
        if number in deleted:
            AT.append(["DEL", *[""] * 6])
            continue
        new = [pseudonym[row[0], literal.month_of(row[2])], "0", *row[2:]]
        for column in draw(st.sets(st.sampled_from([2, 4, 5, 6]), max_size=2)):
            others = {
                2: dates_of(MONTHS.index(literal.month_of(row[2]))),
                4: items,
                5: st.sampled_from([*PRICES, "99999.99", "0.01"]),
                6: st.sampled_from(QUANTITIES).map(str),
            }
            new[column] = draw(others[column])
        AT.append(new)
    S = draw(st.permutations([row for row in AT if row[0] != "DEL"]))
    views = {percent: draw(views_of(T)) for percent in PERCENTS}
    return Contest2017(customers, T, AT, S, views)


@st.composite
def views_of(draw: Any, T: Rows) -> Rows:
    seen = draw(st.sets(st.integers(0, len(T) - 1), min_size=1))
    return [
        [*row[:4], row[4][:2], *row[5:]] if number in seen else ["DEL", *[""] * 6]
        for number, row in enumerate(T)
    ]


@st.composite
def guessed_2017(draw: Any) -> Contest2017:
    """Make a contest with a guess that has some lines right."""
    contest = draw(contests_2017())
    truth = literal.answer(contest.T, contest.AT, contest.customers)
    names = st.sampled_from(["DEL", "P0", "P1", "P99", "C10"])
    for line in truth:
        wrong = draw(st.dictionaries(st.integers(1, 12), names, max_size=2))
        contest.guess.append([wrong.get(place, name) for place, name in enumerate(line)])
    return contest


@contextmanager
def played_2017(contest: Contest2017) -> Iterator[tuple[Path, Original, Entry]]:
    """Write the files of a contest and check the submission."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        people = [[customer, "f", "1950/1/1", "UK"] for customer in contest.customers]
        T, M = written(folder / "T.csv", contest.T), written(folder / "M.csv", people)
        original = YEAR_2017.read(T, M)
        entry = YEAR_2017.check(original, written(folder / "AT.csv", contest.AT))
        assert entry.report.valid, entry.report.sentence()
        written(folder / "S.csv", contest.S)
        yield folder, original, entry


@settings(max_examples=40)
@given(contests_2017())
def test_the_scores_of_2017_are_the_literal_ones(contest: Contest2017) -> None:
    with played_2017(contest) as (folder, original, entry):
        for percent, view in contest.views.items():
            written(folder / f"T{percent}.csv", view)
        judgment = YEAR_2017.judge(
            original, entry, seed=1, published=folder / "S.csv", views=folder
        )
    answer = literal.answer(contest.T, contest.AT, contest.customers)
    losses = {
        "E1": literal.item_cf_wholesale(contest.T, contest.AT),
        "E2": literal.item_cf_retail(contest.T, contest.AT),
        "E3.list": literal.top_list(contest.T, contest.AT),
        "E3.similarity": literal.top_similarity(contest.T, contest.AT),
        "E4": literal.date_error(contest.T, contest.AT),
        "E5": literal.price_error(contest.T, contest.AT),
        "E6": literal.deleted(contest.T, contest.AT),
    }
    rates = {
        f"{attack}@{percent}": literal.rate(
            answer, literal.sample_attack(contest.customers, contest.S, view, attack)
        )
        for attack in ATTACKS
        for percent, view in contest.views.items()
    }
    total = {"total": max(losses.values()) + max(rates.values())}
    expected = losses | rates | total
    assert {name: judgment.scores[name].value for name in expected} == expected


@settings(max_examples=30)
@given(contests_2017())
def test_the_files_of_2017_are_the_rows_and_the_answer(contest: Contest2017) -> None:
    with played_2017(contest) as (folder, original, entry):
        made = YEAR_2017.publish(original, entry, secret=b"1", published=folder / "S.csv")
        files = {path: rows_of(text) for path, text in YEAR_2017.files(made).items()}
    assert files["public/S.csv"] == contest.S
    assert files["secret/F.csv"] == literal.answer(contest.T, contest.AT, contest.customers)


@settings(max_examples=30)
@given(guessed_2017())
def test_a_guess_of_2017_is_marked_literally(contest: Contest2017) -> None:
    with played_2017(contest) as (folder, original, entry):
        made = YEAR_2017.publish(original, entry, secret=b"1")
        (score,) = YEAR_2017.mark(made, written(folder / "guess.csv", contest.guess))
    answer = literal.answer(contest.T, contest.AT, contest.customers)
    assert score.value == literal.rate(answer, contest.guess)


# 2018


@dataclass
class Contest2018:
    T: Rows
    A: Rows
    published: Rows
    guess: Rows


def date_cells(x: str) -> st.SearchStrategy[str]:
    month, day = x.rsplit("/", 1)
    last = DAYS_IN_MONTH[MONTHS.index(month)]
    ends = st.tuples(st.integers(1, int(day)), st.integers(int(day), last))
    wide = ends.map(lambda pair: f"[{month}/{pair[0]};{month}/{pair[1]}]")
    return wide | st.just(f"[2010/12/1;{x}]") | st.just(f"[{x};2011/11/30]")


def item_cells(x: str) -> st.SearchStrategy[str]:
    others = st.lists(st.sampled_from([item for item in ITEMS if item != x]), unique=True)
    return others.flatmap(lambda rest: st.permutations([x, *rest])).map(
        lambda items: "{" + ";".join(items) + "}"
    )


def price_cells(x: str) -> st.SearchStrategy[str]:
    at = literal.hundredths(x)
    ends = st.tuples(st.integers(1, at), st.integers(at, at + 10_000))
    wide = ends.map(lambda pair: f"[{pair[0] / 100:.2f};{pair[1] / 100:.2f}]")
    # The same value written in another way is not the same text.
    return wide | st.just(f"[{x};{x}]") | st.just(f"{at / 100:.2f}")


def quantity_cells(x: str) -> st.SearchStrategy[str]:
    ends = st.tuples(st.integers(1, int(x)), st.integers(int(x), int(x) + 100))
    return ends.map(lambda pair: f"[{pair[0]};{pair[1]}]")


WIDER = {1: date_cells, 2: item_cells, 3: price_cells, 4: quantity_cells}


@st.composite
def contests_2018(draw: Any) -> Contest2018:
    buyers = ["C10", "C2", "C30", "C4"][: draw(st.integers(1, 4))]
    cells = st.tuples(
        st.sampled_from(buyers),
        st.integers(0, 11).flatmap(dates_of),
        st.sampled_from(ITEMS),
        st.sampled_from(PRICES),
        st.sampled_from(QUANTITIES).map(str),
    )
    # Two rows that differ everywhere give every column a spread.
    rows = [(buyers[0], "2010/12/1", "M", "2.1", "12"), (buyers[-1], "2011/11/30", "M", "50", "13")]
    # Rows that stand twice, in one history or in two, name nobody.
    rows += draw(st.lists(cells | st.sampled_from(rows), max_size=20))
    T = draw(st.permutations([list(row) for row in rows]))
    numbers = draw(st.permutations(range(len(buyers))))
    pseudonym = {buyer: f"P{number}" for buyer, number in zip(buyers, numbers, strict=True)}
    A = []
    kept = draw(st.integers(0, len(T) - 1))
    for number, row in enumerate(T):
        if number != kept and draw(st.integers(0, 4)) == 0:
            A.append(["*"] * 5)
            continue
        new = [pseudonym[row[0]], *row[1:]]
        for column in draw(st.sets(st.integers(1, 4), max_size=4)):
            new[column] = draw(st.just("*") | WIDER[column](row[column]))
        A.append(new)
    published = draw(st.permutations([row for row in A if row[0] != "*"]))
    pairs = st.tuples(
        st.sampled_from([*pseudonym.values(), "P99"]), st.sampled_from([*buyers, "C99"])
    )
    guess = [list(pair) for pair in draw(st.lists(pairs, min_size=1, max_size=12))]
    return Contest2018(T, A, published, guess)


def judged_2018(contest: Contest2018) -> tuple[Judgment, dict[str, str]]:
    """Return our scores and our files."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        original = YEAR_2018.read(written(folder / "T.csv", contest.T))
        entry = YEAR_2018.check(original, written(folder / "A.csv", contest.A))
        assert entry.report.valid, entry.report.sentence()
        order = written(folder / "published.csv", contest.published)
        guess = written(folder / "guess.csv", contest.guess)
        made = YEAR_2018.publish(original, entry, secret=b"1", published=order)
        judgment = YEAR_2018.judge(original, entry, seed=1, published=order, guesses=[guess])
        return judgment, YEAR_2018.files(made)


def truth_2018(contest: Contest2018) -> set[tuple[str, str]]:
    """Pairs of pseudonym and customer with published rows."""
    pairs = zip(contest.T, contest.A, strict=True)
    return {(row[0], true[0]) for true, row in pairs if row[0] != "*"}


def assert_marked(
    judgment: Judgment, title: str, said: set[tuple[str, str]], contest: Contest2018
) -> None:
    right = len(said & truth_2018(contest))
    shot = right >= literal.threshold(len(said))
    expected = {"guesses": len(said), "correct": right, "shot_down": shot}
    found = {part: judgment.scores[f"{title}.{part}"].value for part in expected}
    assert found == expected


@settings(max_examples=40)
@given(contests_2018())
def test_the_scores_of_2018_are_the_literal_ones(contest: Contest2018) -> None:
    judgment, files = judged_2018(contest)
    expected = literal.information_loss(contest.T, contest.A)
    assert judgment.scores["information_loss"].value == pytest.approx(expected, rel=1e-12)
    said = set(literal.exact_row(contest.T, contest.published).items())
    assert_marked(judgment, "exact_row", said, contest)
    # Where two customers fit one pseudonym we name both and the oracle the later one; asked about
    # one customer at a time, it names every one.
    said = set()
    for customer in {row[0] for row in contest.T}:
        own = [row for row in contest.T if row[0] == customer]
        said |= set(literal.item_intersection(own, contest.published).items())
    assert_marked(judgment, "item_intersection", said, contest)
    assert_marked(
        judgment, "guess:guess.csv", {(name, who) for name, who in contest.guess}, contest
    )
    assert rows_of(files["public/A.csv"]) == contest.published
    answer = {(name, who) for name, who in rows_of(files["secret/answer.csv"])}
    assert answer == truth_2018(contest)


@pytest.mark.parametrize(
    "wide",
    [
        ("[0.01;999999999.99]", "[0.01;999999999.99]"),
        ("[0;99999999]", "50"),
        ("2.1", "[0.01;42949672.96]"),
        ("[2.1;31000000]", "50"),  # would lose less than nothing
    ],
)
def test_the_widest_prices_of_2018_lose_what_the_formula_says(wide: tuple[str, str]) -> None:
    T = [["C1", "2010/12/1", "M", "2.1", "12"], ["C2", "2011/11/30", "M", "50", "13"]]
    A = [["P1", *T[0][1:3], wide[0], "12"], ["P2", *T[1][1:3], wide[1], "13"]]
    judgment, _ = judged_2018(Contest2018(T, A, A, []))
    expected = literal.information_loss(T, A)
    assert judgment.scores["information_loss"].value == pytest.approx(expected, rel=1e-12)
