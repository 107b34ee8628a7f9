"""What happened to the rows between the original and the release, learned from both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.attacks.nearest import BLOCK
from tokumei.attacks.row_coding import UNTOLD, Floats, Ints, Known, Released
from tokumei.attacks.row_kernels import REACH, Noise, score_all, tally_all

ROUNDS = 5
"""How often customers are named; after each time but the last, the noise is learned from them."""
GROWTH = 1.35
"""Each class of differences is about so much wider than the one before."""
TRUST = 20.0
"""As many rows as this must speak for a difference to be believed half."""
LEAST = 0.01
"""No share of rows, invented or lost, is believed to be smaller."""
AT_FIRST = 50.0
"""Before anything is learned, no difference counts more than this."""


def _classes() -> Ints:
    """Return the class of each difference from -REACH to REACH; the wider, the larger."""
    ends = [0]
    while ends[-1] < REACH:
        ends.append(max(ends[-1] + 1, round(ends[-1] * GROWTH)))
    size = np.searchsorted(ends, np.arange(REACH + 1))
    largest = size[-1]
    return np.concatenate([largest - size[:0:-1], largest + size])


CLASSES = _classes()
COUNT = int(CLASSES[-1]) + 1
WIDTHS = np.bincount(CLASSES).astype(np.float64)


@dataclass(frozen=True, eq=False)
class RowLikelihood:
    """How likely it is that rows of a pseudonym came from rows of a person."""

    released: Released
    known: Known
    noise: Noise

    @property
    def sizes(self) -> Ints:
        """The number of rows of each pseudonym."""
        return np.diff(self.released.first)

    def scores(self, block: slice) -> tuple[Floats, Ints]:
        """Return the log-likelihood ratio of some pseudonyms and all persons, and the offsets."""
        lines = range(len(self.sizes))[block]
        shape = len(lines), len(self.known.counts)
        scores, offsets = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        score_all(lines.start, self.released, self.known, self.noise, scores, offsets)
        return scores, offsets

    def similarity(self, block: slice) -> Floats:
        """Return the log-likelihood ratio by row, above that of the least likely person."""
        scores, _ = self.scores(block)
        scores /= self.sizes[block][:, np.newaxis] + self.known.counts
        result: Floats = scores - scores.min(axis=1, keepdims=True, initial=0)
        return result

    def name(self) -> tuple[Ints, Ints]:
        """Return for each pseudonym the person if they are each other's best, or -1; the offset."""
        best = np.full(len(self.sizes), -1, dtype=np.int64)
        moved = np.zeros(len(best), dtype=np.int64)
        highest = np.full(len(self.known.counts), -np.inf)
        theirs = np.full(len(highest), -1, dtype=np.int64)
        for start in range(0, len(best), BLOCK):
            scores, offsets = self.scores(slice(start, start + BLOCK))
            lines, columns = np.arange(len(scores)), np.arange(len(highest))
            choice = scores.argmax(axis=1)
            best[start : start + BLOCK] = choice
            moved[start : start + BLOCK] = offsets[lines, choice]
            top = scores.argmax(axis=0)
            better = scores[top, columns] > highest
            theirs[better] = start + top[better]
            highest[better] = scores[top, columns][better]
        mutual = theirs[best] == np.arange(len(best))
        return np.where(mutual, best, -1), moved


def learn(released: Released, known: Known) -> RowLikelihood:
    """Learn the noise twice, by row and with an offset by customer; return what agrees better.

    That is the reading under which more pseudonyms and persons are each other's best. Likelihoods
    do not tell: with an offset to choose for every pair, wrong pairs become likelier, too.
    """
    readings = [_learn(released, known, span) for span in sorted({0, _span(released, known)})]
    return max(readings, key=lambda reading: (reading.name()[0] >= 0).sum())


