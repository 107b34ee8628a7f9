"""The packets of a pcapng file: sections, interfaces, and blocks of several types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tokumei.ble.kernels import Bytes, Ints, split_pcapng
from tokumei.ble.records import (
    BLOCK,
    CUT_OFF,
    LINK_TYPES,
    SNAPPED,
    Records,
    link_name,
    refuse_link,
)
from tokumei.ble.tally import Tally
from tokumei.errors import ReadError

SECTION, INTERFACE = 0x0A0D0D0A, 1
RESOLUTION, OFFSET = 9, 14
FINEST = 10**12
"""Finer time stamps than picoseconds are no times of packets."""
UNTIMED = "no-time"
NO_INTERFACE = "no-interface"
OTHER_LINK = "other-link-type"


@dataclass(frozen=True)
class Interface:
    """What packets came from."""

    link: int
    units: int
    """Time stamps in a second."""
    offset: int
    """Seconds to be added."""


def pcapng_records(data: Bytes, path: Path, tally: Tally) -> Iterator[Records]:
    """Yield the packets of Bluetooth LE interfaces; what comes after damage is left out."""
    place, number, big, broken = 0, 1, False, False
    interfaces: list[Interface] = []
    links: set[int] = set()
    while place < len(data) and not broken:
        kind, length, big = _block(data, place, big)
        if kind == SECTION and length:
            interfaces, place = [], place + length
            continue
        if kind == INTERFACE and length:
            interfaces.append(_interface(data[place + 8 : place + length - 4].tobytes(), path, big))
            links.add(interfaces[-1].link)
            tally.form = f"pcapng, link type {', '.join(link_name(link) for link in sorted(links))}"
            place += length
            continue
        before = place
        found, place, broken = split_pcapng(data, place, BLOCK, big)
        broken = broken or place == before
        yield from _timed(data, found, number, interfaces, tally)
        number += found.shape[1]
    tally.skip(CUT_OFF, int(broken))
    if links.isdisjoint(LINK_TYPES):
        if links:
            raise refuse_link(path, min(links))
        raise ReadError(f"{path} is a pcapng file that describes no interface.")


def _block(data: Bytes, place: int, big: bool) -> tuple[int, int, bool]:  # noqa: FBT001
    """Return type, length (0: damaged) and byte order of a block; a section tells its own."""
    head = data[place : place + 12].tobytes()
    kind = int.from_bytes(head[:4], "big" if big else "little")
    if kind == SECTION:
        big = head[8:12] == b"\x1a\x2b\x3c\x4d"
        if not big and head[8:12] != b"\x4d\x3c\x2b\x1a":
            return kind, 0, big
    length = int.from_bytes(head[4:8], "big" if big else "little")
    least = {SECTION: 28, INTERFACE: 20}.get(kind, 12)
    last = data[place + length - 4 : place + length].tobytes()
    fine = length >= least and length % 4 == 0 and place + length <= len(data)
    return kind, length if fine and last == head[4:8] else 0, big


def _interface(body: bytes, path: Path, big: bool) -> Interface:  # noqa: FBT001
    order = "big" if big else "little"
    units, offset, place = 1_000_000, 0, 8
    while place + 4 <= len(body):
        code, length = (int.from_bytes(body[p : p + 2], order) for p in (place, place + 2))  # type: ignore[arg-type]
        value = body[place + 4 : place + 4 + length]
        if code == RESOLUTION and len(value) == 1:
            units = 2 ** (value[0] & 127) if value[0] & 128 else 10 ** value[0]
        elif code == OFFSET and len(value) == 8:
            offset = int.from_bytes(value, order, signed=True)  # type: ignore[arg-type]
        elif code == 0:
            break
        place += 4 + length + -length % 4
    if units > FINEST or abs(offset) > 2**40:
        raise ReadError(f"{path} has time stamps of an impossible resolution or offset.")
    return Interface(int.from_bytes(body[:2], order), units, offset)  # type: ignore[arg-type]


def _timed(
    data: Bytes, found: Ints, number: int, interfaces: list[Interface], tally: Tally
) -> Iterator[Records]:
    """Yield the packets by link type, as only one of them has each."""
    start, kept, whole, source, raw = found
    numbers = np.arange(number, number + len(start))
    known = source < len(interfaces)
    tally.skip(NO_INTERFACE, int((~known).sum()))
    links = np.array([one.link for one in interfaces] or [-1])[np.where(known, source, 0)]
    readable = known & np.isin(links, list(LINK_TYPES))
    tally.skip(OTHER_LINK, int((known & ~readable).sum()))
    tally.skip(SNAPPED, int((readable & (kept < whole)).sum()))
    tally.skip(UNTIMED, int((readable & (kept == whole) & (raw < 0)).sum()))
    readable &= (kept >= whole) & (raw >= 0)
    for link in np.unique(links[readable]):
        chosen = readable & (links == link)
        units, offset = (
            np.array([getattr(one, name) for one in interfaces])[source[chosen]]
            for name in ("units", "offset")
        )
        seconds, fraction = np.divmod(raw[chosen], units)
        # Far beyond any date, so that no damage can overflow.
        seconds = np.clip(seconds + offset, -(2**42), 2**42)
        time = seconds * 1_000_000 + fraction * 1_000_000 // units
        yield Records(data, int(link), start[chosen], kept[chosen], time, numbers[chosen])
