"""The legal page counts on the data what it says."""

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from string import Formatter

import numpy as np
import polars as pl
import pytest

import tokumei.audit
from tokumei import History, Key, Release, Score, publish, read
from tokumei.anonymizers import Decoys
from tokumei.audit.law import FINDINGS, TEXTS, Criterion, assess, to_json
from tokumei.audit.law_counts import LOOKS_LIKE, extreme
from tokumei.audit.links import links
from tokumei.cells import intervals
from tokumei.errors import SchemaError
from tokumei.history import ROW
from tokumei.tables import frame, table
from tokumei.words import translate

Page = dict[tuple[str, int], Criterion]
RATE = Score(
    "exact-row@full-knowledge",
    0.75,
    "lower",
    (0.0, 1.0),
    4,
    assumes="The attacker knows every purchase of every customer.",
    baseline=0.25,
    interval=(0.3, 0.95),
)


def page(original: History, release: Release, largest: Score | None = None) -> Page:
    return {
        (c.law, c.number): c
        for c in assess(original, release, links=links(original, release), largest=largest)
    }


def said(criterion: Criterion) -> list[str]:
    parts = (criterion.did, criterion.evidence, criterion.decide)
    return [sentence.said() for part in parts for sentence in part]


@pytest.fixture
def plain(fruit: History) -> Page:
    """Pseudonyms only."""
    return page(fruit, publish(fruit, fruit, secret=b"1"), RATE)


@pytest.fixture
def grouped(fruit: History) -> Page:
    """Alice and Carol have each other's rows, and so have Bob and Dan."""
    hidden = Decoys(clusters=2, min_size=2, share="rows")(fruit, seed=1)
    return page(fruit, publish(fruit, hidden, secret=b"1"))


@pytest.fixture
def leaking(fruit: History) -> Page:
    """A release under the customers' own names, in the order of the original."""
    names = pl.DataFrame({"pseudonym": fruit.persons(), "person": fruit.persons()})
    rows = fruit.frame().select(row=ROW, origin=ROW)
    return page(fruit, Release(fruit, Key(table(names), table(rows))))


def test_pseudonyms_and_baskets_link_nothing(plain: Page) -> None:
    assert plain["appi", 1].finding == plain["appi", 3].finding == "met-by-construction"
    assert "Pseudonyms that are customer ids of the original: 0 of 4" in said(plain["appi", 1])
    assert "Basket numbers that the original has too: 0 of 8" in said(plain["appi", 3])
    columns = "Columns of the purchases beside the pseudonym: item, date, price, quantity, invoice"
    assert columns in said(plain["appi", 1])
    assert "The release has no columns about customers." in said(plain["appi", 1])


def test_names_and_order_that_stayed_are_found(leaking: Page) -> None:
    assert leaking["appi", 1].finding == leaking["appi", 3].finding == "open"
    assert "Pseudonyms that are customer ids of the original: 4 of 4" in said(leaking["appi", 3])
    assert "Basket numbers that the original has too: 8 of 8" in said(leaking["appi", 3])
    order = "Neighboring rows in the order of the original: 100.0% (by chance 50%)"
    assert order in said(leaking["appi", 3])


def test_what_is_rare_is_counted_now_and_before(plain: Page, grouped: Page) -> None:
    assert said(plain["appi", 4])[:5] == [
        "What is rare was left as it is, or has become rarer.",
        # The peach is Carol's. Of eight quantities, 3 is the 99.9 percentile and 5 the largest.
        "Items that one customer alone bought: 1; customers with such an item: 25.0% (original "
        "25.0%)",
        "Largest price: 4.00, 1.0 times the 99.9 percentile",
        "Largest quantity: 5, 1.7 times the 99.9 percentile",
        "Most rows of one customer: 3, 1.5 times the median",
    ]
    assert said(grouped["appi", 4])[:2] == [
        "There are fewer items that one customer alone bought.",
        "Items that one customer alone bought: 0; customers with such an item: 0.0% (original "
        "25.0%)",
    ]


def test_amounts_of_nothing_have_no_extreme() -> None:
    assert extreme(pl.Series([None, None], dtype=pl.Float64)) is None
    assert extreme(pl.Series([0.0, 0.0])) is None


