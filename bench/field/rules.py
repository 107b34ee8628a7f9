"""Association rules of a table of records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl

from bench.field.comparing import Comparison, Measured, duel
from tokumei import generate
from tokumei.data.census_like import generate_census
from tokumei.mining import cross_tabulation, mine

TITLE = "Association rules"
ABOUT = """\
All rules with one consequent, support and confidence of at least 5 %, from a table of records.
Ours counts equal records first and lets pyfim mine what is left; beside it stand pyfim on the
records as they are, and mlxtend's fpgrowth. In the census few records differ; in the purchases
of a shop (item, quantity and month, support and confidence of at least 0.2 %) most do, and
counting them first gains nothing."""

RECORDS, PURCHASES = 100_000, 20_000
Rules = dict[tuple[frozenset[str], str], float]
Miner = Callable[[pl.DataFrame, float], Rules]


def comparisons() -> list[Comparison]:
    census = generate_census(RECORDS, seed=0).cast(pl.String)
    shop = generate("shop", customers=400, seed=0).frame().head(PURCHASES)
    bought = shop.select(
        "item", pl.col("quantity").cast(pl.String), month=pl.col("time").dt.strftime("%Y-%m")
    )
    tables = (("generated census", census, 0.05), ("generated shop", bought, 0.002))
    peers: dict[str, Miner] = {"pyfim": by_pyfim, "mlxtend": by_mlxtend}
    found = []
    for name, rows, least in tables:
        data = f"{name}, {len(rows):,} records"
        found += [
            Comparison("association rules", data, peer, partial(compared, rows, miner, least))
            for peer, miner in peers.items()
        ]
    return found


def compared(rows: pl.DataFrame, peer: Miner, least: float) -> Measured:
    found, theirs = ours(rows, least), peer(rows, least)
    equal = found.keys() == theirs.keys() and all(
        abs(found[rule] - theirs[rule]) < 1e-9 for rule in found
    )
    quality = f"{len(found):,} rules, peer {len(theirs):,}"
    return duel(lambda: ours(rows, least), lambda: peer(rows, least), quality, kept=equal)


def ours(rows: pl.DataFrame, least: float) -> Rules:
    rules = mine(cross_tabulation(rows, rows.columns), support=least, confidence=least)
    return {(frozenset(left), right): support for left, right, support, _ in rules.iter_rows()}


def by_pyfim(rows: pl.DataFrame, least: float) -> Rules:
    import fim

    named = rows.select(pl.format(f"{name}={{}}", name).alias(name) for name in rows.columns)
    found = fim.arules(
        named.rows(), supp=100 * least, conf=100 * least, zmin=2, report="S", mode="o"
    )
    return {(frozenset(left), right): share / 100 for right, left, share in found}


def by_mlxtend(rows: pl.DataFrame, least: float) -> Rules:
    import pandas as pd
    from mlxtend.frequent_patterns import association_rules, fpgrowth

    marked = pd.get_dummies(rows.to_pandas(), prefix_sep="=")
    frequent = fpgrowth(marked, min_support=least, use_colnames=True)
    found = association_rules(frequent, metric="confidence", min_threshold=least)
    return {
        (frozenset(left), *right): support
        for left, right, support in zip(
            found["antecedents"], found["consequents"], found["support"], strict=True
        )
        if len(right) == 1
    }
