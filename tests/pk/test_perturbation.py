from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.errors import ParameterError, ReadError, SchemaError, Unachievable
from tokumei.pk import (
    Correlation,
    Domain,
    crosstab,
    mechanism,
    perturb,
    perturbation,
    records_of,
    tabulate,
)
from tokumei.pk.files import (
    parse_forbidden,
    read_correlation,
    read_domain,
    read_mechanism,
    write_mechanism,
)
from tokumei.pk.perturbation import read_records, write_shuffled

DOMAIN = Domain.of({"sex": ["male", "female"], "decade": ["10", "20"]})
ROWS = pl.DataFrame(
    {
        "id": range(229),
        "sex": ["male"] * 61 + ["male"] * 45 + ["female"] * 73 + ["female"] * 50,
        "decade": [10] * 61 + [20] * 45 + [10] * 73 + [20] * 50,
    }
)


def test_the_papers_cross_tabulation_of_table_1() -> None:
    of = mechanism(DOMAIN, 0.5)
    counts = tabulate(records_of(ROWS, DOMAIN).cells, of)
    assert counts.tolist() == [61, 45, 73, 50]
    assert crosstab(counts, of).cast({"sex": pl.String}).row(2) == ("female", "10", 73)


def test_perturbing_keeps_other_columns_types_and_the_order() -> None:
    found = perturb(ROWS, mechanism(DOMAIN, 0.3), seed=1)
    assert found.schema == ROWS.schema
    assert found["id"].equals(ROWS["id"])
    assert not found["sex"].equals(ROWS["sex"])
    assert set(found["decade"]) == {10, 20}
    assert found.equals(perturb(ROWS, mechanism(DOMAIN, 0.3), seed=1))
    assert not found.equals(perturb(ROWS, mechanism(DOMAIN, 0.3), seed=2))


def test_only_allowed_combinations_come_out() -> None:
    correlation = Correlation.forbidding(DOMAIN, [{"sex": ["female"], "decade": ["20"]}])
    rows = ROWS.filter(~((pl.col("sex") == "female") & (pl.col("decade") == 20)))
    found = perturb(rows, mechanism(correlation, 0.1), seed=1)
    assert records_of(found, correlation).forbidden == 0
    assert found.select("sex", "decade").n_unique() == 3


def test_forbidden_records_are_counted_and_dropped_only_when_asked() -> None:
    correlation = Correlation.forbidding(DOMAIN, [{"sex": ["female"], "decade": ["20"]}])
    sentence = "forbids 50 of 229 records, the first in row 180; drop them"
    with pytest.raises(SchemaError, match=sentence):
        records_of(ROWS, correlation)
    found = records_of(ROWS, correlation, drop_forbidden=True)
    assert (len(found.cells), found.forbidden) == (179, 50)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_are_read_piece_by_piece_and_written_shuffled(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perturbation, "BATCH", 100)
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    if ending == "csv":
        ROWS.write_csv(source)
    else:
        ROWS.write_parquet(source)
    cells = read_records(source, DOMAIN).cells
    assert np.array_equal(cells, records_of(ROWS, DOMAIN).cells)
    of = mechanism(DOMAIN, 0.5)
    write_shuffled(cells, of, target, seed=3)
    again = read_records(target, DOMAIN).cells
    assert np.array_equal(tabulate(again, of), tabulate(cells, of))
    assert not np.array_equal(again, cells)


def test_a_wrong_value_in_a_later_piece_has_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perturbation, "BATCH", 100)
    wrong = ROWS.with_columns(sex=pl.when(pl.col("id") == 150).then(pl.lit("x")).otherwise("sex"))
    wrong.write_parquet(tmp_path / "in.parquet")
    with pytest.raises(SchemaError, match="row 151, column sex has 'x', which is outside"):
        read_records(tmp_path / "in.parquet", DOMAIN)


