"""Devices of one capture recognized in another."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tokumei.ble.devices import Devices
from tokumei.ble.generating import generate_capture
from tokumei.ble.linking import Linked, link
from tokumei.ble.observing import Observations, observe
from tokumei.ble.reading import read_blocks
from tokumei.ble.tally import Tally
from tokumei.ble.writing import Packet, advertising_packet, write_capture
from tokumei.errors import Unachievable

NAME_X, NAME_Y = (bytes([2, 0x09, letter]) for letter in b"XY")


def capture(path: Path, senders: list[tuple[int, bool, bytes, int]]) -> Observations:
    """A capture in which every sender (address, random, data, level) is heard ten times."""
    packets = [
        Packet(k * 1000 + n, content(address, random, data), 37, level)
        for k in range(10)
        for n, (address, random, data, level) in enumerate(senders)
    ]
    write_capture(packets, path)
    tally = Tally()
    return observe(read_blocks(path, tally), tally)


def content(address: int, random: bool, data: bytes) -> bytes:
    return advertising_packet(0, address.to_bytes(6, "little") + data, random=random)


STATIC, CHANGED, CHANGED_TO = 0xC00000000001, 0x400000000001, 0x400000000002
OTHER = 0x400000000009


@pytest.fixture
def two(tmp_path: Path) -> tuple[Observations, Observations]:
    """One device keeps its address; another changes it and keeps its name and its level."""
    first = [(STATIC, True, NAME_X, -40), (CHANGED, True, NAME_Y, -80)]
    second = [(STATIC, True, NAME_X, -80), (CHANGED_TO, True, NAME_Y, -80)]
    return capture(tmp_path / "a.psd", first), capture(tmp_path / "b.psd", second)


def names(**devices: list[int]) -> Devices:
    rows = [
        (":".join(f"{number:012X}"[k : k + 2] for k in range(0, 12, 2)), name, "", "")
        for name, numbers in devices.items()
        for number in numbers
    ]
    return Devices(pl.DataFrame(rows, schema=["address", "device", "type", "user"], orient="row"))


def rates(linked: Linked) -> dict[str, float]:
    return {one.way: one.score.value for one in linked.links}


def test_a_case_worked_by_hand(two: tuple[Observations, Observations]) -> None:
    truth = names(one=[STATIC], two=[CHANGED, CHANGED_TO])
    found = link(*two, devices=truth)
    assert (found.first, found.second, found.again) == (2, 2, 2)
    # Its address names the first, its name both; both are now as loud as the second was.
    assert rates(found) == {"address": 0.5, "payload": 1.0, "level": 0.5}
    assert all(one.score.baseline == 0.5 for one in found.links)
    assert found.recognized == 2
    assert "recorded the first capture" in found.links[0].score.assumes


def test_without_a_list_only_stable_addresses_are_known_to_be_one_device(two) -> None:
    found = link(*two)
    assert (found.again, found.truth) == (1, "addresses")
    assert rates(found) == {"address": 1.0, "payload": 1.0, "level": 0.0}
    # The other address was taken for the device whose name or level it has.
    assert [one.newcomers_named for one in found.links] == [0, 1, 1]


def test_a_device_of_two_addresses_is_one_person(tmp_path: Path) -> None:
    first = [(CHANGED, True, NAME_X, -40), (CHANGED_TO, True, NAME_Y, -60)]
    second = [(OTHER, True, NAME_Y, -60)]
    seen = capture(tmp_path / "a.psd", first), capture(tmp_path / "b.psd", second)
    found = link(*seen, devices=names(one=[CHANGED, CHANGED_TO, OTHER]))
    assert rates(found)["payload"] == 1.0
    assert found.links[0].score.n == 1


def test_a_way_of_which_a_capture_tells_nothing_is_left_out(two, tmp_path: Path) -> None:
    packets = [Packet(0, content(STATIC, True, NAME_X), 37, -40)]
    write_capture(packets, tmp_path / "c.pcap", link=251)
    tally = Tally()
    without_rssi = observe(read_blocks(tmp_path / "c.pcap", tally), tally)
    found = link(two[0], without_rssi)
    assert rates(found) == {"address": 1.0, "payload": 1.0}
    assert found.left_out == ["level"]


def test_captures_that_share_no_device_cannot_be_judged(tmp_path: Path) -> None:
    seen = (
        capture(tmp_path / "a.psd", [(CHANGED, True, NAME_X, -40)]),
        capture(tmp_path / "b.psd", [(CHANGED_TO, True, NAME_X, -40)]),
    )
    with pytest.raises(Unachievable, match="No device is known to be in both captures"):
        link(*seen)


def test_an_hour_later_the_habits_of_the_office_show(tmp_path: Path) -> None:
    made = [generate_capture("office", seed=2, devices=40, later=later) for later in (0, 3600)]
    seen = []
    for number, one in enumerate(made):
        write_capture(one.packets, tmp_path / f"{number}.psd")
        tally = Tally()
        seen.append(observe(read_blocks(tmp_path / f"{number}.psd", tally), tally))
    truth = Devices(pl.concat([one.truth for one in made]).unique())
    found = link(*seen, devices=truth, seed=1)
    habits = truth.rows.select(address="address", type="type")
    right = {
        one.way: one.guess.join(habits, on="address").filter("right")["type"].unique().to_list()
        for one in found.links
    }
    assert set(right["address"]) == {"beacon", "earbuds", "laptop"}
    # A watch changes its address and gives itself away by its payload.
    assert set(right["payload"]) == {"beacon", "earbuds", "watch"}
    for one in found.links:
        low, high = one.score.interval or (0, 0)
        assert (one.score.baseline or 1) < low <= one.score.value <= high
    assert link(*seen, devices=truth, seed=1).to_json() == found.to_json()
