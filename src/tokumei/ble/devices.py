"""The list of known devices: address, device, type, user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tokumei.data.columns import has_texts
from tokumei.data.loading import load
from tokumei.errors import SchemaError, place

UNKNOWN_DEVICE = "unknown"
COLUMNS = ("address", "device", "type", "user")
NEEDED = COLUMNS[:2]
ADDRESS = r"^(?:[0-9A-F]{2}[:-]?){5}[0-9A-F]{2}$"


@dataclass(frozen=True, eq=False)
class Devices:
    """Known devices; rows that agree in device, type and user are one device of many addresses."""

    rows: pl.DataFrame
    """address (60:F8:1D:C8:1B:53), device, type, user."""

    def names_of(self, senders: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Return device and user of each sender; an address that is not listed is unknown."""
        given = pl.DataFrame({"address": senders})
        found = given.join(self.rows, on="address", how="left", maintain_order="left")
        strange = senders.is_not_null() & found["device"].is_null()
        device = found["device"].set(strange, UNKNOWN_DEVICE)
        return device.alias("device"), found["user"].alias("user")

    @property
    def owned(self) -> pl.DataFrame:
        """device, type, user of every device, once."""
        return self.rows.select("device", "type", "user").unique(maintain_order=True)


def read_devices(path: Path) -> Devices:
    """Read a list (CSV, Parquet or Excel) with the columns address, device, and type and user.

    Addresses may be written with colons, hyphens or neither, in small or large letters.
    """
    rows = load(path).rows
    names = [name.strip().lower() for name in rows.columns]
    if len(set(names)) < len(names):
        raise SchemaError(f"Every column of {path} needs a name of its own, whatever the case.")
    rows = rows.rename(dict(zip(rows.columns, names, strict=True)))
    for name in NEEDED:
        if name not in rows.columns:
            have = ", ".join(rows.columns)
            raise SchemaError(f"{path} needs a column '{name}'; it has {have}.")
    for name in ("type", "user"):
        if name not in rows.columns:
            rows = rows.with_columns(pl.lit("", pl.String).alias(name))
    for name in COLUMNS:
        if not has_texts(rows.schema[name]):
            kind = rows.schema[name]
            raise SchemaError(f"In {path}, every {name} must be a text, not {kind}.")
    rows = rows.select(pl.col(*COLUMNS).cast(pl.String).str.strip_chars())
    rows = rows.with_columns(
        pl.col("address").str.to_uppercase(), pl.col("type", "user").fill_null("")
    )
    wrong = ~rows["address"].str.contains(ADDRESS).fill_null(value=False)
    _refuse(rows, wrong, path, "an address must be 12 hexadecimal digits, as 60:F8:1D:C8:1B:53")
    digits = rows["address"].str.replace_all("[:-]", "")
    pairs = pl.concat_str([digits.str.slice(2 * k, 2) for k in range(6)], separator=":")
    rows = rows.with_columns(pl.select(pairs).to_series().alias("address"))
    nameless = rows["device"].is_null() | rows["device"].is_in([UNKNOWN_DEVICE, ""])
    _refuse(rows, nameless, path, f"a device needs a name other than '{UNKNOWN_DEVICE}'", "device")
    _refuse(rows, rows["address"].is_duplicated(), path, "an address may be listed once")
    return Devices(rows)


def _refuse(
    rows: pl.DataFrame, wrong: pl.Series, path: Path, rule: str, column: str = "address"
) -> None:
    if wrong.any():
        lines = [number + 2 for number in wrong.arg_true().to_list()]
        value = rows[column][lines[0] - 2]
        raise SchemaError(f"In {path}, {rule}, not {value!r} ({place(lines, column)}).")
