"""Damaged captures give an error or counted skips, never a wrong row."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

COUNT = 400
SEED = 7


@pytest.fixture(scope="module")
def fuzzing(layouts: Any) -> Any:
    return import_module("bench.ble_fuzzing")


def test_no_damaged_capture_gives_a_wrong_row(fuzzing: Any) -> None:
    outcomes: Counter[str] = Counter()
    for number, outcome in fuzzing.fuzz(SEED, range(COUNT)):
        assert isinstance(outcome, str), f"number {number}: {outcome!r}"
        outcomes[outcome] += 1
    # Neither everything is refused nor everything taken.
    assert all(outcomes[kind] > COUNT / 50 for kind in ("refused", "read, with skips", "read"))


def test_the_fuzzer_notices_a_row_that_was_never_sent(
    fuzzing: Any, layouts: Any, exchange: list, tmp_path: Path
) -> None:
    path = tmp_path / "capture"
    path.write_bytes(layouts.every_layout(exchange)["psd"])
    with pytest.raises(fuzzing.Broken, match="never sent"):
        fuzzing.trial(path, set())
