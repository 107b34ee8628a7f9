"""A contest as a whole: its folder, its settings, its database, its files and its secret."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tokumei.contest.blobs import Blobs
from tokumei.contest.evaluating import Evaluation
from tokumei.contest.settings import Settings, read_settings
from tokumei.contest.store.database import Database, open_database, sqlite_url
from tokumei.contest.store.migrations import upgrade
from tokumei.errors import ReadError

DATABASE_URL = "TOKUMEI_DATABASE_URL"
DATABASE_FILE = "contest.db"
FILES = "files"
SEED = Path("secret", "seed")


@dataclass(frozen=True)
class Contest:
    """Everything that a server or a worker needs of a contest."""

    folder: Path
    settings: Settings
    database: Database
    blobs: Blobs
    evaluation: Evaluation
    # Whoever knows it can undo the order and the pseudonyms of what was published.
    seed: int = field(repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()


def open_contest(folder: Path, *, database_url: str | None = None) -> Contest:
    """Open a contest and bring its tables up to date."""
    settings = read_settings(folder)
    seed = _read_seed(folder)
    url = database_url or os.environ.get(DATABASE_URL) or sqlite_url(folder / DATABASE_FILE)
    database = open_database(url)
    try:
        upgrade(database)
    except BaseException:
        database.close()
        raise
    evaluation = Evaluation(folder, settings)
    return Contest(folder, settings, database, Blobs(folder / FILES), evaluation, seed)


def new_seed(folder: Path) -> int:
    """Draw the secret of a new contest and keep it where only its owner can read."""
    place = folder / SEED
    place.parent.mkdir(mode=0o700)
    seed = secrets.randbits(63)
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{seed}\n")
    return seed


def _read_seed(folder: Path) -> int:
    place = folder / SEED
    try:
        return int(place.read_text(encoding="ascii"))
    except FileNotFoundError:
        raise ReadError(
            f"{place} is missing: without the contest's secret nothing can be published or marked."
        ) from None
    except ValueError:
        raise ReadError(f"{place} must hold one whole number.") from None
