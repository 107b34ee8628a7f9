"""An opponent who holds a report, and looks in it for the one customer who is unlike the others."""

import base64
import html as escaping
import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache

import polars as pl
import pytest

from tokumei import History, generate, publish, read
from tokumei.audit.auditing import Audit, audit
from tokumei.audit.markdown import markdown
from tokumei.audit.page import html
from tokumei.history import ROW

NAME, ITEM = "Hyakumangoku-7731", "MADE-TO-ORDER-5527"
PIECES, PRICE, ROWS = 74_215, 4161.06, 1_373
FIRST = datetime(2009, 3, 17, 4, 44)
LINK = re.compile(r'href="data:([^;]+);base64,([^"]+)"')
DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.,#-])\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w])")
Report = Callable[[str], Audit]


def shop_with_one_giant() -> History:
    """Thirty customers of a shop, and one who ordered more than all of them."""
    rows = generate("shop", customers=30, seed=5).frame().drop(ROW)
    usual = rows["item"].value_counts(sort=True)["item"][0]
    giant = pl.DataFrame(
        {
            "person": [NAME] * ROWS,
            "item": [ITEM, *[usual] * (ROWS - 1)],
            "time": [FIRST + timedelta(hours=3 * number) for number in range(ROWS)],
            "price": [PRICE, *[1.25] * (ROWS - 1)],
            "quantity": [PIECES, *[3] * (ROWS - 1)],
            "basket": [f"G{number // 7}" for number in range(ROWS)],
        },
        schema=rows.schema,
    )
    return read(pl.concat([rows, giant]).sample(fraction=1, shuffle=True, seed=1))


def without_the_giant(shop: History) -> History:
    return shop.with_purchases(shop.frame().filter(pl.col("person") != NAME))


def with_a_giant_cut_to_size(shop: History) -> History:
    """The giant keeps thirty rows, with the amounts and the items of others."""
    rows = shop.frame()
    usual = rows.filter(pl.col("person") != NAME)
    giant = rows.filter(pl.col("person") == NAME).sort("time")[60:90]
    start = usual["time"].min()
    return shop.with_purchases(
        pl.concat([usual, giant.with_columns(time=pl.lit(start, rows.schema["time"]))])
    )


METHODS = {"left out": without_the_giant, "cut to size": with_a_giant_cut_to_size}


@pytest.fixture(scope="module")
def report() -> Report:
    shop = shop_with_one_giant()

    @cache
    def of(method: str) -> Audit:
        return audit(shop, publish(shop, METHODS[method](shop), secret=b"1"), seed=1)

    return of


def texts(found: Audit) -> Iterator[str]:
    """Everything in the report that is no picture: words, tables, data of figures, drawings."""
    page = html(found)
    yield DRAWING.sub(lambda drawing: words_in(drawing[0]), LINK.sub("", page))
    for kind, content in LINK.findall(page):
        if kind != "image/png":  # drawn from the SVG beside it
            text = base64.b64decode(content).decode()
            yield words_in(text) if "svg" in kind else text
    yield markdown(found)
    yield json.dumps(found.to_json())


def words_in(drawing: str) -> str:
    """What is written in a drawing, and what it says to who cannot see it; not its coordinates."""
    written = re.findall(r'>([^<>]+)<|aria-label="([^"]*)"', drawing)
    return escaping.unescape(" ; ".join(map("".join, written)))


def secrets(shop: History) -> dict[str, float]:
    """What an opponent would like to know of the giant."""
    own = shop.frame().filter(pl.col("person") == NAME)
    spent = (own["price"] * own["quantity"]).sum()
    return {
        "pieces of the order": float(own["quantity"].max()),  # type: ignore[arg-type]
        "largest price": float(own["price"].max()),  # type: ignore[arg-type]
        "rows": float(len(own)),
        "purchase dates": float(own["time"].dt.date().n_unique()),
        "baskets": float(own["basket"].n_unique()),
        "pieces": float(own["quantity"].sum()),
        "spend": float(spent),
    }


@pytest.mark.parametrize("method", METHODS)
def test_a_report_has_no_name_or_number_of_a_customer_whom_the_release_hides(
    report: Report, method: str
) -> None:
    found = report(method)
    wanted = secrets(found.original)
    for text in texts(found):
        assert NAME not in text
        assert ITEM not in text
        assert "2009" not in text
        numbers = {float(number.replace(",", "")) for number in NUMBER.findall(text)}
        for what, secret in wanted.items():
            near = [number for number in numbers if abs(number - secret) <= 1e-4 * secret]
            assert not near, f"{what}: {near}, in {text[:60]!r}"


def test_the_opponent_finds_what_is_there(report: Report) -> None:
    """The search itself works: a release that keeps the giant shows the order in its report."""
    shop = report("left out").original
    found = audit(shop, publish(shop, shop, secret=b"1"), seed=1)
    assert any(f"{PIECES:,}" in text for text in texts(found))
