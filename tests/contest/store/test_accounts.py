"""Names, users, passwords and invitations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from clocks import Clock
from looking import rows, stored
from people import organizer

from tokumei.contest.store import (
    accounts,
    invitations,
    passwords,
)
from tokumei.contest.store.database import Database
from tokumei.contest.store.errors import (
    InvitationInvalid,
    NameTaken,
    NotFound,
    NotNow,
)
from tokumei.errors import ParameterError


def test_names_that_look_alike_are_the_same(database: Database) -> None:
    with database.write() as connection:
        assert accounts.add_team(connection, "  Ice  &  Fire ").name == "Ice & Fire"
        for same in ("ice & fire", "ＩＣＥ & fire"):
            with pytest.raises(NameTaken, match="already"):
                accounts.add_team(connection, same)
        organizer(connection, "Desk")
        with pytest.raises(NameTaken, match="a user called desk already"):
            organizer(connection, "DESK")
        # The transaction goes on.
        assert accounts.add_team(connection, "氷").id
    assert rows(database, "teams") == 2


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\u202eb", "a\u200bb", "a\x00b"])
def test_names_that_cannot_be(database: Database, name: str) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="team name"):
        accounts.add_team(connection, name)


def test_passwords() -> None:
    stored_hash = passwords.hash_password("パスワード correct")
    assert stored_hash.startswith("$argon2id$")
    assert passwords.verify_password("パスワード correct", stored_hash)
    assert passwords.verify_password("ﾊﾟｽﾜｰﾄﾞ correct", stored_hash)
    assert not passwords.verify_password("wrong \ud800", stored_hash)
    assert not passwords.verify_password("a password that nobody has", None)
    assert not passwords.verify_password("x" * 501, stored_hash)
    for wrong in ("short", "x" * 501):
        with pytest.raises(ParameterError, match="10 to 500"):
            passwords.hash_password(wrong)


def test_credentials_of_a_login(database: Database) -> None:
    with database.write() as connection:
        user = organizer(connection)
        organizer(connection, "second")
        assert accounts.credentials(connection, " DESK ") == (user, "hash")
        assert accounts.credentials(connection, "nobody") == (None, None)
        accounts.disable(connection, user.id)
        assert accounts.credentials(connection, "desk") == (None, None)
        accounts.enable(connection, user.id)
        assert accounts.credentials(connection, "desk")[0] == user
        with pytest.raises(NotFound, match="no user 99"):
            accounts.set_password(connection, 99, "x")


def test_the_last_organizer_stays(database: Database) -> None:
    with database.write() as connection:
        first, second = organizer(connection), organizer(connection, "second")
        accounts.disable(connection, first.id)
        with pytest.raises(NotNow, match="last organizer"):
            accounts.disable(connection, second.id)


def test_an_invitation_founds_a_team_and_works_once(database: Database) -> None:
    with database.write() as connection:
        desk = organizer(connection)
        made = invitations.invite(connection, "captain", created_by=desk.id, team_name="Ice")
        assert invitations.find(connection, made.secret) == made.invitation
    assert made.secret not in stored(database)
    with database.write() as connection:
        captain = invitations.accept(connection, made.secret, "Yuki", "hash")
    assert (captain.login, captain.role) == ("yuki", "captain")
    with database.write() as connection:
        assert captain.team_id
        assert accounts.find_team(connection, captain.team_id).name == "Ice"
        for call in (
            lambda: invitations.find(connection, made.secret),
            lambda: invitations.accept(connection, made.secret, "other", "hash"),
            lambda: invitations.accept(connection, "made up", "other", "hash"),
        ):
            with pytest.raises(InvitationInvalid, match="unknown, used or expired"):
                call()
        with pytest.raises(NameTaken):
            invitations.invite(connection, "captain", created_by=desk.id, team_name="ICE")
        member = invitations.invite(
            connection, "member", created_by=captain.id, team_id=captain.team_id
        )
        joined = invitations.accept(connection, member.secret, "kaze", "hash")
        assert accounts.listed_users(connection, team_id=captain.team_id) == [captain, joined]
        assert len(invitations.listed(connection)) == 2
        assert len(invitations.listed(connection, team_id=captain.team_id)) == 1


def test_an_invitation_ends_and_can_be_taken_back(database: Database, moving: Clock) -> None:
    with database.write() as connection:
        late = invitations.invite(connection, "observer", created_by=None, seconds=60)
        gone = invitations.invite(connection, "organizer", created_by=None)
        invitations.revoke(connection, gone.invitation.id)
        with pytest.raises(NotFound):
            invitations.revoke(connection, gone.invitation.id)
        moving.move(60)
        for secret in (late.secret, gone.secret):
            with pytest.raises(InvitationInvalid):
                invitations.accept(connection, secret, "a", "hash")


def test_a_login_that_is_taken_leaves_the_invitation(database: Database) -> None:
    with database.write() as connection:
        organizer(connection)
        made = invitations.invite(connection, "captain", created_by=None, team_name="Ice")
    with database.write() as connection:
        with pytest.raises(NameTaken):
            invitations.accept(connection, made.secret, "desk", "hash")
        assert invitations.accept(connection, made.secret, "yuki", "hash").team_id


def test_of_several_who_accept_at_once_one_succeeds(database: Database) -> None:
    with database.write() as connection:
        made = invitations.invite(connection, "captain", created_by=None, team_name="Ice")

    def accept(number: int) -> bool:
        try:
            with database.write() as connection:
                invitations.accept(connection, made.secret, f"user{number}", "hash")
        except InvitationInvalid:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(accept, range(6))) == 1
    assert rows(database, "users") == rows(database, "teams") == 1


@pytest.mark.parametrize(
    ("role", "team"),
    [
        ("captain", {}),
        ("organizer", {"team_name": "Ice"}),
        ("member", {"team_name": "Ice", "team_id": 1}),
    ],
)
def test_invitations_that_make_no_sense(
    database: Database, role: str, team: dict[str, object]
) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="one team"):
        invitations.invite(connection, role, created_by=None, **team)  # type: ignore[arg-type]
