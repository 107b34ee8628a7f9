"""Generated captures have their truth, and the shape of the thesis's tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokumei.ble.devices import Devices
from tokumei.ble.generating import generate_capture
from tokumei.ble.link_layer import address_text
from tokumei.ble.observing import detected, observe
from tokumei.ble.reading import read_blocks, read_capture
from tokumei.ble.scenes import DETECTED
from tokumei.ble.tally import Tally
from tokumei.ble.writing import Packet, write_capture
from tokumei.errors import ParameterError, WriteError

PRINTED_C2 = {
    "Android": (4, 0),
    "iPhone (iOS)": (6, 0),
    "MacBook (OS X)": (4, 3),
    "Mac mini (OS X)": (1, 1),
    "Laptop PC (Windows)": (2, 0),
    "Mobile phone": (1, 0),
    "Fitbit": (1, 0),
}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_thesis_scene_gives_the_tables_of_the_thesis(tmp_path: Path, seed: int) -> None:
    made = generate_capture("thesis", seed=seed)
    write_capture(made.packets, tmp_path / "lab.psd")
    devices, tally = Devices(made.truth), Tally()
    blocks = read_blocks(tmp_path / "lab.psd", tally, devices=devices)
    seen = observe(blocks, tally, devices=devices, pdu_types=["SCAN_REQ"])
    *types, whole = detected(seen, devices).iter_rows()
    assert {kind: (present, found) for kind, present, found, _ in types} == PRINTED_C2
    assert whole[1:3] == (19, 4)
    assert whole[3] == pytest.approx(4 / 19)
    rows = {row["device"]: row for row in seen.known.iter_rows(named=True)}
    for name, _, deviation, variation in DETECTED:
        assert rows[name]["deviation"] == pytest.approx(deviation, rel=0.25)
        assert 100 * rows[name]["variation"] == pytest.approx(variation, rel=0.25)
    assert max(rows, key=lambda name: rows[name]["deviation"]) == "MacBook 3 (d)"
    assert seen.unknown["mean"].is_between(-96, -84).all()
    assert seen.channels == [37]
    assert seen.seconds == pytest.approx(100, abs=3)


def test_every_packet_has_its_sender_in_the_truth(tmp_path: Path) -> None:
    made = generate_capture("office", seed=4, seconds=20)
    write_capture(made.packets, tmp_path / "a.pcap")
    rows = read_capture(tmp_path / "a.pcap").packets
    owner = dict(made.truth.select("address", "device").iter_rows())
    senders = zip(rows["sender"], rows["crc"], made.senders, strict=True)
    assert all(owner[address] == name for address, crc, name in senders if crc == "ok")
    damaged = [not packet.crc_ok for packet in made.packets]
    assert (rows["crc"] == "bad").to_list() == damaged
    assert 0 < sum(damaged) < len(damaged) / 10


def test_the_same_seed_gives_the_same_capture_and_changing_addresses_change() -> None:
    one, again = (generate_capture("office", seed=5) for _ in range(2))
    assert one.packets == again.packets
    later = generate_capture("office", seed=5, later=3600)
    assert later.packets != one.packets
    now, then = (
        dict(made.truth.unique("device", keep="first").select("device", "address").iter_rows())
        for made in (one, later)
    )
    kept = {name.rstrip("0123456789 ") for name in now if now[name] == then[name]}
    assert kept == {"laptop", "earbuds", "beacon"}


@pytest.mark.parametrize(
    "wrong", [{"devices": 0}, {"seconds": 0}, {"later": -1}, {"scene": "moon"}]
)
def test_a_wrong_parameter_is_refused(wrong: dict) -> None:
    with pytest.raises(ParameterError):
        generate_capture(**({"scene": "office", "seed": 1} | wrong))


def test_what_does_not_fit_a_psd_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.psd"
    for packet in (Packet(0, bytes(254), 37, -50), Packet(0, bytes(20), 37, 90)):
        with pytest.raises(ParameterError, match="A psd record holds"):
            write_capture([packet], path)
    with pytest.raises(ParameterError, match=r"must end in \.psd or \.pcap"):
        write_capture([], tmp_path / "a.txt")
    with pytest.raises(ParameterError, match="link type 251 or 256"):
        write_capture([], tmp_path / "a.pcap", link=1)
    assert not list(tmp_path.iterdir())
    path.write_bytes(b"here")
    with pytest.raises(WriteError, match="exists already"):
        write_capture([], path)


def test_addresses_of_the_truth_are_of_their_kind() -> None:
    made = generate_capture("office", seed=6)
    tops = {
        kind: {int(address[:2], 16) >> 6 for address in part["address"]}
        for (kind,), part in made.truth.group_by("type")
    }
    assert tops["phone"] == {1}
    assert tops["tracker"] == {0}
    assert tops["earbuds"] == {3}
    assert address_text(0x60F81D000001)[:8] in {a[:8] for a in made.truth["address"]}
