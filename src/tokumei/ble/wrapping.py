"""What stands around a BLE packet in each kind of record: channel, RSSI, and the sniffer's verdict.

Sources of the layouts: the link-type pages of tcpdump.org (251, 256, 272), the document of CACE's
PPI and Ubertooth's field 30006 (192), and for TI's psd the description in docs/ble.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.ble.kernels import Bytes, Ints
from tokumei.ble.link_layer import CHANNEL_OF_RF, OVERHEAD
from tokumei.ble.records import PSD, Records
from tokumei.ble.tally import Tally

Flags = npt.NDArray[np.bool_]

UBERTOOTH_OFFSET = -54
"""dBm of the raw value 0 of an Ubertooth (its CC2400)."""
NO_CHANNEL, NO_RSSI, UNCHECKED = -1, -999, -1
PPI_USER0, PPI_BLE = 147, 251
PPI_BTLE_FIELD = 30006
NORDIC_ADVERTISING, NORDIC_DATA = 2, 6
CODED = 2
"""The physical layer that has one more byte, a coding indicator, after the access address."""

LENGTHS = "lengths-disagree"
INCOMPLETE = "incomplete"
FOREIGN = "not-ble"
SHORT = "too-short"


@dataclass(frozen=True, eq=False)
class Wrapped:
    """Packets and what was told of them; all arrays have an element for each.

    A packet reaches from its access address to its CRC; of the LE Coded physical layer the coding
    indicator stands after the access address, and `coded` is 1.
    """

    records: Records
    start: Ints
    length: Ints
    coded: Ints
    channel: Ints
    rssi_raw: Ints
    rssi: Ints
    crc: Ints
    """1 ok, 0 bad, -1 not told."""
    advertising: Flags
    """Told to be advertising, whatever the access address is."""
    whole: Flags
    """Content and CRC are as they were sent; a decrypted packet has the CRC of what it was."""
    rf: Flags
    """The channel is a place in the band by the layout, yet some tools write the channel itself."""


def wrapped(given: Records, tally: Tally, *, rssi_offset: int) -> Wrapped:
    """Find the packets in records of one link type; count the records that have none."""
    unwrap: Callable[[Records, Tally, int], Wrapped] = {
        PSD: _psd,
        192: _ppi,
        251: _bare,
        256: _with_header,
        272: _nordic,
    }[given.link]
    return unwrap(given, tally, rssi_offset)


def _kept(given: Records, fine: Flags, tally: Tally, reason: str) -> Records:
    tally.skip(reason, int((~fine).sum()))
    return given if fine.all() else given.only(fine)


def _at(given: Records, place: int | Ints) -> Ints:
    """Return a byte of every record."""
    return bytes_of(given.data, given.start + place)


def _word(given: Records, place: int | Ints, size: int = 2) -> Ints:
    total = _at(given, place)
    for k in range(1, size):
        total += _at(given, place + k) << (8 * k)
    return total


def _signed(byte: Ints) -> Ints:
    return np.where(byte > 127, byte - 256, byte)


def _told(given: Records, start: Ints, length: Ints, **columns: Ints | Flags) -> Wrapped:
    """Make the columns that a record does not have."""
    count = len(start)
    blank = {
        "coded": np.zeros(count, dtype=np.int64),
        "channel": np.full(count, NO_CHANNEL),
        "rssi_raw": np.full(count, NO_RSSI),
        "rssi": np.full(count, NO_RSSI),
        "crc": np.full(count, UNCHECKED),
        "advertising": np.zeros(count, dtype=np.bool_),
        "whole": np.ones(count, dtype=np.bool_),
        "rf": np.zeros(count, dtype=np.bool_),
    }
    return Wrapped(given, start, length, **(blank | columns))


def _psd(given: Records, tally: Tally, rssi_offset: int) -> Wrapped:
    info = _at(given, 0)
    given = _kept(given, (info & 0b1100) == 0, tally, INCOMPLETE)
    # Lengths without the two bytes of status, correlations and generic packets are of other radios.
    given = _kept(given, (_at(given, 0) & 0b10011) == 1, tally, FOREIGN)
    outer, inner = _word(given, 13), _at(given, 15)
    fits = (outer == inner + 1) & (inner >= OVERHEAD + 2) & (16 + inner <= given.length)
    given = _kept(given, fits, tally, LENGTHS)
    inner = _at(given, 15)
    raw, status = _signed(_at(given, 14 + inner)), _at(given, 15 + inner)
    return _told(
        given,
        given.start + 16,
        inner - 2,
        channel=status & 127,
        rssi_raw=raw,
        rssi=raw + rssi_offset,
        crc=status >> 7,
    )


def _bare(given: Records, tally: Tally, _offset: int) -> Wrapped:
    given = _kept(given, given.length >= OVERHEAD, tally, SHORT)
    return _told(given, given.start, given.length)


def _with_header(given: Records, tally: Tally, _offset: int) -> Wrapped:
    given = _kept(given, given.length >= 10 + OVERHEAD, tally, SHORT)
    flags = _word(given, 8)
    given = _kept(given, (flags & 1) == 1, tally, FOREIGN)  # still whitened
    flags, power = _word(given, 8), _signed(_at(given, 1))
    power = np.where(flags & 2, power, NO_RSSI)
    return _told(
        given,
        given.start + 10,
        given.length - 10,
        coded=((flags >> 14) == CODED).astype(np.int64),
        channel=_at(given, 0),
        rssi_raw=power,
        rssi=power,
        crc=np.where(flags & 0x400, (flags >> 11) & 1, UNCHECKED),
        advertising=((flags >> 7) & 7) == 1,
        whole=(flags & 8) == 0,
        rf=np.ones(len(flags), dtype=np.bool_),
    )


def _nordic(given: Records, tally: Tally, _offset: int) -> Wrapped:
    given = _kept(given, given.length >= 17 + OVERHEAD, tally, SHORT)
    version, kind = _at(given, 3), _at(given, 6)
    known = (version >= 1) & (version <= 3) & np.isin(kind, (NORDIC_ADVERTISING, NORDIC_DATA))
    given = _kept(given, known, tally, FOREIGN)
    version, kind = _at(given, 3), _at(given, 6)
    # Version 3 has one length of two bytes, those before it two of one byte: header and rest.
    told = np.where(version == 3, _word(given, 1) + 7, _at(given, 1) + _at(given, 2) + 1)
    fits = (told == given.length) & (_at(given, 7) == 10)
    given = _kept(given, fits, tally, LENGTHS)
    version, kind, flags = _at(given, 3), _at(given, 6), _at(given, 8)
    raw = _at(given, 10)
    return _told(
        given,
        given.start + 17,
        given.length - 17,
        coded=((version >= 2) & ((flags >> 4) & 7 == CODED)).astype(np.int64),
        channel=_at(given, 9),
        rssi_raw=raw,
        rssi=-raw,
        crc=flags & 1,
        advertising=(version >= 2) & (kind == NORDIC_ADVERTISING),
        # Bit 2 marks what was decrypted; in advertising it means something else.
        whole=(kind == NORDIC_ADVERTISING) | ((flags & 4) == 0),
    )


def _ppi(given: Records, tally: Tally, _offset: int) -> Wrapped:
    given = _kept(given, given.length >= 8 + OVERHEAD, tally, SHORT)
    header, link = _word(given, 2), _word(given, 4, 4)
    fits = (header >= 8) & (header + OVERHEAD <= given.length)
    right = np.isin(link, (PPI_USER0, PPI_BLE)) & (_at(given, 0) == 0)
    tally.skip(FOREIGN, int((fits & ~right).sum()))
    tally.skip(LENGTHS, int((~fits).sum()))
    given = given.only(fits & right)
    header = _word(given, 2)
    # Ubertooth writes one field, and writes it first.
    room = np.where(header >= 24, 8, 0)
    told = (header >= 24) & (_word(given, room) == PPI_BTLE_FIELD) & (_word(given, room + 2) == 12)
    place = np.where(told, 12, 0)
    raw = np.where(told, _signed(_at(given, place + 8)), NO_RSSI)
    return _told(
        given,
        given.start + header,
        given.length - header,
        channel=np.where(told, _channel_of_frequency(_word(given, place + 1)), NO_CHANNEL),
        rssi_raw=raw,
        rssi=np.where(told, raw + UBERTOOTH_OFFSET, NO_RSSI),
    )


def _channel_of_frequency(megahertz: Ints) -> Ints:
    """Return channels; 40 stands for what is no frequency of Bluetooth LE."""
    place, odd = np.divmod(megahertz - 2402, 2)
    fine = (odd == 0) & (place >= 0) & (place < len(CHANNEL_OF_RF))
    return np.where(fine, np.array(CHANNEL_OF_RF)[np.where(fine, place, 0)], 40)


def bytes_of(data: Bytes, start: Ints) -> Ints:
    """Return the bytes at some places."""
    found: Ints = data[start].astype(np.int64)
    return found
