"""`tokumei ble link` and `generate`: two captures compared, and captures made up."""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from tokumei.ble.generating import SCENES, Scene, generate_capture
from tokumei.ble.linking import Linked, link
from tokumei.ble.writing import write_capture
from tokumei.cli.ble_options import CAPTURE, devices_option, known_devices, observed, rssi_option
from tokumei.cli.drawing import print_json, print_table
from tokumei.cli.localized import Command, Option, tr
from tokumei.cli.options import common, output_option, seed_option
from tokumei.data.writing import check_new, is_parquet, write_frame
from tokumei.words import percent


@click.command("link", cls=Command)
@click.argument("first", type=CAPTURE)
@click.argument("second", type=CAPTURE)
@output_option("New table of whom each address was taken for (.csv or .parquet).")
@devices_option
@rssi_option
@seed_option()
@common
def link_captures(
    first: Path,
    second: Path,
    output: Path | None,
    lists: tuple[Path, ...],
    rssi_offset: int,
    *,
    as_json: bool,
    seed: int | None,
) -> None:
    """Try to recognize the devices of one capture in another.

    Each device is a history of what was observed of it; the attacks of the library compare the
    histories by address, by advertising payload and by the level of RSSI. Lists of devices tell
    which addresses belong together, and so who was recognized rightly; without them, only stable
    addresses that occur in both captures do.
    """
    if output is not None:
        is_parquet(output)
        check_new(output)
    devices = known_devices(lists)
    both = (observed(path, devices, rssi_offset) for path in (first, second))
    found = link(*both, devices=devices, seed=seed or 0)
    if output is not None:
        parts = [one.guess.with_columns(pl.lit(one.way).alias("way")) for one in found.links]
        write_frame(pl.concat(parts), output)
    if as_json:
        print_json(found.to_json() | {"table": str(output) if output else None})
        return
    _show_links(found)
    if output is not None:
        click.echo(f"{tr('The table is here:')} {output}")


def _show_links(found: Linked) -> None:
    words = {
        "address": tr("stable address"),
        "payload": tr("advertising payload"),
        "level": tr("level of RSSI"),
    }
    rows = [
        (
            words[one.way],
            percent(one.score.value),
            f"{percent((one.score.interval or (0.0, 1.0))[0])} – "
            f"{percent((one.score.interval or (0.0, 1.0))[1])}",
            percent(one.score.baseline),
            f"{one.newcomers_named:,}",
        )
        for one in found.links
    ]
    heads = (
        tr("recognized by"),
        tr("devices recognized"),
        tr("95% interval"),
        tr("random guess"),
        tr("others taken for somebody"),
    )
    title = tr(
        "{again} of {second} addresses are known to be of devices of the first capture"
    ).format(again=f"{found.again:,}", second=f"{found.second:,}")
    print_table(title, heads, rows, numbers=range(1, 5))
    if found.left_out:
        names = ", ".join(words[way] for way in found.left_out)
        click.echo(f"{tr('Left out, because a capture tells nothing of it:')} {names}")
    click.echo(f"{tr('recognized in at least one way:')} {found.recognized:,}")
    click.echo(
        tr("The attacker recorded the first capture and knows whose each of its addresses was.")
    )
    if found.truth == "addresses":
        click.echo(
            tr("Without a list of devices only stable addresses count, and all are recognized.")
        )


@click.command("generate", cls=Command)
@output_option("New capture (.psd or .pcap).", required=True)
@click.option(
    "--scene",
    type=click.Choice(SCENES),
    default="thesis",
    cls=Option,
    help="The experiment of the thesis (19 devices, channel 37), or an office of many habits.",
)
@click.option(
    "--count", type=click.IntRange(1, 10_000), default=24, cls=Option, help="Devices in the office."
)
@click.option(
    "--seconds",
    type=click.IntRange(1, 86_400),
    default=100,
    cls=Option,
    help="How long to capture.",
)
@click.option(
    "--later",
    type=click.IntRange(0),
    default=0,
    cls=Option,
    help="Seconds after the first capture of the same seed; changing addresses have changed.",
)
@click.option(
    "--link-type",
    type=click.Choice(["251", "256"]),
    default="256",
    cls=Option,
    help="Link type of a pcap; 251 has neither channel nor RSSI.",
)
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    cls=Option,
    help="New list of the devices (.csv or .parquet), as --devices reads it.",
)
@seed_option()
@common
def generate(
    output: Path,
    scene: Scene,
    count: int,
    seconds: int,
    later: int,
    link_type: str,
    truth: Path | None,
    *,
    as_json: bool,
    seed: int | None,
) -> None:
    """Generate a capture whose truth is known.

    The scene thesis re-creates the experiment of the thesis: of 19 devices, four Macs are heard.
    """
    check_new(output)
    if truth is not None:
        is_parquet(truth)
        check_new(truth)
    made = generate_capture(scene, seed=seed or 0, devices=count, seconds=seconds, later=later)
    packets = write_capture(made.packets, output, link=int(link_type))
    if truth is not None:
        write_frame(made.truth, truth)
    if as_json:
        print_json(
            {
                "capture": str(output),
                "packets": packets,
                "devices": made.truth.select("device", "type", "user").n_unique(),
                "truth": str(truth) if truth else None,
            }
        )
        return
    click.echo(f"{tr('packets')}: {packets:,}")
    click.echo(f"{tr('The capture is here:')} {output}")
