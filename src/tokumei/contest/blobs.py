"""Uploaded files, stored by what they contain and never by a name that a user gave."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
        """Store a file as it arrives; one that is too large is refused while it is read."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f".{secrets.token_hex(16)}.part"
        digest, size = hashlib.sha256(), 0
        try:
            with part.open("xb") as file:
                for chunk in chunks:
                    size += len(chunk)
                    if size > most:
                        raise SubmissionError(
                            f"A file may have up to {most:,} bytes; this has more."
                        )
                    digest.update(chunk)
                    file.write(chunk)
            if not size:
                raise SubmissionError("The file is empty.")
            target = self._place(digest.hexdigest())
            target.parent.mkdir(exist_ok=True)
            part.rename(target)
        finally:
            with suppress(FileNotFoundError):
                part.unlink()
        return Blob(digest.hexdigest(), size)

    def path(self, sha256: str) -> Path:
        """Return where a stored file is."""
        if not SHA256.fullmatch(sha256):
            raise ReadError("A stored file is named by 64 hexadecimal digits.")
        found = self._place(sha256)
        if not found.is_file():
            raise ReadError(f"There is no stored file {sha256[:12]}….")
        return found

    def _place(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256
