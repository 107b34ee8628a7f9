"""Who made a device, where its address or its advertising data tells.

A small selection of well-known makers, stated by hand. Companies: Bluetooth SIG, Assigned Numbers,
section 7 (company identifiers). Addresses: IEEE, MA-L registry (the first three bytes of a public
address). Most identifiers are not here; they are shown by their number.
"""

from __future__ import annotations

from dataclasses import dataclass

COMPANY_SOURCE = "Bluetooth SIG, Assigned Numbers, company identifiers"
OUI_SOURCE = "IEEE, MA-L registry"

COMPANIES = {
    0x0002: "Intel",
    0x0006: "Microsoft",
    0x000D: "Texas Instruments",
    0x000F: "Broadcom",
    0x004C: "Apple",
    0x0055: "Plantronics",
    0x0059: "Nordic Semiconductor",
    0x0065: "HP",
    0x006B: "Polar Electro",
    0x0075: "Samsung Electronics",
    0x0087: "Garmin",
    0x009E: "Bose",
    0x009F: "Suunto",
    0x00C4: "LG Electronics",
    0x00E0: "Google",
    0x0118: "Radius Networks",
    0x012D: "Sony",
    0x0154: "Pebble Technology",
    0x015D: "Estimote",
    0x0171: "Amazon",
    0x0178: "Casio",
    0x018E: "Fitbit",
}
OUIS = {
    "60:F8:1D": "Apple",
    "98:E0:D9": "Apple",
    "D0:A6:37": "Apple",
    "78:C5:E5": "Texas Instruments",
    "B8:27:EB": "Raspberry Pi Foundation",
    "DC:A6:32": "Raspberry Pi Trading",
}

SHORT_NAME, NAME, MANUFACTURER = 0x08, 0x09, 0xFF


@dataclass(frozen=True)
class Told:
    """What advertising data tells about a device."""

    company: int | None = None
    name: str | None = None


def structures(data: str) -> list[tuple[int, str]]:
    """Return type and content of the parts of advertising data, all in hexadecimal.

    Damaged data ends at the first part that does not fit.
    """
    parts = []
    place = 0
    while place + 4 <= len(data):
        size = int(data[place : place + 2], 16)
        end = place + 2 + 2 * size
        if not size or end > len(data):
            break
        parts.append((int(data[place + 2 : place + 4], 16), data[place + 4 : end]))
        place = end
    return parts


def told_by(data: str) -> Told:
    """Return company and name in advertising data."""
    company, name = None, None
    for kind, content in structures(data):
        if kind == MANUFACTURER and len(content) >= 4 and company is None:
            company = int(content[2:4] + content[:2], 16)
        elif kind in (SHORT_NAME, NAME) and content and name is None:
            name = bytes.fromhex(content).decode("utf-8", errors="replace").strip("\0 ")
    return Told(company, name or None)


def company_name(company: int) -> str:
    """Name a company, or give its number."""
    return COMPANIES.get(company, f"0x{company:04X}")


def maker_of_address(address: str, kind: str) -> str | None:
    """Return the maker that a public address tells; random ones tell nothing."""
    return OUIS.get(address[:8]) if kind == "public" else None
