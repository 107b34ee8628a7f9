"""A limit on failed logins, that a stranger cannot turn against a user.

A pair of login and address is stopped early. A login from anywhere and an address for any login are
stopped late: else a stranger could lock a user out, and a lecture room behind one address itself.
"""

from __future__ import annotations

import ipaddress

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select

from tokumei.contest.store import clock
from tokumei.contest.store.database import serialize
from tokumei.contest.store.errors import TooManyAttempts
from tokumei.contest.store.names import key_of
from tokumei.contest.store.schema import login_attempts
from tokumei.contest.store.secret_texts import hash_of

WINDOW_SECONDS = 900
OF_PAIR, OF_LOGIN, OF_ADDRESS = 5, 50, 100


def begin(connection: Connection, login: str, address: str) -> None:
    """Count an attempt before the password is looked at, and refuse one too many.

    Counting first keeps a burst of attempts at once from passing the limit.
    """
    serialize(connection, "login attempts")
    same_login = login_attempts.c.login_hash == _login(login)
    same_address = login_attempts.c.address_hash == _address(address)
    _limit(connection, and_(same_login, same_address), OF_PAIR)
    _limit(connection, same_login, OF_LOGIN)
    _limit(connection, same_address, OF_ADDRESS)
    statement = insert(login_attempts).values(
        login_hash=_login(login), address_hash=_address(address), created=clock.now()
    )
    connection.execute(statement)


def succeeded(connection: Connection, login: str, address: str) -> None:
    """Forget the attempts of a pair whose password was right."""
    statement = delete(login_attempts).where(
        login_attempts.c.login_hash == _login(login),
        login_attempts.c.address_hash == _address(address),
    )
    connection.execute(statement)


def _limit(connection: Connection, which: ColumnElement[bool], most: int) -> None:
    start = clock.now() - WINDOW_SECONDS * clock.SECOND
    counted = (
        select(login_attempts.c.created)
        .where(which, login_attempts.c.created > start)
        .order_by(login_attempts.c.created.desc())
        .offset(most - 1)
        .limit(1)
    )
    # With one attempt fewer since this one, the next is allowed.
    last = connection.execute(counted).scalar()
    if last is not None:
        raise TooManyAttempts(-((start - last) // clock.SECOND))


def _login(login: str) -> str:
    return hash_of(key_of(" ".join(login.split())))


def _address(address: str) -> str:
    """Take the network of an IPv6 address: a single customer has all addresses in it."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return hash_of(address)
    bits = 64 if found.version == 6 else 32
    return hash_of(str(ipaddress.ip_network(f"{found}/{bits}", strict=False)))
