"""Random numbers keyed by what they are for.

A draw is a pure function of (seed, stream, key), where the key is a row id or a customer. So the
order of rows, the number of partitions and the machine do not change a result, and two steps
with one seed never share their numbers.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

GUESSABLE = 1 << 60
"""Of a seed below this one says that it can be guessed: people choose small numbers and dates."""
UInts = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def new_seed() -> int:
    """Draw a seed that nobody guesses."""
    return 2 * GUESSABLE + secrets.randbits(61)


def derive(seed: int, stream: str) -> int:
    """Return a new seed for a part of a job."""
    return _digest(f"{seed}/{stream}") >> 1


def keys_of(names: Iterable[str]) -> UInts:
    """Return a stable 64-bit key for every name."""
    return np.array([_digest(name) for name in names], dtype=np.uint64)


def _mix(x: UInts) -> UInts:
    # The finalizer of SplitMix64 (Steele, Lea, Flood 2014); wrapping around is meant.
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def start_of(seed: int, stream: str) -> np.uint64:
    """Return what keys are mixed with, for compiled loops that draw by themselves."""
    return np.uint64(_digest(f"{seed}/{stream}"))


def bits(seed: int, stream: str, keys: npt.NDArray[np.int64] | UInts) -> UInts:
    """Return 64 random bits for every key."""
    start = start_of(seed, stream)
    return _mix(_mix(keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ start) + start)


def uniform(seed: int, stream: str, keys: npt.NDArray[np.int64] | UInts) -> Floats:
    """Return a number in [0, 1) for every key."""
    return _as_uniform(bits(seed, stream, keys))


def pair_bits(start: int, first: UInts, second: UInts) -> UInts:
    """Return 64 random bits for every pair of keys, as the compiled search of item sets draws."""
    mixed = _mix(first * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(start))
    return _mix(mixed + second)


def integers(
    seed: int, stream: str, keys: npt.NDArray[np.int64] | UInts, low: int, high: int
) -> npt.NDArray[np.int64]:
    """Return a whole number in low..high, both ends included, for every key."""
    return low + np.floor(uniform(seed, stream, keys) * (high - low + 1)).astype(np.int64)


def repeatable_secret(seed: int) -> bytes:
    """Return a secret for experiments whose numbers are printed; whoever knows the seed knows it.

    A release that leaves the house needs one that nobody can guess: `publish` draws it.
    """
    return f"repeatable/{seed}".encode()


def hidden_uniform(secret: bytes, stream: str, rows: npt.NDArray[np.int64]) -> Floats:
    """Return a number in [0, 1) for every row id; without the secret nobody can compute it.

    Unlike `uniform` this is a cryptographic function: numbers that are seen tell nothing of the
    others. One hash serves eight neighboring rows.
    """
    blocks, places = np.divmod(rows.astype(np.int64), 8)
    distinct, which = np.unique(blocks, return_inverse=True)
    key = _key_of(secret, stream)
    hashed = b"".join(
        hashlib.blake2b(block.tobytes(), key=key, digest_size=64).digest()
        for block in distinct.astype("<i8")
    )
    words = np.frombuffer(hashed, dtype="<u8").reshape(-1, 8)
    return _as_uniform(words[which, places])


def hidden_uniform_of(secret: bytes, stream: str, names: Iterable[str]) -> Floats:
    """Return the same for every name."""
    key = _key_of(secret, stream)
    hashed = b"".join(
        hashlib.blake2b(name.encode(), key=key, digest_size=8).digest() for name in names
    )
    return _as_uniform(np.frombuffer(hashed, dtype="<u8"))


def _key_of(secret: bytes, stream: str) -> bytes:
    return hashlib.blake2b(stream.encode() + b"\0" + secret, digest_size=32).digest()


def _as_uniform(words: UInts) -> Floats:
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
