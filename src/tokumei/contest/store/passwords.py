"""Passwords by argon2id. Each call takes a while on purpose: make it in a thread pool."""

from __future__ import annotations

import unicodedata
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from tokumei.errors import ParameterError

SHORTEST, LONGEST = 10, 500
_hashes = PasswordHash((Argon2Hasher(),))


def hash_password(password: str) -> str:
    """Return what is stored of a new password."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise ParameterError(f"A password has {SHORTEST} to {LONGEST} characters.")
    return _hashes.hash(_spelled(password))


def verify_password(password: str, stored: str | None) -> bool:
    """Tell whether a password is the stored one; where there is no user it takes as long."""
    if len(password) > LONGEST:
        return False
    right = _hashes.verify(_spelled(password), stored or _of_nobody())
    return right and stored is not None


@cache
def _of_nobody() -> str:
    return _hashes.hash("a password that nobody has")


def _spelled(password: str) -> bytes:
    # Keyboards differ in how they spell the same letters.
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
