"""The customers and the methods of every picture."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tokumei import History, anonymizers, attacks, generate, publish, threats
from tokumei.contracts import Anonymizer, Attack, Threat
from tokumei.draws import repeatable_secret
from tokumei.history import ROW
from tokumei.registry import name_of
from tokumei.tables import table
from tools.method_pictures.anonymizing import before_and_after
from tools.method_pictures.attacking import knowledge, weighed
from tools.method_pictures.drawing import Drawing

SEED = 3
PEOPLE = ("Alice", "Bob", "Carol", "Dan", "Eve", "Frank")
GOODS = ("tea", "cup", "lamp", "card", "clock", "bag", "bowl", "soap", "vase", "pen", "jar", "hat")

ANONYMIZERS: tuple[Anonymizer, ...] = (
    anonymizers.Chain(
        steps=(
            anonymizers.DeleteRows(share=0.2),
            anonymizers.ShiftDates(days=5),
            anonymizers.PerturbAmounts(),
        )
    ),
    anonymizers.Decoys(clusters=2, min_size=2, seconds=0.1),
    anonymizers.DeleteRows(share=0.3),
    anonymizers.Equalize(objective="information-loss", groups="balanced", size=2),
    anonymizers.Generalize(k=2, seconds=0.1),
    anonymizers.GeneralizeAtRandom(share=0.4),
    anonymizers.PerturbAmounts(price=0.2, quantity=0.5),
    anonymizers.PseudonymsOnly(),
    anonymizers.RetainReplace(columns="item", table="purchases", k=2),
    anonymizers.ShiftDates(days=14),
    anonymizers.Yamaoka(),
)
THREATS: tuple[Threat, ...] = (
    threats.CustomersTable(),
    threats.FullKnowledge(),
    threats.ItemSets(),
    threats.MonthlyView(share=0.5),
    threats.PartialRows(share=0.3),
)
BLURRED = anonymizers.Chain(
    steps=(anonymizers.ShiftDates(days=3), anonymizers.PerturbAmounts(price=0.2, quantity=0.2))
)
ATTACKS: tuple[tuple[Attack, Threat, Anonymizer], ...] = (
    (attacks.BasketSizes(), threats.FullKnowledge(), anonymizers.PerturbAmounts()),
    (attacks.CandidateIntersection(), threats.FullKnowledge(), anonymizers.GeneralizeAtRandom()),
    (attacks.CellValues(), threats.FullKnowledge(), anonymizers.ShiftDates(days=5)),
    (
        attacks.CustomerAttributes(),
        threats.CustomersTable(),
        anonymizers.RetainReplace(columns="born", k=2),
    ),
    (
        attacks.DecoyOdds(),
        threats.ItemSets(),
        anonymizers.Decoys(clusters=3, seconds=0.1),
    ),
    (attacks.Ensemble(), threats.FullKnowledge(), BLURRED),
    (attacks.ExactRow(), threats.PartialRows(share=0.2), anonymizers.DeleteRows(share=0.4)),
    (attacks.FuzzyRows(), threats.FullKnowledge(), BLURRED),
    (
        attacks.ItemIntersection(),
        threats.FullKnowledge(),
        anonymizers.GeneralizeAtRandom(share=0.3, suppress=0.05),
    ),
    (attacks.Jaccard(), threats.ItemSets(), anonymizers.DeleteRows(share=0.4)),
    (
        attacks.KeyMatching(),
        threats.FullKnowledge(),
        anonymizers.ShiftDates(days=1, together="row"),
    ),
    (
        attacks.MultisetJaccard(),
        threats.FullKnowledge(),
        anonymizers.PerturbAmounts(price=0.2, quantity=0.5),
    ),
    (attacks.PublishedOrder(), threats.FullKnowledge(), anonymizers.DeleteRows(share=0.4)),
    (attacks.Random(), threats.FullKnowledge(), anonymizers.PseudonymsOnly()),
    (attacks.RfmProfile(), threats.FullKnowledge(), BLURRED),
    (attacks.RowCount(), threats.FullKnowledge(), anonymizers.DeleteRows(share=0.4)),
    (
        attacks.StripDecoys(),
        threats.FullKnowledge(),
        anonymizers.Decoys(clusters=3, style="paper", seconds=0.1),
    ),
    (
        attacks.TimeOfDay(),
        threats.FullKnowledge(),
        anonymizers.ShiftDates(days=5, keep_times=True),
    ),
    (attacks.TimeProfile(), threats.FullKnowledge(), anonymizers.ShiftDates(days=5)),
    (attacks.UniqueRow(), threats.PartialRows(share=0.3), anonymizers.DeleteRows(share=0.5)),
    (attacks.ValueProfiles(), threats.FullKnowledge(), BLURRED),
)


def tiny(customers: int, least: int, most: int, goods: int, *, plain: bool = True) -> History:
    """Return a part of a generated shop: customers with few rows, of goods that many bought.

    Plain rows have dates without times, and no baskets.
    """
    rows = generate("shop", customers=60, seed=SEED).frame()
    buyers = rows.group_by("item").agg(pl.col("person").n_unique().alias("buyers"))
    common = buyers.sort("buyers", "item", descending=[True, False])["item"].head(goods).to_list()
    rows = rows.filter(pl.col("item").is_in(common))
    sized = rows.group_by("person").len().filter(pl.col("len").is_between(least, most))
    chosen = sized.sort("person")["person"].head(customers).to_list()
    rows = (
        rows.filter(pl.col("person").is_in(chosen))
        .with_columns(
            pl.col("person").replace(chosen, PEOPLE[:customers]),
            pl.col("item").replace(common, GOODS[:goods]),
            pl.col("time").cast(pl.Date) if plain else pl.col("time"),
        )
        .sort("person", "time", "item", ROW)
        .drop(["basket"] if plain else [])
    )
    people = pl.DataFrame(
        {
            "person": PEOPLE[:customers],
            "sex": ["f", "m", "f", "m", "f", "m"][:customers],
            "born": ["1980s", "1990s", "1980s", "1970s", "1990s", "1980s"][:customers],
            "country": ["Japan", "Japan", "France", "Japan", "Japan", "Japan"][:customers],
        }
    )
    numbered = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(ROW))
    return History(table(numbered), table(people))


def drawings() -> Iterator[tuple[str, Drawing]]:
    """Give the name and the picture of every method that has one."""
    few, more = tiny(4, 2, 4, 6), tiny(6, 4, 9, 12)
    plain = publish(few, few, secret=repeatable_secret(SEED))
    for method in ANONYMIZERS:
        yield name_of(method), before_and_after(few, method, seed=SEED)
    for threat in THREATS:
        yield name_of(threat), knowledge(few, plain, threat, seed=SEED)
    full = tiny(6, 4, 9, 12, plain=False)
    for attack, threat, method in ATTACKS:
        shop = full if isinstance(attack, attacks.BasketSizes | attacks.TimeOfDay) else more
        yield name_of(attack), weighed(shop, attack, threat, method, seed=SEED)
