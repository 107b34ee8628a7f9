"""Every reader of what somebody else wrote, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import polars as pl

import tokumei
from fuzz import mutations, seeds
from fuzz.trying import Reader
from tokumei.arena.story import read_story
from tokumei.audit.trial_files import NAME as TRIALS
from tokumei.audit.trial_files import TrialFile
from tokumei.ble.devices import read_devices
from tokumei.ble.reading import read_capture
from tokumei.cells import parse, to_text
from tokumei.contest.backing_up import restore
from tokumei.contest.evaluating import Checked, Evaluation
from tokumei.contest.sandbox.scores import BadScores, parse_scores
from tokumei.contest.server.api.worker import _read as read_report
from tokumei.contest.settings import FILE, read_settings
from tokumei.contest.tasks import OUTCOME
from tokumei.data import workbooks
from tokumei.data.columns import prices
from tokumei.data.converting import read_typed
from tokumei.data.download import download_online_retail
from tokumei.data.folder import read_key, read_release
from tokumei.data.microdata import read_microdata
from tokumei.data.reading import FORMATS
from tokumei.errors import TokumeiError
from tokumei.pk.files import parse_forbidden, read_correlation, read_domain, read_mechanism
from tokumei.pk.perturbation import read_records
from tokumei.rules import find
from tokumei.rules.pwscup2017 import VIEWS, Pwscup2017

YEARS = ("pwscup2016", "pwscup2017", "pwscup2018", "simplified")


def put(data: bytes, path: Path) -> Path:
    """Write the input as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def each(*steps: Callable[[], object]) -> None:
    """Try several readers on one input: that one refuses it tells nothing about the next."""
    refusal: TokumeiError | None = None
    for step in steps:
        try:
            step()
        except TokumeiError as error:
            refusal = refusal or error
    if refusal is not None:
        raise refusal


def csv(data: bytes, folder: Path) -> None:
    """Read purchases from text."""
    path = put(data, folder / "x.csv")
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    each(
        partial(tokumei.read, path, encoding="utf-16" if utf16 else None),
        partial(tokumei.read, path, format="online-retail"),
    )


def contest_data(data: bytes, folder: Path) -> None:
    """Read T and M of every contest year."""
    path = put(data, folder / "x.csv")
    master = put(seeds.contest_files()[-1], folder / "M.csv")
    known = put(seeds.contest_files()[1], folder / "T.csv")
    formats = [form for form in FORMATS if form in YEARS]
    each(
        *(partial(tokumei.read, path, format=form) for form in formats),
        partial(tokumei.read, path, master, format="pwscup2017"),
        partial(tokumei.read, known, path, format="pwscup2017"),
    )


def parquet(data: bytes, folder: Path) -> None:
    """Read Parquet wherever it is taken."""
    path = put(data, folder / "x.parquet")
    each(
        partial(tokumei.read, path),
        partial(read_typed, path),
        partial(read_microdata, path),
        partial(read_devices, path),
        partial(read_correlation, path, seeds.DOMAIN),
        partial(read_records, path, seeds.DOMAIN),
    )


def excel(data: bytes, folder: Path) -> None:
    """Read a workbook of every kind, in this process: what it calls is the engine alone."""
    for ending in ("xlsx", "xls", "ods"):
        path = put(data, folder / f"x.{ending}")
        try:
            rows = workbooks.unpack(path)
        except Exception:  # noqa: S112 - the child process turns these into an exit code
            continue
        each(partial(tokumei.read, rows))


def customers(data: bytes, folder: Path) -> None:
    """Read a customers table beside purchases."""
    path = put(data, folder / "x.csv")
    tokumei.read(seeds.shop(), path, keep=["sex"])


def people(data: bytes, folder: Path) -> None:
    """Read census and surveys."""
    read_microdata(put(data, folder / "x.txt"))


def release(data: bytes, folder: Path) -> None:
    """Read a release with its key; the input has its files one after another."""
    for part in data.split(seeds.FILE_MARK):
        name, _, content = part.partition(b"\n")
        if name.decode(errors="replace") in seeds.RELEASE:
            put(content, folder / name.decode())
    read_release(folder)


def key(data: bytes, folder: Path) -> None:
    """Read who is behind pseudonyms."""
    read_key(put(data, folder / "key.csv"))


def space(data: bytes, folder: Path) -> None:
    """Read domains, correlations and records of Pk-anonymity."""
    toml, table = put(data, folder / "x.toml"), put(data, folder / "x.csv")
    each(
        partial(read_domain, toml),
        partial(read_correlation, toml, seeds.DOMAIN),
        partial(read_correlation, table, seeds.DOMAIN),
        partial(read_records, table, seeds.DOMAIN),
        partial(parse_forbidden, data.decode(errors="replace")),
    )


def pk_mechanism(data: bytes, folder: Path) -> None:
    """Read a mechanism file."""
    read_mechanism(put(data, folder / "m.json"))


def capture(data: bytes, folder: Path) -> None:
    """Read a capture of Bluetooth LE."""
    read_capture(put(data, folder / "capture"))


def devices(data: bytes, folder: Path) -> None:
    """Read a list of known devices."""
    read_devices(put(data, folder / "devices.csv"))


@cache
def evaluation(year: str) -> Evaluation:
    """Return a contest whose data stays read; its submissions come as uploads do."""
    made = Evaluation(Path(), seeds.settings(year))
    if year == "custom":
        made.__dict__["columns"] = list(seeds.settings(year).columns)
    else:
        made.__dict__["original"] = seeds.of_contest(year).original
    return made


def _shown(checked: object) -> None:
    if isinstance(checked, Checked):
        json.dumps(checked.report, allow_nan=False).encode()


