"""Mutated submissions, guesses and published files never cause a traceback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

COUNT = 80
SEED = 4


@pytest.fixture(scope="module")
def fuzzing() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2])
        yield import_module("bench.fuzzing")


@pytest.mark.parametrize(
    "year",
    [
        "pwscup2016",
        "pwscup2017",
        "pwscup2018",
        "simplified",
    ],
)
def test_every_mutant_gives_a_report_a_score_or_an_error_of_ours(fuzzing: Any, year: str) -> None:
    outcomes = list(fuzzing.fuzz(year, seed=SEED, numbers=range(COUNT)))
    failures = [outcome for outcome in outcomes if isinstance(outcome, fuzzing.Failure)]
    assert [f"number {failure.number}: {failure}" for failure in failures] == []
    # The mutants are near enough to valid files to get into the judge, and far enough to fail.
    counts = Counter(outcomes)
    assert min(counts["scores"], counts["report"]) >= COUNT // 20


def test_a_mutant_is_made_again_from_its_number(fuzzing: Any, tmp_path: Path) -> None:
    played = fuzzing.game("pwscup2017", tmp_path)
    made = [fuzzing.mutant(played, SEED, number) for number in range(20)]
    assert made == [fuzzing.mutant(played, SEED, number) for number in range(20)]
    assert len({str(one) for one in made}) > 15


@pytest.mark.parametrize("year", ["pwscup2016", "pwscup2017", "pwscup2018", "simplified"])
def test_what_is_mutated_is_valid(fuzzing: Any, tmp_path: Path, year: str) -> None:
    played = fuzzing.game(year, tmp_path)
    for target, files in played.targets.items():
        assert fuzzing.trial(played, fuzzing.Mutant(target, files), tmp_path) == "scores"
