"""Captures of every layout as tables; what is damaged is refused or counted."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from ble_packets import ALICE, BOB, LAYOUTS, read_bytes, sent

from tokumei.ble.devices import Devices, read_devices
from tokumei.ble.link_layer import crc24
from tokumei.ble.reading import COLUMNS, read_blocks, read_capture
from tokumei.ble.tally import Tally
from tokumei.ble.writing import Packet, advertising_packet, write_capture
from tokumei.errors import ParameterError, SchemaError

A, B, C = "60:F8:1D:C8:1B:53", "DF:06:A4:18:6D:65", "4F:9F:0D:48:C7:42"


def test_a_psd_record_worked_by_hand(tmp_path: Path) -> None:
    # ADV_IND of a random static address with the flags 02 01 06, heard at raw 22 on channel 37.
    content = bytes.fromhex("D6BE898E4009656D18A406DF020106")
    content += crc24(content[4:])
    head = struct.pack("<B I HHI HB", 1, 7, 1600, 2, 0, 21, 20)
    record = (head + content + bytes([22, 0x80 | 37])).ljust(271, b"\0")
    capture = read_bytes(tmp_path, record)
    assert capture.packets.row(0, named=True) == {
        "id": 7,
        "time_stamp": 0.0,
        "pdu_type": "ADV_IND",
        "adv_a": B,
        "scan_a": None,
        "rssi": -51,
        "device": None,
        "user": None,
        "sender": B,
        "sender_kind": "random static",
        "channel": 37,
        "crc": "ok",
        "rssi_raw": 22,
        "access_address": "0x8E89BED6",
        "advertising_data": "020106",
    }
    later = struct.pack("<B I HHI HB", 1, 8, 2400, 34, 0, 21, 20) + record[16:]
    both = read_bytes(tmp_path, record + later).packets
    # ((34 - 2) * 5000 + 2400 - 1600) / 32 microseconds
    assert both["time_stamp"].to_list() == [0.0, 0.005025]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_reads_back_what_was_on_the_air(
    layouts: Any, exchange: list[Packet], tmp_path: Path, layout: str
) -> None:
    capture = read_bytes(tmp_path, layouts.every_layout(exchange)[layout])
    rows = capture.packets
    assert tuple(rows.columns) == COLUMNS
    assert rows["time_stamp"].to_list() == [0.0, 0.0003, 0.00065, 2.0, 3.5]
    assert rows["pdu_type"].to_list() == [
        "ADV_IND", "SCAN_REQ", "SCAN_RSP", "ADV_NONCONN_IND", "ADV_NONCONN_IND",
    ]  # fmt: skip
    assert rows["adv_a"].to_list()[:4] == [B, B, B, C]
    assert rows["scan_a"].to_list() == [None, A, None, None, None]
    assert rows["sender"].to_list()[:4] == [B, A, B, C]
    kinds = ["random static", "public", "random static", "resolvable"]
    assert rows["sender_kind"].to_list()[:4] == kinds
    assert rows["crc"].to_list() == ["ok"] * 4 + ["bad"]
    name = "0509" + b"Bob!".hex().upper()
    assert rows["advertising_data"].to_list() == [name, None, name, None, None]
    has_radio = "251" not in layout
    assert rows["rssi"].to_list() == ([-51, -55, -53, -90, -91] if has_radio else [None] * 5)
    assert rows["channel"].to_list() == ([37, 37, 37, 38, 39] if has_radio else [None] * 5)
    assert not capture.tally.skipped
    assert not capture.tally.odd


def test_the_same_packets_are_equal_in_psd_251_and_256(
    exchange: list[Packet], tmp_path: Path
) -> None:
    files = {"a.psd": 256, "b.pcap": 251, "c.pcap": 256}
    for name, link in files.items():
        assert write_capture(exchange, tmp_path / name, link=link) == 5
    psd, bare, phdr = (read_capture(tmp_path / name).packets for name in files)
    radio = ["rssi", "rssi_raw", "channel"]
    assert psd.drop(radio).equals(bare.drop(radio))
    assert psd.drop("rssi_raw").equals(phdr.drop("rssi_raw"))
    assert phdr["rssi_raw"].to_list() == phdr["rssi"].to_list()


def test_the_offset_of_the_rssi_is_an_option(exchange: list[Packet], tmp_path: Path) -> None:
    write_capture(exchange, tmp_path / "a.psd")
    plain, moved = (
        read_capture(tmp_path / "a.psd", rssi_offset=offset).packets for offset in (-73, -80)
    )
    assert moved["rssi"].to_list() == [level - 7 for level in plain["rssi"]]
    assert moved["rssi_raw"].equals(plain["rssi_raw"])
    with pytest.raises(ParameterError, match="rssi_offset must lie in"):
        read_capture(tmp_path / "a.psd", rssi_offset=20)


@pytest.mark.parametrize(
    ("address", "random", "kind"),
    [
        (0x60F81DC81B53, False, "public"),
        (0xFFFFFFFFFFFF, False, "public"),
        (0xDF06A4186D65, True, "random static"),
        (0x4F9F0D48C742, True, "resolvable"),
        (0x0F9F0D48C742, True, "non-resolvable"),
        (0x8F9F0D48C742, True, "reserved"),
    ],
)
def test_the_two_highest_bits_tell_the_kind_of_a_random_address(
    tmp_path: Path, address: int, random: bool, kind: str
) -> None:
    packet = Packet(0, advertising_packet(0, sent(address), random=random), 37, -50)
    write_capture([packet], tmp_path / "a.psd")
    assert read_capture(tmp_path / "a.psd").packets["sender_kind"].to_list() == [kind]


def test_data_packets_are_checked_with_the_crc_of_their_connection(
    layouts: Any, tmp_path: Path
) -> None:
    access, start = 0x12345678, 0xABCDEF
    request = sent(ALICE) + sent(BOB) + struct.pack("<I", access) + start.to_bytes(3, "little")
    connect = advertising_packet(5, request + bytes(15), random=False, to_random=True)
    data = struct.pack("<I", access) + b"\x02\x03abc"
    good, bad = (data + crc24(data[4:], value) for value in (start, start ^ 1))
    records = [(0, good), (1, connect), (2, good), (3, bad)]
    rows = read_bytes(tmp_path, layouts.pcap(records, 251)).packets
    assert rows["pdu_type"].to_list() == ["LL_DATA", "CONNECT_REQ", "LL_DATA", "LL_DATA"]
    assert rows["crc"].to_list() == ["unknown", "ok", "ok", "bad"]
    asked = rows.row(1, named=True)
    assert (asked["sender"], asked["adv_a"], asked["scan_a"]) == (A, B, None)


def test_a_crc_that_the_capture_calls_good_is_computed_again(
    exchange: list[Packet], tmp_path: Path
) -> None:
    broken = exchange[-1]
    lying = Packet(broken.time, broken.content, broken.channel, broken.rssi, crc_ok=True)
    write_capture([*exchange[:4], lying], tmp_path / "a.psd")
    capture = read_capture(tmp_path / "a.psd")
    assert capture.packets["crc"].to_list()[-1] == "bad"
    assert capture.tally.disagreeing == [5]
    assert capture.tally.odd == {"crc-disagrees": 1}


def test_extended_advertising_on_the_coded_layer_has_one_more_byte(
    layouts: Any, tmp_path: Path
) -> None:
    # Extended header of 9 bytes: flags (AdvA, ADI), the address, two bytes of ADI; then the data.
    payload = bytes([9, 0b1001]) + sent(BOB) + b"\x01\x02" + b"\x03\x16\xaa\xbb"
    pdu = bytes([7 | 1 << 6, len(payload)]) + payload
    content = struct.pack("<I", 0x8E89BED6) + b"\x00" + pdu + crc24(pdu)
    record = bytearray(layouts.nordic(Packet(0, content, 12, -60)))
    record[8] |= 2 << 4
    row = read_bytes(tmp_path, layouts.pcap([(0, bytes(record))], 272)).packets.row(0, named=True)
    found = {name: row[name] for name in ("pdu_type", "adv_a", "crc", "advertising_data")}
    assert found == {
        "pdu_type": "ADV_EXT", "adv_a": B, "crc": "ok", "advertising_data": "0316AABB",
    }  # fmt: skip


def test_channel_numbers_instead_of_places_in_the_band_are_noticed(
    layouts: Any, exchange: list[Packet], tmp_path: Path
) -> None:
    data = struct.pack("<I", 0x12345678) + b"\x01\x00abc"
    packets = [*exchange[:3], Packet(9, data, 6, -40)]

    def record(packet: Packet) -> bytes:
        return struct.pack("<BbbBIH", packet.channel, packet.rssi, 0, 0, 0, 3) + packet.content

    content = layouts.pcap([(packet.time, record(packet)) for packet in packets], 256)
    capture = read_bytes(tmp_path, content)
    assert capture.packets["channel"].to_list() == [37, 37, 37, 6]
    assert capture.tally.notes == ["writes-channels"]


def test_a_capture_is_read_in_blocks(exchange: list[Packet], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tokumei.ble.records.BLOCK", 2)
    path = tmp_path / "a.psd"
    write_capture(exchange, path)
    tally = Tally()
    blocks = list(read_blocks(path, tally))
    assert [len(block) for block in blocks] == [2, 2, 1]
    monkeypatch.undo()
    assert pl.concat(blocks).equals(read_capture(path).packets)
    assert tally.packets == 5


# Known devices


def test_devices_are_named_by_the_sender(exchange: list[Packet], tmp_path: Path) -> None:
    write_capture(exchange, tmp_path / "a.psd")
    listed = tmp_path / "known.csv"
    listed.write_text("Address,Device,Type,User\n60f81dc81b53,macbook,Mac,alice\n")
    rows = read_capture(tmp_path / "a.psd", devices=read_devices(listed)).packets
    assert rows["device"].to_list()[:4] == ["unknown", "macbook", "unknown", "unknown"]
    assert rows["user"].to_list()[:2] == [None, "alice"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("address,type\n60F81DC81B53,x\n", "needs a column 'device'"),
        ("address,device\n60F81DC81B5,x\n", r"12 hexadecimal digits.*row 2, column address"),
        ("address,device\n60F81DC81B53,unknown\n", "a name other than 'unknown'"),
        ("address,device\n60F81DC81B53,a\n60-F8-1D-C8-1B-53,b\n", "may be listed once"),
        ("address,Address,device\n1,2,3\n", "a name of its own"),
    ],
)
def test_a_list_of_devices_with_a_fault_is_refused(
    tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "known.csv").write_text(text)
    with pytest.raises(SchemaError, match=sentence):
        read_devices(tmp_path / "known.csv")


def test_devices_of_several_addresses_are_owned_once() -> None:
    rows = pl.DataFrame(
        {"address": [A, B], "device": ["watch"] * 2, "type": ["w"] * 2, "user": ["u"] * 2}
    )
    assert len(Devices(rows).owned) == 1
