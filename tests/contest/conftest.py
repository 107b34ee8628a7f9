"""Every test with a database runs on SQLite and on PostgreSQL, each in a fresh database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import Cluster, NoPostgres, cluster

from tokumei.contest.store.database import Database, open_database
from tokumei.contest.store.migrations import upgrade


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A running cluster, or a skip that says why there is none."""
    try:
        with cluster() as running:
            yield running
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'contest.db'}"
        return
    running: Cluster = request.getfixturevalue("postgres")
    name = running.create()
    yield running.url(name)
    running.drop(name)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "contest.db"
    with open_database(f"sqlite:///{file}") as made:
        upgrade(made)
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres: Cluster) -> str:
    name = postgres.create()
    with open_database(postgres.url(name)) as made:
        upgrade(made)
    return name


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with tables."""
    if request.param == "sqlite":
        file = tmp_path / "contest.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), file)
        yield f"sqlite:///{file}"
        return
    running: Cluster = request.getfixturevalue("postgres")
    name = running.create(request.getfixturevalue("postgres_template"))
    yield running.url(name)
    running.drop(name)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with open_database(url) as opened:
        yield opened
