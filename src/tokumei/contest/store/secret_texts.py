"""Secrets that are handed out once and kept as a hash only."""

from __future__ import annotations

import hashlib
import secrets


def new_secret() -> str:
    """Return 256 random bits as a text that fits into a link."""
    return secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """Return what is stored; random secrets need no slow hash, as passwords do."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
