"""Damaged captures: a clear error or counted skips, and never a wrong row.

`python -m bench ble_fuzzing --count 20000`. A file is a capture in one of eight layouts, damaged by
a few edits, or random bytes. Every advertising row whose CRC is good must be a packet that was in
the capture.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import polars as pl

from bench.ble_captures import every_layout
from bench.measuring import show
from tokumei.ble.generating import generate_capture
from tokumei.ble.reading import read_capture
from tokumei.errors import TokumeiError

COUNT = 20_000
PACKETS = 40
CONTENT = ("pdu_type", "adv_a", "scan_a", "sender", "sender_kind", "advertising_data")


class Broken(AssertionError):
    """A damaged file was taken for something that it is not."""


def flip(draw: Random, data: bytearray) -> None:
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def overwrite(draw: Random, data: bytearray) -> None:
    place = draw.randrange(len(data))
    for k in range(draw.choice((1, 2, 4, 8, 40))):
        if place + k < len(data):
            data[place + k] = draw.choice((0, 0xFF, 0x80, draw.randrange(256)))


def cut(draw: Random, data: bytearray) -> None:
    del data[draw.randrange(len(data)) :]


def remove(draw: Random, data: bytearray) -> None:
    place = draw.randrange(len(data))
    del data[place : place + draw.choice((1, 2, 16, 271))]


def insert(draw: Random, data: bytearray) -> None:
    place = draw.randrange(len(data) + 1)
    data[place:place] = draw.randbytes(draw.choice((1, 2, 16, 271)))


def move(draw: Random, data: bytearray) -> None:
    place, size, to = draw.randrange(len(data)), draw.choice((2, 16, 60)), draw.randrange(len(data))
    piece = data[place : place + size]
    data[to : to + len(piece)] = piece


EDITS = (flip, flip, overwrite, overwrite, cut, remove, insert, move)


def damaged(bases: Sequence[bytes], seed: int, number: int) -> bytes:
    """A damaged file; the same for the same seed and number."""
    draw = Random(f"ble/{seed}/{number}")
    if draw.random() < 0.05:
        return draw.randbytes(draw.choice((0, 1, 15, 24, 100, 271, 542, 2000)))
    data = bytearray(draw.choice(bases))
    for _ in range(draw.choice((1, 1, 2, 3, 10, 60))):
        if data:
            draw.choice(EDITS)(draw, data)
    return bytes(data)


def trial(path: Path, truth: set[tuple[object, ...]]) -> str:
    """Read a file; return what came of it."""
    try:
        capture = read_capture(path)
    except TokumeiError as error:
        if not str(error) or "\n" in str(error):
            raise Broken("an error without its sentence") from error
        return "refused"
    rows = capture.packets
    sound = rows.filter(
        pl.col("crc") == "ok", pl.col("pdu_type").str.starts_with("LL_").not_()
    ).select(CONTENT)
    wrong = set(sound.iter_rows()) - truth
    if wrong:
        raise Broken(f"a row that was never sent: {wrong.pop()}")
    if len(rows) != capture.tally.packets:
        raise Broken("a row that was not counted")
    if not rows["channel"].drop_nulls().is_between(0, 39).all():
        raise Broken("a channel that there is not")
    return "read, with skips" if capture.tally.skipped or capture.tally.odd else "read"


def fuzz(seed: int, numbers: Sequence[int]) -> Iterator[tuple[int, str | BaseException]]:
    """Damage and read captures by their numbers; yield what came of each."""
    packets = generate_capture("office", seed=1, seconds=2).packets[:PACKETS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "capture")
        bases = list(every_layout(packets).values())
        path.write_bytes(bases[0])
        whole = read_capture(path).packets.filter(pl.col("crc") == "ok")
        truth = set(whole.select(CONTENT).iter_rows())
        for number in numbers:
            # A new name each time: what is mapped into memory must not change under a reader.
            place = path.with_suffix(f".{number}")
            place.write_bytes(damaged(bases, seed, number))
            try:
                yield number, trial(place, truth)
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:  # a panic of polars is no Exception
                yield number, error
            finally:
                place.unlink()


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench ble_fuzzing")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    for number, outcome in fuzz(options.seed, range(options.count)):
        if isinstance(outcome, BaseException):
            said = f"{type(outcome).__name__}: {outcome!s:.200}"
            print(f"seed {options.seed} number {number}: {said}")
            outcome = "failure"
        counts[outcome] += 1
    rows = [(kind, f"{count:,}") for kind, count in counts.most_common()]
    taken = time.perf_counter() - start
    title = f"{options.count:,} damaged captures, seed {options.seed}, {taken:,.0f} s"
    show(title, ("outcome", "files"), rows)
    if counts["failure"]:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
