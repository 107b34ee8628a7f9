"""Whether the contests' checks stand anything: mutated submissions, guesses and published files.

`python -m bench fuzzing --count 20000 --rules pwscup2017 --seed 0`. A mutant must give a report,
scores, or an error of ours; anything else is printed with its number and kept as a file.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import math
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from bench.measuring import show
from tokumei import rules
from tokumei.errors import TokumeiError
from tokumei.rules import Entry, Original, Published, Report, Rules

COUNT = 2_000
LONGEST = 10.0
"""Seconds that a mutant may take."""
KEPT = Path(tempfile.gettempdir()) / "tokumei-fuzzing"

# Valid games to start from

ITEMS = ("22423", "22728", "85099B", "85099C", "M", "POST")
MONTHS = ("2010/12", "2011/1", "2011/2", "2011/7")
CUSTOMERS = ("12346", "12347", "C3", "C4")

Files = dict[str, bytes]


@dataclass(frozen=True)
class Purchase:
    """A row of T, and who it will be in the submission."""

    number: int
    who: str
    day: str
    item: str
    price: str
    quantity: int

    @property
    def pseudonym(self) -> str:
        return f"p{CUSTOMERS.index(self.who)}"

    @property
    def deleted(self) -> bool:
        return self.number % 5 == 0


@dataclass(frozen=True)
class Game:
    """A valid submission to a contest and what came of it."""

    rules: Rules
    original: Original
    entry: Entry
    published: Published
    targets: dict[str, Files]
    """What is mutated: the files of the submission, of a guess, of what was published."""


def game(name: str, folder: Path) -> Game:
    """Play a small contest without mutants."""
    contest = rules.find(name)
    draw = Random(name)
    cells = [
        (who, f"{month}/{draw.randint(1, 28)}", draw.choice(ITEMS), price, draw.randint(1, 90))
        for who in CUSTOMERS
        for month in MONTHS
        for price in draw.sample(["2.1", "2.10", "50", "0.05", "4.95"], draw.randint(1, 2))
    ]
    purchases = [Purchase(number, *row) for number, row in enumerate(cells)]
    lines, submission = _WRITERS[name](purchases)
    (folder / "T.csv").write_text(lines)
    master = folder / "M.csv"
    people = [f"{who},f,1950/1/{day + 1},UK\n" for day, who in enumerate(CUSTOMERS)]
    master.write_text("".join(people))
    with_master = name in ("pwscup2016", "pwscup2017")
    original = contest.read(folder / "T.csv", master if with_master else None)
    entry = contest.check(original, written(submission, folder / "valid"))
    published = contest.publish(original, entry, seed=1)
    made = contest.files(published)
    (answer,) = (text for path, text in made.items() if path.startswith("secret/"))
    targets = {"submission": submission, "guess": {"guess.csv": answer.encode()}}
    if name != "pwscup2016":
        targets["published"] = {"S.csv": published.lines.encode()}
    return Game(contest, original, entry, published, targets)


def _with_invoices(name: str, one: Purchase) -> str:
    return f"{name},{one.number},{one.day},9:05,{one.item},{one.price},{one.quantity}\n"


def _write_2016(purchases: list[Purchase]) -> tuple[str, Files]:
    files = {
        "M.csv": "".join(f"p{number},m,1960/2/3,UK\n" for number in (2, 0, 3, 1)),
        "T.csv": "".join(_with_invoices(one.pseudonym, one) for one in purchases[::-1]),
        "P.csv": "3\n1\n4\n2\n",
    }
    original = "".join(_with_invoices(one.who, one) for one in purchases)
    return original, {name: text.encode() for name, text in files.items()}


def _write_2017(purchases: list[Purchase]) -> tuple[str, Files]:
    rows = [
        "DEL,,,,,,\n"
        if one.deleted
        else _with_invoices(f"{one.pseudonym}-{one.day.split('/')[1]}", one)
        for one in purchases
    ]
    original = "".join(_with_invoices(one.who, one) for one in purchases)
    return original, {"AT.csv": "".join(rows).encode()}


def _write_2018(purchases: list[Purchase]) -> tuple[str, Files]:
    original, rows = "", ""
    for one in purchases:
        cells = [one.day, one.item, one.price, str(one.quantity)]
        original += ",".join([one.who, *cells]) + "\n"
        wide = [
            f"[{one.day};2011/7/31]",
            f"{{{one.item};POST2}}",
            f"[0.01;{one.price}]",
            f"[0;{one.quantity}]",
        ]
        cells[one.number % 4] = wide[one.number % 4]
        cells[one.number // 2 % 4] = "*"
        rows += "*,*,*,*,*\n" if one.deleted else ",".join([one.pseudonym, *cells]) + "\n"
    return original, {"A.csv": rows.encode()}


def _write_simplified(purchases: list[Purchase]) -> tuple[str, Files]:
    original = "".join(f"{one.who},{one.day},{one.item}\n" for one in purchases)
    rows = [
        "DEL,,\n" if one.deleted else f"{one.pseudonym},{one.day},{ITEMS[one.number % 2]}\n"
        for one in purchases
    ]
    return original, {"A.csv": "".join(rows).encode()}


_WRITERS: dict[str, Callable[[list[Purchase]], tuple[str, Files]]] = {
    "pwscup2016": _write_2016,
    "pwscup2017": _write_2017,
    "pwscup2018": _write_2018,
    "simplified": _write_simplified,
}


def written(files: Files, folder: Path) -> Path:
    """Write files; return the path that a check takes: the file, or the folder of several."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder if len(files) > 1 else folder / next(iter(files))


