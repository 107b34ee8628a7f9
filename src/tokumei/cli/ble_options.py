"""What the commands on captures share."""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from tokumei.ble.devices import Devices, read_devices
from tokumei.ble.observing import Observations, observe
from tokumei.ble.reading import RSSI_OFFSET, read_blocks
from tokumei.ble.tally import Tally
from tokumei.cli.localized import Option
from tokumei.errors import ParameterError

CAPTURE = click.Path(path_type=Path)

rssi_option = click.option(
    "--rssi-offset",
    type=int,
    default=RSSI_OFFSET,
    cls=Option,
    allowed="-128 to 0",
    help="dBm of the raw RSSI 0 in psd files, which TI does not state; other tools use -73 or -80.",
)
devices_option = click.option(
    "--devices",
    "lists",
    type=click.Path(path_type=Path),
    multiple=True,
    cls=Option,
    help="List of known devices with the columns address, device, type, user (repeatable).",
)


def known_devices(lists: tuple[Path, ...]) -> Devices | None:
    """Read the lists of devices, which must agree."""
    if not lists:
        return None
    rows = pl.concat([read_devices(path).rows for path in lists]).unique(maintain_order=True)
    twice = rows.filter(pl.col("address").is_duplicated())
    if len(twice):
        raise ParameterError(
            f"The lists of devices disagree on who has the address {twice['address'][0]}."
        )
    return Devices(rows)


def observed(
    capture: Path, devices: Devices | None, rssi_offset: int, pdu_types: tuple[str, ...] = ()
) -> Observations:
    """Read a capture and gather what it shows of each address."""
    tally = Tally()
    blocks = read_blocks(capture, tally, devices=devices, rssi_offset=rssi_offset)
    return observe(blocks, tally, devices=devices, pdu_types=pdu_types)
