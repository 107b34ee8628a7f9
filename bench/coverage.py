"""How often the intervals of `tokumei pk reconstruct` have the true count, by size of the cell.

Tables are drawn anew, with cells of very different sizes, and each is perturbed once.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from bench.measuring import show
from tokumei.pk import Correlation, Domain, intervals, mechanism, tabulate

INTERVALS = 8_000
LEVEL = 0.95


def _domain(*sizes: int) -> Domain:
    return Domain.of({f"a{place}": list(map(str, range(size))) for place, size in enumerate(sizes)})


def _tree(*sizes: int) -> Correlation:
    """Forbid a third of the pairs of the first two attributes."""
    pairs = [(str(a), str(b)) for a in range(sizes[0]) for b in range(sizes[1]) if (a + b) % 3]
    return Correlation.allowing(
        _domain(*sizes), pl.DataFrame(pairs, schema=["a0", "a1"], orient="row")
    )


SPACES: dict[str, Domain | Correlation] = {
    "2": _domain(2),
    "8": _domain(8),
    "47": _domain(47),
    "4 x 5": _domain(4, 5),
    "12 x 10 x 2": _domain(12, 10, 2),
    "6 x 5 x 2, correlated": _tree(6, 5, 2),
}


def covered(space: Domain | Correlation, rho: float, records: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the true counts of many cells, and whether their intervals have them."""
    of, rng = mechanism(space, rho), np.random.default_rng(1)
    truths, inside = [], []
    for seed in range(-(-INTERVALS // of.cells)):
        truth = rng.multinomial(records, rng.dirichlet(np.full(of.cells, 0.4)))
        cells = np.repeat(np.arange(of.cells), truth)
        seen = tabulate(of.draw(cells, np.arange(records), seed=seed), of)
        low, high = intervals(seen, of, level=LEVEL)
        truths.append(truth)
        inside.append((low <= truth) & (truth <= high))
    return np.concatenate(truths), np.concatenate(inside)


def main() -> None:
    lines = []
    for name, space in SPACES.items():
        for records in (500, 2_000, 20_000):
            for rho in (0.05, 0.2, 0.6, 0.9):
                truths, inside = covered(space, rho, records)
                quarters = np.array_split(np.argsort(truths, kind="stable"), 4)
                shares = [inside.mean(), *(inside[part].mean() for part in quarters)]
                shown = [f"{share:.1%}" for share in shares]
                lines.append((name, f"{records:,}", f"{rho:g}", *shown))
    heads = ("cells", "records", "rho", "all", "smallest quarter", "second", "third", "largest")
    show(f"Coverage of {LEVEL:.0%} intervals", heads, lines)
