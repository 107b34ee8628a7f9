"""Uploaded files, stored by what they contain and never by a name that a user gave."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tokumei.errors import ReadError, SubmissionError

SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Blob:
    """A stored file."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Blobs:
    """A folder of files by their SHA-256; the same content is stored once."""

    folder: Path

    def add(self, chunks: Iterable[bytes], *, most: int) -> Blob:
        """Store a file; one that is too large is refused while it is read."""
        with self.begin(most=most) as arriving:
            for chunk in chunks:
                arriving.write(chunk)
            return arriving.finish()

    @contextmanager
    def begin(self, *, most: int) -> Iterator[Arriving]:
        """Take a file as it arrives; without `finish` nothing of it stays."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f".{secrets.token_hex(16)}.part"
        try:
            with part.open("xb") as file:
                yield Arriving(file, self, part, most)
        finally:
            with suppress(FileNotFoundError):
                part.unlink()

    def path(self, sha256: str) -> Path:
        """Return where a stored file is."""
        if not SHA256.fullmatch(sha256):
            raise ReadError("A stored file is named by 64 hexadecimal digits.")
        found = self.place(sha256)
        if not found.is_file():
            raise ReadError(f"There is no stored file {sha256[:12]}….")
        return found

    def place(self, sha256: str) -> Path:
        """Return where a file of that content belongs, whether it is there or not."""
        return self.folder / sha256[:2] / sha256


@dataclass
class Arriving:
    """A file that is being received, under a name that nobody else knows."""

    file: BinaryIO
    blobs: Blobs
    part: Path
    most: int
    size: int = 0
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def write(self, chunk: bytes) -> None:
        """Take the next piece, unless it makes the file too large."""
        self.size += len(chunk)
        if self.size > self.most:
            raise SubmissionError(f"A file may have up to {self.most:,} bytes; this has more.")
        self.digest.update(chunk)
        self.file.write(chunk)

    def finish(self) -> Blob:
        """Put the file to its place by what it contains."""
        if not self.size:
            raise SubmissionError("The file is empty.")
        self.file.flush()
        sha256 = self.digest.hexdigest()
        target = self.blobs.place(sha256)
        target.parent.mkdir(exist_ok=True)
        self.part.rename(target)
        return Blob(sha256, self.size)
