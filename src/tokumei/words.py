"""The texts people read, in English and Japanese.

English stands in the code; `locale/ja.toml` holds the Japanese of every text, keyed by the English.
A test counts what is missing.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from importlib import resources
from typing import Literal, get_args

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def preferred_language() -> Language:
    """Return the language of the user's environment."""
    for variable in ("TOKUMEI_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "ja" if value.startswith("ja") else "en"
    return "en"


@cache
def japanese() -> dict[str, str]:
    """Return the catalog: English text to Japanese text."""
    text = resources.files("tokumei").joinpath("locale/ja.toml").read_text(encoding="utf-8")
    sections: dict[str, dict[str, str]] = tomllib.loads(text)
    return {english: words for part in sections.values() for english, words in part.items()}


def translate(text: str, language: Language) -> str:
    """Return the text in that language; English where the catalog has nothing."""
    text = " ".join(text.split())
    return japanese().get(text, text) if language == "ja" else text
