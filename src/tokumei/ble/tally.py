"""What a reader left out or found odd, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

LISTED = 20
"""So many packets are listed by their ids where something about them is odd."""


@dataclass
class Tally:
    """Counts of one capture, filled while it is read."""

    form: str = ""
    """What the file is, such as `psd` or `pcap, link type 256`."""
    packets: int = 0
    crc_ok: int = 0
    crc_bad: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Records that gave no row, by the code of the reason."""
    odd: Counter[str] = field(default_factory=Counter)
    """Rows that lack something, or about which two fields disagree, by a code."""
    disagreeing: list[int] = field(default_factory=list)
    """Ids of the first packets whose CRC is not what the capture says of it."""
    notes: list[str] = field(default_factory=list)
    """What is to be said of the whole file, by a code as well."""

    def skip(self, reason: str, count: int = 1) -> None:
        """Count records that are left out."""
        if count:
            self.skipped[reason] += count

    def note(self, reason: str, count: int = 1) -> None:
        """Count rows about which something is odd."""
        if count:
            self.odd[reason] += count

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "form": self.form,
            "packets": self.packets,
            "crc": {
                "ok": self.crc_ok,
                "bad": self.crc_bad,
                "unknown": self.packets - self.crc_ok - self.crc_bad,
            },
            "skipped": dict(self.skipped),
            "odd": dict(self.odd),
            "disagreeing_crc_ids": self.disagreeing,
            "notes": self.notes,
        }


def reasons(tr: Callable[[str], str]) -> dict[str, str]:
    """Say what the codes of a tally mean."""
    return {
        "cut-off": tr("the file breaks off within a record"),
        "kept-in-part": tr("the capture kept only a part of the packet"),
        "no-time": tr("the packet has no time stamp"),
        "no-interface": tr("the packet names an interface that the file does not describe"),
        "other-link-type": tr("the packet is not Bluetooth LE"),
        "lengths-disagree": tr("its lengths disagree with each other or with the record"),
        "incomplete": tr("the sniffer marked it as incomplete"),
        "not-ble": tr("it is not a Bluetooth LE packet of a known layout"),
        "too-short": tr("it is too short to hold a packet"),
        "reserved-pdu-type": tr("its PDU type is reserved"),
        "payload-size": tr("its payload is too short or too long for its PDU type"),
        "header-length": tr("the length in its header is not that of the packet"),
        "access-address": tr("its access address cannot be that of its channel"),
        "crc-disagrees": tr("its CRC is not what the capture says of it"),
        "time-backwards": tr("its time stamp is before that of the packet before it"),
        "no-such-channel": tr("its channel is not one of the 40"),
        "channel-of-pdu-type": tr("its channel cannot be that of its PDU type"),
        "writes-channels": tr(
            "The header of link type 256 should have the place in the band, but this file has "
            "channel numbers: read as places, advertising would be on channels of data. They are "
            "read as channels."
        ),
    }


def explained(code: str) -> str:
    """Say in English what a code means."""
    return reasons(str)[code]
