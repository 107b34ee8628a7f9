"""Outputs are whole or not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokumei.data.loading import load
from tokumei.data.writing import (
    check_new,
    is_parquet,
    whole_file,
    whole_folder,
    write_blocks,
    write_frame,
)
from tokumei.errors import ParameterError, ReadError, WriteError

ROWS = pl.DataFrame({"a": ["x", "y"], "b": ["1", None]})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_is_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table.{ending}"
    write_frame(ROWS, path)
    assert load(path).rows.equals(ROWS)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_blocks_make_one_table(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table.{ending}"
    write_blocks(iter([ROWS, ROWS, ROWS]), path)
    assert load(path).rows.equals(pl.concat([ROWS] * 3))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_failure_leaves_nothing_behind(
    tmp_path: Path, ending: str, error: type[BaseException]
) -> None:
    def blocks() -> Iterator[pl.DataFrame]:
        yield ROWS
        raise error

    with pytest.raises(error):
        write_blocks(blocks(), tmp_path / f"table.{ending}")
    assert not list(tmp_path.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with whole_file(path) as file:
        file.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"


def test_a_folder_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with whole_folder(path) as part:
        (part / "a").write_text("a")
        assert not path.exists()
    assert [file.name for file in path.iterdir()] == ["a"]


def test_a_failure_in_a_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    def write() -> None:
        with whole_folder(tmp_path / "out") as part:
            (part / "a").write_text("a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert not list(tmp_path.iterdir())


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("precious")
    for attempt in (lambda: write_frame(ROWS, path), lambda: check_new(path)):
        with pytest.raises(WriteError) as caught:
            attempt()
        assert str(caught.value) == f"{path} exists already; give another name or remove it."
    assert path.read_text() == "precious"


@pytest.mark.parametrize("below", ["a-file", "nowhere"])
def test_an_unwritable_place_is_named(tmp_path: Path, below: str) -> None:
    (tmp_path / "a-file").write_text("")
    path = tmp_path / below / "out.csv"
    reason = "Not a directory" if below == "a-file" else "No such file or directory"
    sentence = f"{path} cannot be written ({reason}); nothing was left behind."
    with pytest.raises(WriteError) as caught:
        write_frame(ROWS, path)
    assert str(caught.value) == sentence
    with pytest.raises(WriteError) as caught, whole_folder(path):
        pass
    assert str(caught.value) == sentence


def test_a_failure_inside_a_folder_names_the_folder_that_was_asked_for(tmp_path: Path) -> None:
    def write() -> None:
        with whole_folder(tmp_path / "out") as part:
            write_frame(ROWS, part / "missing" / "table.csv")

    with pytest.raises(WriteError) as caught:
        write()
    assert str(caught.value) == (
        f"{tmp_path}/out/missing/table.csv cannot be written (No such file or directory); "
        "nothing was left behind."
    )


def test_errors_in_reading_are_not_taken_for_errors_in_writing(tmp_path: Path) -> None:
    def copy() -> None:
        with whole_file(tmp_path / "out"):
            load(tmp_path / "nowhere.csv")

    with pytest.raises(ReadError, match="There is no file"):
        copy()


def test_the_ending_of_the_name_says_the_kind(tmp_path: Path) -> None:
    assert is_parquet(tmp_path / "a.parquet")
    assert not is_parquet(tmp_path / "a.csv")
    with pytest.raises(ParameterError) as caught:
        write_frame(ROWS, tmp_path / "a.xlsx")
    assert str(caught.value) == "The output must end in .csv or .parquet, not '.xlsx'."
    assert not list(tmp_path.iterdir())


texts = st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc"])).filter(str.strip)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(st.text("ab", min_size=1), texts), min_size=1))
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_any_text_survives_writing_and_reading(
    tmp_path: Path, rows: list[tuple[str, str | None]], ending: str
) -> None:
    table = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    path = tmp_path / f"table.{ending}"
    path.unlink(missing_ok=True)
    write_frame(table, path)
    assert load(path).rows.equals(table)