# Mutations

Mutation = Callable[[Random, bytes], bytes]

PLAIN = """
DEL * ** del - _ 0 00 -0 -1 +5 1. .5 1.5 1e5 1e-5 1e400 nan NaN -nan inf -inf 0x10 1_000 12,5 2.105
99999.99 123456 １２ ٣ ² 𝟏𝟐 Ⅻ 2011/２/8 −5 " "a" "a a" "" ' ; [ ] { } [] {} [;] {;} [5;3] [1;2;3]
[*;*] {*} [nan;inf] [-1;5] [1;1e5] [0;999999999] [0.01;999999999.99] [0000/1/1;9999/12/31] {a;a}
{a;} {;a} {{a}} [[1;2]] {[1;2]} [{1;2}] [1;2} {1;2] (1;2) [1:2] [1,2] [2;1 2011/2/30 2011/2/29
0000/1/1 9999/12/31 10000/1/1 2011/2/0 2011-2-3 2011/02/03 24:00 9:60 9:5 p0 p0-12 12346 C3 POST
22423 é 梨 🍐 null None True <b> {{x}} %s ../x =1+1
"""
ODD = (
    *("", " ", "1 000", "[ 1;2 ]", "2011/7/1 9:05", "\t", "\r", "\x0b", "\x0c", "\x1b[31m", "\x7f"),
    *("\x85", "\xa0", "\u200b", "\u2028", "\u3000", "\ufeff", "\u202e", "e\u0301", "\U0010ffff"),
    *("9" * 19, "9" * 30, "9" * 400, "0." + "9" * 50, "0" * 500 + "1", "[" * 500, "x" * 70_000),
    "{" + ";".join("abc" * 300) + "}",
)
NOT_UTF8 = (
    b"\xff",
    b"\x00",
    b"\x82\xa0",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf5\x80\x80\x80",
    b"\x80",
)
STRANGE = (*(text.encode() for text in (*PLAIN.split(), *ODD)), *NOT_UTF8)

# Cells that are mostly valid, by the number of cells in a row and the place.
GENTLE: dict[int, dict[int, tuple[str, ...]]] = {
    7: {
        1: ("x-_9", "0"),
        3: ("0:00", "23:59"),
        4: ITEMS,
        5: ("99999.99", "0.01", "00000.01", "1", "3.50"),
        6: ("1", "999999", "000001", "12"),
    },
    5: {
        1: ("*", "[0000/1/1;9999/12/31]", "[2010/12/1;2011/7/28]"),
        2: ("*", "{22423;22728;85099B;85099C;M;POST}", '{22423;22728;85099B;85099C;M;POST;"}'),
        3: ("*", "[0.01;999999999.99]", "[0;999999999]", "[0.05;50.00]"),
        4: ("*", "[0;999999999]", "[1;90]", "[000000001;90]"),
    },
    3: {1: ("0000/1/1", "9999/12/31", "2012/2/29"), 2: ("梨", '"', "*", "DEL", "a b", "0" * 500)},
    4: {1: ("f", "m"), 2: ("0000/1/1", "9999/12/31", "2012/2/29"), 3: ("梨", '"', "*", "a b")},
}
DELETED = {7: b"DEL,,,,,,", 5: b"*,*,*,*,*", 3: b"DEL,,"}


