"""Random numbers keyed by what they are for.

A draw is a pure function of (seed, stream, key), where the key is a row id or a customer. So the
order of rows, the number of partitions and the machine do not change a result, and two steps
with one seed never share their numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

UInts = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


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
    return (bits(seed, stream, keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def pair_bits(start: int, first: UInts, second: UInts) -> UInts:
    """Return 64 random bits for every pair of keys, as the compiled search of item sets draws."""
    mixed = _mix(first * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(start))
    return _mix(mixed + second)


def integers(
    seed: int, stream: str, keys: npt.NDArray[np.int64] | UInts, low: int, high: int
) -> npt.NDArray[np.int64]:
    """Return a whole number in low..high, both ends included, for every key."""
    return low + np.floor(uniform(seed, stream, keys) * (high - low + 1)).astype(np.int64)
