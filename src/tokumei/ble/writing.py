"""Captures written: TI's psd, and pcap of link types 251 and 256."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tokumei.ble.link_layer import ADVERTISING, CHANNEL_OF_RF, crc24
from tokumei.ble.reading import RSSI_OFFSET
from tokumei.ble.records import BLE_RECORD
from tokumei.data.writing import whole_file
from tokumei.errors import ParameterError

PSD_START = 10_000_000
"""Microseconds that the sniffer had been running at time 0."""
PCAP_START = 1_447_720_000
"""Seconds since 1970 at time 0: on the day of the thesis's experiment, 2015-11-17."""
PHDR_FLAGS = 0x0001 | 0x0002 | 0x0010 | 0x0400
"""Of link type 256: dewhitened, power valid, reference address valid, CRC checked."""
ENDINGS = (".psd", ".pcap")


@dataclass(frozen=True)
class Packet:
    """One packet as it was on the air, and how it was received."""

    time: int
    """Microseconds since the capture began."""
    content: bytes
    """From the access address to the CRC."""
    channel: int
    rssi: int
    """dBm."""
    crc_ok: bool = True


def advertising_packet(
    pdu_type: int, payload: bytes, *, random: bool, to_random: bool = False
) -> bytes:
    """Return access address, header, payload and CRC of an advertising packet.

    `random` is the kind of the sender's address, `to_random` of the one that the packet is for.
    """
    header = bytes([pdu_type | random << 6 | to_random << 7, len(payload)])
    return struct.pack("<I", ADVERTISING) + header + payload + crc24(header + payload)


def write_capture(
    packets: Iterable[Packet], path: Path, *, link: int = 256, rssi_offset: int = RSSI_OFFSET
) -> int:
    """Write a new capture, as psd or pcap by the ending of its name; return its packets."""
    if path.suffix not in ENDINGS:
        raise ParameterError(f"A capture must end in {' or '.join(ENDINGS)}, not '{path.suffix}'.")
    if link not in (251, 256):
        raise ParameterError(f"A pcap is written with link type 251 or 256, not {link}.")
    psd = path.suffix == ".psd"
    record: Callable[[int, Packet], bytes] = (
        (lambda number, packet: _psd_record(number, packet, rssi_offset))
        if psd
        else (lambda _, packet: _pcap_record(packet, link))
    )
    count = 0
    with whole_file(path) as file:
        if not psd:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link))
        for count, packet in enumerate(packets, start=1):
            file.write(record(count, packet))
    return count


def _psd_record(number: int, packet: Packet, rssi_offset: int) -> bytes:
    inner = len(packet.content) + 2
    raw = packet.rssi - rssi_offset
    if inner > 255 or 16 + inner > BLE_RECORD or not -128 <= raw <= 127:
        raise ParameterError(
            f"A psd record holds packets of up to 253 bytes and an RSSI in [{rssi_offset - 128}, "
            f"{rssi_offset + 127}] dBm, not {len(packet.content)} bytes at {packet.rssi} dBm."
        )
    high, low = divmod((PSD_START + packet.time) * 32, 5000)
    head = struct.pack("<BIQHB", 1, number, high << 16 | low, inner + 1, inner)
    status = struct.pack("<bB", raw, packet.crc_ok << 7 | packet.channel)
    return (head + packet.content + status).ljust(BLE_RECORD, b"\0")


def _pcap_record(packet: Packet, link: int) -> bytes:
    content = packet.content
    if link == 256:
        flags = PHDR_FLAGS | packet.crc_ok << 11
        place = CHANNEL_OF_RF.index(packet.channel)
        content = struct.pack("<BbbBIH", place, packet.rssi, 0, 0, ADVERTISING, flags) + content
    seconds, fraction = divmod(packet.time, 1_000_000)
    size = len(content)
    return struct.pack("<IIII", PCAP_START + seconds, fraction, size, size) + content
