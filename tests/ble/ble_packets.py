"""Addresses of packets made by hand, and reading what was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokumei.ble.reading import Capture, read_capture

ALICE, BOB, CAROL = 0x60F81DC81B53, 0xDF06A4186D65, 0x4F9F0D48C742
"""Addresses printed in the thesis: a public one, a random static one, a resolvable one."""


def sent(address: int) -> bytes:
    return address.to_bytes(6, "little")


LAYOUTS = (
    "psd",
    "pcap 251",
    "pcap 256",
    "pcap 272",
    "pcap 192",
    "pcap 251, other byte order, nanoseconds",
    "pcapng 272",
    "pcapng 192, other byte order",
)


def read_bytes(folder: Path, content: bytes, **options: Any) -> Capture:
    path = folder / "capture"
    path.write_bytes(content)
    return read_capture(path, **options)
