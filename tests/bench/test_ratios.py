"""Nothing became slow: small works are compared with a peer in the same run, and with before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def measure(*names: str) -> dict[str, float]:
    """Measure in a process of its own, which has one core and one thread."""
    command = [sys.executable, "-m", "bench", "ratios", *(["--only", *names] if names else [])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def test_nothing_is_twice_as_slow_beside_its_peer() -> None:
    from bench.ratios import recorded, too_slow

    expected = recorded()
    measured = measure()
    assert measured.keys() == expected.keys(), "run python -m bench ratios --record"
    # A ratio that was disturbed is not so twice.
    if again := too_slow(measured, expected):
        measured |= measure(*again)
    slow = [f"{name}: {measured[name]}, was {expected[name]}"
            for name in too_slow(measured, expected)]  # fmt: skip
    assert not slow, f"ratios to the peer have halved: {'; '.join(slow)}"


def test_what_is_not_measured_again_stays_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bench import ratios

    record = tmp_path / "ratios.toml"
    record.write_text("bayes_steps = 1.0\nother = 2.0\n", encoding="utf-8")
    monkeypatch.setattr(ratios, "RECORDED", record)
    # These would hold for all tests that this process runs afterwards.
    monkeypatch.setattr(ratios, "one_core", lambda: None)
    monkeypatch.setattr(ratios.logging, "disable", lambda _level: None)
    ratios.main(["--only", "bayes_steps", "--record"])
    assert ratios.recorded()["other"] == 2.0
    assert ratios.recorded()["bayes_steps"] > 1.0


def test_half_of_the_recorded_ratio_is_the_limit() -> None:
    from bench.ratios import too_slow

    assert too_slow({"a": 5.0, "b": 4.9}, {"a": 10.0, "b": 10.0}) == ["b"]
