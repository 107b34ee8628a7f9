"""Names of customers who look alike that are made of what the original tells of each are found."""

import base64
import hashlib
import uuid
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tokumei import History, Key, Release, generate, publish
from tokumei.anonymizers import Equalize
from tokumei.audit.alike_links import Alike
from tokumei.audit.associations import Groups, follows, goes_with
from tokumei.audit.auditing import audit
from tokumei.audit.links import links
from tokumei.audit.made_of import hash_of
from tokumei.history import ROW
from tokumei.tables import frame, table

CUSTOMERS = 48
REGIONS = {"north": 3, "east": 1, "south": 4, "west": 7}
Rule = Callable[[str], str]


@pytest.fixture(scope="module")
def shop() -> History:
    """Customers with attributes, of whom the birth dates are all different."""
    history = generate("shop", customers=CUSTOMERS, seed=6)
    people, rng = history.persons(), np.random.default_rng(2)
    days = rng.choice(20_000, len(people), replace=False)
    attributes = {
        "person": people,
        "sex": rng.choice(["f", "m"], len(people)),
        "region": rng.choice(["north", "east", "south", "west"], len(people)),
        "birth": [date(1940, 1, 1) + timedelta(days=int(day)) for day in days],
    }
    return replace(history, customers=table(pl.DataFrame(attributes)))


@pytest.fixture(scope="module")
def groups(shop: History) -> Release:
    """Customers in groups of twelve or more who are equal, as a file that shows purchases only."""
    equal = Equalize(groups="balanced", size=12, objective="information-loss")(shop, seed=1)
    release = publish(shop, replace(equal, customers=None), secret=b"1")
    return replace(release, key=Key(release.key.pseudonyms, Key.unknown().rows))


class Known:
    """What somebody who names the customers has at hand."""

    def __init__(self, original: History) -> None:
        assert original.customers is not None
        self.people = {one["person"]: one for one in frame(original.customers).to_dicts()}
        rows = original.frame().sort("time", ROW).group_by("person", maintain_order=True)
        bought = rows.agg(pl.all(), spent=(pl.col("price") * pl.col("quantity")).sum())
        self.bought = {one["person"]: one for one in bought.to_dicts()}
        numbers = np.random.default_rng(4).permutation(9_000)[: len(self.people)] + 1_000
        self.number = dict(zip(self.people, numbers.tolist(), strict=True))

    def sorted_by(self, key: Callable[[str], Any]) -> Rule:
        places = {name: place for place, name in enumerate(sorted(self.people, key=key))}
        return lambda name: f"U{places[name]:04}"

    def birth(self, name: str, form: str = "%Y-%m-%d") -> str:
        return f"{self.people[name]['birth']:{form}}"


def hashed(text: str, kind: str = "sha1") -> str:
    return hashlib.new(kind, text.encode()).hexdigest()