def _span(released: Released, known: Known) -> int:
    """Return the largest number of days between a released and a known time."""
    times, others = released.low[:, 0], known.cells[:, 0]
    times = times[(times != UNTOLD) & (times == released.high[:, 0])]
    others = others[others != UNTOLD]
    if not len(times) or not len(others):
        return 0
    return int(min(max(times.max() - others.min(), others.max() - times.min(), 0), REACH))


def _learn(released: Released, known: Known, span: int) -> RowLikelihood:
    """Name customers, learn from them what became of their rows, and name again."""
    nobody = np.full(len(released.first) - 1, -1, dtype=np.int64)
    even = np.full(2 * span + 1, -np.log(2 * span + 1))
    blank = np.ones((known.cells.shape[1], 3 * COUNT))
    unknown = np.full(len(released.rarity), 0.5)
    noise = Noise(CLASSES, blank, blank[0], blank[0], even, unknown, 0.5)
    model = RowLikelihood(released, known, noise)
    right, wrong, _ = _tally(model, nobody, nobody * 0)
    model = RowLikelihood(released, known, _with(noise, _nearer_is_likelier(wrong), wrong))
    for _ in range(ROUNDS - 1):
        named, offsets = model.name()
        right, wrong, real = _tally(model, named, offsets)
        named_rows = np.repeat(named >= 0, model.sizes).sum()
        expected = known.counts[named[named >= 0]].sum()
        noise = _with(model.noise, right + TRUST * wrong, wrong)._replace(
            invented=np.full(len(unknown), _share(real.sum(), named_rows)),
            lost=_share(real.sum(), expected),
            offset=_offset(offsets[named >= 0], span),
        )
        model = RowLikelihood(released, known, noise)
    return model


def _tally(model: RowLikelihood, named: Ints, offsets: Ints) -> tuple[Floats, Floats, Floats]:
    """Return counts of differences from origins, shares of all others, and chances of origins."""
    shape = model.known.cells.shape[1], 3 * COUNT
    right, wrong = np.zeros(shape), np.full(shape, 0.5)
    real = np.zeros(len(model.released.rarity))
    tally_all(named, offsets, model.released, model.known, model.noise, right, wrong, real)
    return right, wrong / wrong.sum(axis=1, keepdims=True), real


def _with(noise: Noise, right: Floats, wrong: Floats) -> Noise:
    """Return the noise with other differences."""
    right = right / right.sum(axis=1, keepdims=True)
    return noise._replace(
        ratio=right / wrong, near=right[0, :COUNT] / WIDTHS, far=WIDTHS / wrong[0, :COUNT]
    )


def _nearer_is_likelier(wrong: Floats) -> Floats:
    """Return what is believed at first: a difference is as rare as it is small among all pairs."""
    size = abs(np.arange(COUNT) - COUNT // 2)
    result = wrong.copy()
    # Exact cells by themselves; of intervals, inside and narrow before outside and far.
    for kinds, order in (
        (np.arange(COUNT), size),
        (np.arange(COUNT, 3 * COUNT), np.concatenate([COUNT + size, size])),
    ):
        shares = wrong[:, kinds]
        up_to = np.column_stack([shares[:, order <= other].sum(axis=1) for other in order])
        surprise = shares.sum(axis=1, keepdims=True) / up_to
        result[:, kinds] *= np.minimum(surprise, AT_FIRST)
    return result


def _share(matched: float, rows: float) -> float:
    """Return the share of rows without a counterpart, away from 0 and 1."""
    return float(np.clip(1 - matched / max(rows, 1), LEAST, 1 - LEAST))


def _offset(offsets: Ints, span: int) -> Floats:
    """Return the logarithm of the chance of each offset, learned from those found."""
    classes = CLASSES[np.arange(-span, span + 1) + REACH]
    days = np.bincount(classes, minlength=COUNT)
    counts = np.bincount(CLASSES[offsets + REACH], minlength=COUNT) + TRUST * days / days.sum()
    result: Floats = np.log((counts / counts.sum() / np.maximum(days, 1))[classes])
    return result
