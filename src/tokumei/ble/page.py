"""The report on a capture as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import polars as pl

import tokumei
from tokumei.audit.pictures import downloads, drawing
from tokumei.ble.figures import figures, kind_words
from tokumei.ble.makers import COMPANY_SOURCE, OUI_SOURCE
from tokumei.ble.numbers import number
from tokumei.ble.observing import Observations, detected, kinds
from tokumei.ble.tally import reasons
from tokumei.report.grid import Grid, Head
from tokumei.report.rendering import rendered
from tokumei.words import Language, percent, translate

Translate = Callable[[str], str]


def html(seen: Observations, *, file: str, rssi_offset: int, language: Language = "en") -> str:
    """Return the report on a capture called `file`."""
    tr = partial(translate, language=language)
    drawn: list[dict[str, Any]] = [
        {"figure": one, "svg": drawing(one), "downloads": downloads(one), "numbers": None}
        for one in figures(seen, tr)
    ]
    context: dict[str, Any] = {
        "tr": tr,
        "language": language,
        "headline": headline(seen, tr),
        "facts": facts(seen, file, rssi_offset, tr),
        "detected": detected_grid(seen, tr),
        "levels": levels_grid(seen, tr).shortened(),
        "level_figure": next((one for one in drawn if one["figure"].name == "rssi"), None),
        "kinds": kinds_grid(seen, tr),
        "time_figure": drawn[-1],
        "unknown": unknown_grid(seen, tr).shortened(),
        "makers": makers_grid(seen, tr).shortened(),
        "left_out": left_out_grid(seen, tr),
        "disagreeing": ", ".join(map(str, seen.tally.disagreeing)),
        "notes": [reasons(tr)[code] for code in seen.tally.notes],
        "company_source": COMPANY_SOURCE,
        "oui_source": OUI_SOURCE,
        "version": tokumei.__version__,
    }
    return rendered("ble.html", **context)


def headline(seen: Observations, tr: Translate) -> tuple[str, str]:
    """Return the number that matters, and its sentence."""
    if seen.devices is None:
        share = seen.stable / len(seen.addresses)
        sentence = tr("{count} of {all} addresses are of a kind that a device keeps.")
        counts = {"count": f"{seen.stable:,}", "all": f"{len(seen.addresses):,}"}
    else:
        whole = detected(seen, seen.devices).row(-1, named=True)
        share = whole["share"]
        sentence = tr("{count} of {all} known devices were detected by their addresses.")
        counts = {"count": f"{whole['detected']:,}", "all": f"{whole['present']:,}"}
    return percent(share, 0), sentence.format(**counts)


def facts(seen: Observations, file: str, rssi_offset: int, tr: Translate) -> list[tuple[str, str]]:
    """Return what the capture is."""
    tally = seen.tally
    found = [
        (tr("capture"), file),
        (tr("form"), tally.form),
        (tr("packets"), f"{tally.packets:,}"),
        (tr("CRC ok"), f"{tally.crc_ok:,}"),
        (tr("seconds"), f"{seen.seconds:,.1f}"),
        (tr("channels"), _runs(seen.channels)),
        (tr("addresses that sent"), f"{len(seen.addresses):,}"),
    ]
    if seen.looked_at:
        found.append((tr("PDU types looked at"), ", ".join(seen.looked_at)))
    if tally.form.startswith("psd"):
        found.append((tr("dBm of raw RSSI 0 (assumed)"), number(rssi_offset, 0)))
    return found


def _runs(channels: Sequence[int]) -> str:
    """Write 0, 1, 2, 5 as 0–2, 5."""
    runs: list[list[int]] = []
    for channel in channels:
        if runs and channel == runs[-1][1] + 1:
            runs[-1][1] = channel
        else:
            runs.append([channel, channel])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs) or "–"


def detected_grid(seen: Observations, tr: Translate) -> Grid | None:
    """Return Table C.2."""
    if seen.devices is None:
        return None
    heads = (
        Head(tr("type")),
        Head(tr("present (A)"), number=True),
        Head(tr("detected (B)"), number=True),
        Head(tr("share"), number=True),
    )
    rows = [
        (row["type"] or ("–" if row["type"] is not None else tr("all")),
         f"{row['present']:,}", f"{row['detected']:,}", percent(row["share"], 0))
        for row in detected(seen, seen.devices).iter_rows(named=True)
    ]  # fmt: skip
    return Grid(heads, rows)


def levels_grid(seen: Observations, tr: Translate) -> Grid:
    """Return Table C.3: of known devices, or where none is known of all addresses."""
    part = seen.known if len(seen.known) else seen.addresses
    heads = (
        Head(tr("address")),
        Head(tr("device")),
        Head(tr("packets"), number=True),
        Head(tr("mean RSSI (dBm)"), number=True),
        Head(tr("standard deviation (C)"), number=True),
        Head(tr("coefficient of variation (D)"), number=True),
    )
    rows = [
        (
            row["sender"],
            row["device"] or "–",
            f"{row['packets']:,}",
            number(row["mean"], 1),
            number(row["deviation"], 2),
            percent(row["variation"]),
        )
        for row in part.sort("mean", descending=True, nulls_last=True).iter_rows(named=True)
    ]
    return Grid(heads, rows)


def kinds_grid(seen: Observations, tr: Translate) -> Grid:
    """Return how many addresses of each kind there are."""
    heads = (
        Head(tr("kind of address")),
        Head(tr("addresses"), number=True),
        Head(tr("of known devices"), number=True),
        Head(tr("packets"), number=True),
        Head(tr("observable, median (s)"), number=True),
        Head(tr("observable, longest (s)"), number=True),
    )
    words = kind_words(tr)
    rows = [
        (
            words[row["sender_kind"]],
            f"{row['addresses']:,}",
            f"{row['known']:,}",
            f"{row['packets']:,}",
            number(row["median_seconds"], 1),
            number(row["longest_seconds"], 1),
        )
        for row in kinds(seen).iter_rows(named=True)
    ]
    return Grid(heads, rows)


def unknown_grid(seen: Observations, tr: Translate) -> Grid:
    """Return the addresses that no list of devices has."""
    heads = (
        Head(tr("address")),
        Head(tr("kind of address")),
        Head(tr("packets"), number=True),
        Head(tr("first (s)"), number=True),
        Head(tr("last (s)"), number=True),
        Head(tr("mean RSSI (dBm)"), number=True),
        Head(tr("maker named")),
        Head(tr("calls itself")),
    )
    words = kind_words(tr)
    rows = [
        (
            row["sender"],
            words[row["sender_kind"]],
            f"{row['packets']:,}",
            number(row["first"], 1),
            number(row["last"], 1),
            number(row["mean"], 1),
            row["maker"] or "–",
            row["name"] or "–",
        )
        for row in seen.unknown.iter_rows(named=True)
    ]
    return Grid(heads, rows)


def makers_grid(seen: Observations, tr: Translate) -> Grid:
    """Return who made the devices, where something tells."""
    sources = {"address": tr("its address"), "advertising data": tr("its advertising data")}
    found = (
        seen.addresses.filter(pl.col("maker").is_not_null())
        .group_by("maker", "source")
        .agg(count=pl.len(), names=pl.col("name").drop_nulls().unique().sort())
        .sort("count", "maker", descending=[True, False])
    )
    heads = (
        Head(tr("maker named")),
        Head(tr("told by")),
        Head(tr("addresses"), number=True),
        Head(tr("names they tell")),
    )
    rows = [
        (
            row["maker"],
            sources[row["source"]],
            f"{row['count']:,}",
            ", ".join(row["names"]) or "–",
        )
        for row in found.iter_rows(named=True)
    ]
    return Grid(heads, rows)


def left_out_grid(seen: Observations, tr: Translate) -> Grid:
    """Return what gave no row, and what is odd about rows."""
    words = reasons(tr)
    tally = seen.tally
    rows = [
        (words[code], tr("left out"), f"{count:,}") for code, count in tally.skipped.most_common()
    ]
    rows += [(words[code], tr("kept"), f"{count:,}") for code, count in tally.odd.most_common()]
    heads = (Head(tr("reason")), Head(tr("what became of it")), Head(tr("records"), number=True))
    return Grid(heads, rows)
