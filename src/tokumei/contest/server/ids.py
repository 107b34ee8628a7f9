"""Numbers of rows in requests."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Id = Annotated[int, Field(ge=1, le=2**63 - 1)]
"""No database has a larger number, and some fail on one."""
