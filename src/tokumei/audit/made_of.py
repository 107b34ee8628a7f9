"""Whether labels were made of what is known of customers: it is in them, or they are its hash."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tokumei.audit.associations import LEVEL, Groups
from tokumei.audit.hashes import HASHES, LITTLE, SUM, WRITINGS, shared_start

Held = Sequence[tuple[str, ...]]
"""The labels of every customer: one pseudonym, or the numbers of all baskets."""
Texts = Sequence[tuple[str, Sequence[str]]]
"""What labels may be made of: its name, and the text of each customer."""

Way = Callable[[str], str]
Relation = Callable[[tuple[str, ...], str], bool]

FEWEST = 3
"""Of fewer labels nothing is cut that they share."""
LEAST = 2
"""Fewer labels with a text in them are not looked at."""
MOST_COMPARED = 160
"""Of how many customers texts are looked for in the labels of others."""
PROBED = 6
"""How many customers are tried first with every hash."""
LIKELY = 0.02
"""What is less probable among them is looked at for all customers."""
LENGTHS = (4, 8)
"""How many first or last signs of a label are taken as cut hashes too."""
SIGNS = {"hex": "0123456789abcdef", "decimal": "0123456789"}
NUMBER = "number"
"""No hash: what is left of a number in a text when it is divided."""
LEADING = 10
"""The first digits of a hash are so much more frequent at most, as not all numbers are there."""
COMMON: tuple[str, ...] = (
    *("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512"),
    *("blake2b", "blake2s", "blake2b, 8 bytes", "blake2b, 16 bytes"),
    *("uuid3, dns", "uuid5, dns", "uuid3, url", "uuid5, url", "uuid3, oid", "uuid5, oid"),
    *("md5, twice", "sha1, twice", "sha256, twice"),
    *("md5, UTF-16", "sha1, UTF-16", "sha256, UTF-16", "sha512, UTF-16"),
    *("crc32", "adler32", "fnv1a, 32 bits", "fnv1a, 64 bits", NUMBER),
)
"""The hashes that are tried with every text."""
FEW = ("md5", "sha1", "sha256", "sha512", "crc32", "uuid3, url", "uuid5, dns")
"""Those that are tried with two attributes together."""
DIFFERENCES = 12
"""How many differences must have a common divisor to show what a hash was divided by."""
LEAST_DIVISOR = 16
DIGITS = 40
"""Longer numbers are not taken for remainders."""


@dataclass(frozen=True)
class Made:
    """What labels are made of."""

    label: str
    count: int
    n: int
    chance: float
    """How many would be by chance."""
    hash: str = ""


def contains(labels: Held, texts: Texts, classes: Texts, groups: Groups) -> Made | None:
    """Return the text that labels have in them, or are part of; None if by chance.

    What is short, such as a year, is looked for at the beginning and the end of a label and of its
    parts as well, where chance puts it more seldom.
    """
    chosen = _some(groups)
    codes = groups.codes[chosen]
    rows, columns = np.nonzero(codes[:, np.newaxis] == codes[np.newaxis, :])
    weight = (1 / np.bincount(codes, minlength=1)[codes])[rows]
    trials: list[tuple[str, Sequence[str], Way, Relation]]
    trials = [(label, column, way, _inside) for label, column in texts for way in WAYS]
    for short in (_at_an_end, _anywhere):
        trials += [(label, column, str.lower, short) for label, column in classes]
    ours = [tuple(_bare(one) for one in labels[at]) for at in chosen]
    whole = [tuple(_with_parts(labels[at])) for at in chosen]
    beside = _next_in_group(codes)
    level = math.log(LEVEL) - math.log(max(1, len(trials)))
    best: tuple[float, Made] | None = None
    for label, column, way, relate in trials:
        theirs = [way(column[at]) for at in chosen]
        held = ours if relate is _inside else whole
        count = sum(map(relate, held, theirs))
        # The bound below needs e times the mean: one deal that gives as much rules it out.
        if count < LEAST or count <= sum(relate(held[at], theirs[to]) for at, to in beside):
            continue
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        found = np.array([relate(held[one], theirs[other]) for one, other in pairs])
        own = [bool(hit) for hit in found[rows == columns]]
        fits = np.bincount(rows, found * weight)
        # What fits everybody in a group tells nothing.
        own = [hit and share < 1 - 1e-9 for hit, share in zip(own, fits, strict=True)]
        mean = float(fits.sum())
        rarity = _log_chance(sum(own), mean)
        if relate is _inside:
            rarity = min(rarity, _by_text(held, theirs, own))
        if rarity <= level and (best is None or rarity < best[0]):
            best = rarity, Made(label, sum(own), len(chosen), mean)
    return best[1] if best else None


def _some(groups: Groups) -> npt.NDArray[np.int64]:
    """Return some customers, whole groups as far as possible."""
    by_group = np.argsort(groups.codes, kind="stable")
    return by_group[:MOST_COMPARED]


def _bare(text: str) -> str:
    return text.strip().lower().lstrip("0") or "0"


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdecimal())


def _coded(write: Callable[[bytes], bytes]) -> Callable[[str], str]:
    return lambda text: write(text.strip().encode()).decode().rstrip("=").lower()


WAYS: tuple[Way, ...] = (
    _bare,
    lambda text: _bare(text)[::-1] if text else "",
    lambda text: text.strip().encode().hex(),
    lambda text: f"{int(_digits(text)):x}" if 0 < len(_digits(text)) <= DIGITS else "",
    _coded(base64.b64encode),
    _coded(base64.b32encode),
)
"""How a text may appear in a label."""


def _inside(ours: tuple[str, ...], text: str) -> bool:
    return len(text) > 1 and any(text in one or (len(one) > 1 and one in text) for one in ours)


def _at_an_end(ours: tuple[str, ...], text: str) -> bool:
    return len(text) > 1 and any(one.startswith(text) or one.endswith(text) for one in ours)


def _anywhere(ours: tuple[str, ...], text: str) -> bool:
    return len(text) > 1 and any(text in one for one in ours)


def _with_parts(labels: Sequence[str]) -> Iterator[str]:
    for label in labels:
        yield label.lower()
        yield from (part for part in _split(label.lower()) if part != label.lower())


def _next_in_group(codes: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Deal out the labels in turn: each customer gets that of the next one in the group."""
    order = np.argsort(codes, kind="stable")
    start = np.searchsorted(codes[order], codes[order])
    size = np.bincount(codes)[codes[order]]
    following = order[start + (np.arange(len(codes)) - start + 1) % size]
    return list(zip(order.tolist(), following.tolist(), strict=True))