def test_changes_and_the_strongest_attack_are_told(plain: Page, grouped: Page) -> None:
    assert said(plain["appi", 5])[:8] == [
        "Rows of the original deleted: 0.0%; rows of the release invented: 0.0%; cells of kept "
        "rows changed: 0.0%",
        "Customers whose rows nobody else has: 4 of 4, 100.0% (original 100.0%)",
        # Bob and Dan both bought pears and grapes.
        "Customers whose set of items nobody else has: 2 of 4, 50.0% (original 50.0%)",
        "Customers in the smallest group with the same rows: 1",
        "Largest re-identification rate measured: 75.0%, by exact-row@full-knowledge",
        "95% interval of that rate, for this attacker alone: 30.0% to 95.0%",
        "Rate of a random guess: 25.00%",
        "The attacker knows every purchase of every customer.",
    ]
    assert plain["appi", 5].finding == plain["wp29", 2].finding == "measured"
    assert said(grouped["appi", 5])[:5] == [
        "Rows of the original deleted: 0.0%; rows of the release invented: 50.0%; cells of kept "
        "rows changed: 0.0%",
        "Customers whose rows nobody else has: 0 of 4, 0.0% (original 100.0%)",
        "Customers whose set of items nobody else has: 0 of 4, 0.0% (original 50.0%)",
        "Customers in the smallest group with the same rows: 2",
        "No attack was measured.",
    ]
    assert grouped["appi", 5].finding == grouped["wp29", 2].finding == "open"


def test_a_customer_left_out_and_a_changed_cell_are_counted(fruit: History) -> None:
    rows = fruit.frame().filter(pl.col("person") != "Alice")
    cheaper = pl.when(pl.col(ROW) == 1).then(9.99).otherwise("price")
    less = fruit.with_purchases(rows.with_columns(price=cheaper))
    found = page(fruit, publish(fruit, less, secret=b"1"))["appi", 5]
    # 1 of the 28 cells of seven rows.
    assert said(found)[:2] == [
        "Rows of the original deleted: 12.5%; rows of the release invented: 0.0%; cells of kept "
        "rows changed: 3.6%",
        "Customers of the original left out: 1",
    ]


def test_being_alone_and_being_in_a_group_are_told_apart(plain: Page, grouped: Page) -> None:
    assert said(plain["wp29", 1])[0] == (
        "Customers whose rows nobody else has were left in the release."
    )
    assert said(grouped["wp29", 1])[0] == "No customer is alone: others have the very same rows."


def test_items_are_inferred_from_the_release(plain: Page, grouped: Page) -> None:
    # Three pears and three grapes, which 3 of 4 bought, and a peach, which 1 of 4 bought.
    truth = plain["wp29", 3].evidence[0].values
    assert truth == {"true": 1.0, "chance": pytest.approx(4.75 / 7)}
    # Of ten items ascribed, Alice's two and Carol's one are decoys.
    truth = grouped["wp29", 3].evidence[0].values
    assert truth == {"true": pytest.approx(0.7), "chance": pytest.approx(0.65)}
    assert plain["wp29", 3].evidence[1].values == {"grouped": 0, "customers": 4}
    assert grouped["wp29", 3].evidence[1].values == {"grouped": 4, "customers": 4}


@pytest.fixture
def contacts(fruit: History) -> History:
    address = pl.col("person").str.to_lowercase() + "@example.com"
    return fruit.with_purchases(fruit.frame().with_columns(contact=address))


def test_mail_addresses_are_found(contacts: History) -> None:
    found = page(contacts, publish(contacts, contacts, secret=b"1"))
    assert (
        found["appi", 2].finding == found["appi", 1].finding == found["appi", 3].finding == "open"
    )
    cells = "Cells that look like e-mail addresses, in column contact: 8"
    assert cells in said(found["appi", 2])
    link = "Column contact looks like a code: values of one customer each, also in the original: 4"
    assert link in said(found["appi", 3])
    ask = "Do these columns tell who a person is, alone or together? contact"
    assert ask in said(found["appi", 1])


def test_a_column_left_out_is_told(fruit: History, contacts: History) -> None:
    found = page(contacts, publish(contacts, fruit, secret=b"1"))["appi", 1]
    assert "Columns of the original left out: contact" in said(found)
    assert found.finding == "met-by-construction"


@pytest.mark.parametrize(
    ("kind", "looks", "differs"),
    [
        ("telephone", "03-1234-5678", "2011-02-28"),
        ("telephone", "09012345678", "85123A"),
        ("12 digits", "1234 5678 9012", "4901234567894"),
        ("passport", "TK1234567", "TK12345"),
        ("pension", "1234-567890", "1234-5678"),
        ("residence", "AB12345678CD", "AB12345678"),
    ],
)
def test_codes_are_known_by_their_form(kind: str, looks: str, differs: str) -> None:
    pattern = next(pattern for text, pattern in LOOKS_LIKE.items() if kind in text)
    assert pl.Series([looks, differs]).str.contains(pattern).to_list() == [True, False]