def test_files_that_cannot_be_read_are_explained(tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_bytes(b"no")
    with pytest.raises(ReadError, match="is a broken or truncated Parquet file"):
        read_records(tmp_path / "in.parquet", DOMAIN)
    ROWS.drop("sex").write_parquet(tmp_path / "part.parquet")
    with pytest.raises(SchemaError, match="needs a column sex; it has id, decade"):
        read_records(tmp_path / "part.parquet", DOMAIN)


def test_domains_and_correlations_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "domain.toml").write_text(
        '[attributes]\nsex = ["male", "female"]\ndecade = [10, 20]\n'
    )
    assert read_domain(tmp_path / "domain.toml") == DOMAIN
    (tmp_path / "allowed.csv").write_text("sex,decade\nmale,10\nmale,20\nfemale,10\n")
    (tmp_path / "rules.toml").write_text('[[forbidden]]\nsex = ["female"]\ndecade = [20]\n')
    for name in ("allowed.csv", "rules.toml"):
        assert read_correlation(tmp_path / name, DOMAIN).cells == 3


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("domain.toml", "[attributes\n", "cannot be read as TOML"),
        ("domain.toml", "x = 1\n", r"needs a table \[attributes\]"),
        ("domain.toml", '[attributes]\nsex = "male"\n', r"needs a table \[attributes\]"),
        ("rules.toml", "forbidden = 3\n", r"needs entries \[\[forbidden\]\]"),
    ],
)
def test_a_file_of_another_form_is_refused(
    tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    (tmp_path / name).write_text(text)
    reads = {"domain.toml": read_domain, "rules.toml": lambda path: read_correlation(path, DOMAIN)}
    with pytest.raises(ReadError, match=sentence):
        reads[name](tmp_path / name)


@pytest.mark.parametrize("correlated", [False, True])
def test_a_mechanism_comes_back_from_its_file(tmp_path: Path, correlated: bool) -> None:
    correlation = Correlation.forbidding(DOMAIN, [{"sex": ["female"], "decade": ["20"]}])
    of = mechanism(correlation if correlated else DOMAIN, (0.25, 0.75))
    write_mechanism(of, tmp_path / "m.json", k=2.0, records=100)
    again = read_mechanism(tmp_path / "m.json")
    assert type(again) is type(of)
    assert again.rho == of.rho
    assert np.array_equal(again.matrix(), of.matrix())


@pytest.mark.parametrize("text", ["", "[]", '{"attributes": {"a": ["0", "1"]}}', '{"rho": [0]}'])
def test_what_is_no_mechanism_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ReadError, match="is not a mechanism file"):
        read_mechanism(tmp_path / "m.json")


@pytest.mark.parametrize("text", ["age", "age=1 & ", "=3 & b=1"])
def test_a_forbidden_combination_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="looks like age=0-4"):
        parse_forbidden(text)


def test_attributes_by_themselves_are_perturbed_the_same_one_by_one_and_as_cells() -> None:
    of = mechanism(DOMAIN, (0.3, 0.6))
    codes = DOMAIN.encode(ROWS)
    keys = np.arange(len(ROWS), dtype=np.int64)
    as_cells = of.codes[:, of.draw(of.cell_of(codes), keys, seed=4)]
    assert of.redraw(codes, keys, seed=4).tolist() == as_cells.tolist()


def test_more_combinations_than_fit_into_a_number_are_perturbed_but_not_tabulated() -> None:
    many = [f"{number:05}" for number in range(70_000)]
    rows = pl.DataFrame(dict.fromkeys("abcd", many))
    domain = Domain.found_in(rows, list("abcd"))
    found = perturb(rows, mechanism(domain, 0.5), seed=1)
    kept = [(found[name] == rows[name]).mean() for name in "abcd"]
    assert kept == pytest.approx([0.5] * 4, abs=0.01)
    with pytest.raises(Unachievable, match="at most 9,223,372,036,854,775,807 combinations"):
        records_of(rows, domain)
    with pytest.raises(Unachievable, match="take fewer attributes"):
        crosstab(np.ones(1), mechanism(domain, 0.5))