def _split(text: str) -> list[str]:
    return re.split(r"[^0-9a-z]+", text)


def _log_chance(count: int, mean: float) -> float:
    """Return the logarithm of a bound on the chance of so many, m^t / t!, for the mean m."""
    return count * math.log(max(mean, 1e-300)) - math.lgamma(count + 1) if count else 0.0


def _by_text(ours: Sequence[tuple[str, ...]], theirs: Sequence[str], own: Sequence[bool]) -> float:
    """Return how seldom random texts are in labels, if those of others never are."""
    held = [at for at, hit in enumerate(own) if hit]
    for at in held:
        if any(_inside(ours[at], text) for text in theirs if text != theirs[at]):
            return 0.0
    chances = [
        -min(len(theirs[at]), max(map(len, ours[at]))) * math.log(10)
        + math.log(len(ours[at]) * (1 + abs(len(theirs[at]) - max(map(len, ours[at])))))
        for at in held
    ]
    ways = math.lgamma(len(own) + 1) - math.lgamma(len(held) + 1)
    ways -= math.lgamma(len(own) - len(held) + 1)
    return ways + sum(min(0.0, chance) for chance in chances)


def hash_of(labels: Held, texts: Texts, pairs: Texts, groups: Groups) -> Made | None:
    """Return of which text labels are a hash, whole, cut or divided; None if by chance.

    Of the texts every hash is tried, of the pairs those that are in everybody's hands. Of either,
    some who look alike must differ in it.
    """
    trials = [(label, column, COMMON) for label, column in texts if _differs(column, groups)]
    trials += [(label, column, FEW) for label, column in pairs]
    forms = list(_forms(labels))
    tries = sum(len(names) for _, _, names in trials) * len(WRITINGS) * max(1, len(forms))
    some = np.unique(np.linspace(0, len(labels) - 1, PROBED).astype(int)).tolist()
    possible = [(way, form) for form in forms for way in _possible(form)]
    probes = [_Probe(way, [form[at] for at in some], form) for way, form in possible]
    probes = [probe for probe in probes if min(probe.needed.values()) <= len(some)]
    divided = _Divided.of(labels)
    best: tuple[float, Made] | None = None
    for label, column, names in trials:
        shown = [column[at] for at in some]
        for name in names:
            digests = [digest(name, text) for text in shown]
            if divided is not None and (divisor := divided.divisor(name, column, digests, some)):
                return Made(label, len(labels), len(labels), 0.0, f"{name}, mod {divisor}")
            for probe in () if name == NUMBER else probes:
                if not probe.likely(name, digests):
                    continue
                every = [digest(name, text) for text in column]
                count, mean = probe.counted(name, every)
                rarity = _log_chance(count, mean) + math.log(tries)
                if rarity <= math.log(LEVEL) and (best is None or rarity < best[0]):
                    best = rarity, Made(label, count, len(labels), mean, f"{name}, {probe.way}")
    return best[1] if best else None