MAKE: dict[str, Callable[[Known], Rule]] = {
    "birth date": lambda known: lambda name: known.birth(name, "M%y%m%d"),
    "birth date, day first, in the middle": (
        lambda known: lambda name: f"X-{known.birth(name, '%d%m%y')}-{known.number[name] % 97}"
    ),
    "birth date of some": (
        lambda known: (
            lambda name: (
                known.birth(name, "%y%m%d") if known.number[name] % 2 else f"{known.number[name]}"
            )
        )
    ),
    "birth date, base64": (
        lambda known: lambda name: base64.b64encode(known.birth(name, "%Y%m%d").encode()).decode()
    ),
    "birth date, base32": (
        lambda known: lambda name: base64.b32encode(known.birth(name, "%d.%m.%Y").encode()).decode()
    ),
    "birth date as a hexadecimal number": (
        lambda known: lambda name: f"{int(known.birth(name, '%Y%m%d')):x}"
    ),
    "birth date, turned around": lambda known: lambda name: known.birth(name, "%Y%m%d")[::-1],
    "year of birth, then a number": (
        lambda known: lambda name: known.birth(name, "%Y") + f"x{known.number[name]}"
    ),
    "a number, then the year of birth": (
        lambda known: lambda name: f"{known.number[name]}" + known.birth(name, "%y")
    ),
    "sha1 of the birth date": lambda known: lambda name: hashed(known.birth(name)),
    "md5 of the birth date, cut": (
        lambda known: lambda name: hashed(known.birth(name, "%d%m%Y"), "md5")[:8]
    ),
    "sha256 of sex and birth date": (
        lambda known: (
            lambda name: hashed(f"{known.people[name]['sex']}|{known.birth(name)}", "sha256")[
                :12
            ].upper()
        )
    ),
    "crc32 of region and birth date": (
        lambda known: (
            lambda name: str(
                zlib.crc32(f"{known.people[name]['region']}-{known.birth(name, '%Y%m%d')}".encode())
            )
        )
    ),
    "sha512 of the whole line": (
        lambda known: (
            lambda name: hashed(
                ",".join(str(cell) for cell in known.people[name].values()), "sha512"
            )[:16]
        )
    ),
    "uuid5 of the birth date": (
        lambda known: lambda name: str(uuid.uuid5(uuid.NAMESPACE_DNS, known.birth(name)))
    ),
    "uuid3 of id and birth date": (
        lambda known: (
            lambda name: str(uuid.uuid3(uuid.NAMESPACE_URL, f"{name}_{known.birth(name)}"))
        )
    ),
    "two signs of a hash": (
        lambda known: lambda name: f"{hashed(known.birth(name))[:2]}-{known.number[name]}"
    ),
    "remainder of a hash of the id": (
        lambda known: lambda name: f"N{int(hashed(name, 'md5'), 16) % 99_991}"
    ),
    "remainder of crc32, and more": (
        lambda known: lambda name: f"N{1_000 + zlib.crc32(name.encode()) % 65_521}"
    ),
    "order of birth": lambda known: known.sorted_by(known.birth),
    "order of sex and birth": (
        lambda known: known.sorted_by(lambda name: (known.people[name]["sex"], known.birth(name)))
    ),
    "order of a hash of the id": lambda known: known.sorted_by(hashed),
    "sex": (lambda known: lambda name: f"{known.people[name]['sex'].upper()}-{known.number[name]}"),
    "sex, as capitals": (
        lambda known: lambda name: f"{'pP'[known.people[name]['sex'] == 'f']}{known.number[name]}"
    ),
    "sex, as even and odd": (
        lambda known: lambda name: f"{2 * known.number[name] + (known.people[name]['sex'] == 'f')}"
    ),
    "region, as a code": (
        lambda known: lambda name: f"{REGIONS[known.people[name]['region']]}{known.number[name]}"
    ),
    "time of the first purchase": (
        lambda known: lambda name: f"{known.bought[name]['time'][0]:%Y%m%d%H%M%S}"
    ),
    "sha1 of that time": lambda known: lambda name: hashed(str(known.bought[name]["time"][0])),
    "last basket": lambda known: lambda name: f"K{known.bought[name]['basket'][-1]}",
    "sha1 of the first basket": (
        lambda known: lambda name: hashed(known.bought[name]["basket"][0])[:10]
    ),
    "order of what was spent": (
        lambda known: known.sorted_by(lambda name: known.bought[name]["spent"])
    ),
    "what was spent": lambda known: lambda name: f"S{known.bought[name]['spent']:.2f}",
    "order of the number of rows": (
        lambda known: known.sorted_by(
            lambda name: (len(known.bought[name]["item"]), known.number[name])
        )
    ),
    "sha1 of the item set": (
        lambda known: lambda name: hashed(",".join(sorted(set(known.bought[name]["item"]))))
    ),
    "sha1 of first item and time": (
        lambda known: (
            lambda name: hashed(f"{known.bought[name]['item'][0]}{known.bought[name]['time'][0]}")
        )
    ),
    "sha1 of all items in turn": (
        lambda known: lambda name: hashed("".join(known.bought[name]["item"]))
    ),
    "md5 of birth, region and sex": (
        lambda known: (
            lambda name: hashed(
                "/".join(
                    (
                        known.birth(name),
                        known.people[name]["region"],
                        known.people[name]["sex"],
                    )
                ),
                "md5",
            )
        )
    ),
    "sha1 of the birth date, twice": lambda known: lambda name: hashed(hashed(known.birth(name))),
    "md5 of the id in UTF-16": (
        lambda known: lambda name: hashlib.md5(name.encode("utf-16-le")).hexdigest()
    ),
    "year of birth between numbers": (
        lambda known: (
            lambda name: (
                f"K{known.number[name] // 1000}{known.birth(name, '%y')}"
                f"{known.number[name] % 1000:03}"
            )
        )
    ),
    "first item, then a number": (
        lambda known: lambda name: f"{known.bought[name]['item'][0]}-{known.number[name]}"
    ),
}


