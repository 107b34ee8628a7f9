"""The contest and the people of the server's tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient

from tokumei.contest.store.accounts import User

SQLITE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
"""For what stands above the store: it is the same on every database, and tests take time."""
ClientOf = Callable[[User | None], TestClient]
"""A browser of somebody who is logged in, or of nobody."""
TOML = """\
title = {{ en = "Petit PWSCUP", ja = "プチ PWSCUP" }}
rules = "simplified"
original = "data/T.csv"
{more}
[[phases]]
name = "anonymize"
starts = 2020-01-01T00:00:00+09:00
[[phases]]
name = "attack"
starts = 2120-01-01T00:00:00+09:00
[[phases]]
name = "closed"
starts = 2121-01-01T00:00:00+09:00
[quotas]
submissions = 3
guesses = 2
megabytes = 1
"""
ORIGINAL = "Alice,2018/9/7,pear\nBob,2018/9/2,pear\nBob,2018/9/10,grape\nDan,2018/9/2,grape\n"
VALID = b"p1,2018/9/7,pear\np2,2018/9/2,pear\nDEL,,\np3,2018/9/2,grape\n"
BROKEN = b"p1,2018/9/7,pear\n"


@dataclass(frozen=True)
class People:
    """Who is in the contest: an organizer, an observer, and two teams, ice and fire."""

    organizer: User
    observer: User
    captain: User
    member: User
    rival: User