def _differs(column: Sequence[str], groups: Groups) -> bool:
    """Tell whether some who look alike differ in a text."""
    held = set(zip(groups.codes.tolist(), column, strict=True))
    return len(held) > len(groups.sizes)


def digest(name: str, text: str) -> bytes:
    """Return a hash of a text, or the number in it; nothing of an empty one."""
    if name == NUMBER:
        digits = _digits(text)
        return int(digits).to_bytes(DIGITS) if 0 < len(digits) <= DIGITS else b""
    return HASHES[name](text.encode("utf-8", "replace")) if text else b""


Form = list[tuple[str, ...]]


def _forms(labels: Held) -> Iterator[Form]:
    """Return what of the labels may be a hash: all but what they share, a part, some signs."""
    plain: Form = [tuple(_compact(one) for one in held) for held in labels]
    every = [one for held in plain for one in held]
    few = len(set(every)) < FEWEST
    start = 0 if few else shared_start(every)
    end = 0 if few else shared_start([one[start:][::-1] for one in every])
    whole = [tuple(one[start : len(one) - end] for one in held) for held in plain]
    seen = [whole]
    for part in range(3):
        parts = [tuple(_part(one, part) for one in held) for held in labels]
        seen += [parts] if parts not in seen else []
    shortest = min(len(one) for held in whole for one in held)
    for length in LENGTHS:
        if length < shortest:
            seen.append([tuple(one[:length] for one in held) for held in whole])
            seen.append([tuple(one[-length:] for one in held) for held in whole])
    for form in seen:
        # An empty text would be the beginning of all.
        held = [tuple(one for one in part if len(one) > 1) for part in form]
        if any(held):
            yield held


def _compact(text: str) -> str:
    return text.strip().lower().replace("-", "").rstrip("=")


def _part(text: str, at: int) -> str:
    parts = [part for part in _split(text.lower()) if part]
    return parts[at] if at < len(parts) else ""


