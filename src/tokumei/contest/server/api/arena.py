"""The contest as a story, and the module that shows it in three dimensions."""

from __future__ import annotations

import json
import time
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, Field

from tokumei.arena.bundle import module_file
from tokumei.contest.opening import Contest
from tokumei.contest.server.access import LoggedIn, TheContest
from tokumei.contest.settings import Counts, PhaseName
from tokumei.contest.store import events
from tokumei.contest.store.states import Better, MetricKind
from tokumei.contest.store.viewing import Viewer
from tokumei.contest.story import story

router = APIRouter(tags=["arena"])

MODULE = "/arena/arena.js"
STORY = "/api/arena"
FRESH_SECONDS = 1.0
"""So long a story serves all who ask, unless something happens."""


class BothLanguages(BaseModel):
    """A text in both languages."""

    en: str
    ja: str


class StoryMetric(BaseModel):
    """A column of the table."""

    name: str
    title: BothLanguages
    kind: MetricKind
    better: Better


class StoryHeader(BaseModel):
    """What holds for the whole story; `ranked` says whether the caller sees all teams' results."""

    kind: Literal["story"]
    version: int
    title: BothLanguages
    counts: Counts
    better: Better
    by_ranks: bool
    ranked: bool
    frozen: str | None
    until: str
    metrics: list[StoryMetric]


class TeamLine(BaseModel):
    """A team joined."""

    t: str
    kind: Literal["team"]
    team: int
    name: str


class PhaseLine(BaseModel):
    """A phase began."""

    t: str
    kind: Literal["phase"]
    phase: PhaseName | None


class SubmissionLine(BaseModel):
    """A submission was evaluated."""

    t: str
    kind: Literal["submission"]
    team: int
    submission: int
    total: float | None
    values: dict[str, float | None]


class DecisionLine(BaseModel):
    """A team chose which submission counts, or withdrew one."""

    t: str
    kind: Literal["choose", "withdraw"]
    team: int
    submission: int


class GuessLine(BaseModel):
    """A guess was marked."""

    t: str
    kind: Literal["guess"]
    attacker: int
    defender: int
    hits: int
    total: int
    success: float


StoryLine = Annotated[
    TeamLine | PhaseLine | SubmissionLine | DecisionLine | GuessLine, Field(discriminator="kind")
]


class StoryAnswer(BaseModel):
    """The contest up to now: its state at any time follows from the lines up to that time."""

    header: StoryHeader
    lines: list[StoryLine]


class Stories:
    """Stories as they were told last: when something happens, everybody who looks asks at once."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self._told: dict[Viewer, tuple[int, float, bytes]] = {}

    def of(self, viewer: Viewer) -> bytes:
        """Return the story that a viewer may see, as JSON."""
        with self._contest.database.read() as connection:
            seq = events.last_seq(connection)
            last, made, text = self._told.get(viewer, (-1, 0.0, b""))
            if last != seq or time.monotonic() - made > FRESH_SECONDS:
                told = story(self._contest, connection, viewer).to_json()
                text = json.dumps(told, ensure_ascii=False).encode()
                self._told[viewer] = (seq, time.monotonic(), text)
        return text


@router.get(STORY, response_model=StoryAnswer, summary="The story of the contest")
def get_story(request: Request, caller: LoggedIn, contest: TheContest) -> Response:
    """Tell everything that the caller may see, in the order of time."""
    state = request.app.state
    if not hasattr(state, "stories"):
        state.stories = Stories(contest)
    return Response(state.stories.of(caller.viewer), media_type="application/json")


@router.get(MODULE, include_in_schema=False)
def get_module() -> FileResponse:
    """Send the program of the arena, which is the same for everybody."""
    # Asked for at every visit, but sent only when it has changed.
    headers = {"Cache-Control": "no-cache"}
    return FileResponse(module_file(), media_type="text/javascript", headers=headers)
