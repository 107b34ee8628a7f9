"""Where a token may be sent: over HTTPS, or to this machine."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx2 as httpx

from tokumei.errors import ParameterError


def safe_address(server: str) -> str:
    """Return the address of a server to which a token may be sent."""
    try:
        parts = urlsplit(server)
        host, user, _ = parts.hostname, parts.username, parts.port
        address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        httpx.URL(address)
    except (ValueError, httpx.InvalidURL):  # a port that is none, half an IPv6 address
        host = user = None
    if not host or user or parts.scheme not in ("http", "https"):
        raise ParameterError("The server's address must look like https://contest.example.org.")
    if parts.scheme == "http" and not _is_here(host):
        raise ParameterError(
            f"The server's address must begin with https://: the token would be readable on its "
            f"way to {host}."
        )
    return address


def sound_token(token: str) -> str:
    """Return what can be sent as a token."""
    if not token or not token.isascii() or not token.isprintable():
        raise ParameterError("A token must be one line of letters and digits.")
    return token


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