def named(release: Release, rule: Rule) -> Release:
    """Give the pseudonyms by a rule."""
    key = frame(release.key.pseudonyms)
    names = {old: rule(person) for old, person in key.select("pseudonym", "person").iter_rows()}
    assert len(set(names.values())) == len(names)
    rows = release.public.frame().with_columns(pl.col("person").replace_strict(names))
    key = key.with_columns(pl.col("pseudonym").replace_strict(names))
    return Release(release.public.with_purchases(rows), Key(table(key), release.key.rows))


def said(original: History, release: Release) -> str:
    return " / ".join(sentence.said() for sentence in links(original, release).all)


@pytest.mark.parametrize("rule", MAKE)
def test_pseudonyms_made_of_what_the_original_tells_are_found(
    shop: History, groups: Release, rule: str
) -> None:
    made = named(groups, MAKE[rule](Known(shop)))
    assert "seudonyms of customers who look alike" in said(shop, made)


def test_where_names_tell_birth_dates_nothing_is_called_safe(
    shop: History, groups: Release
) -> None:
    assert audit(shop, groups).verdict == "safe"
    made = named(groups, MAKE["birth date"](Known(shop)))
    found = audit(shop, made)
    assert found.verdict == "exposed"
    assert found.judged.withheld


def test_what_a_whole_group_has_in_common_tells_nothing_new(shop: History, groups: Release) -> None:
    """The number of the group, and the sum of what its customers spent, are in the names."""
    members, known = Alike(shop, groups).members, Known(shop)
    group = dict(members.select("person", "group").iter_rows())
    spent: dict[int, float] = {}
    for name, at in group.items():
        spent[at] = spent.get(at, 0.0) + known.bought[name]["spent"]
    made = named(groups, lambda name: f"{spent[group[name]]:.0f}-{known.number[name]}")
    assert Alike(shop, made).names() == []


def test_numbers_given_by_group_and_id_are_found(shop: History, groups: Release) -> None:
    """The groups come in any order; inside them, the customers keep theirs."""
    members = Alike(shop, groups).members
    mixed = np.random.default_rng(1).permutation(members["group"].n_unique())
    place = members.with_columns(at=pl.col("person").rank("ordinal").over("group"))
    names = {
        person: f"{mixed[group]}{at:02}"
        for person, group, at in place.select("person", "group", "at").iter_rows()
    }
    assert "follow what the original tells of each (id)" in said(
        shop, named(groups, lambda name: names[name])
    )


@pytest.mark.parametrize("rule", ["birth date", "sha1 of the birth date", "order of birth", "sex"])
def test_basket_numbers_made_of_attributes_are_found(
    shop: History, groups: Release, rule: str
) -> None:
    make, key = MAKE[rule](Known(shop)), frame(groups.key.pseudonyms)
    owner = dict(key.select("pseudonym", "person").iter_rows())
    rows = groups.public.frame().sort("person", "time")
    counted = pl.col("time").rank("dense").over("person").cast(pl.String)
    owners = pl.Series([make(owner[name]) for name in rows["person"]])
    rows = rows.with_columns(basket=pl.concat_str(owners, pl.lit("/"), counted)).sort(ROW)
    made = replace(groups, public=groups.public.with_purchases(rows))
    assert "asket numbers of customers who look alike" in said(shop, made)


def test_rows_sorted_by_a_hidden_attribute_are_found(shop: History, groups: Release) -> None:
    known, key = Known(shop), frame(groups.key.pseudonyms)
    owner = dict(key.select("pseudonym", "person").iter_rows())
    rows = groups.public.frame().sort(ROW)
    births = pl.Series("birth", [known.birth(owner[name]) for name in rows["person"]])
    rows = rows.with_columns(births).sort("birth", maintain_order=True).drop("birth")
    rows = rows.with_columns(pl.Series(ROW, range(len(rows)), dtype=pl.Int64))
    made = replace(groups, public=groups.public.with_purchases(rows))
    assert "The rows of customers who look alike follow" in said(shop, made)


