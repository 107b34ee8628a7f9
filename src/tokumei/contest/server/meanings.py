"""What the columns of the table mean: the rules say it of theirs, a script in its first comment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tokumei.contest.opening import Contest
from tokumei.contest.store import metrics
from tokumei.words import Language, translate

HEAD = 4_000
"""Characters at the beginning of a script, in which its comment must be."""
LONGEST = 300
_COMMENT = re.compile(r"(?:#.*\n)+")
_DOCSTRING = re.compile(r'[rR]?("""|\'\'\')(.*?)\1', re.DOTALL)
_BEFORE = re.compile(r"\A\ufeff?(?:#!.*\n)?(?:#\s*-\*-.*\n)?\s*")


def meanings(contest: Contest, language: Language) -> Mapping[str, str]:
    """Return what every metric means, by its name, for readers of a language."""
    year = {} if contest.settings.custom else contest.evaluation.year.meanings()
    gap = "" if language == "ja" else " "
    found = {
        name: gap.join(translate(part, language) for part in said) for name, said in year.items()
    }
    with contest.database.read() as connection:
        scripts = {one.id: one for one in metrics.listed_scripts(connection)}
        listed = metrics.listed(connection)
    for metric in listed:
        if metric.script_id is not None:
            said = first_comment(contest.blobs.path(scripts[metric.script_id].sha256))
            text = said or "The first number that the script prints; it does not say what it is."
            found[metric.name] = translate(text, language)
    return found


@lru_cache(maxsize=200)
def first_comment(script: Path) -> str:
    """Return the first paragraph of the comment or docstring at the beginning of a script.

    A file that is stored never changes.
    """
    with script.open(encoding="utf-8", errors="replace") as file:
        head = _BEFORE.sub("", file.read(HEAD) + "\n")
    if comment := _COMMENT.match(head):
        lines = [line.lstrip("#'").strip() for line in comment[0].splitlines()]
    elif docstring := _DOCSTRING.match(head):
        lines = [line.strip() for line in docstring[2].strip().splitlines()]
    else:
        return ""
    paragraph = " ".join("\n".join(lines).strip().split("\n\n")[0].split())
    said = "".join(letter for letter in paragraph if letter.isprintable())
    return said if len(said) <= LONGEST else said[:LONGEST] + "…"
