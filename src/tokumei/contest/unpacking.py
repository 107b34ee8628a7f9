"""Submissions of several files come as one ZIP, which is unpacked as what it is: hostile.

Its names choose nothing, its sizes are not believed, and nothing but the expected files is read.
"""

from __future__ import annotations

import errno
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from zipfile import ZipFile, ZipInfo

from tokumei.errors import SubmissionError

END = 22
"""Bytes of the record that ends a ZIP; it tells how long the list of members is."""
END_MARK = b"PK\x05\x06"
LOCATOR = 20
LOCATOR_MARK = b"PK\x06\x07"
"""Stands before the end of a ZIP in the 64-bit form, which has other numbers elsewhere."""
LONGEST_LIST = 1 << 14
"""Bytes of the list of members: it is read as a whole before anything can be counted."""
MOST_MEMBERS = 20
DEEPEST = 2
"""Parts of a name: people pack a folder with the files in it."""
# The others unpack without a limit to what they write at once.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
CHUNK = 1 << 18
LONGEST_NAME = 60
BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError,
    OverflowError, RuntimeError, UnicodeError, ValueError, struct.error,
)  # fmt: skip


@contextmanager
def unpacked(archive: Path, names: Sequence[str], most_bytes: int) -> Iterator[Path]:
    """Give a temporary folder with the files of these names, and nothing else, of a ZIP."""
    with tempfile.TemporaryDirectory(prefix="tokumei-zip-") as place:
        # Reports name the submission, not a place that is different each time.
        folder = Path(place) / archive.name
        folder.mkdir()
        try:
            _refuse_long_lists(archive, names)
            with ZipFile(archive) as packed:
                _unpack(packed, folder, names, most_bytes)
        except SubmissionError:
            raise
        except BROKEN:
            raise _broken() from None
        except OSError as error:
            # A place before the beginning is the ZIP's fault, a full disk is ours.
            if error.errno != errno.EINVAL:
                raise
            raise _broken() from None
        yield folder


def refuse_packed(path: Path) -> None:
    """Refuse a file that is packed by gzip: a small one can hold more than fits into memory."""
    with path.open("rb") as file:
        if file.read(2) == b"\x1f\x8b":
            raise SubmissionError("A file must be sent as it is, not packed by gzip.")


def _refuse_long_lists(archive: Path, names: Sequence[str]) -> None:
    with archive.open("rb") as file:
        if file.read(2) != b"PK":
            raise SubmissionError(f"A submission must be a ZIP of {_listed(names)}.")
        size = file.seek(0, 2)
        file.seek(max(0, size - END - LOCATOR))
        end = file.read()
    # A comment after the end would let two readers find two ends.
    if len(end) < END or end[-END : -END + 4] != END_MARK or end[-2:] != b"\0\0":
        raise _broken()
    if end[:-END].startswith(LOCATOR_MARK):
        raise SubmissionError("The ZIP must not be in the 64-bit form; small files need none.")
    (length,) = struct.unpack("<L", end[-END + 12 : -END + 16])
    if length > LONGEST_LIST:
        raise _too_many(names)


def _unpack(packed: ZipFile, folder: Path, names: Sequence[str], most_bytes: int) -> None:
    members = packed.infolist()
    if len(members) > MOST_MEMBERS:
        raise _too_many(names)
    left = most_bytes
    for member in members:
        name = _expected(member, names)
        if name is None:
            continue
        if (folder / name).exists():
            raise SubmissionError(f"The ZIP has {name} twice.")
        left -= _write(packed, member, folder / name, left, most_bytes)
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        raise SubmissionError(f"The ZIP must have {_listed(names)}; {missing[0]} is missing.")


def _expected(member: ZipInfo, names: Sequence[str]) -> str | None:
    """Return the name of an expected file; none for folders and what a Mac adds."""
    given = member.filename
    path = PurePosixPath(given)
    if "\\" in given or path.is_absolute() or ".." in path.parts or ":" in given:
        raise SubmissionError(f"The ZIP has the name {_shown(given)}, which leads elsewhere.")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SubmissionError(f"The ZIP may only have files, but {_shown(given)} is a link.")
    if path.parts[:1] == ("__MACOSX",) or path.name == ".DS_Store":
        return None
    # Not `is_dir`, which fails on a name without letters.
    is_folder = given.endswith("/")
    if is_folder and len(path.parts) == 1:
        return None
    if len(path.parts) > DEEPEST or path.name not in names or is_folder:
        raise SubmissionError(
            f"The ZIP may only have {_listed(names)}, at most in one folder, not {_shown(given)}."
        )
    if member.flag_bits & ENCRYPTED:
        raise SubmissionError(f"The ZIP must not be encrypted, as {_shown(given)} is.")
    if member.compress_type not in METHODS:
        raise SubmissionError(f"The ZIP must be packed by deflate, as {_shown(given)} is not.")
    return path.name


def _write(packed: ZipFile, member: ZipInfo, target: Path, left: int, most_bytes: int) -> int:
    size = 0
    with packed.open(member) as source, target.open("xb") as file:
        # The size that the ZIP tells is one more thing that somebody wrote.
        while chunk := source.read(min(CHUNK, left - size + 1)):
            size += len(chunk)
            if size > left:
                raise SubmissionError(
                    f"A submission may have up to {most_bytes:,} bytes unpacked; this has more."
                )
            file.write(chunk)
    if size != member.file_size:
        raise _broken()
    refuse_packed(target)
    return size


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _shown(name: str) -> str:
    """Return a name without what could steer a terminal, and not longer than a line."""
    plain = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    return f"'{plain[:LONGEST_NAME]}…'" if len(plain) > LONGEST_NAME else f"'{plain}'"


def _too_many(names: Sequence[str]) -> SubmissionError:
    return SubmissionError(f"The ZIP may only have {_listed(names)}; it has much more.")


def _broken() -> SubmissionError:
    return SubmissionError("The ZIP is broken or not complete; pack it again.")
