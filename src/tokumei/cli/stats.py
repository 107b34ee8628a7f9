"""`tokumei stats`: what is in a history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, tr
from tokumei.cli.options import PLACE, common, reading_options_and_spark
from tokumei.itemsets.statistics import statistics

LABELS = {
    "customers": "customers",
    "rows": "purchases (rows)",
    "baskets": "baskets",
    "items": "items",
    "mean_items_per_customer": "mean items per customer",
    "mean_jaccard": "mean jaccard of two customers",
    "mean_jaccard_interval": "its 95% interval, where it was found from a part of the customers",
    "max_jaccard": "largest jaccard of two customers",
    "mean_shared_items": "mean items that two customers share",
    "price_min": "lowest price",
    "price_max": "highest price",
    "quantity_min": "lowest quantity",
    "quantity_max": "highest quantity",
    "period": "period",
}


@click.command("stats", cls=Command)
@click.argument("file", type=PLACE)
@reading_options_and_spark
@common
def command(file: str, read_history: Callable[[str], Any], *, as_json: bool) -> None:
    """Show the statistics of a history.

    FILE is CSV (also .gz), Parquet or Excel. The columns are guessed from their names and shown.
    """
    found = statistics(read_history(file)).to_json()
    if as_json:
        print_json(found)
        return
    rows = [(tr(label), _shown(found[name])) for name, label in LABELS.items() if name in found]
    print_table(str(file), (tr("what"), tr("value")), rows, numbers=[1])


def _shown(value: Any) -> str:
    match value:
        case None:
            return "–"
        case float():
            return f"{value:,.6g}"
        case int():
            return f"{value:,}"
        case [float(first), float(last)]:
            return f"{first:,.6g} – {last:,.6g}"
        case [first, last]:
            return f"{first} – {last}"
    return str(value)
