"""What the tests of captures share: packets made by hand, and files in every layout."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from ble_packets import ALICE, BOB, CAROL, sent

from tokumei.ble.writing import Packet, advertising_packet


@pytest.fixture(scope="session")
def layouts() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2])
        yield import_module("bench.ble_captures")


@pytest.fixture(scope="session")
def exchange() -> list[Packet]:
    """Bob advertises, Alice asks, Bob answers; then Carol is heard, once well and once damaged."""
    name = bytes([5, 0x09]) + b"Bob!"
    advertisement = advertising_packet(0, sent(BOB) + name, random=True)
    request = advertising_packet(3, sent(ALICE) + sent(BOB), random=False, to_random=True)
    answer = advertising_packet(4, sent(BOB) + name, random=True)
    carol = advertising_packet(2, sent(CAROL), random=True)
    broken = bytes([*carol[:8], carol[8] ^ 1, *carol[9:]])
    return [
        Packet(0, advertisement, 37, -51),
        Packet(300, request, 37, -55),
        Packet(650, answer, 37, -53),
        Packet(2_000_000, carol, 38, -90),
        Packet(3_500_000, broken, 39, -91, crc_ok=False),
    ]
