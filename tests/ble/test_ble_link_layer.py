"""Addresses, channels and the CRC, as the Bluetooth core specification says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokumei.ble.connections import CRC_TABLE
from tokumei.ble.kernels import crc_fits
from tokumei.ble.link_layer import CHANNEL_OF_RF, address_text, crc24

TAPS = (0, 1, 3, 4, 6, 9, 10)
"""Powers of x in the polynomial below x^24."""


def crc_by_register(content: bytes, start: int) -> list[int]:
    """The shift register of the specification, bit by bit: position 23 is sent first."""
    register = [(start >> position) & 1 for position in range(24)]
    for byte in content:
        for place in range(8):
            feedback = register[23] ^ (byte >> place) & 1
            register = [0, *register[:23]]
            for tap in TAPS:
                register[tap] ^= feedback
    return register[::-1]


@given(st.binary(max_size=40), st.integers(0, 2**24 - 1))
def test_the_crc_is_that_of_the_shift_register(content: bytes, start: int) -> None:
    bits = [(byte >> place) & 1 for byte in crc24(content, start) for place in range(8)]
    assert bits == crc_by_register(content, start)


@given(st.binary(min_size=2, max_size=40), st.integers(0, 2**24 - 1), st.integers(0))
def test_the_compiled_crc_finds_every_flipped_bit(content: bytes, start: int, flip: int) -> None:
    packet = bytearray(content + crc24(content, start))
    place = np.array([0])

    def fits() -> bool:
        data = np.frombuffer(bytes(packet), dtype=np.uint8)
        sizes, starts = np.array([len(packet)]), np.array([start])
        return bool(crc_fits(data, place, sizes, starts, CRC_TABLE)[0])

    assert fits()
    packet[flip % len(packet)] ^= 1 << flip % 8
    assert not fits()


def test_an_address_is_written_as_on_devices() -> None:
    assert address_text(0x60F81DC81B53) == "60:F8:1D:C8:1B:53"
    assert address_text(1) == "00:00:00:00:00:01"


def test_the_advertising_channels_lie_at_the_ends_and_beside_wifi() -> None:
    frequencies = {channel: 2402 + 2 * place for place, channel in enumerate(CHANNEL_OF_RF)}
    assert [frequencies[channel] for channel in (37, 38, 39)] == [2402, 2426, 2480]
    assert [frequencies[channel] for channel in (0, 10, 11, 36)] == [2404, 2424, 2428, 2478]
    assert sorted(CHANNEL_OF_RF) == list(range(40))
