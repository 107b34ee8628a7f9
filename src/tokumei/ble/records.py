"""The records of a capture file, whichever of three kinds it is: psd, pcap or pcapng.

The file is mapped into memory, not read: what was decoded may leave the memory again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tokumei.ble.kernels import Bytes, Ints, split_pcap
from tokumei.ble.tally import Tally
from tokumei.errors import ReadError

BLOCK = 1 << 16
"""So many records are decoded at once."""
PSD = 0
"""Stands for a link type in records of TI's packet sniffer."""
LINK_TYPES = {
    192: "PPI",
    251: "Bluetooth LE link layer",
    256: "Bluetooth LE link layer with a header",
    272: "nRF Sniffer",
}
BLE_RECORD, ZIGBEE_RECORD = 271, 151
PCAP_MAGIC = {
    b"\xd4\xc3\xb2\xa1": (False, 1_000_000),
    b"\xa1\xb2\xc3\xd4": (True, 1_000_000),
    b"\x4d\x3c\xb2\xa1": (False, 1_000_000_000),
    b"\xa1\xb2\x3c\x4d": (True, 1_000_000_000),
}
PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"
CUT_OFF = "cut-off"
SNAPPED = "kept-in-part"


@dataclass(frozen=True, eq=False)
class Records:
    """Some records of one link type; all arrays have an element for each."""

    data: Bytes
    """The whole file."""
    link: int
    start: Ints
    length: Ints
    time: Ints
    """Microseconds; a psd counts from when the sniffer was started, the others from 1970."""
    number: Ints
    """The sniffer's number of the packet, or its place in the file, from 1."""

    def only(self, wanted: npt.NDArray[np.bool_]) -> Records:
        """Return some of the records."""
        columns = (self.start, self.length, self.time, self.number)
        return Records(self.data, self.link, *(column[wanted] for column in columns))


def mapped(path: Path) -> Bytes:
    """Map a file into memory."""
    if not path.is_file():
        raise ReadError(f"{path} is not a file." if path.exists() else f"{path} does not exist.")
    if not path.stat().st_size:
        raise ReadError(f"{path} is empty.")
    return np.memmap(path, dtype=np.uint8, mode="r")


def records(path: Path, tally: Tally) -> Iterator[Records]:
    """Yield the records of a capture, some thousand at a time."""
    from tokumei.ble.pcapng import pcapng_records

    data = mapped(path)
    magic = data[:4].tobytes()
    if magic in PCAP_MAGIC:
        return _pcap_records(data, path, tally, *PCAP_MAGIC[magic])
    if magic == PCAPNG_MAGIC:
        return pcapng_records(data, path, tally)
    return _psd_records(data, path, tally)


def link_name(link: int) -> str:
    """Name a link type for people."""
    return f"{link} ({LINK_TYPES[link]})" if link in LINK_TYPES else str(link)


def refuse_link(path: Path, link: int) -> ReadError:
    """Return the error for a capture of something else."""
    known = ", ".join(str(number) for number in sorted(LINK_TYPES))
    return ReadError(
        f"{path} has link type {link}, which is not Bluetooth LE; link types {known} can be read."
    )


def _psd_records(data: Bytes, path: Path, tally: Tally) -> Iterator[Records]:
    tally.form = "psd (TI packet sniffer, CC2540)"
    _check_psd(data, path)
    count, rest = divmod(len(data), BLE_RECORD)
    tally.skip(CUT_OFF, int(rest > 0))
    rows = data[: count * BLE_RECORD].reshape(count, BLE_RECORD)
    for first in range(0, count, BLOCK):
        block = rows[first : first + BLOCK]
        raw = _little(block[:, 5:13])
        # The high part counts 5000 units of 1/32 us each; rounded to the microsecond.
        time = ((raw >> np.uint64(16)) * np.uint64(5000) + (raw & np.uint64(0xFFFF))).astype(
            np.int64
        )
        yield Records(
            data,
            PSD,
            start=np.arange(first, first + len(block)) * BLE_RECORD,
            length=np.full(len(block), BLE_RECORD),
            time=(time + 16) // 32,
            number=_little(block[:, 1:5]).astype(np.int64),
        )


def _little(columns: Bytes) -> npt.NDArray[np.uint64]:
    weights = np.uint64(1) << (np.arange(columns.shape[1], dtype=np.uint64) * np.uint64(8))
    total: npt.NDArray[np.uint64] = (columns.astype(np.uint64) * weights).sum(
        axis=1, dtype=np.uint64
    )
    return total


def _check_psd(data: Bytes, path: Path) -> None:
    """Refuse what has no sequence of records of the size of BLE records."""
    ble, zigbee = (_plausible(data, size) for size in (BLE_RECORD, ZIGBEE_RECORD))
    if zigbee > ble:
        raise ReadError(
            f"{path} has records of {ZIGBEE_RECORD} bytes: it is a psd of IEEE 802.15.4 (ZigBee), "
            f"not of Bluetooth LE, whose records have {BLE_RECORD} bytes."
        )
    if ble < 0.5:
        raise ReadError(
            f"{path} is neither pcap nor pcapng nor psd: it does not consist of records of "
            f"{BLE_RECORD} bytes."
        )


def _plausible(data: Bytes, size: int, most: int = 1_000) -> float:
    """Return the share of the first records whose two lengths agree, as records of this size."""
    count = min(len(data) // size, most)
    if not count:
        return 0.0
    rows = data[: count * size].reshape(count, size)
    length = _little(rows[:, 13:15])
    agree = (length == rows[:, 15].astype(np.uint64) + np.uint64(1)) & (length > 3)
    return float(np.mean(agree & (15 + length.astype(np.int64) <= size)))


def _pcap_records(
    data: Bytes,
    path: Path,
    tally: Tally,
    big: bool,  # noqa: FBT001
    units: int,
) -> Iterator[Records]:
    if len(data) < 24:
        raise ReadError(f"{path} is a pcap file that breaks off within its header.")
    # The upper half tells how long a frame check sequence is, which these link types do not have.
    word = data[20:24].tobytes()
    link = int.from_bytes(word, "big" if big else "little") & 0xFFFF
    tally.form = f"pcap, link type {link_name(link)}"
    if link not in LINK_TYPES:
        raise refuse_link(path, link)
    place, number, broken = 24, 1, False
    while place < len(data) and not broken:
        found, place, broken = split_pcap(data, place, BLOCK, big)
        start, kept, whole, seconds, fraction = found
        rows = Records(
            data,
            link,
            start=start,
            length=kept,
            time=seconds * 1_000_000 + fraction * 1_000_000 // units,
            number=np.arange(number, number + len(start)),
        )
        number += len(start)
        cut = kept < whole
        tally.skip(SNAPPED, int(cut.sum()))
        yield rows.only(~cut)
    tally.skip(CUT_OFF, int(broken))
