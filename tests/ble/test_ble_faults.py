"""What is damaged is refused in a sentence, or skipped and counted."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from ble_packets import LAYOUTS, read_bytes

from tokumei.ble.reading import read_capture
from tokumei.ble.writing import Packet
from tokumei.errors import ReadError


def test_zigbee_is_refused_by_its_name(tmp_path: Path) -> None:
    record = struct.pack("<BIQHB", 3, 1, 99, 27, 26).ljust(151, b"\0")
    with pytest.raises(ReadError, match=r"802\.15\.4 \(ZigBee\), not of Bluetooth LE"):
        read_bytes(tmp_path, record * 5)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"hello", "neither pcap nor pcapng nor psd"),
        (bytes(range(256)) * 40, "neither pcap nor pcapng nor psd"),
        (bytes(271), "neither pcap nor pcapng nor psd"),
        (b"\xd4\xc3\xb2\xa1" + bytes(5), "breaks off within its header"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 9, 1), "has link type 1, which is not"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 9, 251), "has no Bluetooth LE packet"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "describes no interface"),
    ],
)
def test_what_is_no_capture_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(ReadError, match=sentence) as caught:
        read_bytes(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ReadError, match=r"is not a file|does not exist"):
            read_capture(path)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if "251" in name or "ps" in name])
def test_a_file_that_breaks_off_gives_the_whole_records(
    layouts: Any, exchange: list[Packet], tmp_path: Path, layout: str
) -> None:
    capture = read_bytes(tmp_path, layouts.every_layout(exchange)[layout][:-7])
    assert len(capture.packets) == 4
    assert capture.tally.skipped == {"cut-off": 1}


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (13, 0xF0, "lengths-disagree"),
        (15, 3, "lengths-disagree"),
        (0, 0b101, "incomplete"),
        (0, 0b1001, "incomplete"),
        (0, 0b10001, "not-ble"),
        (0, 0b11, "not-ble"),
    ],
)
def test_a_psd_record_with_a_fault_is_skipped_and_counted(
    layouts: Any, exchange: list[Packet], tmp_path: Path, place: int, value: int, reason: str
) -> None:
    content = bytearray(layouts.every_layout(exchange)["psd"])
    content[271 + place] = value
    capture = read_bytes(tmp_path, bytes(content))
    assert capture.packets["id"].to_list() == [1, 3, 4, 5]
    assert capture.tally.skipped == {reason: 1}


@pytest.mark.parametrize(
    ("place", "value", "odd"),
    [(16, 0, "access-address"), (21, 200, "header-length"), (20, 0x0C, "crc-disagrees")],
)
def test_a_packet_that_is_damaged_names_nobody(
    layouts: Any, exchange: list[Packet], tmp_path: Path, place: int, value: int, odd: str
) -> None:
    content = bytearray(layouts.every_layout(exchange)["psd"])
    content[271 + place] = value
    capture = read_bytes(tmp_path, bytes(content))
    row = capture.packets.row(1, named=True)
    assert row["crc"] == "bad"
    assert (row["sender"], row["adv_a"], row["scan_a"]) == (None, None, None)
    assert odd in capture.tally.odd


def test_packets_that_were_kept_in_part_are_skipped(
    layouts: Any, exchange: list[Packet], tmp_path: Path
) -> None:
    content = bytearray(layouts.every_layout(exchange)["pcap 251"])
    content[24 + 12] += 5  # the packet was longer than what was kept
    capture = read_bytes(tmp_path, bytes(content))
    assert capture.tally.skipped == {"kept-in-part": 1}
    assert len(capture.packets) == 4


def test_a_pcapng_may_have_several_interfaces_and_sections(
    layouts: Any, exchange: list[Packet], tmp_path: Path
) -> None:
    bare = [packet.content for packet in exchange[:3]]
    parts = [
        layouts.section(),
        layouts.interface(251, resolution=9),
        layouts.interface(1),
        layouts.enhanced(1_000_000_000, bare[0]),
        layouts.enhanced(5, b"ethernet", source=1),
        layouts.enhanced(5, bare[0], source=7),
        layouts.block(3, struct.pack("<I", len(bare[0])) + bare[0]),
        layouts.block(5, b"statistics.."),
        layouts.section(">"),
        layouts.interface(251, ">"),
        layouts.enhanced(1_500_000, bare[1], ">"),
    ]
    capture = read_bytes(tmp_path, b"".join(parts))
    assert capture.packets["time_stamp"].to_list() == [0.0, 0.5]
    assert capture.packets["id"].to_list() == [1, 5]
    skipped = {"other-link-type": 1, "no-interface": 1, "no-time": 1}
    assert capture.tally.skipped == skipped
