"""Read the scores that a script printed, trusting nothing about them."""

from __future__ import annotations

import json
import math

MOST_SCORES = 20
LONGEST_NAME = 40
# Leaking data through the score cannot be stopped, only made narrow: few digits, few entries.
DIGITS = 6


class BadScores(ValueError):
    """The output is not what a metric script must print; the sentence is for the uploader."""


def parse_scores(output: bytes) -> dict[str, float]:
    """Return the scores by name, or raise `BadScores`."""
    try:
        value = json.loads(
            output.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant
        )
    except UnicodeDecodeError:
        raise BadScores("The script's output is not text in UTF-8.") from None
    except RecursionError:
        raise BadScores("The script's output is nested too deeply.") from None
    except BadScores:
        raise
    except ValueError:
        raise BadScores(_not_json(output)) from None
    if not isinstance(value, dict):
        raise BadScores("The script's output is JSON, but not one object like {'loss': 0.5}.")
    if not value:
        raise BadScores("The script's object has no scores.")
    if len(value) > MOST_SCORES:
        raise BadScores(f"The script gave {len(value):,} scores, but may give {MOST_SCORES}.")
    return {_name(name): _number(name, score) for name, score in value.items()}


def _not_json(output: bytes) -> str:
    if not output.strip():
        return "The script printed nothing; it must print one JSON object."
    return "The script's output is not JSON; it must print one JSON object and nothing else."


def _refuse_constant(constant: str) -> float:
    raise BadScores(f"The script gave {constant}; every score must be a finite number.")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadScores("The script gave the same name to two scores.")
    return found


def _name(name: str) -> str:
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise BadScores(
            f"A score's name must be 1 to {LONGEST_NAME} printable characters without spaces "
            "around them."
        )
    return name


def _number(name: str, score: object) -> float:
    # A bool is an int to Python, but true is no score.
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise BadScores(f"The score '{name}' is not a number.")
    try:
        number = float(score)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadScores(f"The score '{name}' is not a finite number.")
    # Adding zero turns -0.0 into 0.0.
    return float(f"{number:.{DIGITS}g}") + 0.0