def _possible(form: Form) -> Iterator[str]:
    """Return how a hash may be written so that it can be a form of the labels."""
    used = {sign for held in form for one in held for sign in one}
    if used <= set(SIGNS["decimal"]):
        yield from ("hex", "decimal", "decimal, little-endian")
    elif used <= set(SIGNS["hex"]):
        yield "hex"  # nobody has 26 letters and uses six
    else:
        yield from ("base64", "base64url", "base32")


@dataclass
class _Probe:
    """Some labels, to be compared with hashes that are written in one way."""

    way: str
    shown: Form
    form: Form

    def __post_init__(self) -> None:
        self.write, self.signs = WRITINGS[self.way]
        self.needed = {name: self._needed(name) for name in ("", SUM)}

    def likely(self, name: str, digests: Sequence[bytes]) -> bool:
        """Tell whether so many of the labels shown are a hash that it is worth while to go on."""
        needed = self.needed[SUM if name == SUM else ""]
        if needed > len(self.shown):
            return False
        # Where none of the first is one, the others are not looked at.
        first = len(self.shown) - needed + 1
        count = self._count(digests[:first], self.shown[:first])
        return count > 0 and count + self._count(digests[first:], self.shown[first:]) >= needed

    def counted(self, name: str, digests: Sequence[bytes]) -> tuple[int, float]:
        """Count the labels with which a hash begins or ends, and the mean of that by chance.

        A label that several have, of customers who have the same hash, is one event.
        """
        different = dict.fromkeys(zip(digests, self.form, strict=True))
        given, form = [digest for digest, _ in different], [held for _, held in different]
        return self._count(given, form), self._mean(name, form)

    def _count(self, digests: Sequence[bytes], form: Form) -> int:
        count = 0
        for digest, held in zip(digests, form, strict=True):
            if digest and held:
                text = self.write(digest).lower().replace("-", "")
                count += text.startswith(held) or text.endswith(held)
        return count

    def _mean(self, name: str, form: Form) -> float:
        signs = float(LITTLE if name == SUM else self.signs)
        ways = LEADING + 1 if self.way.startswith("decimal") else 2
        return sum(min(1.0, sum(ways * signs ** -len(one) for one in held)) for held in form)

    def _needed(self, name: str) -> int:
        mean, counts = self._mean(name, self.shown), range(1, len(self.shown) + 1)
        likely = (count for count in counts if _log_chance(count, mean) <= math.log(LIKELY))
        return next(likely, len(self.shown) + 1)


@dataclass(frozen=True)
class _Divided:
    """Labels that may be remainders of a hash.

    What it was divided by divides all differences between hash and label, however it was chosen.
    """

    numbers: list[int]
    spread: int
    chosen: list[int]

    @classmethod
    def of(cls, labels: Held) -> _Divided | None:
        digits = [_digits(held[0]) for held in labels]
        if len(labels) <= DIFFERENCES or any(len(held) > 1 for held in labels):
            return None
        if not all(0 < len(one) <= DIGITS for one in digits):
            return None
        numbers = [int(one) for one in digits]
        chosen = np.unique(np.linspace(0, len(labels) - 1, DIFFERENCES + 1).astype(int)).tolist()
        return cls(numbers, max(max(numbers) - min(numbers), LEAST_DIVISOR), chosen)

    def divisor(
        self, name: str, column: Sequence[str], digests: list[bytes], some: list[int]
    ) -> int | None:
        """Return what a hash was divided by, if it was."""
        for order in ("big", "little"):
            shown = [int.from_bytes(digest, order) for digest in digests]
            if self._common(shown, some) <= self.spread:
                continue
            texts = [digest(name, column[at]) for at in self.chosen]
            found = self._common([int.from_bytes(text, order) for text in texts], self.chosen)
            if found > self.spread:
                return found
        return None

    def _common(self, shown: list[int], places: list[int]) -> int:
        away = [number - self.numbers[at] for number, at in zip(shown, places, strict=True)]
        return math.gcd(*(other - one for one, other in pairwise(away)))
