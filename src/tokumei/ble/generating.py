"""Captures made up by rule, with the truth beside them.

`thesis` re-creates the experiment of the thesis: 19 devices in a laboratory, 100 s, channel 37, of
which four Macs send scan requests; unknown devices outside are heard at about -90 dBm. `office` has
devices of many habits, for linking two captures: those with changing addresses have others when the
second capture begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from tokumei.ble.link_layer import SCAN_REQ, address_text
from tokumei.ble.scenes import THESIS_BEACON, Sender, office, thesis
from tokumei.ble.writing import Packet, advertising_packet
from tokumei.draws import derive
from tokumei.errors import ParameterError

Scene = Literal["thesis", "office"]
SCENES: tuple[Scene, ...] = get_args(Scene)

CHANNEL = 37
ROTATION = 900
"""Seconds after which a resolvable or non-resolvable address changes (the usual 15 minutes)."""
DAMAGED = 0.04
"""Share of packets that arrive damaged."""
TOP_BITS = {"random static": 3, "resolvable": 1, "non-resolvable": 0}


@dataclass(frozen=True, eq=False)
class Generated:
    """A capture, and who sent what."""

    packets: list[Packet]
    senders: list[str]
    """The device of each packet."""
    truth: pl.DataFrame
    """address, device, type, user of the devices that a list of known devices has."""


def generate_capture(
    scene: Scene, *, seed: int, devices: int = 24, seconds: int = 100, later: int = 0
) -> Generated:
    """Generate a capture of a scene, `later` seconds after the scene began.

    Two captures of one scene and seed have the same devices. `devices` is how many the office has.
    """
    if scene not in SCENES:
        raise ParameterError(f"A scene must be {' or '.join(SCENES)}, not '{scene}'.")
    if devices < 1 or not 1 <= seconds <= 86_400 or later < 0:
        raise ParameterError(
            "devices must be at least 1, seconds in [1, 86400] and later at least 0, "
            f"not {devices}, {seconds} and {later}."
        )
    people = thesis(seed) if scene == "thesis" else office(seed, devices)
    # A beacon that scan requests answer: in the thesis its own, in the office any advertiser.
    asked = [one for one in people if one.advertises] or [THESIS_BEACON]
    heard: list[tuple[Packet, str]] = []
    for one in people:
        heard += _packets(one, asked, seed, seconds, later)
    heard.sort(key=lambda pair: pair[0].time)
    rows = [
        (address, one.device, one.type, one.user)
        for one in people
        if one.listed
        for address in _addresses(one, seed, seconds, later)
    ]
    truth = pl.DataFrame(rows, schema=["address", "device", "type", "user"], orient="row")
    return Generated([packet for packet, _ in heard], [name for _, name in heard], truth)


def address_at(sender: Sender, seed: int, second: float) -> int:
    """Return the address of a device at a time."""
    number = derive(seed, f"ble/address/{sender.device}/{_epoch(sender, second)}")
    if sender.kind == "public":
        return int(sender.oui, 16) << 24 | number & 0xFFFFFF
    return TOP_BITS[sender.kind] << 46 | number & (1 << 46) - 1


def _epoch(sender: Sender, second: float) -> int:
    if sender.kind not in ("resolvable", "non-resolvable"):
        return 0
    # Devices do not change at the same moment.
    return int((second + derive(0, sender.device) % ROTATION) // ROTATION)


def _addresses(sender: Sender, seed: int, seconds: int, later: int) -> list[str]:
    times = sorted({*range(later, later + seconds, ROTATION), later + seconds})
    return list(dict.fromkeys(address_text(address_at(sender, seed, time)) for time in times))


def _packets(
    sender: Sender, asked: Sequence[Sender], seed: int, seconds: int, later: int
) -> list[tuple[Packet, str]]:
    rng = np.random.default_rng(derive(seed, f"ble/packets/{sender.device}/{later}"))
    moved = rng.normal(0, 1.5) if later else 0.0
    made = [
        (start, _advertisement(sender, seed, later + start))
        for start in _times(rng, sender.advertises, seconds)
    ]
    for start in _times(rng, sender.scans, seconds):
        other = asked[int(rng.integers(len(asked)))]
        made.append((start, _request(sender, other, seed, later + start)))
    heard = []
    for start, content in made:
        level = int(np.clip(round(rng.normal(sender.level + moved, sender.spread)), -110, -20))
        damaged = rng.random() < DAMAGED
        if damaged:
            place, bit = int(rng.integers(6, len(content))), int(rng.integers(8))
            content = bytes(b ^ (1 << bit) * (k == place) for k, b in enumerate(content))
        packet = Packet(round(start * 1e6), content, CHANNEL, level, not damaged)
        heard.append((packet, sender.device))
    return heard


def _times(rng: np.random.Generator, rate: float, seconds: int) -> list[float]:
    if not rate:
        return []
    times: list[float] = rng.uniform(0, seconds, rng.poisson(rate * seconds)).tolist()
    return sorted(times)


def _sent(address: int) -> bytes:
    return address.to_bytes(6, "little")


def _advertisement(sender: Sender, seed: int, second: float) -> bytes:
    payload = sender.payload(derive(seed, f"ble/payload/{sender.device}/{_epoch(sender, second)}"))
    content = _sent(address_at(sender, seed, second)) + payload
    return advertising_packet(0, content, random=sender.kind != "public")


def _request(sender: Sender, to: Sender, seed: int, second: float) -> bytes:
    own, other = (_sent(address_at(one, seed, second)) for one in (sender, to))
    random, to_random = (one.kind != "public" for one in (sender, to))
    return advertising_packet(SCAN_REQ, own + other, random=random, to_random=to_random)
