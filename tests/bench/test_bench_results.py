"""What is slower, missed or not measured stands in the results, and no method is left out."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tokumei import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.field import report

    return report


def lines(report: ModuleType) -> list[object]:
    from bench.field.comparing import Comparison, Measured

    def line(peer: str, outcome: Measured | str, goal: float | None = None) -> object:
        return report.Line(Comparison("work", "data", peer, lambda: None, goal), outcome)

    return [
        line("fast", Measured(2.0, 1.0, "equal")),
        line("slow", Measured(1.0, 80.0, "equal"), 50),
        line("too near", Measured(1.0, 49.0, "equal"), 50),
        line("wrong", Measured(1.0, 99.0, "another", kept=False), 50),
        line("broken", "ImportError: none"),
    ]


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in text.splitlines()[2:]]


def test_what_is_slower_than_a_peer_is_listed(report: ModuleType) -> None:
    assert [row[2:6] for row in rows(report.slower(lines(report)))] == [["fast", "2", "1", "0.5x"]]


def test_a_target_is_met_by_the_ratio_and_by_the_result(report: ModuleType) -> None:
    told = {row[2]: row[5] for row in rows(report.targets(lines(report)))}
    assert told == {"slow": "yes", "too near": "**no**", "wrong": "**no**"}


def test_a_peer_that_fails_is_listed_with_its_reason(report: ModuleType) -> None:
    assert [row[2:] for row in rows(report.missing(lines(report)))] == [
        ["broken", "ImportError: none"]
    ]


def test_growth_takes_every_anonymizer_and_attack(report: ModuleType) -> None:
    from bench.growth import jobs

    wanted = {
        (family, name) for family in ("anonymizer", "attack") for name in registry.names(family)
    }
    assert wanted <= jobs(20).keys()


def test_exponents_are_those_of_powers(report: ModuleType) -> None:
    from bench.measuring import exponent

    assert exponent([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2)
