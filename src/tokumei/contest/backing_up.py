"""A whole contest in one ZIP file, and back: into SQLite or PostgreSQL, whichever it came from.

The database is copied table by table at one moment, while the server runs. Files come after it:
they are only ever added, so that all that the database names are there.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlalchemy import Connection, Table, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from tokumei.contest.blobs import SHA256
from tokumei.contest.creating import refuse_used
from tokumei.contest.opening import DATABASE_FILE, FILES, SEED, Contest, open_contest
from tokumei.contest.settings import FILE, Settings, read_settings
from tokumei.contest.store.database import Database, open_database, sqlite_url
from tokumei.contest.store.migrations import upgrade
from tokumei.contest.store.schema import metadata
from tokumei.contest.unpacking import BROKEN, METHODS
from tokumei.data.writing import check_new, whole_file, whole_folder
from tokumei.errors import ParameterError, ReadError, TokumeiError
from tokumei.progress import track

ROWS_AT_ONCE = 1_000
CHUNK = 1 << 20


def back_up(contest: Contest, output: Path) -> int:
    """Write everything of a contest into a new ZIP, also its secrets; return how many files."""
    if output.suffix != ".zip":
        raise ParameterError(f"A backup must end in .zip, not '{output.suffix}'.")
    check_new(output)
    with tempfile.TemporaryDirectory(prefix="tokumei-backup-") as place:
        copy = Path(place) / DATABASE_FILE
        _copy_to_file(contest.database, copy)
        files = {DATABASE_FILE: copy, **_files(contest)}
        with whole_file(output) as target:
            os.fchmod(target.fileno(), 0o600)
            with ZipFile(target, "w", ZIP_DEFLATED) as archive:
                for name, path in track(files.items(), len(files), "backing up"):
                    archive.write(path, name)
    return len(files)


def restore(archive: Path, folder: Path) -> int:
    """Make a contest's folder, and its database, from a backup; return how many files."""
    check_new(folder)
    with _opened(archive) as packed, whole_folder(folder) as part:
        part.chmod(0o700)
        members = _members(packed, archive)
        _check_room(members, archive, part)
        with _whole(archive):
            for name, member in track(members.items(), len(members), "restoring"):
                _unpack(packed, member, part / name)
        _check_settings(read_settings(part), part, archive)
        (part / SEED).parent.chmod(0o700)
        (part / SEED).chmod(0o600)
        with tempfile.TemporaryDirectory(prefix="tokumei-restore-") as place:
            # Only rows are taken over: whatever else is in the file stays behind.
            copy = (part / DATABASE_FILE).rename(Path(place) / DATABASE_FILE)
            with open_contest(part) as contest:
                refuse_used(contest.database)
                _copy_from_file(copy, contest.database, archive)
    return len(members)


def _files(contest: Contest) -> dict[str, Path]:
    """Return name → path of what a contest has besides its database."""
    settings = contest.settings
    _check_settings(settings, contest.folder, contest.folder)
    names = [FILE, str(SEED), *_data(settings)]
    found = {name: contest.folder / name for name in names}
    for path in sorted(contest.blobs.folder.glob("*/*")):
        if SHA256.fullmatch(path.name):
            found[f"{FILES}/{path.parent.name}/{path.name}"] = path
    return found


def _data(settings: Settings) -> list[str]:
    return [settings.original, *([settings.master] if settings.master else [])]


def _check_settings(settings: Settings, folder: Path, shown: Path) -> None:
    for name in _data(settings):
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
        if not inside or not (folder / name).is_file():
            raise ReadError(f"{shown}: the data {name} must be a file in the contest's folder.")


@contextmanager
def _whole(archive: Path) -> Iterator[None]:
    """Say what is wrong with a ZIP that cannot be read."""
    try:
        yield
    except TokumeiError:
        raise
    except (*BROKEN, OSError) as error:
        # A place before the beginning is the ZIP's fault, a full disk is not.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise ReadError(f"{archive} is not a whole ZIP file ({error}).") from error


def _opened(archive: Path) -> ZipFile:
    with _whole(archive):
        return ZipFile(archive)


def _members(packed: ZipFile, archive: Path) -> dict[str, ZipInfo]:
    """Return what to unpack by its name; a name that leads elsewhere refuses the archive."""
    members: dict[str, ZipInfo] = {}
    for member in packed.infolist():
        path = PurePosixPath(member.filename)
        plain = member.filename == str(path) and "\\" not in member.filename
        leads_out = path.is_absolute() or ".." in path.parts
        # SQLite would take such a file for a part of the new database.
        beside = member.filename.startswith(f"{DATABASE_FILE}-")
        packed_otherwise = member.compress_type not in METHODS
        if not plain or leads_out or beside or packed_otherwise or member.filename in members:
            raise ReadError(f"{archive} is no backup of ours: {member.filename!r} is among it.")
        members[member.filename] = member
    for name in (FILE, DATABASE_FILE, str(SEED)):
        if name not in members:
            raise ReadError(f"{archive} is no backup of a contest: it has no {name}.")
    return members


def _check_room(members: Mapping[str, ZipInfo], archive: Path, folder: Path) -> None:
    size = sum(member.file_size for member in members.values())
    free = shutil.disk_usage(folder).free
    if size > free:
        raise ReadError(f"{archive} needs {size:,} bytes unpacked; {free:,} are free.")


def _unpack(packed: ZipFile, member: ZipInfo, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with packed.open(member) as source, target.open("xb") as file:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            file.write(chunk)
    if member.filename.startswith(f"{FILES}/") and digest.hexdigest() != target.name:
        raise ReadError(f"The backup is damaged: {member.filename} has another content.")


def _copy_to_file(database: Database, file: Path) -> None:
    with open_database(sqlite_url(file)) as copy:
        upgrade(copy)
        with database.read() as source, copy.write() as target:
            _copy_tables(source, target)


def _copy_from_file(file: Path, database: Database, archive: Path) -> None:
    try:
        with open_database(sqlite_url(file)) as copy:
            upgrade(copy)
            with copy.read() as source, database.write() as target:
                _copy_tables(source, target)
                _continue_numbers(target)
    except SQLAlchemyError:
        raise ReadError(f"The database in {archive} is damaged.") from None


def _copy_tables(source: Connection, target: Connection) -> None:
    tables = metadata.sorted_tables
    # A new database has some rows already: the state of the contest, the first set.
    for table in reversed(tables):
        target.execute(delete(table))
    for table in track(tables, len(tables), "copying tables"):
        rows = source.execution_options(yield_per=ROWS_AT_ONCE).execute(select(table))
        for some in rows.mappings().partitions():
            target.execute(insert(table), [dict(row) for row in some])


def _continue_numbers(connection: Connection) -> None:
    """Let PostgreSQL number new rows after those that came with a number of their own."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        if _is_numbered(table):
            last = connection.execute(select(func.max(table.c.id))).scalar()
            sequence = func.pg_get_serial_sequence(table.name, "id")
            connection.execute(select(func.setval(sequence, last or 1, last is not None)))


def _is_numbered(table: Table) -> bool:
    return "id" in table.c and table.c.id.primary_key
