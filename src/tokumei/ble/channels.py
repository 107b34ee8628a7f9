"""Which channel a packet was on, where the tools that wrote it do not agree on how to say so."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokumei.ble.kernels import Ints
from tokumei.ble.link_layer import (
    ADVERTISING_CHANNELS,
    CHANNEL_OF_RF,
    CONNECT_REQ,
    EXTENDED,
    SCAN_REQ,
)
from tokumei.ble.tally import Tally, explained
from tokumei.ble.wrapping import NO_CHANNEL, Wrapped

log = logging.getLogger(__name__)

Flags = npt.NDArray[np.bool_]
NO_SUCH_CHANNEL = "no-such-channel"
WRONG_CHANNEL = "channel-of-pdu-type"
WRITES_CHANNELS = "writes-channels"
ON_ANY_CHANNEL = (SCAN_REQ, CONNECT_REQ, EXTENDED, EXTENDED + 1)
"""Advertising PDUs that also occur outside of the three advertising channels."""


@dataclass
class Channels:
    """Reads channels, and remembers how this file writes them."""

    as_places: bool | None = None

    def read(
        self, found: Wrapped, code: Ints, advertising: Flags, tally: Tally
    ) -> tuple[Ints, Flags]:
        """Return the channels, and which packets have an access address that cannot be theirs.

        A data packet on an advertising channel has a damaged access address. Where an advertising
        packet is on a channel of data, the CRC tells whether the packet is sound; its channel is
        not believed.
        """
        given = found.channel
        real = (given >= 0) & (given < len(CHANNEL_OF_RF))
        tally.note(NO_SUCH_CHANNEL, int((~real & (given != NO_CHANNEL)).sum()))
        by_place = np.array(CHANNEL_OF_RF)[np.where(real, given, 0)]
        if self.as_places is None and (found.rf & real).any():
            self.as_places = self._places_fit(given, by_place, code, advertising, real & found.rf)
            if not self.as_places:
                tally.notes.append(WRITES_CHANNELS)
                log.warning(explained(WRITES_CHANNELS))
        channel = np.where(found.rf, by_place, given) if self.as_places else given
        channel = np.where(real, channel, NO_CHANNEL)
        on_three = np.isin(channel, ADVERTISING_CHANNELS)
        stray = advertising & real & ~on_three & ~np.isin(code, ON_ANY_CHANNEL)
        tally.note(WRONG_CHANNEL, int(stray.sum()))
        misplaced: Flags = ~advertising & on_three
        return np.where(stray, NO_CHANNEL, channel), misplaced

    def _places_fit(
        self, given: Ints, by_place: Ints, code: Ints, advertising: Flags, known: Flags
    ) -> bool:
        """Tell whether places in the band contradict the packets less than channels do."""

        def contradictions(channel: Ints) -> int:
            on_three = np.isin(channel, ADVERTISING_CHANNELS)
            legacy = advertising & ~np.isin(code, ON_ANY_CHANNEL[2:])
            return int((known & ((legacy & ~on_three) | (~advertising & on_three))).sum())

        return contradictions(by_place) <= contradictions(given)
