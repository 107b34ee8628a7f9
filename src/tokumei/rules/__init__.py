"""Rules: the contest years, each with its formats, checks, attacks, judges and total."""

from tokumei.errors import UnknownMethod
from tokumei.rules.contract import Entry, Judgment, Original, Published, Rules
from tokumei.rules.problems import Report
from tokumei.rules.pwscup2016 import Pwscup2016
from tokumei.rules.pwscup2017 import Pwscup2017
from tokumei.rules.pwscup2018 import Pwscup2018
from tokumei.rules.simplified import Simplified

RULES: dict[str, Rules] = {
    rules.name: rules for rules in (Pwscup2016(), Pwscup2017(), Pwscup2018(), Simplified())
}


def find(name: str) -> Rules:
    """Return the rules of a contest year: pwscup2016, pwscup2017, pwscup2018 or simplified."""
    if name not in RULES:
        raise UnknownMethod("contest", name, RULES)
    return RULES[name]


__all__ = ["RULES", "Entry", "Judgment", "Original", "Published", "Report", "Rules", "find"]
