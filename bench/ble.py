"""Bluetooth LE captures: how fast a million packets become a table."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench.ble_captures import every_layout
from bench.measuring import show
from tokumei.ble.generating import generate_capture
from tokumei.ble.observing import observe
from tokumei.ble.reading import read_blocks
from tokumei.ble.tally import Tally
from tokumei.data.writing import write_blocks

PACKETS = 1_000_000
HEADS = {"psd": 0, "pcap": 24, "pcapng": 28 + 20}
"""Bytes of each form before its first packet."""


def repeated(content: bytes, form: str, times: int) -> bytes:
    """A capture of the same packets again and again."""
    head = HEADS[form]
    return content[:head] + content[head:] * times


def main() -> None:
    packets = generate_capture("office", seed=1, seconds=300).packets[:10_000]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Compiled once, before the clock runs.
        (folder / "warm").write_bytes(every_layout(packets[:100])["pcapng 272"])
        (folder / "warm2").write_bytes(every_layout(packets[:100])["pcap 256"])
        for warm in ("warm", "warm2"):
            list(read_blocks(folder / warm, Tally()))
        for layout in ("psd", "pcap 251", "pcap 256", "pcap 192", "pcapng 272"):
            content = every_layout(packets)[layout]
            file = folder / "capture"
            file.write_bytes(repeated(content, layout.split()[0], PACKETS // len(packets)))
            start = time.perf_counter()
            tally = Tally()
            write_blocks(read_blocks(file, tally), folder / "table.csv")
            table = time.perf_counter() - start
            start = time.perf_counter()
            seen = observe(read_blocks(file, Tally()), tally)
            observed = time.perf_counter() - start
            assert tally.packets == PACKETS
            assert len(seen.addresses)
            size = f"{file.stat().st_size / 1e6:,.0f} MB"
            rows.append((layout, size, f"{table:.2f} s", f"{observed:.2f} s"))
            (folder / "table.csv").unlink()
    heads = ("capture", "size", "to a CSV file", "observations of each address")
    show(f"{PACKETS:,} packets", heads, rows)
