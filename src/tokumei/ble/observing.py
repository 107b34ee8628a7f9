"""What a capture shows of each address: how often, how long, how loud, and what it told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from tokumei.ble.devices import Devices
from tokumei.ble.link_layer import STABLE_KINDS
from tokumei.ble.makers import company_name, maker_of_address, told_by
from tokumei.ble.tally import Tally
from tokumei.errors import Unachievable

POINTS = 4_000
"""So many packets are drawn in a chart at most."""
PER_SENDER = ("sender", "sender_kind")


@dataclass(frozen=True, eq=False)
class Observations:
    """The sound packets of a capture that tell who sent them."""

    addresses: pl.DataFrame
    """A row for each address: sender, sender_kind, packets, first, last (seconds), mean, deviation,
    variation of the RSSI (null where there is none), maker, source, name, device, type, user."""
    payloads: pl.DataFrame
    """sender, advertising_data, packets: what each address told, and how often."""
    levels: pl.DataFrame
    """sender, rssi, packets: how often each address was heard at each level."""
    points: pl.DataFrame
    """time_stamp, rssi, sender, device: packets to draw."""
    pdu_types: pl.DataFrame
    """pdu_type, packets, of all sound packets."""
    channels: list[int]
    seconds: float
    tally: Tally
    devices: Devices | None
    looked_at: tuple[str, ...] = ()
    """PDU types, where not all were looked at."""

    @property
    def known(self) -> pl.DataFrame:
        """Addresses of the list of known devices."""
        return self.addresses.filter(pl.col("device").is_not_null())

    @property
    def unknown(self) -> pl.DataFrame:
        """All other addresses."""
        return self.addresses.filter(pl.col("device").is_null())

    @property
    def stable(self) -> int:
        """How many addresses are of a kind that a device keeps."""
        return int(self.addresses["sender_kind"].is_in(STABLE_KINDS).sum())


def observe(
    blocks: Iterable[pl.DataFrame],
    tally: Tally,
    *,
    devices: Devices | None = None,
    pdu_types: Iterable[str] = (),
) -> Observations:
    """Gather observations block by block; of `pdu_types` alone, where some are given."""
    wanted = list(pdu_types)
    sums, payloads, levels, types, points = [], [], [], [], []
    channels: set[int] = set()
    end, thinned = 0.0, 1
    for block in blocks:
        end = max(end, float(block["time_stamp"].max() or 0))  # type: ignore[arg-type]
        sound = block.filter(pl.col("crc") == "ok")
        types.append(sound.group_by("pdu_type").agg(packets=pl.len()))
        channels.update(sound["channel"].drop_nulls().unique())
        rows = sound.filter(pl.col("sender").is_not_null())
        if wanted:
            rows = rows.filter(pl.col("pdu_type").is_in(wanted))
        sums.append(_sums(rows))
        payloads.append(_counted(rows, "advertising_data"))
        levels.append(_counted(rows, "rssi"))
        points.append(_thinned(rows, thinned))
        while sum(map(len, points)) > POINTS:
            thinned *= 2
            points = [pl.concat(points).filter(pl.col("id") % thinned == 0)]
    if not sum(map(len, sums)):
        raise Unachievable("No sound packet tells who sent it; there is nothing to observe.")
    told = _merged(payloads, "advertising_data")
    return Observations(
        addresses=_addresses(pl.concat(sums), told, devices),
        payloads=told,
        levels=_merged(levels, "rssi"),
        points=pl.concat(points).drop("id"),
        pdu_types=pl.concat(types)
        .group_by("pdu_type")
        .agg(pl.col("packets").sum())
        .sort("packets", "pdu_type", descending=[True, False]),
        channels=sorted(channels),
        seconds=end,
        tally=tally,
        devices=devices,
        looked_at=tuple(wanted),
    )


def _thinned(rows: pl.DataFrame, every: int) -> pl.DataFrame:
    drawn = rows.filter(pl.col("rssi").is_not_null(), pl.col("id") % every == 0)
    return drawn.select("id", "time_stamp", "rssi", "sender")


def _sums(rows: pl.DataFrame) -> pl.DataFrame:
    level = pl.col("rssi").cast(pl.Int64)
    return rows.group_by(PER_SENDER).agg(
        packets=pl.len().cast(pl.Int64),
        first=pl.col("time_stamp").min(),
        last=pl.col("time_stamp").max(),
        heard=level.count().cast(pl.Int64),
        total=level.sum(),
        squares=(level * level).sum(),
    )


def _counted(rows: pl.DataFrame, what: str) -> pl.DataFrame:
    told = rows.filter(pl.col(what).is_not_null())
    return told.group_by("sender", what).agg(packets=pl.len().cast(pl.Int64))


def _merged(parts: list[pl.DataFrame], what: str) -> pl.DataFrame:
    whole = pl.concat(parts).group_by("sender", what).agg(pl.col("packets").sum())
    return whole.sort("sender", "packets", what, descending=[False, True, False])


def _addresses(sums: pl.DataFrame, told: pl.DataFrame, devices: Devices | None) -> pl.DataFrame:
    merged = sums.group_by(PER_SENDER).agg(
        pl.col("packets", "heard", "total", "squares").sum(),
        pl.col("first").min(),
        pl.col("last").max(),
    )
    mean = pl.col("total") / pl.col("heard")
    # Whole numbers until the division: no sum of squares loses a digit.
    spread = pl.col("heard") * pl.col("squares") - pl.col("total") ** 2
    variance = spread / (pl.col("heard") * (pl.col("heard") - 1))
    rows = merged.with_columns(
        mean=pl.when(pl.col("heard") > 0).then(mean),
        deviation=pl.when(pl.col("heard") > 1).then(variance.sqrt()),
    ).with_columns(
        variation=pl.when(pl.col("mean") != 0).then(pl.col("deviation") / pl.col("mean").abs())
    )
    rows = rows.drop("heard", "total", "squares").join(_makers(rows, told), on=PER_SENDER)
    if devices is None:
        nobody = [pl.lit(None, pl.String).alias(name) for name in ("device", "type", "user")]
        rows = rows.with_columns(nobody)
    else:
        rows = rows.join(devices.rows, left_on="sender", right_on="address", how="left")
    return rows.sort("packets", "sender", "sender_kind", descending=[True, False, False])


def _makers(rows: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Return who made each sender and what it calls itself; the first payload that tells counts."""
    said: dict[str, tuple[int | None, str | None]] = {}
    for sender, data in told.select("sender", "advertising_data").iter_rows():
        found, known = told_by(data), said.get(sender, (None, None))
        company = found.company if known[0] is None else known[0]
        said[sender] = (company, known[1] or found.name)
    lines = []
    for sender, kind in rows.select(PER_SENDER).iter_rows():
        company, name = said.get(sender, (None, None))
        maker, source = maker_of_address(sender, kind), "address"
        if maker is None and company is not None:
            maker, source = company_name(company), "advertising data"
        lines.append((sender, kind, maker, source if maker else None, name))
    schema = dict.fromkeys((*PER_SENDER, "maker", "source", "name"), pl.String)
    return pl.DataFrame(lines, schema=schema, orient="row")


