"""A few small comparisons with peers that we need anyway: a check that nothing became slow.

`python -m bench ratios` prints the ratios, and with `--record` also writes them to
`bench/ratios.toml`; `tests/bench` fails where one is less than half of what is recorded. Processor
times of two works in one process, on one core and one after the other, hardly depend in their ratio
on what else the machine does. The shortest of several runs counts. Dense matrices are another
matter: `bayes_steps` is 22 on an Intel Xeon and 11 on an AMD EPYC; the smaller is recorded.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.measuring import core_seconds, one_core

RECORDED = Path(__file__).parent / "ratios.toml"
HEAD = "# How many times as long as ours the peer takes: `python -m bench ratios --record`.\n"
ROUNDS = 3
Works = tuple[Callable[[], Any], Callable[[], Any]]
"""Ours, and the peer's."""


def exact_jaccard() -> Works:
    """The most similar item sets of 1,500 customers; scipy's products of blocks."""
    from bench.jaccard import by_scipy, ours, pair
    from tokumei import generate

    sets = pair(generate("shop", customers=1_500, seed=0))
    return lambda: ours(*sets), lambda: by_scipy(*sets)


def item_similarity() -> Works:
    """E2 of PWSCUP 2017 for 200 customers; the text of the rules in plain Python."""
    from bench.field.judging import generated, literal, rows_of
    from tokumei import publish, rules
    from tokumei.anonymizers import DeleteRows
    from tokumei.metrics import ItemSimilarity

    with tempfile.TemporaryDirectory() as folder:
        original, submission = generated(Path(folder), 200)["pwscup2017"]
        history = rules.find("pwscup2017").read(original).history
        truth, sent = rows_of(original), rows_of(submission)
    release = publish(history, DeleteRows(share=0.3)(history, seed=1), secret=b"1")
    metric, slow = ItemSimilarity(sales="retail"), literal()
    return lambda: metric(history, release, seed=1), lambda: slow.item_cf_retail(truth, sent)


def bayes_steps() -> Works:
    """Twenty steps of the reconstruction of 1,080 cells; the same with the dense matrix."""
    from bench.field.estimation import dense_steps, our_steps, space_of
    from tokumei.pk import mechanism

    of = mechanism(space_of((12, 12, 10)), 0.6)
    return our_steps(of, 20), dense_steps(of, 20)


def perturbed_values() -> Works:
    """20,000 values by retention-replacement; multi-freq-ldpy's client."""
    from bench.field.estimation import our_draws, their_draws

    return our_draws(), their_draws()


COMPARISONS = {
    work.__name__: work for work in (exact_jaccard, item_similarity, bayes_steps, perturbed_values)
}


def ratio(works: Works) -> float:
    """Measure both in turns, after a run that compiles."""
    ours, theirs = works
    ours()
    theirs()
    best = [(core_seconds(ours, repeat=10), core_seconds(theirs, repeat=1)) for _ in range(ROUNDS)]
    return min(their for _, their in best) / min(our for our, _ in best)


def recorded() -> dict[str, float]:
    """Return the ratios that were written down."""
    found: dict[str, float] = tomllib.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def too_slow(measured: dict[str, float], expected: dict[str, float]) -> list[str]:
    """Name the works whose ratio has fallen below half of what it was."""
    return [name for name, value in measured.items() if value < expected[name] / 2]


def main(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench ratios")
    parser.add_argument("--only", nargs="+", choices=COMPARISONS, default=list(COMPARISONS))
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name}")
    given = parser.parse_args(list(options))
    one_core()
    logging.disable(logging.WARNING)
    found = {name: round(ratio(COMPARISONS[name]()), 1) for name in given.only}
    if given.record:
        lines = "".join(f"{name} = {value}\n" for name, value in (recorded() | found).items())
        RECORDED.write_text(HEAD + lines, encoding="utf-8")
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
