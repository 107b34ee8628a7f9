"""One input for one reader, and what may come of it: a value, or an error of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tokumei.errors import TokumeiError


@dataclass(frozen=True)
class Reader:
    """What reads the bytes that somebody else wrote."""

    read: Callable[[bytes, Path], object]
    """Takes the bytes and an empty folder to put them into."""
    seeds: Callable[[], Sequence[bytes]]
    """Valid inputs, made by our own writers."""
    mutations: Sequence[Callable[[Random, bytes], bytes]] = ()
    """Changes that know the format, beside those of libFuzzer that do not."""
    refusals: tuple[type[Exception], ...] = (TokumeiError,)


class Broken(AssertionError):
    """An error of ours is not what it should be."""


def attempt(reader: Reader, data: bytes) -> BaseException | None:
    """Read an input; return what should not have come of it."""
    with tempfile.TemporaryDirectory(prefix="tokumei-fuzz-") as place:
        try:
            reader.read(data, Path(place))
        except KeyboardInterrupt:
            raise
        except reader.refusals as error:
            return _flaw(str(error))
        except BaseException as error:  # a panic of polars is no Exception
            return error
    return None


def _flaw(sentence: str) -> Broken | None:
    if not sentence.strip():
        return Broken("an error without a sentence")
    return None
