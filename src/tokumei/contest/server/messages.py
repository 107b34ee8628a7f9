"""What followers of the contest are told, as JSON: `snapshot`, `events` and `ping`.

Each has the number of the last event that it takes into account. A client keeps the number and
comes back with it; a snapshot takes the place of all that the client knew before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import BaseModel

from tokumei.contest.server.access import iso
from tokumei.contest.store.events import Event


class Told(BaseModel):
    """An event; `team` is the one that it is about."""

    seq: int
    created: str
    kind: str
    team: int | None
    payload: Mapping[str, Any]


class EventsMessage(BaseModel):
    """What has happened since; what the viewer may not see is left out."""

    type: Literal["events"] = "events"
    seq: int
    events: list[Told]


class PingMessage(BaseModel):
    """A sign of life."""

    type: Literal["ping"] = "ping"
    seq: int


@dataclass(frozen=True)
class Message:
    """A text that is written once for all clients of a viewer."""

    text: str
    last: int
    events: tuple[Event, ...] = ()

    @classmethod
    def of_events(cls, last: int, events: Sequence[Event]) -> Self:
        """Tell events."""
        told = [
            Told(seq=one.seq, created=iso(one.created), kind=one.kind, team=one.team_id,
                 payload=one.payload)
            for one in events
        ]  # fmt: skip
        text = EventsMessage(seq=last, events=told).model_dump_json()
        return cls(text, last, tuple(events))

    @classmethod
    def ping(cls, last: int) -> Self:
        """Tell that nothing is missing up to a number."""
        return cls(PingMessage(seq=last).model_dump_json(), last)

    def newer_than(self, seq: int) -> Message | None:
        """Return what a client that knows everything up to a number does not know yet.

        A client joins first and reads the past then, so that nothing is lost between the two; what
        came in between is in both.
        """
        if not self.events:
            return self if self.last >= seq else None
        if self.events[0].seq > seq:
            return self
        new = [event for event in self.events if event.seq > seq]
        return Message.of_events(self.last, new) if new else None