def _place(draw: Random, data: bytes) -> int:
    return draw.randrange(len(data) + 1)


def _span(draw: Random, data: bytes) -> tuple[int, int]:
    start = _place(draw, data)
    return start, min(len(data), start + draw.choice((1, 1, 2, 7, 40, 400)))


def flip(draw: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def replace_byte(draw: Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return (
        data[:at]
        + bytes([draw.choice((draw.randrange(256), *b',;\n\r\0\xff"[]{}* '))])
        + data[at + 1 :]
    )


def insert(draw: Random, data: bytes) -> bytes:
    at = _place(draw, data)
    new = draw.choice((draw.randbytes(draw.randint(1, 9)), draw.choice(STRANGE)))
    return data[:at] + new + data[at:]


def delete(draw: Random, data: bytes) -> bytes:
    start, end = _span(draw, data)
    return data[:start] + data[end:]


def duplicate(draw: Random, data: bytes) -> bytes:
    start, end = _span(draw, data)
    at = _place(draw, data)
    return data[:at] + data[start:end] * draw.choice((1, 2, 50)) + data[at:]


def truncate(draw: Random, data: bytes) -> bytes:
    return data[: _place(draw, data)]


def mark(draw: Random, data: bytes) -> bytes:
    new = draw.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00"))
    at = draw.choice((0, 0, len(data), _place(draw, data)))
    return data[:at] + new + data[at:]


def encode(draw: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace") + draw.choice(("", "梨", "é"))
    return text.encode(
        draw.choice(("utf-16", "utf-16-le", "cp932", "euc-jp", "utf-8-sig")), "replace"
    )


def breaks(draw: Random, data: bytes) -> bytes:
    return data.replace(
        b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"", b" \n", b"\x0b"))
    )


def pack(draw: Random, data: bytes) -> bytes:
    packed = gzip.compress(data)
    return draw.choice(
        (
            packed,
            packed[: _place(draw, packed)],
            packed + b"garbage",
            gzip.compress(draw.randbytes(200)),
            b"\x1f\x8b" + draw.randbytes(draw.randint(0, 60)),
            packed[:12] + draw.randbytes(20) + packed[32:],
            gzip.compress(b"\0" * 3_000_000),
        )
    )


def long_line(draw: Random, data: bytes) -> bytes:
    at = _place(draw, data)
    long = draw.choice((b",", b"x", b"9", b" ", b"\0", b";", b"[", b"\xff"))
    return data[:at] + long * draw.choice((1_000, 70_000, 70_000, 1_100_000)) + data[at:]


def _cells(data: bytes) -> list[list[bytes]]:
    return [line.split(b",") for line in data.split(b"\n")]


def _joined(cells: Sequence[Sequence[bytes]]) -> bytes:
    return b"\n".join(b",".join(line) for line in cells)


def set_cell(draw: Random, data: bytes) -> bytes:
    cells = _cells(data)
    row = draw.choice(cells)
    row[draw.randrange(len(row))] = draw.choice(STRANGE)
    return _joined(cells)


def set_column(draw: Random, data: bytes) -> bytes:
    cells, new = _cells(data), draw.choice(STRANGE)
    at = draw.randrange(max(map(len, cells)))
    for row in cells:
        if len(row) > at and draw.random() < 0.9 and len(new) < 1_000:
            row[at] = new
    return _joined(cells)


def wrap_cell(draw: Random, data: bytes) -> bytes:
    """Change a cell a little, or make an interval or a set of it."""
    cells = _cells(data)
    row = draw.choice(cells)
    at = draw.randrange(len(row))
    value, other = row[at], draw.choice(draw.choice(cells))
    forms = (
        *(b"[%b;%b]", b"{%b;%b}", b"[%b;%b", b"%b;%b]", b"(%b;%b)", b"{%b;;%b}", b"[%b;%b;]"),
        *(b"{%b;%b}}", b"[%b]%b", b"%b %b", b"%b;%b", b"%b.%b", b"%b-%b", b"%b/%b", b"[%b,%b]"),
    )
    simple = (
        *(b"[" + value + b";" + value + b"]", b"{" + value + b"}", b"[" + value + b"]"),
        *(b" " + value, value + b" ", b"-" + value, b"+" + value, value + b".0", b"0" + value),
        *(value + b"0", b'"' + value + b'"', value[::-1], value.swapcase(), value * 20, value[:-1]),
        *(b"*" + value, value + b"*", value + b"\0", value + b"\r", value + "\u200b".encode()),
    )
    row[at] = draw.choice((draw.choice(forms) % (value, other), draw.choice(simple)))
    return _joined(cells)


def swap_cells(draw: Random, data: bytes) -> bytes:
    cells = _cells(data)
    one, other = draw.choice(cells), draw.choice(cells)
    a, b = draw.randrange(len(one)), draw.randrange(len(other))
    if draw.random() < 0.5:  # in the same column
        b = min(a, len(other) - 1)
    one[a], other[b] = other[b], one[a]
    return _joined(cells)


def number_of_cells(draw: Random, data: bytes) -> bytes:
    cells = _cells(data)
    row = draw.choice(cells)
    if draw.random() < 0.5:
        row.insert(_place(draw, bytes(len(row))), draw.choice(STRANGE))
    else:
        row.pop()
    return _joined(cells)


def gentle(draw: Random, data: bytes) -> bytes:
    """Put a cell or a deleted row that is mostly valid."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    cells = lines[at].split(b",")
    if len(cells) in DELETED and draw.random() < 0.1:
        lines[at] = DELETED[len(cells)]
    elif len(cells) in GENTLE:
        place = draw.choice(list(GENTLE[len(cells)]))
        cells[place] = draw.choice(GENTLE[len(cells)][place]).encode()
        lines[at] = b",".join(cells)
    return b"\n".join(lines)


def delete_row(draw: Random, data: bytes) -> bytes:
    """Put a row that is deleted in some contest."""
    lines = data.split(b"\n")
    full = (
        b"DEL,,,,,,",
        b"*,*,*,*,*",
        b"DEL,,",
        b"DEL",
        b"*",
        b"*,*,*",
        b"DEL,*,*,*,*",
        b"p9,*,*,*,*",
    )
    for _ in range(draw.choice((1, 1, 3, len(lines)))):
        lines[draw.randrange(len(lines))] = draw.choice(full[:4] if draw.random() < 0.7 else full)
    return b"\n".join(lines)


def move_rows(draw: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    match draw.randrange(7):
        case 0:
            draw.shuffle(lines)
        case 1:
            lines.reverse()
        case 2:
            del lines[draw.randrange(len(lines))]
        case 3:
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
        case 4:
            lines *= draw.choice((2, 40))
        case 5:
            a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
        case _:
            lines.insert(draw.choice((0, len(lines), draw.randrange(len(lines) + 1))), b"")
    return b"\n".join(lines)


def header(draw: Random, data: bytes) -> bytes:
    names = (
        b"customer,invoice,date,time,item,price,quantity",
        b"X1,X2,X3,X4,X5",
        b"name,date,item",
    )
    return draw.choice((*names, b"#", b"sep=,")) + b"\n" + data


MUTATIONS: tuple[Mutation, ...] = (
    *(flip, replace_byte, insert, delete, duplicate, truncate, mark, encode, breaks, pack),
    *(set_cell, set_cell, set_cell, set_cell, set_column, wrap_cell, wrap_cell, wrap_cell),
    *(swap_cells, swap_cells, number_of_cells, delete_row, move_rows, move_rows, header),
)


def nothing(_draw: Random, _data: bytes) -> bytes:
    return b""


def noise(draw: Random, _data: bytes) -> bytes:
    return draw.randbytes(draw.randint(1, 500))


RARE: tuple[Mutation, ...] = (long_line, nothing, noise)
"""Slow, or soon exhausted."""


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
        contest.files(contest.publish(played.original, played.entry, seed=1, published=path))
        return "scores"
    entry = contest.check(played.original, path)
    _check_report(entry.report)
    if not entry.report.valid:
        return "report"
    judgment = contest.judge(played.original, entry, seed=1)
    for score in judgment.scores:
        _check_score(score.name, score.value, score.range)
    json.dumps(judgment.to_json(), allow_nan=False).encode()
    contest.files(contest.publish(played.original, entry, seed=1))
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
        raise TimeoutError(f"took longer than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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
