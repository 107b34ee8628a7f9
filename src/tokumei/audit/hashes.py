"""Whether names are hashes of other names, by the ways that anybody would try first."""

from __future__ import annotations

import base64
import hashlib
import math
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tokumei.audit.orders import LEVEL

Hash = Callable[[bytes], bytes]
BLAKE_SIZES = (4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 32)
SPACES = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}


def _known(name: str) -> Hash:
    return lambda text: hashlib.new(name, text, usedforsecurity=False).digest()


def _blake(size: int) -> Hash:
    return lambda text: hashlib.blake2b(text, digest_size=size).digest()


def _uuid(make: Callable[[uuid.UUID, str], uuid.UUID], space: uuid.UUID) -> Hash:
    return lambda text: make(space, text.decode("utf-8", "replace")).bytes


def _fnv(bits: int, start: int, prime: int) -> Hash:
    def digest(text: bytes) -> bytes:
        number = start
        for byte in text:
            number = (number ^ byte) * prime % (1 << bits)
        return number.to_bytes(bits // 8)

    return digest


def _twice(name: str) -> Hash:
    """Hash the digits of a hash."""
    once = _known(name)
    return lambda text: once(once(text).hex().encode())


def _wide(name: str) -> Hash:
    """Hash two bytes for each sign, as some databases do."""
    once = _known(name)
    return lambda text: once(text.decode("utf-8", "replace").encode("utf-16-le"))


SUM, LITTLE = "adler32", 2
"""Of a sum over a short text few signs are random: as if there were two."""
HASHES: dict[str, Hash] = {
    **{
        name: _known(name)
        for name in (
            *("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s"),
            *("sha3_224", "sha3_256", "sha3_384", "sha3_512"),
        )
    },
    **{f"blake2b, {size} bytes": _blake(size) for size in BLAKE_SIZES},
    **{f"uuid3, {name}": _uuid(uuid.uuid3, space) for name, space in SPACES.items()},
    **{f"uuid5, {name}": _uuid(uuid.uuid5, space) for name, space in SPACES.items()},
    "crc32": lambda text: zlib.crc32(text).to_bytes(4),
    **{f"{name}, twice": _twice(name) for name in ("md5", "sha1", "sha256")},
    **{f"{name}, UTF-16": _wide(name) for name in ("md5", "sha1", "sha256", "sha512")},
    "fnv1a, 32 bits": _fnv(32, 0x811C9DC5, 0x01000193),
    "fnv1a, 64 bits": _fnv(64, 0xCBF29CE484222325, 0x100000001B3),
    SUM: lambda text: zlib.adler32(text).to_bytes(4),
}
WRITINGS: dict[str, tuple[Callable[[bytes], str], int]] = {
    "hex": (bytes.hex, 16),
    "base64": (lambda digest: base64.b64encode(digest).decode().rstrip("="), 26),
    "base64url": (lambda digest: base64.urlsafe_b64encode(digest).decode().rstrip("="), 26),
    "base32": (lambda digest: base64.b32encode(digest).decode().rstrip("="), 32),
    "decimal": (lambda digest: str(int.from_bytes(digest)), 10),
    "decimal, little-endian": (lambda digest: str(int.from_bytes(digest, "little")), 10),
}
"""How bytes become text, and how many signs are equally frequent at least, capitals or not."""
FORMS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: text.strip().lstrip("0") or "0",
    str.strip,
    str.lower,
    str.upper,
    lambda text: "".join(sign for sign in text if sign.isdigit()),
    lambda text: "".join(sign for sign in text if sign.isdigit()).lstrip("0"),
    lambda text: text[::-1],
    lambda text: f"{text}\n",
    lambda text: f"{text}.0",
)
"""What may have been hashed: a name as it is, cleaned, or as other tools write it."""
SALTED, SEPARATORS = 2, ("", "-", "_", ":", "|", "/", " ")
"""How many of the forms are also tried with a salt, and what may stand between."""


MOST_PROBED = 40
"""So many names, evenly spread, are tried with every hash; all of them with the one that is it."""


@dataclass(frozen=True)
class Hashed:
    """Which hash, how many names are one, and how many would be by chance."""

    name: str
    count: int
    chance: float


def hashed(names: list[str], others: list[str], salts: list[str] | None) -> Hashed | None:
    """Return the hash that most names are, whole or cut; None where chance would do as much.

    `salts` are what may have been hashed together with each of the others.
    """
    cores = _cores(names)
    probed = slice(None, None, -(-len(names) // MOST_PROBED))
    texts = list(_texts(others, salts))
    tries = len(HASHES) * len(texts) * len(WRITINGS)
    best: tuple[int, str, list[str], str] | None = None
    for name in HASHES:
        for forms in texts:
            for writing, count, chance in _tried(cores[probed], forms[probed], name):
                if _rare(count, chance, tries) and (best is None or count > best[0]):
                    best = count, name, forms, writing
    if best is None:
        return None
    _, name, forms, best_writing = best
    counts = {writing: (count, chance) for writing, count, chance in _tried(cores, forms, name)}
    return Hashed(f"{name}, {best_writing}", *counts[best_writing])


def _tried(cores: list[str], forms: list[str], name: str) -> Iterator[tuple[str, int, float]]:
    """Hash texts and count the names that are such a hash, by its writing."""
    digests = [HASHES[name](form.encode("utf-8", "replace")) for form in forms]
    for writing, (write, alphabet) in WRITINGS.items():
        written = [write(digest).lower().replace("-", "") for digest in digests]
        yield writing, *_matches(cores, written, LITTLE if name == SUM else alphabet)


def _cores(names: list[str]) -> list[str]:
    """Return names without what all of them begin or end with, and without hyphens."""
    plain = [name.strip().lower().replace("-", "").rstrip("=") for name in names]
    if len(set(plain)) < 3:
        return plain
    start = shared_start(plain)
    end = shared_start([name[start:][::-1] for name in plain])
    return [name[start : len(name) - end] for name in plain]


def shared_start(texts: list[str]) -> int:
    """Return the length of what all texts begin with."""
    first, last = min(texts), max(texts)
    differ = (at for at, signs in enumerate(zip(first, last, strict=False)) if len(set(signs)) > 1)
    return next(differ, min(len(first), len(last)))


def _texts(others: list[str], salts: list[str] | None) -> Iterator[list[str]]:
    seen = set()
    for form in FORMS:
        texts = [form(other) for other in others]
        variants = [texts]
        if salts is not None and form in FORMS[:SALTED]:
            variants += [
                [between.join(pair) for pair in zip(*order, strict=True)]
                for between in SEPARATORS
                for order in ((texts, salts), (salts, texts))
            ]
        for variant in variants:
            if tuple(variant) not in seen:
                seen.add(tuple(variant))
                yield variant


def _matches(cores: list[str], written: list[str], alphabet: int) -> tuple[int, float]:
    """Count the names that a hash has in it, and the mean of that count by chance."""
    count, chance = 0, 0.0
    for core, text in zip(cores, written, strict=True):
        short, long = (core, text) if len(core) <= len(text) else (text, core)
        count += bool(short) and short in long
        chance += min(1.0, (len(long) - len(short) + 1) * float(alphabet) ** -len(short))
    return count, chance


def _rare(count: int, chance: float, tries: int) -> bool:
    """Tell whether so many matches are rare, by the bound m^t / t! on t events of mean m."""
    rarity = count * math.log(max(chance, 1e-300)) - math.lgamma(count + 1)
    return count > 0 and rarity + math.log(tries) <= math.log(LEVEL)
