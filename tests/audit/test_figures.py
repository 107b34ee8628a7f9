"""Every figure has its data, draws them, and names nobody."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import polars as pl
import pytest

from tokumei import History, Key, Release, read
from tokumei.audit import figure_data
from tokumei.audit.auditing import Audit
from tokumei.audit.figure import FEW, Figure, Missing, lines
from tokumei.audit.figure_risk import COLORS
from tokumei.audit.figures import DRAWN, figures, topics
from tokumei.audit.pictures import drawing, smaller
from tokumei.audit.wording import percent
from tokumei.cells import intervals
from tokumei.history import ROW
from tokumei.itemsets.matrix import item_sets
from tokumei.metrics.question import Case
from tokumei.registry import names
from tokumei.tables import table
from tokumei.words import Language, translate

METHODS = ("pseudonyms", "yamaoka", "rows", "generalized")
Audited = Callable[[str], Audit]


def drawn(made: list[Figure | Missing]) -> dict[str, Figure]:
    return {part.name: part for part in made if isinstance(part, Figure)}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("method", METHODS)
def test_every_figure_is_drawn(audited: Audited, method: str, language: Language) -> None:
    found = drawn(figures(audited(method), partial(translate, language=language)))
    assert list(found) == list(DRAWN)
    for figure in found.values():
        assert figure.data.height
        assert figure.title
        assert figure.text
        assert drawing(figure).startswith("<svg")


@pytest.mark.parametrize("method", METHODS)
def test_no_figure_names_a_customer(audited: Audited, method: str) -> None:
    audit = audited(method)
    secrets = {*audit.original.persons(), *audit.release.public.persons()}
    for figure in drawn(figures(audit, str)).values():
        texts = figure.data.select(pl.selectors.string()).unpivot()["value"].to_list()
        assert not secrets & set(texts)
        assert "person" not in figure.data.columns
        assert "kundin" not in figure.chart.to_json()


def test_customers_cannot_be_followed_through_the_rfm_figure(audited: Audited) -> None:
    """The order of the rows would be the key, if it were that of the customers."""
    data = drawn(figures(audited("pseudonyms"), str))["rfm"].data
    for part in data.partition_by("of"):
        assert part.sort("R", "F").equals(part)
    assert data.filter(of="release")["customers"].sum() == 30
    assert data.filter(of="original")["customers"].min() >= FEW


def test_the_numbers_of_groups(audited: Audited) -> None:
    alone = drawn(figures(audited("pseudonyms"), str))["group-sizes"]
    assert alone.data.filter(of="release", size="1")["share"].to_list() == [1.0]
    alike = drawn(figures(audited("rows"), str))["group-sizes"]
    assert alike.data.filter(of="release", size="1")["customers"].to_list() == [0]
    assert alike.title == "Every customer shares all rows with at least 3 others"
    assert alike.data.filter(of="release")["customers"].sum() == 30


def test_the_nearest_customer_is_found_by_comparing_all(audited: Audited) -> None:
    audit = audited("pseudonyms")
    matrix = item_sets(audit.original).matrix.toarray()
    common = matrix @ matrix.T
    sizes = matrix.sum(axis=1)
    jaccard = common / (sizes[:, None] + sizes[None, :] - common)
    for own in range(len(jaccard)):
        jaccard[own, own] = 0
    data = drawn(figures(audit, str))["similarity"].data.filter(of="original")
    for low, high, count in data.select("from", "to", "customers").iter_rows():
        nearest = jaccard.max(axis=1)
        inside = (nearest >= low) & ((nearest < high) | (high == 1))
        assert count == (inside.sum() if inside.sum() >= FEW else 0)


def test_changed_cells_are_told_apart(audited: Audited) -> None:
    same = drawn(figures(audited("yamaoka"), str))["cells-changed"].data
    assert same["share"].sum() == 0
    assert "<b onclick=steal()>note" in same["what"].to_list()
    data = drawn(figures(audited("generalized"), str))["cells-changed"].data
    assert data.filter(change="generalized")["share"].sum() > 0
    audit = audited("generalized")
    kept = audit.release.key.rows.collect("polars").to_native()["origin"].drop_nulls()
    share = round(1 - len(kept) / audit.original.rows, 3)
    assert data.filter(change="deleted")["share"].item() == share


def test_suppressed_and_other_values_are_counted(audited: Audited) -> None:
    audit = audited("pseudonyms")
    rows = audit.release.public.frame().sort(ROW)
    half = pl.Series([number < 100 for number in range(len(rows))])
    wide = intervals(rows["price"] - 1, rows["price"] + 1).set(half, None)
    changed = rows.with_columns(wide.alias("price"), pl.col("quantity") + 1)
    release = replace(audit.release, public=audit.release.public.with_purchases(changed))
    other = replace(audit, case=replace(audit.case, release=release))
    data = drawn(figures(other, str))["cells-changed"].data
    found = {(what, change): share for what, change, share in data.iter_rows()}
    name = audit.original.source.name
    assert found[name("price"), "suppressed"] == round(100 / len(rows), 3)
    assert found[name("price"), "generalized"] == round(1 - 100 / len(rows), 3)
    assert found[name("quantity"), "another value"] == 1
    assert found[name("item"), "another value"] == 0


def test_popularity_counts_purchases_and_names_no_item(audited: Audited) -> None:
    data = drawn(figures(audited("yamaoka"), str))["item-popularity"].data
    assert data["original"].equals(data["release"].alias("original"))
    assert 0 < data["items"].sum() <= audited("yamaoka").original.frame()["item"].n_unique()
    assert data.columns == ["original", "release", "items"]


def bought(*rows: tuple[str, str, int]) -> History:
    """Customers, items, and how often they bought them."""
    each = [(person, item) for person, item, times in rows for _ in range(times)]
    return read(pl.DataFrame(each, schema=["customer", "item"], orient="row"))


def test_popularity_leaves_out_what_few_bought_or_one_for_the_most_part() -> None:
    many = [(name, "tea", 2) for name in "abcdef"]
    few = [(name, "coffee", 4) for name in "abcd"]
    mostly = [("a", "rice", 70), *((name, "rice", 1) for name in "bcdef")]
    history = bought(*many, *few, *mostly)
    counts = history.frame().group_by("item").agg(rows=pl.len().cast(pl.Float64))
    items = figure_data._rounded(counts.with_columns(rows_now=pl.col("rows")))
    assert figure_data._dots(items, history).rows() == [(12.0, 12.0, 1)]


def test_a_shop_with_many_items_is_drawn_with_fewer_dots() -> None:
    counts = pl.int_range(1, 10_000, eager=True)
    items = pl.DataFrame({"rows": counts % 97 * 31.0, "rows_now": counts % 89 * 17.0})
    assert len(figure_data._rounded(items).unique(figure_data.PLACES)) <= figure_data.MOST_DOTS


def test_losses_lie_between_the_original_and_the_worst(audited: Audited) -> None:
    data = drawn(figures(audited("yamaoka"), str))["utility"].data
    assert data["loss"].is_between(0, 1).all()
    assert data["loss"].is_sorted()
    assert dict(data.select("metric", "loss").iter_rows())["cells-changed"] == 0


def test_what_the_data_do_not_give_is_said(audited: Audited) -> None:
    audit = audited("pseudonyms")

    def bare(history: History) -> History:
        return history.with_purchases(history.frame().select(ROW, "person", "price"))

    unknown = Key(audit.release.key.pseudonyms, table(pl.DataFrame({"row": [], "origin": []})))
    made = figures(
        replace(
            audit,
            case=Case(bare(audit.original), Release(bare(audit.release.public), unknown)),
            utilities=(),
        ),
        str,
    )
    missing = {part.name: part.reason for part in made if isinstance(part, Missing)}
    assert set(missing) == {"similarity", "rfm", "item-popularity", "cells-changed", "utility"}
    assert "column for item" in missing["similarity"]
    assert "which row came from which" in missing["cells-changed"]
    assert set(missing) <= set(topics(str))


def test_the_bound_is_drawn_where_there_is_one(audited: Audited) -> None:
    with_bound = drawn(figures(audited("rows"), str))["risk-by-attacker"]
    assert "Dashed line" in with_bound.text
    assert "bound" in with_bound.chart.to_json()
    without = drawn(figures(audited("yamaoka"), str))["risk-by-attacker"]
    assert "Dashed line" not in without.text


def test_every_attack_has_a_color_of_its_own() -> None:
    ours = set(names("attack")) - {"random"}
    assert ours <= set(COLORS)
    assert len(set(COLORS.values())) == len(COLORS)


def test_lines_are_broken_between_words_and_in_japanese_anywhere() -> None:
    assert lines("one two three", 7) == ["one two", "three"]
    assert lines("匿名加工データ", 8) == ["匿名加工", "データ"]
    assert lines("unbreakable", 4) == ["unbreakable"]


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "100.0%"), (0.25, "25.0%"), (0.0025, "0.25%"), (0.0, "0.0%")]
)
def test_percentages(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_png_that_is_packed_again_is_the_same_picture(audited: Audited) -> None:
    import io
    import zlib

    import vl_convert

    figure = drawn(figures(audited("yamaoka"), str))["utility"]
    buffer = io.StringIO()
    figure.chart.save(buffer, format="svg")
    png = vl_convert.svg_to_png(buffer.getvalue(), scale=1)
    packed = smaller(png)
    assert len(packed) < len(png)

    def pixels(file: bytes) -> bytes:
        at, data = 8, b""
        while at < len(file):
            length = int.from_bytes(file[at : at + 4])
            if file[at + 4 : at + 8] == b"IDAT":
                data += file[at + 8 : at + 8 + length]
            at += length + 12
        return zlib.decompress(data)

    assert pixels(packed) == pixels(png)
