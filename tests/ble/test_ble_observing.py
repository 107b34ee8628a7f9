"""What a capture shows of each address, worked by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from ble_packets import ALICE, BOB, sent

from tokumei.ble.devices import Devices
from tokumei.ble.makers import company_name, maker_of_address, structures, told_by
from tokumei.ble.observing import POINTS, Observations, detected, kinds, observe
from tokumei.ble.reading import read_blocks
from tokumei.ble.tally import Tally
from tokumei.ble.writing import Packet, advertising_packet, write_capture
from tokumei.errors import Unachievable

A, B, C = "60:F8:1D:C8:1B:53", "DF:06:A4:18:6D:65", "4F:9F:0D:48:C7:42"


def listed(*rows: tuple[str, str, str]) -> Devices:
    names = ["address", "device", "type"]
    return Devices(pl.DataFrame(rows, schema=names, orient="row").with_columns(user=pl.lit("")))


def observed(path: Path, devices: Devices | None = None, **options) -> Observations:
    tally = Tally()
    return observe(read_blocks(path, tally, devices=devices), tally, devices=devices, **options)


@pytest.fixture
def capture(exchange: list[Packet], tmp_path: Path) -> Path:
    write_capture(exchange, tmp_path / "a.psd")
    return tmp_path / "a.psd"


def test_only_sound_packets_count(capture: Path) -> None:
    seen = observed(capture)
    assert seen.addresses.select("sender", "packets").rows() == [(B, 2), (C, 1), (A, 1)]
    assert seen.seconds == 3.5
    assert seen.channels == [37, 38]
    assert seen.stable == 2


def test_mean_deviation_and_variation_are_those_of_table_c3(capture: Path) -> None:
    rows = {row["sender"]: row for row in observed(capture).addresses.iter_rows(named=True)}
    # -51 and -53: the mean is -52, the sample's standard deviation is the root of 2.
    assert rows[B]["mean"] == -52
    assert rows[B]["deviation"] == pytest.approx(2**0.5)
    assert rows[B]["variation"] == pytest.approx(2**0.5 / 52)
    assert (rows[A]["mean"], rows[A]["deviation"], rows[A]["variation"]) == (-55, None, None)
    assert (rows[B]["first"], rows[B]["last"]) == (0.0, 0.00065)


def test_sums_over_blocks_are_those_of_the_whole(tmp_path: Path, monkeypatch) -> None:
    rng = np.random.default_rng(3)
    levels = rng.normal(-60, 8, 500).round().astype(int).clip(-110, -20)
    content = advertising_packet(0, sent(ALICE), random=False)
    packets = [Packet(k * 1000, content, 37, int(level)) for k, level in enumerate(levels)]
    write_capture(packets, tmp_path / "a.pcap")
    monkeypatch.setattr("tokumei.ble.records.BLOCK", 64)
    row = observed(tmp_path / "a.pcap").addresses.row(0, named=True)
    assert row["mean"] == pytest.approx(levels.mean())
    assert row["deviation"] == pytest.approx(levels.std(ddof=1))
    assert row["packets"] == 500


def test_devices_are_counted_by_type_and_a_device_of_two_addresses_once(capture: Path) -> None:
    known = listed(
        (A, "macbook", "Mac"), (B, "watch", "wearable"), (C, "watch", "wearable"),
        ("00:00:00:00:00:01", "phone", "Mac"),
    )  # fmt: skip
    table = detected(observed(capture, known), known)
    assert table.rows() == [("Mac", 2, 1, 0.5), ("wearable", 1, 1, 1.0), (None, 3, 2, 2 / 3)]


def test_one_may_look_at_scan_requests_alone_as_the_thesis_did(capture: Path) -> None:
    seen = observed(capture, pdu_types=["SCAN_REQ"])
    assert seen.addresses["sender"].to_list() == [A]


def test_kinds_tell_how_long_addresses_were_observable(capture: Path) -> None:
    table = kinds(observed(capture, listed((A, "macbook", "Mac"))))
    found = {row["sender_kind"]: row for row in table.iter_rows(named=True)}
    assert found["random static"]["longest_seconds"] == 0.00065
    assert found["public"]["known"] == 1
    assert sum(row["addresses"] for row in found.values()) == 3


def test_a_capture_without_a_sender_gives_nothing_to_observe(
    exchange: list[Packet], tmp_path: Path
) -> None:
    write_capture(exchange[-1:], tmp_path / "a.psd")
    with pytest.raises(Unachievable, match="nothing to observe"):
        observed(tmp_path / "a.psd")


def test_charts_have_no_more_points_than_can_be_seen(tmp_path: Path) -> None:
    content = advertising_packet(0, sent(BOB), random=True)
    packets = [Packet(k * 100, content, 37, -60) for k in range(3 * POINTS)]
    write_capture(packets, tmp_path / "a.pcap")
    seen = observed(tmp_path / "a.pcap")
    assert POINTS / 2 <= len(seen.points) <= POINTS
    assert seen.addresses["packets"].to_list() == [3 * POINTS]


def test_advertising_data_tells_maker_and_name(capture: Path) -> None:
    data = "020106" + "05FF4C001005" + "0409426F62"
    assert structures(data) == [(1, "06"), (0xFF, "4C001005"), (9, "426F62")]
    told = told_by(data)
    assert (told.company, told.name) == (0x4C, "Bob")
    assert company_name(0x4C) == "Apple"
    assert company_name(0xFFFE) == "0xFFFE"
    rows = {row["sender"]: row for row in observed(capture).addresses.iter_rows(named=True)}
    assert (rows[B]["name"], rows[B]["maker"]) == ("Bob!", None)
    assert (rows[A]["maker"], rows[A]["source"]) == ("Apple", "address")


@pytest.mark.parametrize("data", ["", "00", "05", "0509", "FF0102", "0209", "02FF4C"])
def test_damaged_advertising_data_tells_nothing(data: str) -> None:
    assert told_by(data).company is None
    assert all(len(content) % 2 == 0 for _, content in structures(data))


def test_a_random_address_tells_no_maker() -> None:
    assert maker_of_address("60:F8:1D:00:00:00", "public") == "Apple"
    assert maker_of_address("60:F8:1D:00:00:00", "resolvable") is None
