"""A token goes over HTTPS or to this machine, whichever program sends it."""

from __future__ import annotations

import pytest

from tokumei.contest.client import Client
from tokumei.contest.remote_desk import RemoteDesk
from tokumei.errors import ParameterError

PROGRAMS = pytest.mark.parametrize("program", [Client, RemoteDesk])


@PROGRAMS
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://contest.example.org", "must begin with https://"),
        ("http://192.0.2.1:8000", "must begin with https://"),
        ("http://192.168.1.5:8000", "must begin with https://"),
        ("http://127.0.0.1.example.org", "must begin with https://"),
        ("http://0x7f000001", "must begin with https://"),
        ("ftp://127.0.0.1", "must look like"),
        ("https://", "must look like"),
        ("https://user:secret@contest.example.org", "must look like"),
        ("https://[::1", "must look like"),
        ("https://contest.example.org:port", "must look like"),
        ("https://１２７.0.0.1", "must look like"),
        ("nonsense", "must look like"),
        ("", "must look like"),
    ],
)
def test_a_token_is_not_sent_where_others_could_read_it(
    program: type[Client | RemoteDesk], address: str, said: str
) -> None:
    with pytest.raises(ParameterError, match=said) as error:
        program(address, "tokumei_secret")
    assert "secret" not in str(error.value)


@PROGRAMS
@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://localhost", "http://localhost"),
        ("https://contest.example.org/2026/", "https://contest.example.org/2026"),
    ],
)
def test_a_token_goes_over_https_and_to_this_machine(
    program: type[Client | RemoteDesk], address: str, kept: str
) -> None:
    with program(address, "tokumei_secret") as made:
        assert made.server == kept


@PROGRAMS
@pytest.mark.parametrize("token", ["", "two\nlines", "匿名"])
def test_what_cannot_be_a_token_is_refused(program: type[Client | RemoteDesk], token: str) -> None:
    with pytest.raises(ParameterError, match="one line of letters"):
        program("https://contest.example.org", token)
