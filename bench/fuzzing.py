"""Whether the contests' checks stand anything: mutated submissions, guesses and published files.

`python -m bench fuzzing --count 20000 --rules pwscup2017 --seed 0`. A mutant must give a report,
scores, or an error of ours; anything else is printed with its number and kept as a file.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from bench.games import Files, Game, game, written
from bench.measuring import show
from bench.mutants import MUTATIONS, RARE, gentle
from tokumei import rules
from tokumei.errors import TokumeiError
from tokumei.rules import Report

COUNT = 2_000
LONGEST = 10.0
"""Seconds that a mutant may take."""
KEPT = Path(tempfile.gettempdir()) / "tokumei-fuzzing"


@dataclass(frozen=True)
class Mutant:
    """What is sent instead of a valid file."""

    target: str
    files: Files


def mutant(played: Game, seed: int, number: int) -> Mutant:
    """Make a mutant; the same one for the same seed and number."""
    draw = Random(f"{played.rules.name}/{seed}/{number}")
    target = draw.choices(list(played.targets), [8, 1, 1][: len(played.targets)])[0]
    files = dict(played.targets[target])
    kind = draw.choices(((gentle,), MUTATIONS, RARE), (25, 73, 2))[0]
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 6))):
        name, change = draw.choice(list(files)), draw.choice(kind)
        files[name] = change(draw, files[name])
    return Mutant(target, files)


# Trials


class Broken(AssertionError):
    """A report or a score is not what it should be."""


def trial(played: Game, sent: Mutant, folder: Path) -> str:
    """Send a mutant; return what came of it: scores, a report, or an error of ours."""
    path = written(sent.files, folder / sent.target)
    try:
        with limited(LONGEST):
            return _answer(played, sent.target, path)
    except TokumeiError as error:
        _require(bool(str(error)), "an error without a sentence")
        if isinstance(report := getattr(error, "report", None), Report):
            _check_report(report)
        return "error"


def _answer(played: Game, target: str, path: Path) -> str:
    contest = played.rules
    if target == "guess":
        _, report = contest.read_guess(played.published, path)
        _check_report(report)
        if not report.valid:
            return "report"
        for score in contest.mark(played.published, path):
            _check_score(score.name, score.value, score.range)
        return "scores"
    if target == "published":
        contest.files(contest.publish(played.original, played.entry, secret=b"1", published=path))
        return "scores"
    entry = contest.check(played.original, path)
    _check_report(entry.report)
    if not entry.report.valid:
        return "report"
    judgment = contest.judge(played.original, entry, seed=1)
    for score in judgment.scores:
        _check_score(score.name, score.value, score.range)
    json.dumps(judgment.to_json(), allow_nan=False).encode()
    contest.files(contest.publish(played.original, entry, secret=b"1"))
    return "scores"


def _require(fine: bool, problem: str) -> None:  # noqa: FBT001
    if not fine:
        raise Broken(problem)


def _check_report(report: Report) -> None:
    rows = report.found
    _require(not rows.null_count().pipe(lambda counts: sum(counts.row(0))), "a gap in the report")
    _require((rows["row"] >= 1).all(), "a row below 1")
    _require(report.valid or bool(report.summary()), "a failure that the summary does not have")
    _require(len(report.sentence()) < 1_000, "a long sentence")
    text = json.dumps(report.to_json(), allow_nan=False)
    _require(len(text.encode()) < 2_000_000, "a long report")


def _check_score(name: str, value: float, limits: tuple[float, float]) -> None:
    _require(math.isfinite(value), f"{name} is {value}")
    _require(limits[0] <= value <= limits[1], f"{name} is {value}, outside of {limits}")


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise a TimeoutError in what takes longer."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {seconds:.0f} s of computing")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Failure:
    """A mutant that gave neither report nor score nor error of ours."""

    number: int
    sent: Mutant
    error: BaseException

    def __str__(self) -> str:
        trace = traceback.extract_tb(self.error.__traceback__)
        ours = [part for part in trace if "tokumei" in part.filename] or list(trace)
        where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
        first, *_ = f"{self.error}".splitlines() or [""]
        return f"{type(self.error).__name__} at {where}: {first[:200]!a}"


def fuzz(name: str, *, seed: int, numbers: Sequence[int]) -> Iterator[str | Failure]:
    """Send mutants by their numbers; yield what came of each."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        played = game(name, folder)
        for number in numbers:
            sent = mutant(played, seed, number)
            try:
                yield trial(played, sent, folder)
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:  # a panic of polars is no Exception
                yield Failure(number, sent, error)


def run(name: str, *, seed: int, count: int) -> tuple[Counter[str], list[Failure]]:
    """Fuzz with a line of progress; print and keep failures as they come."""
    counts: Counter[str] = Counter()
    failures: list[Failure] = []
    start = time.perf_counter()
    for done, outcome in enumerate(fuzz(name, seed=seed, numbers=range(count)), start=1):
        if isinstance(outcome, Failure):
            failures.append(outcome)
            kept = KEPT / f"{name}-{seed}-{outcome.number}"
            kept.mkdir(parents=True, exist_ok=True)
            written(outcome.sent.files, kept)
            print(
                f"\r{name} seed {seed} number {outcome.number} ({outcome.sent.target}): {outcome}"
            )
            print(f"  kept in {kept}")
        counts["failure" if isinstance(outcome, Failure) else outcome] += 1
        if done % 100 == 0 or done == count:
            left = (time.perf_counter() - start) / done * (count - done)
            line = f"{name}: {done:,} of {count:,}, {len(failures)} failures, {left:,.0f} s left"
            print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return counts, failures


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench fuzzing")
    parser.add_argument("--count", type=int, default=COUNT, help="mutants for each contest")
    parser.add_argument("--rules", nargs="+", choices=list(rules.RULES), default=list(rules.RULES))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    rows: list[tuple[str, ...]] = []
    failed = 0
    for name in options.rules:
        start = time.perf_counter()
        counts, failures = run(name, seed=options.seed, count=options.count)
        failed += len(failures)
        taken = time.perf_counter() - start
        kinds = ("scores", "report", "error", "failure")
        rows.append((name, *(f"{counts[kind]:,}" for kind in kinds), f"{taken:,.0f}"))
    heads = ("mutants of", "scored", "reported", "refused", "failures", "seconds")
    show(f"{options.count:,} mutants each, seed {options.seed}", heads, rows)
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
