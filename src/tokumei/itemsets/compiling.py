"""Compiled loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function when it is first called; keep the result on disk where that is allowed.

    The loops release the interpreter's lock. numba's own decorator has no types.
    """
    settings: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        made = numba.njit(cache=True, **settings)(function)
    except RuntimeError:  # there is no folder to keep it in
        made = numba.njit(**settings)(function)
    return cast("F", made)