def test_random_names_tell_nothing(shop: History, groups: Release) -> None:
    """By construction one in 1,000 draws at most is accused, all comparisons together."""
    forms = ("{}", "U{:04}", "{:08x}", "{:o}-{:o}")
    for draw in range(24):
        numbers = np.random.default_rng(draw).permutation(10**5)
        drawn = dict(zip(shop.persons(), numbers.tolist(), strict=False))
        form = forms[draw % len(forms)]
        made = named(groups, lambda name, f=form, d=drawn: f.format(d[name], d[name] * 7))  # type: ignore[misc]
        assert Alike(shop, made).names() == []


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series([None] * CUSTOMERS),
        pl.Series([number % 2 == 0 for number in range(CUSTOMERS)]),
        pl.Series(["x", "y", None] * (CUSTOMERS // 3), dtype=pl.Enum(["x", "y"])),
        pl.Series([float("nan"), 1.5, None] * (CUSTOMERS // 3)),
        pl.Series([timedelta(days=number) for number in range(CUSTOMERS)]),
        pl.Series([time(number % 24) for number in range(CUSTOMERS)]),
        pl.Series([["a", "b"], [], ["c"]] * (CUSTOMERS // 3)),
        pl.Series([{"lo": number, "hi": number + 1} for number in range(CUSTOMERS)]),
        pl.Series([b"\xff%d" % number for number in range(CUSTOMERS)]),
    ],
    ids=lambda cells: str(cells.dtype),
)
def test_columns_of_any_type_are_compared(cells: pl.Series) -> None:
    names = [f"c{number}" for number in range(CUSTOMERS)]
    rows = pl.DataFrame({ROW: range(CUSTOMERS), "person": names, "item": ["tea"] * CUSTOMERS})
    people = pl.DataFrame({"person": names, "known": cells})
    original = History(table(rows.with_columns(known=cells)), table(people))
    release = publish(original, History(table(rows)), secret=b"1")
    assert links(original, release).all == ()


def test_signs_that_all_names_share_are_not_taken_for_a_hash() -> None:
    """Half of the customers have one text, of which the hash begins as all their names do."""
    groups = Groups(np.zeros(60, np.int64))
    start = hashed("f")[:4]
    labels = [(f"{start}-{number:03}",) for number in range(100, 160)]
    texts = [("sex", tuple("fm" * 30))]
    assert hash_of(labels, texts, [], groups) is None


def test_classes_that_go_together_by_hand() -> None:
    """Two groups of six; in each, three of a kind have the three names with an A."""
    groups = Groups(np.repeat([0, 1], 6))
    names = ["A", "A", "A", "B", "B", "B"] * 2
    kinds = ["f", "f", "f", "m", "m", "m"] * 2
    # Chance does so once in 20 for each group: far from rare enough.
    assert goes_with([names], [kinds], groups) is None
    many = Groups(np.repeat(np.arange(8), 6))
    found = goes_with([names * 4], [kinds * 4], many)
    assert found is not None
    assert (found.fact, found.count, found.chance) == (0, 24, 12.0)
    assert 8 * np.log(stats.hypergeom.pmf(3, 6, 3, 3)) < np.log(1e-5 / 4)
    # Names that go by group, and kinds that do, are not together within any.
    by_group = [f"{group}" for group in many.codes]
    assert goes_with([by_group], [by_group], many) is None


def test_orders_within_groups_by_hand() -> None:
    groups = Groups(np.repeat(np.arange(6), 5))
    ranks = np.tile(np.arange(5), 6)
    found = follows([100 - ranks], [ranks], groups)
    assert found is not None
    assert found.correlation == pytest.approx(-1)
    # Groups that follow one another tell nothing where all in a group are the same.
    assert follows([groups.codes], [groups.codes], groups) is None
    random = np.random.default_rng(3)
    assert not any(follows([random.random(30)], [ranks], groups) for _ in range(200))
