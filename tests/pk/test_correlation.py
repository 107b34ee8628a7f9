import polars as pl
import pytest

from tokumei.errors import ParameterError, SchemaError
from tokumei.pk import Correlation, Domain

LICENCES = Domain.of({"age": ["15", "17", "18"], "licence": ["none", "moped", "car"]})
ALLOWED = [("15", "none"), ("17", "none"), ("17", "moped"), ("18", "none"), ("18", "moped")]
ALLOWED += [("18", "car")]


def cells(correlation: Correlation) -> list[tuple[str, ...]]:
    return correlation.domain.decode(correlation.codes).cast(pl.String).rows()


def test_the_papers_example_of_licences_has_six_cells_in_lexicographic_order() -> None:
    table = pl.DataFrame(ALLOWED[::-1], schema=["age", "licence"], orient="row")
    correlation = Correlation.allowing(LICENCES, table)
    assert correlation.cells == 6
    assert cells(correlation) == ALLOWED
    assert correlation.branchings(0).tolist() == [3]
    assert correlation.branchings(1).tolist() == [1, 2, 3]


def test_table_rules_and_function_declare_the_same_correlation() -> None:
    rules = [
        {"age": ["15"], "licence": ["moped", "car"]},
        {"age": ["17"], "licence": ["car"]},
    ]
    by_age = {"15": ["none"], "17": ["none", "moped"], "18": ["none", "moped", "car"]}
    for correlation in (
        Correlation.forbidding(LICENCES, rules),
        Correlation.by_function(LICENCES, lambda prefix: by_age[prefix[0]]),
    ):
        assert cells(correlation) == ALLOWED


def test_attributes_that_a_table_does_not_name_are_free() -> None:
    domain = Domain.of({"sex": ["m", "f"], "age": ["15", "18"], "licence": ["none", "car"]})
    allowed = pl.DataFrame({"age": ["15", "18", "18"], "licence": ["none", "none", "car"]})
    found = cells(Correlation.allowing(domain, allowed))
    assert found == [
        (sex, age, licence)
        for sex in ("m", "f")
        for age, licence in (("15", "none"), ("18", "none"), ("18", "car"))
    ]


def test_a_rule_over_attributes_that_are_not_neighbors_holds_at_the_last() -> None:
    domain = Domain.of({"a": ["0", "1"], "b": ["0", "1"], "c": ["0", "1"]})
    correlation = Correlation.forbidding(domain, [{"a": ["1"], "c": ["1"]}])
    assert cells(correlation) == [
        (a, b, c) for a in "01" for b in "01" for c in "01" if not a == c == "1"
    ]


def test_records_find_their_cells_and_forbidden_ones_none() -> None:
    table = pl.DataFrame(ALLOWED, schema=["age", "licence"], orient="row")
    correlation = Correlation.allowing(LICENCES, table)
    rows = pl.DataFrame({"age": ["15", "18", "17", "15"], "licence": ["none", "car", "car", "car"]})
    assert correlation.cell_of(LICENCES.encode(rows)).tolist() == [0, 5, -1, -1]


def test_a_correlation_taken_from_the_data_warns_that_it_discloses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = pl.DataFrame(ALLOWED * 2, schema=["age", "licence"], orient="row")
    assert cells(Correlation.found_in(LICENCES, rows)) == ALLOWED
    assert "discloses which combinations occur" in caplog.text


def test_a_prefix_without_any_value_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"leaves no licence for age = '15'; every prefix"):
        Correlation.forbidding(LICENCES, [{"age": ["15"], "licence": ["none", "moped", "car"]}])
    table = pl.DataFrame({"age": ["15", "18"], "licence": ["none", "car"]})
    with pytest.raises(ParameterError, match=r"leaves no licence for age = '17'"):
        Correlation.allowing(LICENCES, table)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"age": ["15"]}, "at least 2 attributes, not age"),
        ({"age": ["15"], "licence": ["train"]}, "'train' is outside the range of licence"),
        ({"age": ["15"], "color": ["red"]}, "color is none of age, licence"),
    ],
)
def test_a_rule_that_names_the_unknown_is_refused(rule: dict, sentence: str) -> None:
    with pytest.raises((ParameterError, SchemaError), match=sentence):
        Correlation.forbidding(LICENCES, [rule])


def test_a_function_that_allows_a_strange_value_is_refused() -> None:
    with pytest.raises(ParameterError, match="'bus' after age = '15', which is outside"):
        Correlation.by_function(LICENCES, lambda prefix: ["none", "bus"])


def test_a_table_with_a_strange_column_or_value_is_refused() -> None:
    with pytest.raises(SchemaError, match="color is none of age, licence"):
        Correlation.allowing(LICENCES, pl.DataFrame({"age": ["15"], "color": ["red"]}))
    with pytest.raises(SchemaError, match="row 1, column licence has 'bus', which is outside"):
        Correlation.allowing(LICENCES, pl.DataFrame({"age": ["15"], "licence": ["bus"]}))


@pytest.mark.parametrize(
    ("ranges", "sentence"),
    [
        ({}, "at least one attribute"),
        ({"sex": ["m"]}, "at least 2 values to be perturbed; sex has 'm'"),
        ({"sex": []}, "sex has none"),
        ({"sex": ["m", "f", "m"]}, "names 'm' twice"),
    ],
)
def test_a_domain_that_cannot_be_perturbed_is_refused(ranges: dict, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Domain.of(ranges)


def test_a_value_outside_the_domain_is_an_error_with_row_and_column() -> None:
    rows = pl.DataFrame({"age": ["15", "16", "16"], "licence": ["none", None, "car"]})
    with pytest.raises(SchemaError, match=r"row 2 and 1 more row, column age has '16', which is"):
        LICENCES.encode(rows)
    with pytest.raises(SchemaError, match="row 2, column licence is empty"):
        LICENCES.encode(rows.with_columns(age=pl.lit("15")))
    with pytest.raises(SchemaError, match="needs a column age; it has licence"):
        LICENCES.encode(rows.drop("age"))


def test_the_domain_of_a_table_keeps_numbers_in_order() -> None:
    rows = pl.DataFrame({"age": [9, 10, 100, 9], "sex": ["m", "f", "f", "m"]})
    domain = Domain.found_in(rows, ["age", "sex"])
    assert domain.ranges == (("9", "10", "100"), ("f", "m"))
    assert domain.encode(rows).tolist() == [[0, 1, 2, 0], [1, 0, 0, 1]]