def test_codes_are_found_in_numbers_and_in_the_customers_table(fruit: History) -> None:
    people = pl.DataFrame(
        {
            "person": ["Alice", "Bob", "Carol", "Dan"],
            "number": [123456789012, 7, 8, None],
            "sex": ["f", "m", "f", "m"],
        }
    )
    both = replace(fruit, customers=table(people))
    found = page(both, publish(both, both, secret=b"1"))
    code = "Cells of 12 digits (My Number, driver's license), in column number: 1"
    assert code in said(found["appi", 2])
    assert "Columns about customers beside the pseudonym: number, sex" in said(found["appi", 1])
    alone = "Customers who share all their attributes with nobody: 4 of 4"
    assert alone in said(found["appi", 4])
    without = replace(fruit, customers=table(people.drop("number")))
    found = page(without, publish(without, without, secret=b"1"))
    assert "Customers who share all their attributes with nobody: 0 of 4" in said(found["appi", 4])
    assert found["appi", 2].finding == "measured"


def test_generalized_cells_are_counted(fruit: History) -> None:
    rows = fruit.frame()
    item = pl.when(pl.col("item") == "peach").then(pl.lit(["peach", "pear"]))
    rows = rows.with_columns(
        intervals(rows["price"] - 1, rows["price"] + 1),
        item=item.when(pl.col("person") == "Alice").then(None).otherwise(pl.concat_list("item")),
    )
    found = page(fruit, publish(fruit, fruit.with_purchases(rows), secret=b"1"))
    assert "Sets of items are not compared, for want of exact items." in said(found["appi", 5])
    assert found["appi", 4].evidence[0].values["items"] == 1
    assert found["appi", 4].evidence[1].values["largest"] == 5.0
    assert "a suppressed cell not at all" in found["appi", 4].evidence[-1].said()
    # Bob 2, Carol 3, Dan 2 items; Carol bought no pear.
    assert found["wp29", 3].evidence[0].values["true"] == pytest.approx(6 / 7)


def test_monthly_pseudonyms_are_told(fruit: History) -> None:
    found = page(fruit, publish(fruit, fruit, secret=b"1", period="month"))
    change = "Pseudonyms change: one customer has up to 2, and each counts as a customer here."
    assert change in said(found["appi", 3])
    assert change in said(found["wp29", 2])
    assert "Pseudonyms that are customer ids of the original: 0 of 5" in said(found["appi", 1])


def test_a_history_of_amounts_alone_has_a_page() -> None:
    rows = pl.DataFrame({"customer": ["a", "b"], "price": [1.0, 2.0]})
    history = read(rows)
    found = page(history, publish(history, history, secret=b"1"))
    assert found["wp29", 3].finding == "open"
    assert "The release ascribes no items to customers." in said(found["wp29", 3])
    one = history.with_purchases(history.frame().head(1))
    assert not any(
        "order" in text for text in said(page(one, publish(one, one, secret=b"1"))["appi", 3])
    )


def test_without_a_key_there_is_no_page(fruit: History) -> None:
    release = replace(publish(fruit, fruit, secret=b"1"), key=Key.unknown())
    with pytest.raises(SchemaError, match="the key is needed"):
        assess(fruit, release, links=links(fruit, release))


def test_with_pseudonyms_alone_the_page_says_what_can_be_said(fruit: History) -> None:
    release = publish(fruit, fruit, secret=b"1")
    published = replace(release, key=Key(release.key.pseudonyms, Key.unknown().rows))
    found = page(fruit, published, RATE)
    assert [(c.law, c.number) for c in found.values()] == [
        *(("appi", number) for number in range(1, 6)),
        *(("wp29", number) for number in range(1, 4)),
    ]
    assert said(found["appi", 5])[0] == (
        "Which rows were deleted, invented or changed is unknown: the key does not tell."
    )
    assert found["wp29", 3].evidence[0].values["true"] == 1.0
    assert not any("Neighboring" in text for text in said(found["appi", 3]))


def renamed(release: Release, name: Callable[[str], str]) -> Release:
    """The release with other pseudonyms, made from the customers' ids."""
    key = frame(release.key.pseudonyms)
    named = key.with_columns(pl.col("person").map_elements(name, pl.String).alias("pseudonym"))
    new = dict(zip(key["pseudonym"], named["pseudonym"], strict=True))
    rows = release.public.frame().with_columns(pl.col("person").replace_strict(new))
    return Release(release.public.with_purchases(rows), Key(table(named), release.key.rows))


def test_an_id_with_a_letter_before_it_is_still_an_id(fruit: History) -> None:
    release = renamed(publish(fruit, fruit, secret=b"1"), lambda person: f"X{person}")
    found = page(fruit, release)
    assert found["appi", 1].finding == found["appi", 3].finding == "open"
    told = "Pseudonyms that contain their customer's id or are part of it: 4 of 4 compared"
    for number in (1, 3):
        assert any(text.startswith(told) for text in said(found["appi", number]))
    assert not any("is not in the release" in text for text in said(found["appi", 3]))


