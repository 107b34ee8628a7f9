"""What the Bluetooth core specification says of packets: types, addresses, channels, CRC.

Volume 6, part B: access address and CRC (2.1, 3.1.1), advertising PDUs (2.3), data PDUs (2.4),
device addresses (1.3), channel numbers (1.4.1).
"""

from __future__ import annotations

ADVERTISING = 0x8E89BED6
"""The access address of every advertising packet."""
ADVERTISING_CRC = 0x555555
"""What the CRC of every advertising packet starts with."""

OVERHEAD = 9
"""Bytes of a packet besides its payload: access address 4, header 2, CRC 3."""

PDU_NAMES = (
    "ADV_IND",
    "ADV_DIRECT_IND",
    "ADV_NONCONN_IND",
    "SCAN_REQ",
    "SCAN_RSP",
    "CONNECT_REQ",
    "ADV_SCAN_IND",
    "ADV_EXT",
    "CONNECT_RSP",
    *(f"RESERVED_{number}" for number in range(9, 16)),
    "LL_RESERVED",
    "LL_DATA_CONTINUED",
    "LL_DATA",
    "LL_CONTROL",
)
"""By code: 0 to 15 are the types of advertising PDUs, 16 to 19 those of data PDUs.

Type 7 has one layout under many names (ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP, AUX_CHAIN_IND),
which only the context tells apart: all are ADV_EXT. CONNECT_REQ is CONNECT_IND since version 5.
"""
SCAN_REQ, CONNECT_REQ, EXTENDED, RESERVED = 3, 5, 7, 9
DATA_CODES = 16
UNKNOWN = -1
"""The code of a packet that is damaged beyond telling its type."""

KINDS = ("public", "random static", "resolvable", "non-resolvable", "reserved")
RANDOM_KINDS = (3, 2, 4, 1)
"""The kind of a random address, by its two highest bits."""
STABLE_KINDS = ("public", "random static")
"""Addresses that a device keeps, at least until it is switched off."""

ADVERTISING_CHANNELS = (37, 38, 39)
CHANNEL_OF_RF = (37, *range(11), 38, *range(11, 37), 39)
"""The channel of each place in the band: 2402 MHz is the advertising channel 37."""


def crc24(content: bytes, start: int = ADVERTISING_CRC) -> bytes:
    """Return the CRC of header and payload as it is sent.

    The polynomial is x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1; bits go lowest first.
    """
    state = int(f"{start:024b}"[::-1], 2)
    for byte in content:
        state ^= byte
        for _ in range(8):
            state = (state >> 1) ^ (0xDA6000 if state & 1 else 0)
    return state.to_bytes(3, "little")


def address_text(address: int) -> str:
    """Write an address as it is printed on devices: 60:F8:1D:C8:1B:53."""
    digits = f"{address:012X}"
    return ":".join(digits[place : place + 2] for place in range(0, 12, 2))
