"""What a rule asks of a release and what was found: texts, with their numbers apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Translate = Callable[[str], str]
Law = Literal["appi", "wp29"]
Finding = Literal["met-by-construction", "measured", "open"]

FINDINGS: dict[Finding, str] = {
    "met-by-construction": "Done when the release was made, and checked on its data",
    "measured": "Measured; a person judges the numbers",
    "open": "Open; a person must decide",
}
"""What a finding means, as people read it. None of them says that a law is complied with."""


@dataclass(frozen=True)
class Sentence:
    """A text with places for values, which another language may put in another order."""

    text: str
    values: Mapping[str, str | int | float] = field(default_factory=dict)

    def said(self, translate: Translate = str) -> str:
        """Return the sentence in the language of `translate`."""
        return translate(self.text).format(**self.values)

    def to_json(self, translate: Translate = str) -> dict[str, Any]:
        """Return plain JSON values: the sentence, and the numbers in it."""
        return {"text": self.said(translate), "values": dict(self.values)}


@dataclass(frozen=True)
class Criterion:
    """A rule, what the release did about it, the evidence, and what is left to a person.

    As a rule stands in its law it is open, with nothing done and nothing measured.
    """

    law: Law
    number: int
    title: str
    asks: str
    source: str
    did: tuple[Sentence, ...] = ()
    evidence: tuple[Sentence, ...] = ()
    finding: Finding = "open"
    decide: tuple[Sentence, ...] = ()

    def to_json(self, translate: Translate = str) -> dict[str, Any]:
        """Return plain JSON values, with the texts in the language of `translate`."""
        return {
            "law": self.law,
            "number": self.number,
            "title": translate(self.title),
            "asks": translate(self.asks),
            "did": [sentence.to_json(translate) for sentence in self.did],
            "evidence": [sentence.to_json(translate) for sentence in self.evidence],
            "finding": self.finding,
            "decide": [sentence.to_json(translate) for sentence in self.decide],
            "source": translate(self.source),
        }
