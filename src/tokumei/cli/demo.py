"""`tokumei demo`: the whole flow on generated data."""

from __future__ import annotations

from pathlib import Path

import click

from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, language, tr
from tokumei.cli.options import common, method_from_text, output_option, seed_option
from tokumei.data.folder import write_release
from tokumei.data.generating import generate
from tokumei.data.writing import whole_folder, write_frame
from tokumei.draws import derive
from tokumei.history import History
from tokumei.itemsets.statistics import statistics
from tokumei.progress import track
from tokumei.publishing import publish
from tokumei.registry import spec
from tokumei.report.page import Entry, render
from tokumei.report.scoring import scorecard

SECONDS = 2
"""How long customers who are alike are searched for, for each release with decoys."""


def releases(customers: int) -> list[str]:
    """Return what is tried: what shops do, what the paper does, and what holds."""
    sizes = f"--clusters {max(1, customers // 4)} --min-size {min(4, customers)}"
    groups = f"{sizes} --seconds {SECONDS}"
    return [
        "pseudonyms-only",
        "perturb-amounts --price 0.2 --quantity 0.2",
        "shift-dates --days 14",
        f"decoys {groups}",
        f"decoys {groups} --share rows",
    ]


@click.command("demo", cls=Command)
@output_option("New folder for data, releases and report.", name="folder", default=Path("demo"))
@click.option("-n", "--customers", type=int, default=400, cls=Option, help="Number of customers.")
@seed_option()
@common
def command(folder: Path, customers: int, *, as_json: bool, seed: int | None) -> None:
    """Generate a shop, anonymize it, attack it, score it, and write a report."""
    seed = seed or 0
    shop = generate("shop", customers=customers, seed=seed)
    texts = releases(customers)
    with whole_folder(folder) as part:
        write_frame(shop.to_native(), part / "shop.csv")
        entries = [
            _release(shop, text, part, seed=derive(seed, text))
            for text in track(texts, len(texts), "releases")
        ]
        page = render(entries, statistics(shop), seed=seed, language=language())
        (part / "report.html").write_text(page, encoding="utf-8")
    report = folder / "report.html"
    if as_json:
        scored = [{"name": e.name, "scores": e.scores.to_json()} for e in entries]
        print_json({"report": str(report), "releases": scored})
        return
    losses = ("rows-added", "cells-changed")
    heads = (
        tr("release"),
        tr("customers found again"),
        tr("by the attacker"),
        tr("random guess"),
        *losses,
    )
    rows = [
        (
            entry.name,
            f"{entry.worst.value:.1%}",
            entry.worst.name,
            f"{entry.worst.baseline:.2%}",
            *(f"{entry.scores[name].value:.3f}" for name in losses),
        )
        for entry in entries
    ]
    title = tr("Customers found again, and what was lost (less is better)")
    print_table(title, heads, rows, numbers=(1, 3, 4, 5))
    click.echo(tr("A number holds for the attackers listed here and for no stronger one."))
    click.echo(f"{tr('Open the report:')} {report}")


def _release(shop: History, text: str, folder: Path, *, seed: int) -> Entry:
    method = method_from_text("anonymizer", text)
    release = publish(shop, method(shop, seed=seed))
    name = text.replace(" --", "-").replace(" ", "-")
    write_release(release, folder / name, method={**spec(method), "seed": seed})
    scores = scorecard(shop, release, seed=seed)
    # In another folder: in the demo's own folder, where it would be pasted, this one exists.
    return Entry(text, f"tokumei anonymize {text} shop.csv -o again-{name}", scores)
