"""Valid inputs for every reader, made by our own writers."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import polars as pl
from bench.ble_captures import every_layout
from bench.games import Game, game

import tokumei
from tokumei.anonymizers import Generalize
from tokumei.arena.generating import generate_story
from tokumei.audit.trials import Trial
from tokumei.ble.generating import generate_capture
from tokumei.contest.backing_up import back_up
from tokumei.contest.creating import Data, create
from tokumei.contest.opening import open_contest
from tokumei.contest.settings import Phase, Settings
from tokumei.contest.toml_text import toml_text
from tokumei.contracts import Score
from tokumei.data.census import DISCRETIZED, RAW
from tokumei.data.folder import write_release
from tokumei.data.writing import write_frame
from tokumei.history import ROW, restore_names
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.files import write_mechanism
from tokumei.pk.mechanisms import mechanism

FILE_MARK = b"\n=== "
"""Stands before the name of each file where one input is several."""
START = datetime(2026, 12, 1, 9, tzinfo=timezone(timedelta(hours=9)))
FRUIT = "Alice,2018/9/7,pear\nBob,2018/9/2,pear\nBob,2018/9/10,grape\n"
RETAIL = (
    "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n"
    "536365,85123A,HOLDER,6,12/1/2010 8:26,2.55,17850,Japan\n"
    "C536379,D,Discount,-1,12/1/2010 9:41,27.5,14527,Japan\n"
)
DOMAIN = Domain.of({"sex": ["male", "female"], "licence": ["none", "moped", "car"]})
FORBIDDEN = [{"sex": ["male"], "licence": ["car"]}]


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tokumei-fuzz-") as place:
        yield Path(place)


def _written(name: str, write: Callable[[Path], object]) -> bytes:
    with _folder() as folder:
        write(folder / name)
        return (folder / name).read_bytes()


@cache
def shop() -> pl.DataFrame:
    """Return a few purchases under the names that the generator gives."""
    history = tokumei.generate("shop", customers=3, seed=1)
    rows = history.frame().sort(ROW).drop(ROW).group_by("person", maintain_order=True).head(4)
    return restore_names(rows, history.source)


def csv_files() -> list[bytes]:
    """Return purchases as text in every dress."""
    text = shop().write_csv()
    japanese = "顧客ID,商品,購入日,単価,数量\n会員一,りんご,2011/2/28,1.5,2\n"
    return [
        text.encode(),
        text.replace(",", "\t").encode(),
        b"\xef\xbb\xbf" + text.replace(",", ";").replace("\n", "\r\n").encode(),
        japanese.encode("cp932"),
        japanese.encode("utf-16"),
        gzip.compress(text.encode(), mtime=0),
        RETAIL.encode(),
    ]


def parquet_files() -> list[bytes]:
    """Return purchases, people and devices as Parquet."""
    people = pl.DataFrame({"age": [33, 4], "education": [14, 2], "sex": [0, 1]})
    devices = pl.DataFrame({"address": ["60:F8:1D:C8:1B:53"], "device": ["phone"]})
    tables = (shop(), people, devices)
    return [
        _written("x.parquet", lambda path, rows=rows: write_frame(rows, path)) for rows in tables
    ]  # type: ignore[misc]


def workbooks() -> list[bytes]:
    """Return purchases as Excel."""
    tables = (shop(), pl.read_csv(RETAIL.encode()))
    return [_written("x.xlsx", lambda path, rows=rows: rows.write_excel(path)) for rows in tables]  # type: ignore[misc]


def customers() -> list[bytes]:
    """Return a customers table."""
    names = shop().to_series(0).unique().sort()
    rows = pl.DataFrame({shop().columns[0]: names, "sex": ["f"] * len(names)})
    return [rows.write_csv().encode()]


def people() -> list[bytes]:
    """Return tables of age, education and sex, with and without a header."""
    raw = "\t".join(RAW.columns) + "\n33\t14\t0\n4\t2\t1\n"
    levels = ",".join(DISCRETIZED.columns) + "\n3,14,0\n1,2,1\n"
    adult = "age,education,education-num,sex\n39, Bachelors,13, Male\n50, HS-grad,9, Female\n"
    survey = "age,education_level,sex\n39,21,male\n50,16,female\n"
    short = "\n".join(",".join(["7"] * 55 + ["1"] + ["7"] * 9 + ["14", "1", "0"]) for _ in range(2))
    return [text.encode() for text in (raw, levels, adult, survey, short)]


@cache
def of_contest(year: str) -> Game:
    """Return a small game of a contest year."""
    with _folder() as folder:
        return game(year, folder)


@cache
def contest_files() -> list[bytes]:
    """Return T of every year, and M."""
    with _folder() as folder:
        found = []
        for year in ("pwscup2016", "pwscup2017", "pwscup2018", "simplified"):
            game(year, folder)
            found.append((folder / "T.csv").read_bytes())
        return [*found, (folder / "M.csv").read_bytes()]


def submission(year: str) -> list[bytes]:
    """Return a valid submission as it is uploaded."""
    files = of_contest(year).targets["submission"]
    if len(files) == 1:
        return list(files.values())
    target = io.BytesIO()
    with ZipFile(target, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return [target.getvalue()]


def guess(year: str) -> list[bytes]:
    """Return the best guess."""
    return list(of_contest(year).targets["guess"].values())


def framed(folder: Path, names: Sequence[str]) -> bytes:
    """Return several files as one input."""
    return b"".join(
        FILE_MARK + f"{name}\n".encode() + (folder / name).read_bytes() for name in names
    )


RELEASE = (
    *("public/about.json", "public/purchases.csv", "public/customers.csv"),
    *("secret/pseudonyms.csv", "secret/rows.csv"),
)


def releases() -> list[bytes]:
    """Return releases with exact and with generalized cells."""
    history = tokumei.read(shop())
    found = []
    for hidden in (history, Generalize(k=2)(history, seed=1)):
        with _folder() as folder:
            write_release(tokumei.publish(history, hidden, secret=b"1"), folder / "release")
            there = [name for name in RELEASE if (folder / "release" / name).exists()]
            found.append(framed(folder / "release", there))
    return found


def mechanisms() -> list[bytes]:
    """Return mechanisms of independent and of correlated attributes."""
    spaces = (DOMAIN, Correlation.forbidding(DOMAIN, FORBIDDEN))
    return [
        _written("m.json", lambda path, of=of: write_mechanism(mechanism(of, [0.3, 0.4]), path))  # type: ignore[misc]
        for of in spaces
    ]


def spaces() -> list[bytes]:
    """Return domains and correlations as TOML and CSV."""
    ranges = "".join(f"{name} = {json.dumps(values)}\n" for name, values in _ranges())
    rules = "".join(f"{name} = {json.dumps(values)}\n" for name, values in FORBIDDEN[0].items())
    table = "sex,licence\nmale,none\nfemale,car\nfemale,none\n"
    return [f"[attributes]\n{ranges}[[forbidden]]\n{rules}".encode(), table.encode()]


def _ranges() -> list[tuple[str, tuple[str, ...]]]:
    return list(zip(DOMAIN.names, DOMAIN.ranges, strict=True))


def captures() -> list[bytes]:
    """Return a few packets in every layout."""
    return list(every_layout(generate_capture("office", seed=1, seconds=2).packets[:12]).values())


def devices() -> list[bytes]:
    """Return a list of known devices."""
    return [generate_capture("office", seed=1, seconds=2).truth.write_csv().encode()]


def settings(rules: str = "simplified") -> Settings:
    """Return the settings of a contest."""
    phases = (Phase("anonymize", START), Phase("closed", START + timedelta(days=1)))
    columns = {"who": "person", "when": "time", "cost": "price", "word": ""}
    return Settings(
        title={"en": "Fruit", "ja": "果物"},
        rules=rules,
        original="T.csv",
        phases=phases,
        columns=columns if rules == "custom" else {},
    )


def settings_files() -> list[bytes]:
    """Return contest.toml of a contest year and of a custom contest."""
    return [toml_text(settings(rules)).encode() for rules in ("simplified", "custom")]


def backups() -> list[bytes]:
    """Return a contest in one ZIP."""
    with _folder() as folder:
        (folder / "fruit.csv").write_text(FRUIT)
        create(folder / "contest", "simplified", Data(folder / "fruit.csv"))
        with open_contest(folder / "contest") as contest:
            back_up(contest, folder / "backup.zip")
        return [(folder / "backup.zip").read_bytes()]


def stories() -> list[bytes]:
    """Return the story of a contest."""
    return [generate_story(teams=2, seed=1, submissions=1).to_lines().encode()]


def trials() -> list[bytes]:
    """Return the file of a finished trial."""
    score = Score("risk", 0.5, "lower", (0.0, 1.0), 4, "All is known.", 0.25, (0.1, 0.9))
    losses = {"items": 0.25}
    named = {"name": "shuffle"}
    trial = Trial("shuffle", named, 1, score, 0.5, broken=False, losses=losses, seconds=0.1)
    line = {"original": "digest", "version": tokumei.__version__, **trial.to_json()}
    return [f"{json.dumps(line)}\n".encode()]


def archives() -> list[bytes]:
    """Return a workbook in a ZIP, as Online Retail is fetched."""
    target = io.BytesIO()
    with ZipFile(target, "w") as packed:
        packed.writestr("Online Retail.xlsx", workbooks()[1])
    return [target.getvalue()]
