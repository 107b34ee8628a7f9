"""`tokumei ble`: what nearby Bluetooth LE devices give away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tokumei.ble.link_layer import PDU_NAMES
from tokumei.ble.observing import Observations, detected, kinds
from tokumei.ble.page import detected_grid, headline, html, kinds_grid, levels_grid
from tokumei.ble.reading import read_blocks
from tokumei.ble.tally import Tally, reasons
from tokumei.cli.ble_linking import generate, link_captures
from tokumei.cli.ble_options import CAPTURE, devices_option, known_devices, observed, rssi_option
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Group, Option, language, tr
from tokumei.cli.options import common, output_option
from tokumei.data.writing import check_new, is_parquet, whole_file, write_blocks
from tokumei.errors import ParameterError


@click.group("ble", cls=Group)
def command() -> None:
    """Read Bluetooth LE captures, and see what nearby devices give away."""


@command.command("convert")
@click.argument("capture", type=CAPTURE)
@output_option(
    "New table (.csv or .parquet); without it, the name of the capture ending in .csv.",
)
@devices_option
@rssi_option
@common
def convert(
    capture: Path,
    output: Path | None,
    lists: tuple[Path, ...],
    rssi_offset: int,
    *,
    as_json: bool,
) -> None:
    """Turn a capture into a table with a row for each packet.

    CAPTURE is a psd of TI's packet sniffer (CC2540), or a pcap or pcapng of link type 192, 251, 256
    or 272. The first columns are those of the thesis: id, time_stamp, pdu_type, adv_a, scan_a,
    rssi, device, user. A file of any size is read piece by piece.
    """
    target = output or capture.with_suffix(".csv")
    is_parquet(target)
    check_new(target)
    tally = Tally()
    blocks = read_blocks(capture, tally, devices=known_devices(lists), rssi_offset=rssi_offset)
    write_blocks(blocks, target)
    if as_json:
        print_json(tally.to_json() | {"table": str(target)})
        return
    print_table(str(capture), (tr("what"), tr("value")), _counts(tally), numbers=[1])
    click.echo(f"{tr('The table is here:')} {target}")


def _counts(tally: Tally) -> list[tuple[str, str]]:
    words = reasons(tr)
    rows = [
        (tr("form"), tally.form),
        (tr("packets"), f"{tally.packets:,}"),
        (tr("CRC ok"), f"{tally.crc_ok:,}"),
        (tr("CRC bad"), f"{tally.crc_bad:,}"),
    ]
    for label, counts in ((tr("left out"), tally.skipped), (tr("odd"), tally.odd)):
        rows += [(f"{label}: {words[code]}", f"{count:,}") for code, count in counts.items()]
    if tally.disagreeing:
        ids = ", ".join(map(str, tally.disagreeing))
        rows.append((tr("Packets whose CRC is not what the capture says of it:"), ids))
    return rows


@command.command("report")
@click.argument("capture", type=CAPTURE)
@output_option("New file for the report (.html).")
@devices_option
@click.option(
    "--pdu",
    "pdu_types",
    type=click.Choice(PDU_NAMES[:9]),
    multiple=True,
    metavar="NAME",
    cls=Option,
    help="Look only at packets of this type (repeatable); the thesis looked at SCAN_REQ.",
)
@rssi_option
@common
def report(
    capture: Path,
    output: Path | None,
    lists: tuple[Path, ...],
    pdu_types: tuple[str, ...],
    rssi_offset: int,
    *,
    as_json: bool,
) -> None:
    """Report which devices a capture shows, how steady their signal is, and how long they are seen.

    With a list of known devices, the tables and the figure of the thesis (C.2, C.3, Fig. C.3) are
    made from it; all other addresses are unknown.
    """
    if output is not None:
        check_new(output)
        if output.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"A report must end in .html, not '{output.suffix}'.")
    seen = observed(capture, known_devices(lists), rssi_offset, pdu_types)
    if output is not None:
        page = html(seen, file=capture.name, rssi_offset=rssi_offset, language=language())
        with whole_file(output) as file:
            file.write(page.encode())
    if as_json:
        print_json(_report_json(seen) | {"report": str(output) if output else None})
        return
    share, sentence = headline(seen, tr)
    click.echo(f"{share}: {sentence}")
    for title, grid in (
        (tr("Which known devices were detected"), detected_grid(seen, tr)),
        (tr("How loud, and how steady"), levels_grid(seen, tr)),
        (tr("How long an address can be followed"), kinds_grid(seen, tr)),
    ):
        if grid is not None:
            names = [head.name for head in grid.heads]
            numbers = [place for place, head in enumerate(grid.heads) if head.number]
            print_table(title, names, grid.rows[:20], numbers=numbers)
    if output is not None:
        click.echo(f"{tr('The report is here:')} {output}")


def _report_json(seen: Observations) -> dict[str, Any]:
    found = None if seen.devices is None else detected(seen, seen.devices).to_dicts()
    return {
        "capture": seen.tally.to_json(),
        "seconds": seen.seconds,
        "channels": seen.channels,
        "pdu_types": seen.pdu_types.to_dicts(),
        "detected": found,
        "addresses": seen.addresses.to_dicts(),
        "kinds": kinds(seen).to_dicts(),
    }


command.add_command(link_captures)
command.add_command(generate)
