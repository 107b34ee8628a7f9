"""Compiled loops over the bytes of a capture."""

# An element of an array is Any in numpy's stubs.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tokumei.itemsets.compiling import compiled

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

LITTLE = False
NOBODY = -1
"""Stands for an address that a packet does not have."""


@compiled
def _number(data: Bytes, place: int, size: int, big: bool) -> int:  # noqa: FBT001
    found = 0
    for k in range(size):
        found = (found << 8) | data[place + k if big else place + size - 1 - k]
    return found


@compiled
def split_pcap(data: Bytes, place: int, most: int, big: bool) -> Any:  # noqa: FBT001
    """Return where the next records are: start, captured and whole length, seconds, fraction.

    The last two values are the place after them, and whether the file breaks off there.
    """
    found = np.empty((5, most), dtype=np.int64)
    count, broken, size = 0, False, len(data)
    while count < most and place < size:
        if place + 16 > size:
            broken = True
            break
        kept = _number(data, place + 8, 4, big)
        if place + 16 + kept > size:
            broken = True
            break
        found[0, count] = place + 16
        found[1, count] = kept
        found[2, count] = _number(data, place + 12, 4, big)
        found[3, count] = _number(data, place, 4, big)
        found[4, count] = _number(data, place + 4, 4, big)
        place += 16 + kept
        count += 1
    return found[:, :count], place, broken


@compiled
def split_pcapng(data: Bytes, place: int, most: int, big: bool) -> Any:  # noqa: FBT001
    """Return where the next packet blocks are: start, captured and whole length, interface, time.

    The time is -1 where a block has none. The loop stops before a block that describes a section
    or an interface. The last two values are the place after the blocks, and whether the file is
    broken there.
    """
    found = np.empty((5, most), dtype=np.int64)
    count, broken, size = 0, False, len(data)
    while count < most and place < size:
        if place + 12 > size:
            broken = True
            break
        kind = _number(data, place, 4, big)
        if kind == 0x0A0D0D0A or kind == 1:
            break
        length = _number(data, place + 4, 4, big)
        if length < 12 or length % 4 or place + length > size:
            broken = True
            break
        if _number(data, place + length - 4, 4, big) != length:
            broken = True
            break
        head = 28 if kind in (2, 6) else 12
        if kind in (2, 3, 6):
            if length < head + 4:
                broken = True
                break
            if kind == 3:
                whole = _number(data, place + 8, 4, big)
                kept = min(whole, length - 16)
                interface, time = 0, -1
            else:
                kept = _number(data, place + 20, 4, big)
                whole = _number(data, place + 24, 4, big)
                interface = _number(data, place + 8, 4 if kind == 6 else 2, big)
                high = _number(data, place + 12, 4, big)
                # Times beyond 2^63 units cannot be told apart from damage.
                time = (high << 32) | _number(data, place + 16, 4, big) if high < 2**31 else -1
            if head + kept > length - 4:
                broken = True
                break
            found[0, count] = place + head
            found[1, count] = kept
            found[2, count] = whole
            found[3, count] = interface
            found[4, count] = time
            count += 1
        place += length
    return found[:, :count], place, broken


@compiled
def crc_fits(data: Bytes, start: Ints, length: Ints, initial: Ints, table: Ints) -> Any:
    """Tell of every packet whether its CRC is that of its content.

    A packet begins at its header; the CRC is the last three of its bytes.
    """
    fits = np.empty(len(start), dtype=np.bool_)
    for packet in range(len(start)):
        state = 0
        for bit in range(24):
            state |= ((initial[packet] >> bit) & 1) << (23 - bit)
        begin, end = start[packet], start[packet] + length[packet] - 3
        for place in range(begin, end):
            state = (state >> 8) ^ table[(state ^ data[place]) & 0xFF]
        fits[packet] = state == _number(data, end, 3, LITTLE)
    return fits


@compiled
def _address(data: Bytes, place: int) -> int:
    return _number(data, place, 6, LITTLE)


@compiled
def advertisers(data: Bytes, start: Ints, length: Ints, found: Ints) -> None:
    """Fill in what advertising packets tell.

    `start` and `length` are those of the payload. The rows of `found` are: code of the PDU,
    AdvA, ScanA, sender, place and length of the advertising data, access address and start of the
    CRC of the connection that is asked for. A payload that is too short or long for its type tells
    nothing, and its length of advertising data is -1.
    """
    for packet in range(len(start)):
        place, size = start[packet], length[packet]
        kind = data[place - 2] & 15
        found[:, packet] = NOBODY
        found[0, packet] = kind
        if kind in (0, 2, 4, 6) and 6 <= size <= 37:
            found[1, packet] = found[3, packet] = _address(data, place)
            found[4, packet] = place + 6
            found[5, packet] = size - 6
        elif kind == 1 and size == 12:
            found[1, packet] = found[3, packet] = _address(data, place)
            found[5, packet] = 0
        elif kind == 3 and size == 12:
            found[2, packet] = found[3, packet] = _address(data, place)
            found[1, packet] = _address(data, place + 6)
            found[5, packet] = 0
        elif kind == 5 and size == 34:
            found[3, packet] = _address(data, place)
            found[1, packet] = _address(data, place + 6)
            found[5, packet] = 0
            found[6, packet] = _number(data, place + 12, 4, LITTLE)
            found[7, packet] = _number(data, place + 16, 3, LITTLE)
        elif kind in (7, 8) and size >= 1:
            # The length of the extended header, then flags, by which an address follows.
            header = data[place] & 63
            if header + 1 <= size:
                found[4, packet] = place + 1 + header
                found[5, packet] = size - 1 - header
                if header >= 7 and data[place + 1] & 1:
                    found[1, packet] = found[3, packet] = _address(data, place + 2)


@compiled
def gathered(data: Bytes, start: Ints, ends: Ints) -> Any:
    """Copy pieces of the data one after the other; `ends` are the running ends of the copies."""
    copied = np.empty(ends[-1] if len(ends) else 0, dtype=np.uint8)
    begin = 0
    for piece in range(len(start)):
        for k in range(ends[piece] - begin):
            copied[begin + k] = data[start[piece] + k]
        begin = ends[piece]
    return copied
