r"""How many names are right by chance where pseudonyms look alike, and what that says of a rate.

In a group of g pseudonyms that look alike the truth is one of g! assignments, each as likely. A
guess names one person for each pseudonym; with c pseudonyms that name a person who is behind m of
them, the sets of j lines that can be right together number r_j, the coefficient of x^j in the
product over all persons of :math:`\sum_i C(c, i) C(m, i) i! x^i`. The mean of C(H, j) is then
r_j (g - j)! / g!, which determines the distribution of the number H of right names. Names of one
group are right together; the groups are independent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from tokumei.theory.intervals import paired

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Signature = tuple[int, tuple[tuple[int, int], ...]]
"""The size of a group, and for each person named in it: how often, and behind how many."""

TERMS = 60
"""Beyond it a mean of C(H, j), at most 1 / j!, is less than a float can add to the others."""
STEEPEST = 60.0
"""The logarithm of the odds beyond which all that can be right is right."""


@lru_cache(maxsize=4096)
def right_names(signature: Signature) -> Floats:
    """Return the distribution of right names in one group.

    >>> right_names((3, ((1, 1), (1, 1), (1, 1)))).round(3)  # one to one
    array([0.333, 0.5  , 0.   , 0.167])
    >>> right_names((3, ((3, 1),))).round(3)  # three times the same name
    array([0., 1.])
    """
    size, named = signature
    if all(behind == 1 for _, behind in named):
        means = _means_of_single(size, [often for often, _ in named])
    else:
        means = _means(size, named)
    most = len(means) - 1
    found = np.array(
        [
            math.fsum((-1) ** (j - h) * math.comb(j, h) * means[j] for j in range(h, most + 1))
            for h in range(most + 1)
        ]
    )
    chances: Floats = np.maximum(found, 0.0) / np.maximum(found, 0.0).sum()
    chances.flags.writeable = False
    return chances


def _means_of_single(size: int, often: Sequence[int]) -> list[float]:
    """Return the means of C(H, j) where every person is behind one pseudonym."""
    scaled = np.ones(1)
    for count in often:
        scaled = np.convolve(scaled, [1.0, count / size])[: TERMS + 1]
    falling = np.cumprod([1.0, *(1 - j / size for j in range(len(scaled) - 1))])
    return [float(mean) for mean in scaled / falling]


def _means(size: int, named: tuple[tuple[int, int], ...]) -> list[float]:
    """Return the means of C(H, j) in whole numbers: here they can be large."""
    sets = [1]
    for often, behind in named:
        own = [
            math.comb(often, i) * math.comb(behind, i) * math.factorial(i)
            for i in range(min(often, behind) + 1)
        ]
        product = [0] * (len(sets) + len(own) - 1)
        for i, left in enumerate(sets):
            for j, right in enumerate(own):
                product[i + j] += left * right
        sets = product
    return [count / math.perm(size, j) for j, count in enumerate(sets)]


@dataclass(frozen=True)
class GroupGuess:
    """One name for each pseudonym, seen through the groups of pseudonyms that look alike.

    Pseudonyms that are alone are no matter of chance: of `alone` such, `found` are named rightly.
    """

    alone: int
    found: float
    groups: tuple[tuple[Signature, int], ...]
    """The kinds of larger groups, and how many there are of each."""
    together: float
    """Names that are right in the larger groups; with ties their mean."""

    @classmethod
    def of(cls, group: Ints, owner: Ints, named: Ints, hit: Floats) -> GroupGuess:
        """Return the guess for pseudonyms with a group, an owner, a name (or -1) and a mark.

        The mark is 1 for a right name and 0 for a wrong one, or between where several names are as
        heavy; the name is one of these, drawn at random.
        """
        sizes = np.bincount(group)[group] if len(group) else group
        single = sizes == 1
        kinds: Counter[Signature] = Counter()
        order = np.argsort(group[~single], kind="stable")
        parts = [part[~single][order] for part in (group, owner, named)]
        starts = np.flatnonzero(np.diff(parts[0], prepend=-1))
        for owners, names in zip(*(np.split(part, starts[1:]) for part in parts[1:]), strict=True):
            if len(owners):
                kinds[_signature(owners, names)] += 1
        return cls(
            alone=int(single.sum()),
            found=math.fsum(hit[single]),
            groups=tuple(sorted(kinds.items())),
            together=math.fsum(hit[~single]),
        )

    @property
    def n(self) -> int:
        """The number of pseudonyms."""
        return self.alone + sum(size * count for (size, _), count in self.groups)

    @property
    def expected(self) -> float:
        """The names that are right by chance in the larger groups, on average."""
        return float(self._mean(0.0))

    def chance_of_more(self) -> float:
        """Return the probability of at least as many right names in the groups by chance."""
        right = math.floor(self.together + 1e-9)
        return float(min(1.0, self._distribution(0.0)[right:].sum()))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval of the rate, exact for names that are right together.

        In the groups it inverts the exact test of the family in which an assignment with h right
        names is theta^h times as likely as one with none: theta = 1 is chance. Pseudonyms that are
        alone have the interval of `paired`. Where there are both, each gets half of the error.
        """
        if not self.n:
            return 0.0, 1.0
        larger = self.n - self.alone
        level = confidence if not self.alone or not larger else (1 + confidence) / 2
        low, high = self._interval_in_groups(level) if larger else (0.0, 0.0)
        if self.alone:
            ends = paired(self.found / self.alone, self.alone, confidence=level)
            low, high = low + ends[0] * self.alone, high + ends[1] * self.alone
        return max(0.0, low / self.n), min(1.0, high / self.n)

    def _interval_in_groups(self, confidence: float) -> tuple[float, float]:
        error = (1 - confidence) / 2
        least, most = math.floor(self.together + 1e-9), math.ceil(self.together - 1e-9)

        def above(tilt: float) -> float:
            return float(self._distribution(tilt)[least:].sum()) - error

        def below(tilt: float) -> float:
            return float(self._distribution(tilt)[: most + 1].sum()) - error

        low, high = -STEEPEST, STEEPEST
        if above(low) < 0 < above(high):
            lower = self._mean(float(brentq(above, low, high, xtol=1e-6)))
        else:
            lower = float(least)
        if below(high) < 0 < below(low):
            upper = self._mean(float(brentq(below, low, high, xtol=1e-6)))
        else:
            upper = float(most)
        return min(lower, self.together), max(upper, self.together)

    @cached_property
    def _parts(self) -> list[tuple[Floats, Ints, int]]:
        """The logarithms of the chances in each kind of group, the right names, and how many."""
        found = []
        for signature, count in self.groups:
            chances = right_names(signature)
            right = np.flatnonzero(chances)
            found.append((np.log(chances[right]), right, count))
        return found

    def _mean(self, tilt: float) -> float:
        return math.fsum(
            count * float(_tilted(logs, right, tilt) @ right) for logs, right, count in self._parts
        )

    def _distribution(self, tilt: float) -> Floats:
        """Return the distribution of right names in all groups together."""
        most = sum(int(right[-1]) * count for _, right, count in self._parts)
        length = 1 << (most + 1).bit_length()
        product = np.ones(length // 2 + 1, dtype=np.complex128)
        for logs, right, count in self._parts:
            padded = np.zeros(length)
            padded[right] = _tilted(logs, right, tilt)
            product *= np.fft.rfft(padded) ** count
        found: Floats = np.maximum(np.fft.irfft(product, length)[: most + 1], 0.0)
        return found


def _tilted(logs: Floats, right: Ints, tilt: float) -> Floats:
    weights = logs + tilt * right
    weights = np.exp(weights - weights.max())
    result: Floats = weights / weights.sum()
    return result


def _signature(owners: Ints, names: Ints) -> Signature:
    behind = Counter(owners.tolist())
    often = Counter(name for name in names.tolist() if name in behind)
    return len(owners), tuple(sorted((count, behind[name]) for name, count in often.items()))
