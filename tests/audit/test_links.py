"""Names and order of a release tell nothing about the customers, or it is found out."""

import base64
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, Key, Release, generate, publish, read
from tokumei.anonymizers import Decoys
from tokumei.audit.likeness import likeness
from tokumei.audit.links import links
from tokumei.audit.orders import EXACT, agreement, same_order, side
from tokumei.history import ROW
from tokumei.tables import frame, table

CUSTOMERS = 40


@pytest.fixture(scope="module")
def shop() -> History:
    return generate("shop", customers=CUSTOMERS, seed=3)


@pytest.fixture(scope="module")
def honest(shop: History) -> Release:
    return publish(shop, shop, secret=b"1")


def published(release: Release) -> Release:
    """The release as a file with a key of pseudonyms, which does not tell the origins of rows."""
    return replace(release, key=Key(release.key.pseudonyms, Key.unknown().rows))


def renamed(release: Release, name: Callable[[str], str]) -> Release:
    key = frame(release.key.pseudonyms)
    names = {old: name(person) for old, person in key.select("pseudonym", "person").iter_rows()}
    rows = release.public.frame().with_columns(pl.col("person").replace_strict(names))
    key = key.with_columns(pl.col("pseudonym").replace_strict(names))
    return Release(release.public.with_purchases(rows), Key(table(key), release.key.rows))


def with_baskets(release: Release, original: History, name: Callable[[str], str]) -> Release:
    before = original.frame().select(origin=ROW, before="basket")
    origins = frame(release.key.rows).join(before, on="origin", how="left", maintain_order="left")
    named = pl.Series("basket", [name(basket) for basket in origins["before"]])
    rows = release.public.frame().sort(ROW).with_columns(named)
    return replace(release, public=release.public.with_purchases(rows))


def reordered(release: Release, places: np.ndarray) -> Release:
    """The release with its rows in another order."""
    new = pl.Series(ROW, range(len(places)), dtype=pl.Int64)
    rows = release.public.frame().sort(ROW)[places].with_columns(new)
    key = frame(release.key.rows).sort("row")[places].with_columns(new.alias("row"))
    return Release(release.public.with_purchases(rows), Key(release.key.pseudonyms, table(key)))


def origins(release: Release) -> np.ndarray:
    return frame(release.key.rows).sort("row")["origin"].to_numpy()


def said(original: History, release: Release) -> str:
    return " / ".join(sentence.said() for sentence in links(original, release).all)


@pytest.mark.parametrize("form", ["folder", "file", "months"])
def test_what_publish_draws_tells_nothing(shop: History, honest: Release, form: str) -> None:
    months = publish(shop, shop, secret=b"1", period="month")
    release = {"folder": honest, "file": published(honest), "months": months}[form]
    assert links(shop, release).all == ()


def test_a_file_sorted_by_random_pseudonyms_tells_nothing(shop: History, honest: Release) -> None:
    """Rows come together by pseudonym, which is public; the original is sorted by customer."""
    rows = shop.frame().sort("person", maintain_order=True)
    original = shop.with_purchases(rows.with_columns(pl.Series(ROW, range(len(rows)))))
    release = publish(original, original, secret=b"1")
    names = release.public.frame().sort(ROW)["person"].to_numpy()
    by_name = reordered(release, np.argsort(names, kind="stable"))
    assert links(original, by_name).all == ()
    assert links(original, published(by_name)).all == ()


@pytest.mark.parametrize("customers", [3, 4, 8])
def test_few_customers_are_not_accused(customers: int) -> None:
    shop = generate("shop", customers=customers, seed=customers)
    ids = {person: str(place) for place, person in enumerate(shop.persons())}
    rows = shop.frame().with_columns(pl.col("person").replace_strict(ids))
    for secret in range(10):
        original = shop.with_purchases(rows)
        assert links(original, publish(original, original, secret=b"%d" % secret)).all == ()


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def md5(text: str) -> bytes:
    return hashlib.md5(text.encode(), usedforsecurity=False).digest()


NAMES: dict[str, tuple[Callable[[str], str], str]] = {
    "the id": (str, "equal to their customer's id: 40 of 40"),
    "a letter before it": (lambda name: f"X{name}", "contain their customer's id"),
    "zeros and a tail": (lambda name: f"0000{name}-jp", "contain their customer's id"),
    "its end": (lambda name: name[-5:], "contain their customer's id or are part of it"),
    "backwards": (lambda name: name[::-1], "contain their customer's id or are part of it"),
    "sha1": (sha1, "a hash of their customer's id (sha1, hex): 40 of 40"),
    "sha256, cut": (
        lambda name: "U" + hashlib.sha256(name.encode()).hexdigest()[:7].upper(),
        "a hash of their customer's id (sha256, hex): 40 of 40",
    ),
    "sha512, base64": (
        lambda name: base64.b64encode(hashlib.sha512(name.encode()).digest()).decode()[:12],
        "a hash of their customer's id (sha512, base64",
    ),
    "blake2": (
        lambda name: hashlib.blake2b(name.encode(), digest_size=10).hexdigest(),
        "a hash of their customer's id (blake2b, 10 bytes, hex): 40 of 40",
    ),
    "crc32 in decimals": (
        lambda name: str(zlib.crc32(name.encode())),
        "a hash of their customer's id (crc32, decimal): 40 of 40",
    ),
    "hex": (lambda name: name.encode().hex(), "contain their customer's id or are part of it"),
}


