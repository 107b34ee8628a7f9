"""Every error that tokumei raises on purpose: a sentence with rule, value and place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST_SENTENCE = 2_000
"""Characters: a sentence may quote a cell of a megabyte, or a thousand columns."""


class TokumeiError(Exception):
    """The root of all our errors; the command prints it without a traceback and exits with 2."""

    def __str__(self) -> str:
        # Not the next class's: KeyError would give the repr of the sentence.
        sentence, half = Exception.__str__(self), LONGEST_SENTENCE // 2
        if len(sentence) > LONGEST_SENTENCE:
            sentence = f"{sentence[:half]} … {sentence[-half:]}"
        # What is quoted comes from files of others, and could steer a terminal.
        return "".join(
            sign if sign.isprintable() or sign.isspace() else "\N{REPLACEMENT CHARACTER}"
            for sign in sentence
        )


class ParameterError(TokumeiError, ValueError):
    """A parameter lies outside its range."""


class SchemaError(TokumeiError, ValueError):
    """A table does not have the columns, types or values that it must have."""


class ReadError(TokumeiError, OSError):
    """A file cannot be read as what it claims to be."""


class WriteError(TokumeiError, OSError):
    """An output cannot be written; nothing half-written is left behind."""


class SubmissionError(TokumeiError, ValueError):
    """A submission breaks the rules of a contest; `report` has every problem by row and column."""

    def __init__(self, sentence: str, report: object = None) -> None:
        super().__init__(sentence)
        self.report = report


class Unachievable(TokumeiError, ValueError):
    """The data cannot give what was asked, whatever the method does."""


class MissingExtra(TokumeiError, ImportError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs more packages: pip install 'tokumei[{extra}]'.")


class UnknownMethod(TokumeiError, KeyError):
    """No method of that name is registered."""

    def __init__(self, family: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(names)}."
        super().__init__(f"There is no {family} called '{name}'; {hint}")

    def __reduce__(self) -> tuple[type[TokumeiError], tuple[str]]:
        return (TokumeiError, (str(self),))


def place(rows: list[int], column: str) -> str:
    """Say where a problem is: the first row and column, and how many more rows have it."""
    others = len(rows) - 1
    more = f" and {others:,} more {'row' if others == 1 else 'rows'}" if others else ""
    return f"row {rows[0]:,}{more}, column {column}"
