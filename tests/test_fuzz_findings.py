"""What fuzzing found, and what reading for it found: every input gives a value or our sentence.

The files in `fuzz_findings` are files of our own writers that libFuzzer damaged (`python -m fuzz`).
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from tokumei import read
from tokumei.errors import LONGEST_SENTENCE, SchemaError

ROOT = Path(__file__).parents[1]
FILES = sorted((Path(__file__).parent / "fuzz_findings").iterdir())
DEEP = 100_000
HUGE = "9" * 400


def parquet(**columns: object) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(columns).write_parquet(target)
    return target.getvalue()


def mechanism(**changed: object) -> bytes:
    plain = {"attributes": {"sex": ["m", "f"], "age": ["1", "2"]}, "rho": [0.1, 0.2]}
    return json.dumps(plain | {"allowed": [[0, 0], [1, 0], [1, 1]]} | changed).encode()


STRUCT = pl.Series([{"x": None}], dtype=pl.Struct({"x": pl.String}))
INLINE: dict[str, tuple[str, bytes]] = {
    "more columns than a sentence can name": ("csv", b"{a;b}," * 300 + b"\n1\n"),
    "a cell longer than a sentence": ("csv", b"customer,date\n1," + b"x" * 50_000),
    "a duration as a name": ("parquet", parquet(customer=[timedelta(1)])),
    "a duration as a time": ("parquet", parquet(customer=["a"], time=[timedelta(1)])),
    "a struct as a device": ("parquet", parquet(address=["60F81DC81B53"], device=STRUCT)),
    "bytes as an attribute": ("parquet", parquet(sex=[b"\xff"], licence=["car"])),
    "integers of 128 bits": ("parquet", parquet(sex=pl.Series([1], dtype=pl.Int128))),
    "a mechanism of lists in lists": ("pk-mechanism", b"[" * DEEP),
    "a number in a range": ("pk-mechanism", mechanism(attributes={"a": [2.5, 1], "b": ["1", "2"]})),
    "a huge number in a range": (
        "pk-mechanism",
        mechanism(attributes={"a": [int(HUGE), 1], "b": ["1", "2"]}),
    ),
    "a text as a range": ("pk-mechanism", mechanism(attributes={"a": "xyz", "b": ["1", "2"]})),
    "half of a character in a range": (
        "pk-mechanism",
        mechanism(attributes={"a": ["\ud800", "1"], "b": ["1", "2"]}),
    ),
    "half of a character among the allowed": (
        "pk-mechanism",
        mechanism(attributes={"a": ["x", "y"], "b": ["1", "\ud800"]}),
    ),
    "half of a character as bytes": (
        "pk-mechanism",
        b'{"attributes": {"a": ["x", "\xed\xa0\x80"]}, "rho": [0.1], "allowed": [[0]]}',
    ),
    "a domain of lists in lists": ("pk-space", b"a = " + b"[" * DEEP),
    "settings of lists in lists": ("settings", b"a = " + b"[" * DEEP),
    "a trial of lists in lists": ("trials", b"[" * DEEP),
    "a trial that is no text": ("trials", b"\xff\n"),
}


@pytest.fixture(scope="module")
def fuzz() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1])
        yield {name: import_module(f"fuzz.{name}") for name in ("readers", "seeds", "trying")}


@pytest.fixture
def attempt(fuzz: dict[str, ModuleType]) -> Callable[[str, bytes], BaseException | None]:
    def tried(reader: str, data: bytes) -> BaseException | None:
        found: BaseException | None = fuzz["trying"].attempt(fuzz["readers"].READERS[reader], data)
        return found

    return tried


@pytest.mark.parametrize("name", INLINE)
def test_an_input_made_by_hand_gives_a_sentence(name: str, attempt: Any) -> None:
    assert attempt(*INLINE[name]) is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_an_input_that_was_found_gives_a_sentence(path: Path, attempt: Any) -> None:
    reader, _, _ = path.name.partition(".")
    assert attempt(reader, path.read_bytes()) is None


def test_every_seed_is_read(fuzz: dict[str, ModuleType], attempt: Any) -> None:
    for name, reader in fuzz["readers"].READERS.items():
        for seed in reader.seeds():
            assert attempt(name, seed) is None, name


def test_the_fuzzer_notices_what_is_no_error_of_ours(fuzz: dict[str, ModuleType]) -> None:
    def fail(_data: bytes, _folder: Path) -> None:
        raise KeyError("x")

    broken = fuzz["trying"].Reader(fail, list)
    assert isinstance(fuzz["trying"].attempt(broken, b""), KeyError)


@pytest.mark.parametrize("value", [int(HUGE), -int(HUGE), float("1e400")])
def test_a_number_beyond_all_floats_is_no_number_of_a_story(
    value: float, fuzz: dict[str, ModuleType], attempt: Any
) -> None:
    (story,) = fuzz["seeds"].stories()
    lines = [json.loads(line) for line in story.splitlines()]
    chosen = next(line for line in lines if line["kind"] == "submission")
    chosen["total"] = value
    assert attempt("story", "\n".join(map(json.dumps, lines)).encode()) is None


def test_half_of_a_character_is_no_text_of_a_story(
    fuzz: dict[str, ModuleType], attempt: Any
) -> None:
    (story,) = fuzz["seeds"].stories()
    lines = [json.loads(line) for line in story.splitlines()]
    next(line for line in lines if line["kind"] == "team")["name"] = "\ud800"
    assert attempt("story", "\n".join(map(json.dumps, lines)).encode()) is None


def test_a_trial_under_a_list_of_words_is_refused(
    fuzz: dict[str, ModuleType], attempt: Any
) -> None:
    (trial,) = fuzz["seeds"].trials()
    assert attempt("trials", json.dumps(json.loads(trial) | {"words": []}).encode()) is None


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_backup_that_is_packed_otherwise_or_damaged_is_refused(
    method: int, fuzz: dict[str, ModuleType], tmp_path: Path
) -> None:
    (backup,) = fuzz["seeds"].backups()
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(backup)) as packed, zipfile.ZipFile(target, "w") as again:
        for name in packed.namelist():
            again.writestr(name, packed.read(name), method)
        first = again.infolist()[0]
        begin = first.header_offset + 30 + len(first.filename)
    data = bytearray(target.getvalue())
    if method == zipfile.ZIP_DEFLATED:
        data[begin : begin + 8] = b"\xff" * 8
    with pytest.raises(fuzz["readers"].TokumeiError, match=r"no backup of ours|not a whole ZIP"):
        fuzz["readers"].backup(bytes(data), tmp_path)


@pytest.mark.skipif(find_spec("atheris") is not None, reason="atheris is installed")
def test_fuzzing_that_does_not_start_is_no_success(tmp_path: Path) -> None:
    words = ["--reader", "cells", "--seconds", "1", "--folder", str(tmp_path)]
    command = [sys.executable, "-m", "fuzz", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cells: fuzzing did not start" in done.stderr


def test_a_sentence_is_short_and_steers_no_terminal() -> None:
    sentence = str(SchemaError("The column \x1b[31m\u202e" + "x" * 100_000 + " is missing."))
    assert len(sentence) <= LONGEST_SENTENCE + 10
    assert sentence.startswith("The column \N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}x")
    assert sentence.endswith("x is missing.")


def test_categories_are_read_as_the_texts_that_they_are(tmp_path: Path) -> None:
    texts = {
        "customer": ["a", "b"],
        "item": ["x", "y"],
        "price": ["1.5", "2"],
        "quantity": ["1", "2"],
    }
    rows = pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.Categorical))
    found = read(rows).frame()
    assert found["price"].to_list() == [1.5, 2.0]
    assert found["quantity"].to_list() == [1, 2]
