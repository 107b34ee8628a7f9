"""Whether packets are sound; the CRC of data packets starts with what their connection says."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.ble.kernels import NOBODY, Ints, crc_fits
from tokumei.ble.link_layer import ADVERTISING, ADVERTISING_CRC, CONNECT_REQ
from tokumei.ble.wrapping import Wrapped

Flags = npt.NDArray[np.bool_]


def _crc_table() -> Ints:
    table = np.arange(256)
    for _ in range(8):
        table = (table >> 1) ^ np.where(table & 1, 0xDA6000, 0)
    return table


CRC_TABLE = _crc_table()


@dataclass
class Connections:
    """The connections of a capture so far."""

    opened: dict[int, int] = field(default_factory=dict)
    """Access address to the start of the CRC."""
    disagreeing: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Of the packets last checked, those whose CRC is not what the capture says of it."""

    def checked(self, found: Wrapped, header: Ints, size: Ints, access: Ints, told: Ints) -> Ints:
        """Return 1 where a packet is sound, 0 where it is damaged, -1 where nothing tells.

        Both the capture's own word and the CRC computed anew must be good, where there are both.
        """
        advertising = access == ADVERTISING
        initial = np.where(advertising, ADVERTISING_CRC, NOBODY)
        own = self._fits(found, header, size, advertising, initial)
        asked = advertising & (told[0] == CONNECT_REQ) & (told[6] != NOBODY) & (own == 1)
        initial = self._initial(access, told, asked, initial)
        later = ~advertising & found.whole & (initial != NOBODY)
        own = np.maximum(own, self._fits(found, header, size, later, initial))
        self.disagreeing = (own >= 0) & (found.crc >= 0) & (own != found.crc)
        worst = np.minimum(np.where(own < 0, 1, own), np.where(found.crc < 0, 1, found.crc))
        return np.where((own < 0) & (found.crc < 0), -1, worst)

    def _fits(self, found: Wrapped, header: Ints, size: Ints, which: Flags, initial: Ints) -> Ints:
        result = np.full(len(header), -1)
        result[which] = crc_fits(
            found.records.data, header[which], size[which] + 5, initial[which], CRC_TABLE
        )
        return result

    def _initial(self, access: Ints, told: Ints, asked: Flags, initial: Ints) -> Ints:
        """Find what the CRC of data packets starts with: the last request of their connection."""
        places = np.arange(len(access))
        before = np.array(list(self.opened), dtype=np.int64)
        starts = np.array(list(self.opened.values()), dtype=np.int64)
        requests = pl.DataFrame(
            {
                "place": np.concatenate([np.full(len(before), -1), places[asked]]),
                "access": np.concatenate([before, told[6, asked]]),
                "start": np.concatenate([starts, told[7, asked]]),
            }
        )
        if requests.is_empty():
            return initial
        self.opened |= dict(zip(requests["access"], requests["start"], strict=True))
        packets = pl.DataFrame({"place": places, "access": access})
        # The places of both are in order, though not within each access address by itself.
        joined = packets.join_asof(
            requests.sort("place"), on="place", by="access", check_sortedness=False
        )
        found = joined["start"].fill_null(NOBODY).to_numpy()
        return np.where(initial == NOBODY, found, initial)
