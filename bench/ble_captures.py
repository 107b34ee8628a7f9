"""Captures in every layout that is read, also those that tokumei does not write."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tokumei.ble.link_layer import CHANNEL_OF_RF
from tokumei.ble.writing import Packet, write_capture

START = 1_700_000_000


def nordic(packet: Packet, *, version: int = 3, told: int = 2) -> bytes:
    """A record of link type 272."""
    flags, size = int(packet.crc_ok), len(packet.content) + 10
    lengths = struct.pack("<H", size) if version == 3 else bytes([6, size])
    head = bytes([7]) + lengths + bytes([version, 0, 0, told])
    return (
        head
        + struct.pack("<BBBBHI", 10, flags, packet.channel, -packet.rssi, 0, 0)
        + packet.content
    )


def ppi(packet: Packet) -> bytes:
    """A record of link type 192, as Ubertooth writes it."""
    frequency = 2402 + 2 * CHANNEL_OF_RF.index(packet.channel)
    raw = packet.rssi + 54
    field = struct.pack("<HHBHBIbbbB", 30006, 12, 0, frequency, 0, 0, raw, raw, raw, 1)
    return struct.pack("<BBHI", 0, 0, 24, 147) + field + packet.content


def pcap(
    records: Sequence[tuple[int, bytes]], link: int, order: str = "<", *, nano: bool = False
) -> bytes:
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)]
    for time, content in records:
        seconds, fraction = divmod(time, 1_000_000)
        size = len(content)
        fraction *= 1000 if nano else 1
        parts.append(struct.pack(order + "IIII", START + seconds, fraction, size, size) + content)
    return b"".join(parts)


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int, order: str = "<", resolution: int | None = None) -> bytes:
    option = b"" if resolution is None else struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0)
    return block(1, struct.pack(order + "HHI", link, 0, 0) + option, order)


def enhanced(time: int, content: bytes, order: str = "<", source: int = 0) -> bytes:
    high, low = divmod(time, 1 << 32)
    head = struct.pack(order + "IIIII", source, high, low, len(content), len(content))
    return block(6, head + content, order)


def pcapng(records: Sequence[tuple[int, bytes]], link: int, order: str = "<") -> bytes:
    packets = [enhanced(START * 1_000_000 + time, content, order) for time, content in records]
    return b"".join([section(order), interface(link, order), *packets])


def written(packets: Sequence[Packet], name: str, link: int = 256) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write_capture(packets, path, link=link)
        return path.read_bytes()


def every_layout(packets: Sequence[Packet]) -> dict[str, bytes]:
    """The same packets, once in each layout."""
    times = [packet.time for packet in packets]
    nordics = list(zip(times, map(nordic, packets), strict=True))
    old = [(packet.time, nordic(packet, version=2)) for packet in packets]
    ppis = list(zip(times, map(ppi, packets), strict=True))
    bare = [(packet.time, packet.content) for packet in packets]
    return {
        "psd": written(packets, "capture.psd"),
        "pcap 251": written(packets, "capture.pcap", 251),
        "pcap 256": written(packets, "capture.pcap", 256),
        "pcap 272": pcap(old, 272),
        "pcap 192": pcap(ppis, 192),
        "pcap 251, other byte order, nanoseconds": pcap(bare, 251, ">", nano=True),
        "pcapng 272": pcapng(nordics, 272),
        "pcapng 192, other byte order": pcapng(ppis, 192, ">"),
    }
