"""Audit a data frame: what an attacker finds in it, and a report to hand on."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Audit a data frame")

with app.setup:
    from pathlib import Path

    import marimo as mo
    import polars as pl

    import tokumei
    from tokumei.anonymizers import Equalize
    from tokumei.attacks import ExactRow
    from tokumei.audit import audit
    from tokumei.audit.page import html
    from tokumei.threats import PartialRows


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Audit a data frame

    You have a table of purchases and want to give it away. This notebook goes from the data frame
    to a report: who could be found, by whom, and what changes when customers are made alike.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The table

    A generated gift shop with 24 customers stands in for your data. To use your own, put a pandas
    or polars data frame into `purchases`: one row for each purchase.
    """)
    return


@app.cell
def _():
    purchases = tokumei.generate("shop", customers=24, seed=1).to_native().to_pandas()
    purchases.head()
    return (purchases,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    `read` finds out which column is the customer, the item, the time and so on, by their names.
    If it guesses wrongly, say it: `tokumei.read(purchases, person="client")`.
    """)
    return


@app.cell
def _(purchases):
    history = tokumei.read(purchases)
    history
    return (history,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Names are not what gives customers away

    The least that anybody does: replace the names by pseudonyms, and leave all else as it is.
    `publish` draws the pseudonyms and keeps the key apart from what is public.
    """)
    return


@app.cell
def _(history):
    renamed = tokumei.publish(history, history)
    renamed.public.to_native().head()
    return (renamed,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    An attacker who knows a twentieth of each customer's purchases looks for rows that are the
    same. The value is the share of customers named rightly; the baseline is that of a random
    guess.
    """)
    return


@app.cell
def _(history, renamed):
    knows_little = tokumei.Risk(threat=PartialRows(share=0.05), attack=ExactRow())
    found_by_rows = knows_little(history, renamed, seed=3)
    mo.hstack(
        [
            mo.stat(f"{found_by_rows.value:.0%}", label="customers found"),
            mo.stat(f"{found_by_rows.baseline:.0%}", label="by a random guess"),
        ],
        justify="start",
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Make customers alike

    `Equalize` puts customers into groups and gives all members of a group the same rows. Nothing
    but the pseudonym differs then, so whoever guesses within a group of four is right once in
    four.
    """)
    return


@app.cell
def _(history):
    size = 4
    alike = Equalize(groups="balanced", size=size)(history, seed=4)
    release = tokumei.publish(history, alike)
    return release, size


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Every attacker at once

    The audit tries every attack with several kinds of knowledge. Rates hold for the attacks that
    were tried. The bound holds for any attacker if pseudonyms, basket numbers and row order are
    random: it is counted in the release. The release is called safe only if the smallest group
    bounds every customer's chance by the limit, here one in four, and no attacker finds more than
    chance allows in the groups.
    """)
    return


@app.cell
def _(history, release, size):
    found = audit(history, release, max_risk=1 / size, seed=5)
    worst = [one.score for one in found.risks[:8]]
    pl.DataFrame(
        {
            "attacker": [score.name for score in worst],
            "customers found": [round(score.value, 2) for score in worst],
            "random guess": [round(score.baseline, 2) for score in worst],
            "bound for any attacker": [round(found.bound.value, 2)] * len(worst),
        }
    )
    return (found,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    What it cost is in the same value.
    """)
    return


@app.cell
def _(found):
    pl.DataFrame(
        {
            "score": [one.score.name for one in found.utilities],
            "value": [round(one.score.value, 2) for one in found.utilities],
            "better": [one.score.better for one in found.utilities],
        }
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The report

    One HTML file with everything above, figures, and the questions that the law asks. It holds no
    customer's id. `language="ja"` writes it in Japanese.
    """)
    return


@app.cell
def _(found):
    report = Path("audit.html")
    report.write_text(html(found, language="en"), encoding="utf-8")
    mo.md(f"Written to `{report}`. The same here:")
    return


@app.cell
def _(found):
    found
    return


if __name__ == "__main__":
    app.run()
