"""Servers and workers that are killed in the middle lose nothing and do nothing twice.

The big one is `python -m bench queue --jobs 10000 --kills 50`.
"""

from __future__ import annotations

from crashing import run


def test_every_job_has_one_result_however_often_processes_are_killed(url: str) -> None:
    run(url, wanted=300, kills=6, workers=3, limit=180, seed=1).check(300)
