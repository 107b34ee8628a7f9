"""Captures as tables: a row for each packet, with the columns of Table C.1 of the thesis first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from tokumei.ble.channels import Channels
from tokumei.ble.connections import Connections
from tokumei.ble.devices import Devices
from tokumei.ble.kernels import NOBODY, Ints, advertisers, gathered
from tokumei.ble.link_layer import (
    ADVERTISING,
    DATA_CODES,
    EXTENDED,
    KINDS,
    OVERHEAD,
    PDU_NAMES,
    RANDOM_KINDS,
    RESERVED,
    UNKNOWN,
    address_text,
)
from tokumei.ble.records import BLOCK, records
from tokumei.ble.tally import LISTED, Tally, explained
from tokumei.ble.wrapping import NO_CHANNEL, NO_RSSI, SHORT, Flags, Wrapped, bytes_of, wrapped
from tokumei.errors import ParameterError, ReadError
from tokumei.progress import track

RSSI_OFFSET = -73
"""dBm of the raw value 0 of a CC2540. TI does not state it; public tools use -73 or -80."""

RESERVED_TYPE = "reserved-pdu-type"
MISFIT = "payload-size"
WRONG_LENGTH = "header-length"
MISPLACED = "access-address"
CRC_DISAGREES = "crc-disagrees"
BACKWARDS = "time-backwards"
CRC_WORDS = ("unknown", "bad", "ok")


@dataclass
class _State:
    """What one block must know of those before it."""

    tally: Tally
    channels: Channels = field(default_factory=Channels)
    connections: Connections = field(default_factory=Connections)
    first: int | None = None
    last: int | None = None


def read_blocks(
    path: Path,
    tally: Tally,
    *,
    devices: Devices | None = None,
    rssi_offset: int = RSSI_OFFSET,
) -> Iterator[pl.DataFrame]:
    """Yield the packets of a capture, some thousand at a time, and fill the tally.

    A file without a single packet is an error. `rssi_offset` holds for psd files; other captures
    have their own.
    """
    if not -128 <= rssi_offset <= 0:
        raise ParameterError(f"rssi_offset must lie in [-128, 0], not {rssi_offset}.")
    state = _State(tally)
    size = path.stat().st_size if path.is_file() else 0
    done = 0
    # A record has some 60 bytes, or 271: the share of the work is rough.
    steps = max(1, size // (60 * BLOCK))
    for given in track(records(path, tally), steps, "reading packets"):
        found = wrapped(given, tally, rssi_offset=rssi_offset)
        rows = _decoded(found, state)
        done += len(rows)
        if len(rows):
            yield rows.with_columns(*_names(rows["sender"], devices)).select(COLUMNS)
    if not done:
        raise ReadError(f"{path} has no Bluetooth LE packet{_why(tally)}.")


COLUMNS = (
    "id",
    "time_stamp",
    "pdu_type",
    "adv_a",
    "scan_a",
    "rssi",
    "device",
    "user",
    "sender",
    "sender_kind",
    "channel",
    "crc",
    "rssi_raw",
    "access_address",
    "advertising_data",
)


@dataclass(frozen=True, eq=False)
class Capture:
    """A whole capture in memory."""

    packets: pl.DataFrame
    tally: Tally


def read_capture(
    path: Path, *, devices: Devices | None = None, rssi_offset: int = RSSI_OFFSET
) -> Capture:
    """Read a capture that fits into memory."""
    tally = Tally()
    blocks = read_blocks(path, tally, devices=devices, rssi_offset=rssi_offset)
    return Capture(pl.concat(blocks), tally)


def _why(tally: Tally) -> str:
    if not tally.skipped:
        return ""
    reason, count = tally.skipped.most_common(1)[0]
    return f": {count:,} records were left out, most because {explained(reason)}"


def _decoded(found: Wrapped, state: _State) -> pl.DataFrame:
    """Return the rows of some packets, without the names of devices."""
    tally, data = state.tally, found.records.data
    fits = found.length - found.coded >= OVERHEAD
    tally.skip(SHORT, int((~fits).sum()))
    found = _only(found, fits)
    header = found.start + 4 + found.coded
    room = found.length - found.coded - OVERHEAD
    access = np.zeros(len(room), dtype=np.int64)
    for k in range(4):
        access |= bytes_of(data, found.start + k) << (8 * k)
    own = access == ADVERTISING
    advertising = own | found.advertising
    fits = bytes_of(data, header + 1) == room
    tally.note(WRONG_LENGTH, int((~fits).sum()))
    told = np.full((8, len(room)), NOBODY)
    first = bytes_of(data, header)
    told[0] = np.where(fits, np.where(advertising, first & 15, DATA_CODES + (first & 3)), UNKNOWN)
    # Only periodic advertising has access addresses of its own; these PDUs name nobody.
    strange = fits & advertising & ~own & (told[0] != EXTENDED)
    advertised = np.ascontiguousarray(told[:, fits & own])
    advertisers(data, header[fits & own] + 2, room[fits & own], advertised)
    told[:, fits & own] = advertised
    channel, misplaced = state.channels.read(found, told[0], advertising, tally)
    misplaced |= strange
    told[:, misplaced] = NOBODY
    tally.note(MISPLACED, int(misplaced.sum()))
    crc = np.where(misplaced, 0, state.connections.checked(found, header, room, access, told))
    crc[advertising & ~own & (crc == 1)] = -1  # nothing confirms the sniffer's word
    _count(found, told, crc, state)
    return _table(found, told, channel, crc, access, header, state)


def _only(found: Wrapped, chosen: Flags) -> Wrapped:
    columns = {
        name: getattr(found, name)[chosen]
        for name in found.__dataclass_fields__
        if name != "records"
    }
    return Wrapped(found.records.only(chosen), **columns)


def _count(found: Wrapped, told: Ints, crc: Ints, state: _State) -> None:
    tally, code = state.tally, told[0]
    tally.packets += len(code)
    tally.crc_ok += int((crc == 1).sum())
    tally.crc_bad += int((crc == 0).sum())
    advertising = (code >= 0) & (code < DATA_CODES)
    sound = crc != 0  # damaged packets are odd anyway
    tally.note(RESERVED_TYPE, int((sound & advertising & (code >= RESERVED)).sum()))
    misfit = advertising & (code < RESERVED) & (told[5] == NOBODY)
    tally.note(MISFIT, int((sound & misfit).sum()))
    time = found.records.time
    if len(time):
        before = time[0] if state.last is None else state.last
        tally.note(BACKWARDS, int((np.diff(time, prepend=before) < 0).sum()))
        state.last = int(time[-1])
    disagreeing = state.connections.disagreeing
    tally.note(CRC_DISAGREES, int(disagreeing.sum()))
    room = LISTED - len(tally.disagreeing)
    tally.disagreeing += found.records.number[disagreeing][:room].tolist()


def _table(
    found: Wrapped, told: Ints, channel: Ints, crc: Ints, access: Ints, header: Ints, state: _State
) -> pl.DataFrame:
    code, data = told[0], found.records.data
    if state.first is None and len(code):
        state.first = int(found.records.time[0])
    # Whether the sender's address is random stands in the header; data packets have no address.
    random = (bytes_of(data, header) & 0x40) > 0
    top = np.where(told[3] == NOBODY, 0, told[3]) >> 46
    kind = np.where(random, np.array(RANDOM_KINDS)[top], 0)
    return pl.DataFrame(
        {
            "id": found.records.number,
            "time_stamp": (found.records.time - (state.first or 0)) / 1e6,
            "pdu_type": _words(code, PDU_NAMES, code == UNKNOWN),
            "adv_a": _addresses(told[1]),
            "scan_a": _addresses(told[2]),
            "rssi": _gaps(found.rssi, NO_RSSI, pl.Int16),
            "sender": _addresses(told[3]),
            "sender_kind": _words(kind, KINDS, told[3] == NOBODY),
            "channel": _gaps(channel, NO_CHANNEL, pl.Int8),
            "crc": _words(crc + 1, CRC_WORDS, crc < -1),
            "rssi_raw": _gaps(found.rssi_raw, NO_RSSI, pl.Int16),
            "access_address": _distinct(access, lambda number: f"0x{number:08X}"),
            "advertising_data": _payloads(found, told),
        }
    )


def _words(codes: Ints, names: tuple[str, ...], missing: Flags) -> pl.Series:
    chosen = pl.Series(np.where(missing, len(names), codes), dtype=pl.UInt32)
    return pl.Series([*names, None], dtype=pl.String).gather(chosen)


def _gaps(numbers: Ints, missing: int, kind: type[pl.DataType]) -> pl.Series:
    column = pl.Series(numbers)
    return column.set(column == missing, None).cast(kind)


def _distinct(numbers: Ints, text: Callable[[int], str]) -> pl.Series:
    """Write each number that occurs once; a capture has few addresses and many packets."""
    values, place = np.unique(numbers, return_inverse=True)
    texts = [None if value == NOBODY else text(value) for value in values.tolist()]
    return pl.Series(texts, dtype=pl.String).gather(pl.Series(place, dtype=pl.UInt32))


def _addresses(numbers: Ints) -> pl.Series:
    return _distinct(numbers, address_text)


def _payloads(found: Wrapped, told: Ints) -> pl.Series:
    """Return the advertising data in hexadecimal; empty data is none."""
    size = np.maximum(told[5], 0)
    ends = size.cumsum()
    content = gathered(found.records.data, told[4], ends)
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    parts = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(size), [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    )
    column: pl.Series = pl.from_arrow(parts)  # type: ignore[assignment]
    return column.set(pl.Series(size == 0), None).bin.encode("hex").str.to_uppercase()


def _names(senders: pl.Series, devices: Devices | None) -> tuple[pl.Series, pl.Series]:
    """Return device and user of each sender; without a list of devices nothing is known."""
    if devices is None:
        nothing = pl.Series([None] * len(senders), dtype=pl.String)
        return nothing.alias("device"), nothing.alias("user")
    return devices.names_of(senders)
