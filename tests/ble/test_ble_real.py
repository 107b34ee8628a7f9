"""Captures that others made, with what is known of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tokumei.ble.reading import Capture, read_capture
from tokumei.errors import ReadError

pytestmark = pytest.mark.realdata


@pytest.fixture(scope="module")
def fitbit(real_data: Path) -> Capture:
    return read_capture(real_data / "data/ble/fitbit-smartrf.psd")


def test_the_fitbit_capture_has_the_known_counts(fitbit: Capture) -> None:
    rows = fitbit.packets
    assert len(rows) == 956
    assert (rows["crc"] == "ok").sum() == 860
    advertising = rows.filter(pl.col("access_address") == "0x8E89BED6")
    assert advertising["channel"].unique().to_list() == [37]
    assert len(advertising) == 296
    assert len(rows.filter(pl.col("pdu_type").str.starts_with("LL_"))) == 660
    sound = advertising.filter(pl.col("crc") == "ok")
    counts = dict(sound["pdu_type"].value_counts().iter_rows())
    assert counts == {"ADV_IND": 199, "CONNECT_REQ": 1}
    assert sound.filter(pl.col("pdu_type") == "ADV_IND")["adv_a"].n_unique() == 4
    assert rows["time_stamp"].max() == pytest.approx(31.65, abs=0.05)
    assert not fitbit.tally.skipped


def test_the_crc_agrees_with_the_flag_of_every_packet_but_one(fitbit: Capture) -> None:
    """Number 206 is marked as bad, though its CRC is right; data packets are checked as well."""
    assert fitbit.tally.disagreeing == [206]
    assert fitbit.tally.odd == {"crc-disagrees": 1}


@pytest.mark.parametrize(
    ("name", "packets", "ok"),
    [
        ("whad_ble_pairing.pcap", 1604, 1604),
        ("odid_bt5_lr_sample.pcapng", 274, 244),
        ("crackle_known_ltk.pcap", 303, 291),
        ("crackle_pairing_and_ltk_exchange.pcap", 713, 713),
    ],
)
def test_other_captures_have_the_known_counts(
    real_data: Path, name: str, packets: int, ok: int
) -> None:
    capture = read_capture(real_data / "data/ble" / name)
    assert len(capture.packets) == packets
    assert capture.tally.crc_ok == ok
    assert not capture.tally.skipped
    assert not capture.tally.disagreeing
    assert capture.packets["rssi"].null_count() == 0
    assert capture.packets["channel"].null_count() == 0


def test_the_zigbee_capture_is_refused(real_data: Path) -> None:
    with pytest.raises(ReadError, match="ZigBee"):
        read_capture(real_data / "data/ble/zigbee_medtronic_autoconnect.psd")
