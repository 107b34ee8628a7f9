"""Compare anonymizers: what each costs, against the risk that it leaves."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Compare anonymizers")

with app.setup:
    import altair as alt
    import marimo as mo
    import polars as pl

    import tokumei
    from tokumei.anonymizers import (
        Decoys,
        DeleteRows,
        Equalize,
        Generalize,
        PerturbAmounts,
        PseudonymsOnly,
        ShiftDates,
    )
    from tokumei.attacks import Ensemble
    from tokumei.metrics import CellsChanged, IdenticalGroups, InformationLoss, ItemCountError
    from tokumei.report.charts import FIRE, ICE, SLATE, styled
    from tokumei.threats import FullKnowledge


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Compare anonymizers

    An anonymizer pays for protection with usefulness. Here eight of them work on the same generated
    shop, the same attacker attacks each release, and a chart shows what was lost and who was found.
    """)
    return


@app.cell
def _():
    customers = 40
    shop = tokumei.generate("shop", customers=customers, seed=1)
    shop
    return customers, shop


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Who is compared

    The first four change rows one by one. The others make groups of customers. Move the slider to
    change how large the groups are: everything below is computed again.
    """)
    return


@app.cell
def _():
    size = mo.ui.slider(2, 8, value=4, label="customers in a group", show_value=True)
    size
    return (size,)


@app.cell
def _(customers, size):
    groups = {"clusters": customers // size.value, "min_size": size.value, "seconds": 0.5}
    anonymizers = {
        "pseudonyms-only": PseudonymsOnly(),
        "delete-rows": DeleteRows(share=0.3),
        "shift-dates": ShiftDates(days=14),
        "perturb-amounts": PerturbAmounts(price=0.2, quantity=0.2),
        "decoys": Decoys(**groups),
        "decoys of whole rows": Decoys(**groups, share="rows"),
        "equalize": Equalize(groups="balanced", size=size.value),
        "generalize": Generalize(k=size.value, seconds=0.5),
    }
    return (anonymizers,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## How they are judged

    The attacker combines what we have: `Ensemble` asks all attacks, and `FullKnowledge` gives it
    every purchase of every customer. A low rate is not enough: it is an average, and holds for this
    attacker. So the smallest group of customers with equal rows is counted too. If pseudonyms,
    basket numbers and row order are random, nobody names a customer with a greater chance than one
    in its size. For usefulness it matters what the data is for, so three losses are measured.
    """)
    return


@app.cell
def _(anonymizers, shop):
    risk = tokumei.Risk(threat=FullKnowledge(), attack=Ensemble())
    losses = {
        "counts of items": ItemCountError(),
        "single cells": CellsChanged(),
        "what a cell still tells": InformationLoss(),
    }
    rows = []
    for name, method in anonymizers.items():
        release = tokumei.publish(shop, method(shop, seed=2))
        row = {
            "anonymizer": name,
            "found": risk(shop, release, seed=3).value,
            "smallest group": IdenticalGroups()(shop, release, seed=3).value,
        }
        rows.append(row | {use: one(shop, release, seed=3).value for use, one in losses.items()})
    scores = pl.DataFrame(rows)
    scores.with_columns(pl.selectors.float().round(2))
    return losses, scores


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What protection costs
    """)
    return


@app.cell
def _(losses):
    use = mo.ui.dropdown(list(losses), value="counts of items", label="What is the data for?")
    use
    return (use,)


@app.cell
def _(scores, size, use):
    # Points at the same place share a label.
    points = (
        scores.select(
            "anonymizer",
            "found",
            loss=pl.col(use.value).round(2),
            bounded=pl.col("smallest group") >= size.value,
        )
        .group_by("found", "loss", "bounded", maintain_order=True)
        .agg(pl.col("anonymizer").str.join(", "))
    )
    bounded = points.filter("bounded").sort("loss")
    return bounded, points


@app.cell
def _(bounded, customers, points, size, use):
    best = f"{bounded['anonymizer'][0]} loses least" if len(bounded) else "nothing here suffices"
    x = alt.X("found:Q", title="customers found by this attacker")
    y = alt.Y("loss:Q", title=f"loss of {use.value} (▼ less is more useful)")
    color = alt.condition("datum.bounded", alt.value(ICE), alt.value(FIRE))
    base = alt.Chart(points).encode(x.axis(format="%").scale(domain=[0, 1]), y, color=color)
    wished = alt.Chart(pl.DataFrame({"found": [1 / size.value]})).encode(x="found:Q")
    side = alt.expr("datum.found > 0.7 ? 'right' : 'left'")
    aside = alt.expr("datum.found > 0.7 ? 0 : 8")
    chart = styled(
        wished.mark_rule(color=SLATE, strokeDash=[6, 4])
        + base.mark_point(filled=True, size=90, opacity=1)
        + base.mark_text(dx=aside, dy=-12, fontSize=12, align=side).encode(text="anonymizer"),
        title=f"For groups of at least {size.value}, {best}",
        subtitle=f"n = {customers} customers; dashed: one in {size.value}; "
        f"blue: every customer is in a group of at least {size.value}",
        width=560,
        height=320,
    )
    chart
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What to take from it

    - Changing rows one by one loses little, and every customer stays alone: a history is a
      fingerprint of many rows.
    - Decoys hide what was bought, not how the real rows look. Where whole rows are shared, the
      attacker is down to guessing within a group, and the price is in the rows that were added.
    - Nobody wins for every use. `tokumei recommend` searches the parameters too, for a risk and a
      use that you name.
    """)
    return


if __name__ == "__main__":
    app.run()
