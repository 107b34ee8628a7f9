"""Whatever is sent to the API, by whom it is meant for, it never answers by an error of ours."""

from __future__ import annotations

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from playing import played
from schemathesis import Case, GenerationMode
from schemathesis.schemas import APIOperation
from staging import SQLITE, ClientOf, People
from test_who_may_call import TABLE

from tokumei.contest.actions import organizing
from tokumei.contest.actions import people as acting
from tokumei.contest.opening import Contest

pytestmark = SQLITE
EXAMPLES = 5
ONE_AFTER_THE_OTHER = ("organizer", "captain", "worker", "anonymous")


def role_for(name: str) -> str:
    return next(role for role in ONE_AFTER_THE_OTHER if role in TABLE[name].roles)


def operation_of(app: FastAPI, name: str) -> APIOperation:
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    found = (result.ok() for result in schema.get_all_operations())
    return next(one for one in found if one.definition.raw["operationId"] == name)


@pytest.fixture
def headers(contest: Contest, people: People, client_of: ClientOf, name: str) -> dict[str, str]:
    """Those of somebody who may call the operation, in a contest where something is there."""
    played(contest, people, client_of)
    if "attack" not in (phases := TABLE[name].phases) or "anonymize" in phases:
        organizing.set_phase(contest, people.organizer, "anonymize")
    role = role_for(name)
    if role == "anonymous":
        return {}
    if role == "worker":
        secret = acting.new_worker_token(contest, people.organizer, "rack", 1).secret
    else:
        secret = acting.new_token(contest, getattr(people, role), "laptop", "write", 1).secret
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_no_request_makes_the_server_fail(app: FastAPI, headers: dict[str, str], name: str) -> None:
    operation = operation_of(app, name)
    refused = 0

    def check(case: Case) -> None:
        nonlocal refused
        answer = case.call(headers=headers)
        assert answer.status_code < 500, answer.text
        refused += answer.status_code in (401, 403)
        if answer.status_code >= 400 and answer.status_code != 405:
            assert set(answer.json()["error"]) == {"kind", "message"}

    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        cases = operation.as_strategy(generation_mode=mode)
        bounded = settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        bounded(given(case=cases)(check))()
    # Some say 401 to a wrong password, and one can end the very token that it is called with.
    if name not in ("logIn", "changePassword", "revokeToken"):
        assert not refused
