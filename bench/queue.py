"""The queue under fire: real workers and a real server, killed by SIGKILL at random.

`python -m bench queue --jobs 10000 --kills 50` is the crash test of the platform on both databases,
with a disk that is waited for. At the end every job has one result, however often it was begun.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from bench.measuring import show
from tokumei.contest.store.database import open_database
from tokumei.contest.store.migrations import upgrade

TESTS = Path(__file__).parents[1] / "tests/contest"


def helper(name: str) -> ModuleType:
    """Load what the tests of the store use as well."""
    for folder in (str(TESTS), str(TESTS / "store")):
        if folder not in sys.path:
            sys.path.append(folder)
    return importlib.import_module(name)


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    """Give the URL of a new database of each kind."""
    postgres = helper("postgres")
    with tempfile.TemporaryDirectory() as folder:
        urls = {"SQLite": f"sqlite:///{folder}/contest.db"}
        try:
            with postgres.cluster(durable=True) as cluster:
                yield urls | {"PostgreSQL": cluster.url(cluster.create())}
        except postgres.NoPostgres as reason:
            print(f"{reason}: only SQLite is measured.")
            yield urls


def main(options: Sequence[str] = ()) -> None:
    given = argparse.ArgumentParser(prog="python -m bench queue")
    given.add_argument("--jobs", type=int, default=1_000)
    given.add_argument("--kills", type=int, default=10)
    given.add_argument("--workers", type=int, default=4)
    given.add_argument("--seed", type=int, default=0)
    wanted = given.parse_args(list(options))
    rows = []
    with databases() as urls:
        for name, url in urls.items():
            with open_database(url) as database:
                upgrade(database)
            done = helper("crashing").run(
                url,
                wanted=wanted.jobs,
                kills=wanted.kills,
                workers=wanted.workers,
                limit=60 + wanted.jobs / 5 + 5 * wanted.kills,
                seed=wanted.seed,
            )
            done.check(wanted.jobs)
            begun_again, lost = done.attempts - done.jobs, wanted.jobs - done.results
            double = done.events - done.results
            rows.append(
                (name, f"{done.jobs:,}", f"{done.kills}", f"{begun_again}", f"{lost}", f"{double}",
                 f"{done.longest_overdue:.2f}", f"{done.seconds:.0f}",
                 f"{done.jobs / done.seconds:.0f}")
            )  # fmt: skip
    heads = ("database", "jobs", "kills", "begun again", "lost", "double", "overdue s", "seconds",
             "jobs/s")  # fmt: skip
    show(f"A queue whose server and {wanted.workers} workers are killed", heads, rows)


if __name__ == "__main__":
    main()