@pytest.mark.parametrize("order", ["kept", "reversed", "one swap", "blocks of ten"])
def test_an_order_that_tells_of_the_original_is_open(shop: History, order: str) -> None:
    rows = shop.rows
    places = np.arange(rows)
    if order == "reversed":
        places = places[::-1]
    if order == "one swap":
        places[[3, rows - 3]] = places[[rows - 3, 3]]
    if order == "blocks of ten":
        blocks = np.random.default_rng(1).permutation(np.arange(rows // 10 * 10).reshape(-1, 10))
        places = blocks.ravel()
    release = publish(shop, shop, secret=b"1")
    assert page(shop, release)["appi", 3].finding == "met-by-construction"
    names = frame(release.key.pseudonyms).select(person="person", name="pseudonym")
    kept = shop.in_row_order()[places].join(names, on="person", maintain_order="left")
    ids = pl.Series("row", range(len(kept)), dtype=pl.Int64)
    public = kept.with_columns(ids.alias(ROW), person="name", basket=pl.lit("B1")).drop("name")
    key = pl.DataFrame({"row": ids, "origin": kept[ROW]})
    found = page(
        shop, Release(shop.with_purchases(public), Key(release.key.pseudonyms, table(key)))
    )
    assert found["appi", 3].finding == "open"
    assert any(text.startswith("The rows follow the order") for text in said(found["appi", 3]))


def in_japanese(text: str) -> str:
    return translate(text, "ja")


@pytest.mark.parametrize("language", [str, in_japanese])
def test_the_page_is_plain_json_in_both_languages(
    plain: Page, grouped: Page, leaking: Page, language: Callable[[str], str]
) -> None:
    for found in (plain, grouped, leaking):
        written = json.loads(json.dumps(to_json(found.values(), language)))
        assert [part["number"] for part in written] == [1, 2, 3, 4, 5, 1, 2, 3]
        assert all(part["finding"] in FINDINGS for part in written)
        assert all(part[name] for part in written for name in ("did", "evidence", "decide"))
        assert "{" not in "".join(
            text["text"] for part in written for text in [*part["did"], *part["evidence"]]
        )


def sentences() -> set[str]:
    """The texts that stand in a call of Sentence."""
    source = Path(tokumei.audit.__file__).parent
    calls = [
        node
        for path in (*source.glob("law*.py"), source / "links.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Sentence"
    ]
    return {str(call.args[0].value) for call in calls if isinstance(call.args[0], ast.Constant)}


@pytest.mark.parametrize("text", sorted(TEXTS | sentences()))
def test_the_japanese_has_the_same_places_for_values(text: str) -> None:
    def places(of: str) -> list[tuple[str, str | None]]:
        return sorted((name, form) for _, name, form, _ in Formatter().parse(of) if name)

    assert places(in_japanese(text)) == places(text)


def test_what_is_told_of_days_prices_and_quantities_by_hand() -> None:
    """Ann's day is right, Ben's is not; of four prices three are; the quantity 2 is everybody's.

    Said of anybody, the day is right for one customer of two, the price 3 too, and 1 for both.
    """
    columns = ["person", "time", "price", "quantity", ROW]
    before = [
        ("Ann", date(2024, 1, 1), 1.0, 2, 0),
        ("Ann", date(2024, 1, 1), 3.0, 2, 1),
        ("Ben", date(2024, 1, 2), 1.0, 2, 2),
        ("Ben", date(2024, 1, 2), 5.0, 2, 3),
    ]
    after = [
        ("1", date(2024, 1, 1), 1.0, 2, 0),
        ("1", date(2024, 1, 1), 3.0, 2, 1),
        ("2", date(2024, 1, 1), 1.0, 2, 2),
        ("2", date(2024, 1, 1), 3.0, 2, 3),
    ]
    original, public = (
        History(table(pl.DataFrame(rows, schema=columns, orient="row"))) for rows in (before, after)
    )
    key = pl.DataFrame({"pseudonym": ["1", "2"], "person": ["Ann", "Ben"]})
    found = page(original, Release(public, Key(table(key), Key.unknown().rows)))
    told = said(found["wp29", 3])
    assert (
        "Days on which a customer is said to have bought, and really did: 50.0%; were the same "
        "days said of a customer drawn at random: 50.0%"
    ) in told
    assert any("paid, and really did: 75.0%; were the same prices" in one for one in told)
    assert any("drawn at random: 75.0%" in one for one in told if "prices" in one)
    assert any("Quantities" in one and one.count("100.0%") == 2 for one in told)
