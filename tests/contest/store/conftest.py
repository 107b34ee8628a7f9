"""A clock for tests of the store; the databases are those of all contest tests."""

from __future__ import annotations

import pytest
from clocks import Clock

from tokumei.contest.store import clock


@pytest.fixture
def moving(monkeypatch: pytest.MonkeyPatch) -> Clock:
    still = Clock()
    monkeypatch.setattr(clock, "now", still)
    return still