def detected(seen: Observations, devices: Devices) -> pl.DataFrame:
    """Return Table C.2: type, present, detected, share; the last row is for all types."""
    heard = seen.known.select("device", "type", "user").unique().with_columns(found=pl.lit(1))
    owned = devices.owned.join(heard, on=["device", "type", "user"], how="left")
    counted = owned.group_by("type", maintain_order=True).agg(
        present=pl.len().cast(pl.Int64), detected=pl.col("found").sum().cast(pl.Int64)
    )
    whole = counted.select(
        pl.lit(None, pl.String).alias("type"), pl.col("present", "detected").sum()
    )
    return pl.concat([counted, whole]).with_columns(share=pl.col("detected") / pl.col("present"))


def kinds(seen: Observations) -> pl.DataFrame:
    """Return how many addresses and packets of each kind there are, and how long they were seen."""
    return (
        seen.addresses.group_by("sender_kind")
        .agg(
            addresses=pl.len().cast(pl.Int64),
            packets=pl.col("packets").sum(),
            known=pl.col("device").is_not_null().sum().cast(pl.Int64),
            median_seconds=(pl.col("last") - pl.col("first")).median(),
            longest_seconds=(pl.col("last") - pl.col("first")).max(),
        )
        .sort("addresses", "sender_kind", descending=[True, False])
    )
