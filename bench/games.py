"""A small valid game of each contest, for the mutants to start from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tokumei import rules
from tokumei.rules import Entry, Original, Published, Rules

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
    contest.judge(original, entry, seed=1)  # compiles loops, which is no mutant's time
    published = contest.publish(original, entry, secret=b"1")
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
