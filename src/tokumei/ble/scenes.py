"""Who is in a generated capture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tokumei.draws import derive

APPLE = "60F81D"
"""The first bytes of the addresses of the thesis's Macs."""
OTHER_OUIS = ("B827EB", "78C5E5", "DCA632")


def _nothing(_tag: int) -> bytes:
    return b""


@dataclass(frozen=True)
class Sender:
    """A device: what it is, how it hides, and how it is heard."""

    device: str
    type: str
    user: str
    kind: str
    """The kind of its address; resolvable and non-resolvable ones change."""
    level: float
    spread: float
    """Mean and standard deviation of its RSSI, in dBm."""
    advertises: float = 0.0
    scans: float = 0.0
    """Packets in a second that are heard."""
    payload: Callable[[int], bytes] = _nothing
    """Advertising data; its argument is random, and changes with the address."""
    oui: str = APPLE
    listed: bool = True


THESIS_BEACON = Sender(
    "beacon A", "beacon", "", "random static", -45, 2.0, advertises=8.0, listed=False
)
DETECTED = (
    ("Mac mini (a)", "Mac mini (OS X)", 2.44, 5.8),
    ("MacBook 1 (b)", "MacBook (OS X)", 3.40, 7.1),
    ("MacBook 2 (c)", "MacBook (OS X)", 3.22, 6.5),
    ("MacBook 3 (d)", "MacBook (OS X)", 6.79, 11.9),
)
"""Table C.3: device, type, standard deviation, coefficient of variation in percent."""
SILENT = (
    ("Android", 4),
    ("iPhone (iOS)", 6),
    ("MacBook (OS X)", 1),
    ("Laptop PC (Windows)", 2),
    ("Mobile phone", 1),
    ("Fitbit", 1),
)
"""Table C.2: what was present and not detected."""


def _oui(kind: str, number: int) -> str:
    return APPLE if kind.startswith(("Mac", "iPhone")) else OTHER_OUIS[number % 3]


def thesis(seed: int) -> list[Sender]:
    """Return the beacon, the 19 devices of the laboratory, and some outside of it."""
    found = [
        # The mean of the RSSI follows from deviation and coefficient of variation.
        Sender(name, kind, f"student {n}", "public", -100 * spread / cv, spread, scans=1.6)
        for n, (name, kind, spread, cv) in enumerate(DETECTED, start=1)
    ]
    quiet = [(kind, number) for kind, count in SILENT for number in range(1, count + 1)]
    silent = [
        Sender(f"{kind} {n}", kind, f"student {k}", "public", -50, 3.0, oui=_oui(kind, k))
        for k, (kind, n) in enumerate(quiet, start=len(found) + 1)
    ]
    rng = np.random.default_rng(derive(seed, "ble/outside"))
    outside = [
        Sender(
            f"outside {n}",
            "",
            "",
            "resolvable" if n % 3 else "public",
            rng.normal(-90, 1.5),
            2.0,
            scans=rng.uniform(0.1, 0.5),
            oui=OTHER_OUIS[n % 3],
            listed=False,
        )
        for n in range(1, 8)
    ]
    return [THESIS_BEACON, *found, *silent, *outside]


def _part(kind: int, content: bytes) -> bytes:
    return bytes([len(content) + 1, kind]) + content


FLAGS = _part(0x01, b"\x06")


def _named(name: str) -> Callable[[int], bytes]:
    return lambda _tag: FLAGS + _part(0x09, name.encode())


def _nearby(tag: int) -> bytes:
    """Of a phone: a part that changes with the address."""
    return FLAGS + _part(0xFF, b"\x4c\x00\x10\x05" + tag.to_bytes(8, "little")[:5])


def _leaking(number: int) -> Callable[[int], bytes]:
    """Of a watch whose address changes, while its payload keeps a number of the device."""
    own = derive(number, "ble/watch").to_bytes(8, "little")[:6]
    return lambda tag: FLAGS + _part(0xFF, b"\x87\x00" + own) + _part(0x16, tag.to_bytes(8)[:4])


def _beacon(number: int) -> Callable[[int], bytes]:
    own = derive(number, "ble/beacon").to_bytes(8, "little") * 2
    place = bytes([0, 1, 0, number % 256, 197])
    return lambda _tag: FLAGS + _part(0xFF, b"\x4c\x00\x02\x15" + own + place)


def _finding(tag: int) -> bytes:
    """Of a tracker: everything changes with the address."""
    return _part(0xFF, b"\x4c\x00\x12\x0a" + tag.to_bytes(8, "little") + tag.to_bytes(8)[:2])


def office(seed: int, devices: int) -> list[Sender]:
    """Return devices of eight habits in turn, each at a level of its own."""
    rng = np.random.default_rng(derive(seed, "ble/office"))
    found = []
    for n in range(1, devices + 1):
        level, spread = rng.uniform(-88, -42), rng.uniform(1.5, 3.5)
        of = Sender("", "", f"user {n}", "resolvable", level, spread, advertises=3.0)
        habits = (
            replace(of, type="phone", payload=_nearby),
            replace(of, type="phone", payload=_nearby),
            replace(of, type="watch", payload=_leaking(n)),
            replace(of, type="laptop", kind="public", advertises=0.0, scans=2.0),
            replace(of, type="earbuds", kind="random static", payload=_named(f"Buds {n:02}")),
            replace(of, type="tracker", kind="non-resolvable", payload=_finding),
            replace(of, type="beacon", kind="random static", payload=_beacon(n)),
            replace(of, type="laptop with changing address", advertises=0.0, scans=2.0),
        )
        one = habits[(n - 1) % len(habits)]
        found.append(replace(one, device=f"{one.type} {n}"))
    return found