def submission(year: str, data: bytes, folder: Path) -> None:
    """Check an upload as a worker does, and publish it where it is valid."""
    path = put(data, folder / "upload")
    checked = evaluation(year).check(path)
    _shown(checked)
    if checked.valid and year != "custom":
        evaluation(year).publish(path, seed=1)


def guess(year: str, data: bytes, folder: Path) -> None:
    """Mark an uploaded guess, and read a published file given back."""
    played = seeds.of_contest(year)
    valid = put(seeds.submission(year)[0], folder / "valid")
    path = put(data, folder / "guess.csv")
    each(
        lambda: _shown(evaluation(year).mark(valid, path, seed=1)),
        lambda: find(year).publish(played.original, played.entry, secret=b"1", published=path),
    )


def views(data: bytes, folder: Path) -> None:
    """Read the views of the attackers of 2017."""
    for percent in VIEWS:
        put(data, folder / f"T{percent}.csv")
    Pwscup2017().views(seeds.of_contest("pwscup2017").original, seed=1, folder=folder)


def settings(data: bytes, folder: Path) -> None:
    """Read contest.toml."""
    put(data, folder / FILE)
    read_settings(folder)


def backup(data: bytes, folder: Path) -> None:
    """Restore a contest."""
    restore(put(data, folder / "backup.zip"), folder / "again")


def story(data: bytes, folder: Path) -> None:
    """Read the story of a contest, and write it as the arena takes it."""
    found = read_story(put(data, folder / "story.jsonl"))
    json.dumps(found.to_json(), allow_nan=False).encode()
    found.to_lines().encode()


def trials(data: bytes, folder: Path) -> None:
    """Go on from finished trials."""
    put(data, folder / "x" / TRIALS)
    TrialFile(folder / "x", "digest")


def scores(data: bytes, _folder: Path) -> None:
    """Read what a script printed."""
    json.dumps(parse_scores(data), allow_nan=False).encode()


def report(data: bytes, _folder: Path) -> None:
    """Read what a worker reports."""
    read_report(OUTCOME, data)


def cells(data: bytes, _folder: Path) -> None:
    """Read and write generalized cells."""
    texts = pl.Series("cell", data.decode(errors="replace").split("\n"))
    for read in (prices, lambda values: values):
        for kind in (None, "exact", "interval", "set"):
            found, bad = parse(texts, read, of=kind)  # type: ignore[arg-type]
            to_text(found.filter(~bad), lambda values: values.cast(pl.String))


def download(data: bytes, folder: Path) -> None:
    """Read the archive of Online Retail, from a file instead of the network."""
    path = put(data, folder / "x.zip")
    download_online_retail(folder / "out.csv", url=path.as_uri(), digest="none")


TEXT, NESTED, ZIP = mutations.TEXT, mutations.NESTED, mutations.ZIP
XML = [mutations.inside_zip(change) for change in (*NESTED, *TEXT)]
FRAMED = [mutations.part_of(seeds.FILE_MARK, change) for change in (*TEXT, *NESTED)]
CELLS = b"[1;2]\n*\n2.5", b"{a;b}\nc\n*", b"x\n"
SCORES = b'{"loss": 0.5, "risk": 1}', b'{"a": -0.0}'
REPORTS = (
    b'{"checked": {"valid": true, "report": {}}}',
    b'{"values": [{"title": "E1", "kind": "utility", "value": 0.5, "better": "lower", "n": 3}]}',
    b'{"script": {"value": 0.5, "problem": null, "stderr": ""}, "release": {"S.csv": "a"}}',
)

READERS: dict[str, Reader] = {
    "csv": Reader(csv, seeds.csv_files, TEXT),
    "contest-data": Reader(contest_data, seeds.contest_files, TEXT),
    "parquet": Reader(parquet, seeds.parquet_files, mutations.PARQUET),
    "excel": Reader(excel, seeds.workbooks, XML),
    "customers": Reader(customers, seeds.customers, TEXT),
    "people": Reader(people, seeds.people, TEXT),
    "release": Reader(release, seeds.releases, FRAMED),
    "key": Reader(key, lambda: [b"pseudonym,person\np1,Ann\np2,Bob\n"], TEXT),
    "pk-space": Reader(space, seeds.spaces, (*NESTED, *TEXT)),
    "pk-mechanism": Reader(pk_mechanism, seeds.mechanisms, NESTED),
    "ble-capture": Reader(capture, seeds.captures),
    "ble-devices": Reader(devices, seeds.devices, TEXT),
    **{
        f"submission-{year}": Reader(
            partial(submission, year),
            partial(seeds.submission, year),
            ZIP if year == "pwscup2016" else TEXT,
        )
        for year in YEARS
    },
    "submission-custom": Reader(
        partial(submission, "custom"), lambda: [b"who,when,cost,word\nAnn,2011/2/28,1.5,x\n"], TEXT
    ),
    **{
        f"guess-{year}": Reader(partial(guess, year), partial(seeds.guess, year), TEXT)
        for year in YEARS
    },
    "views": Reader(views, lambda: seeds.submission("pwscup2017"), TEXT),
    "settings": Reader(settings, seeds.settings_files, NESTED),
    "backup": Reader(backup, seeds.backups, (*ZIP, *XML)),
    "story": Reader(story, seeds.stories, NESTED),
    "trials": Reader(trials, seeds.trials, NESTED),
    "scores": Reader(scores, lambda: SCORES, NESTED, (BadScores,)),
    "worker-report": Reader(report, lambda: REPORTS, NESTED),
    "cells": Reader(cells, lambda: CELLS, TEXT),
    "download": Reader(download, seeds.archives, (*XML, *ZIP)),
}