@pytest.mark.parametrize("key", ["folder", "file"])
@pytest.mark.parametrize("way", [way for way in NAMES if NAMES[way][1]])
def test_pseudonyms_made_from_ids_are_found(
    shop: History, honest: Release, way: str, key: str
) -> None:
    name, expected = NAMES[way]
    release = renamed(honest, name)
    assert expected in said(shop, release if key == "folder" else published(release))


def test_a_hash_of_id_and_month_is_found(shop: History) -> None:
    release = publish(shop, shop, secret=b"1", period="month")
    key = frame(release.key.pseudonyms)
    made = [sha1(f"{person}-{month}") for person, month in key.select("person", "period").rows()]
    names = dict(zip(key["pseudonym"], made, strict=True))
    rows = release.public.frame().with_columns(pl.col("person").replace_strict(names))
    key = key.with_columns(pl.col("pseudonym").replace_strict(names))
    hashed = Release(release.public.with_purchases(rows), Key(table(key), release.key.rows))
    assert f"(sha1, hex): {len(key)} of {len(key)}" in said(shop, hashed)


ORDERS: dict[str, Callable[[int], int]] = {
    "rising": lambda place: 7 * place,
    "falling": lambda place: 9_000 - 7 * place,
    "turned around": lambda place: (place + 17) % CUSTOMERS,
    "in blocks of five": lambda place: 5 * (place // 5 * 3 % 8) + place % 5,
}


@pytest.mark.parametrize("order", ORDERS)
def test_numbers_given_in_the_order_of_the_customers_are_found(
    shop: History, honest: Release, order: str
) -> None:
    places = {person: place for place, person in enumerate(shop.persons())}
    release = renamed(honest, lambda person: f"Q{ORDERS[order](places[person]):04}")
    assert "Pseudonyms, when sorted, follow an order of the customers" in said(shop, release)


@pytest.mark.parametrize("key", ["folder", "file"])
@pytest.mark.parametrize("order", ["kept", "reversed", "one swap", "blocks"])
def test_rows_in_an_order_of_the_original_are_found(
    shop: History, honest: Release, order: str, key: str
) -> None:
    places = np.argsort(origins(honest))
    if order == "reversed":
        places = places[::-1]
    if order == "one swap":
        places[[3, 90]] = places[[90, 3]]
    if order == "blocks":
        whole = places[: len(places) // 10 * 10].reshape(-1, 10)
        rest = places[len(places) // 10 * 10 :]
        places = np.concatenate([np.random.default_rng(1).permutation(whole).ravel(), rest])
    release = reordered(honest, places)
    found = said(shop, release if key == "folder" else published(release))
    assert "The rows follow the order of the original" in found


@pytest.mark.parametrize("key", ["folder", "file"])
def test_rows_sorted_by_the_hidden_customer_are_found(
    shop: History, honest: Release, key: str
) -> None:
    persons = dict(frame(honest.key.pseudonyms).select("pseudonym", "person").rows())
    names = [persons[name] for name in honest.public.frame().sort(ROW)["person"]]
    release = reordered(honest, np.argsort(np.array(names), kind="stable"))
    found = said(shop, release if key == "folder" else published(release))
    assert "The places of a pseudonym's rows follow an order of the customers" in found


def test_rows_in_the_original_order_within_each_customer_are_found(
    shop: History, honest: Release
) -> None:
    """Who has which place is random; whose rows come in which order is not."""
    origin, names = origins(honest), honest.public.frame().sort(ROW)["person"].to_numpy()
    places = np.arange(len(origin))
    for name in np.unique(names):
        own = places[names == name]
        places[names == name] = own[np.argsort(origin[own])]
    found = said(shop, reordered(honest, places))
    assert "Rows of one customer follow their order in the original" in found


def test_a_customers_table_in_the_order_of_the_original_is_found(
    shop_with_customers: History,
) -> None:
    release = publish(shop_with_customers, shop_with_customers, secret=b"1")
    assert links(shop_with_customers, release).all == ()
    assert release.public.customers is not None
    people = frame(release.public.customers)
    names = frame(release.key.pseudonyms).sort("person").select(person="pseudonym")
    ordered = names.join(people, on="person", maintain_order="left")
    leaking = replace(release, public=replace(release.public, customers=table(ordered)))
    assert "The customers table follows an order" in said(shop_with_customers, leaking)


def test_invented_rows_at_the_end_are_found(shop: History) -> None:
    hidden = Decoys(clusters=10, min_size=4, share="rows", seconds=0.1)(shop, seed=1)
    release = publish(shop, hidden, secret=b"1")
    assert "invented" not in said(shop, release)
    last = frame(release.key.rows).sort("row")["origin"].is_null().to_numpy()
    found = said(shop, reordered(release, np.argsort(last, kind="stable")))
    assert "The order of the rows tells invented ones from the others" in found


BASKETS: dict[str, tuple[Callable[[str], str], str]] = {
    "kept": (str, "Basket numbers equal to the original's"),
    "longer": (lambda basket: f"INV-{basket}-x", "Basket numbers that contain the original's"),
    "hashed": (lambda basket: md5(basket).hex(), "a hash of the original's (md5, hex)"),
    "in order": (lambda basket: str(3 * int(basket) + 50_000), "Basket numbers, when sorted"),
}


@pytest.mark.parametrize("key", ["folder", "file"])
@pytest.mark.parametrize("way", BASKETS)
def test_baskets_made_from_those_of_the_original_are_found(
    shop: History, honest: Release, way: str, key: str
) -> None:
    name, expected = BASKETS[way]
    release = with_baskets(honest, shop, name)
    assert expected in said(shop, release if key == "folder" else published(release))


def test_kept_baskets_are_found_where_no_row_is_as_it_was(shop: History, honest: Release) -> None:
    """Nothing tells which basket became which, but all of them are their customer's."""
    release = published(with_baskets(honest, shop, str))
    dearer = release.public.frame().with_columns(pl.col("price") + 1000)
    release = replace(release, public=release.public.with_purchases(dearer))
    assert "Basket numbers equal to the original's" in said(shop, release)


def test_ids_dealt_out_as_pseudonyms_are_told_from_own_ids() -> None:
    ids = [str(number) for number in range(1_000, 1_060)]
    dealt = np.random.default_rng(2).permutation(ids).tolist()
    assert likeness(dealt, ids) is None
    own = likeness(ids, ids)
    assert own is not None
    assert (own.kind, own.count, own.chance) == ("equal", 60, 1.0)
    # Ten right ones are beyond chance, which gives one.
    assert likeness([*ids[:10], *ids[11:], ids[10]], ids) is not None


def test_two_names_are_enough_if_no_random_text_has_them() -> None:
    found = likeness(["XAlice", "XRobert"], ["Alice", "Robert"])
    assert found is not None
    assert (found.kind, found.count) == ("part", 2)
    assert likeness(["P1", "P2", "P3"], ["1", "2", "3"]) is None


@given(st.permutations(range(60)))
def test_an_order_is_found_and_so_is_its_reverse(order: list[int]) -> None:
    places = np.arange(60)
    values = np.array(order)
    found, back = agreement(places, values), agreement(places, values[::-1])
    assert (found is None) == (back is None)
    if found and back:
        assert found.correlation == pytest.approx(-back.correlation)


def test_of_all_orders_of_eight_only_the_exact_ones_are_beyond_chance() -> None:
    places = np.arange(8)
    some = list(permutations(range(8)))[::97]
    found = [order for order in some if agreement(places, np.array(order))]
    assert found == [tuple(range(8))]
    assert EXACT >= 2 / 40_320
    assert same_order(places, places[::-1]) is not None
    assert same_order(places[:7], places[:7]) is None


def test_random_orders_are_not_accused_and_those_that_follow_a_little_are() -> None:
    random = np.random.default_rng(5)
    places = np.arange(400)
    assert not any(agreement(places, random.permutation(400)) for _ in range(500))
    noisy = np.argsort(np.argsort(places + random.normal(0, 250, 400)))
    found = agreement(places, noisy)
    assert found is not None
    assert 0.2 < found.correlation < 0.7


def test_middles_of_many_rows_lie_in_the_middle_and_are_not_accused() -> None:
    """How far from the middle a customer is depends on the number of rows, in both files."""
    random = np.random.default_rng(6)
    spread = random.uniform(0, 1, 500)
    for _ in range(200):
        first, second = (spread * random.choice([-1, 1], 500) for _ in range(2))
        assert side(first, second) is None
    assert side(spread, spread + random.normal(0, 0.3, 500)) is not None


@pytest.fixture(scope="module")
def contest(real_data: Path) -> History:
    folder = real_data / "data/pwscup2016"
    return read(folder / "T.csv", folder / "M.csv", format="pwscup2016")


@pytest.mark.realdata
@pytest.mark.parametrize("period", [None, "month"])
def test_of_real_customers_what_publish_draws_tells_nothing(
    contest: History, period: Literal["month"] | None
) -> None:
    release = publish(contest, contest, secret=b"1", period=period)
    assert links(contest, release).all == links(contest, published(release)).all == ()


@pytest.mark.realdata
def test_of_real_customers_reversed_rows_and_hashed_ids_are_found(contest: History) -> None:
    release = publish(contest, contest, secret=b"1")
    back = published(reordered(release, np.argsort(origins(release))[::-1]))
    assert "The rows follow the order of the original: rank correlation -1.00" in said(
        contest, back
    )
    assert "(sha1, hex): 400 of 400" in said(contest, published(renamed(release, sha1)))
