"""What can go wrong in the store on purpose."""

from __future__ import annotations

from tokumei.errors import TokumeiError


class StoreError(TokumeiError, RuntimeError):
    """The store refuses, or cannot do, what was asked."""


class DatabaseUnavailable(StoreError):
    """The database cannot be opened or reached."""


class DatabaseBusy(StoreError):
    """Others hold the database for too long; the same may succeed later."""


class LeaseLost(StoreError):
    """A worker reports on a job that is no longer its own; nothing was changed."""


class NotFound(StoreError):
    """There is no such row, or not for this team."""


class NotNow(StoreError):
    """What was asked does not fit the state that the row is in."""


class NameTaken(StoreError):
    """Somebody else has that name already."""


class QuotaUsed(StoreError):
    """A team has done what it may do."""


class InvitationInvalid(StoreError):
    """An invitation is unknown, used or expired; which of them is not told."""


class TooManyAttempts(StoreError):
    """Too many failed logins; `seconds` says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many failed logins; try again in {seconds:,} seconds.")
        self.seconds = seconds
