"""Rules under which a customer has one pseudonym, and attackers say who is behind each."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from tokumei.contracts import Answer, Guess
from tokumei.history import History
from tokumei.rules import checks
from tokumei.rules.contract import Original, Published, Rules
from tokumei.rules.guesses import read_pairs
from tokumei.rules.problems import Problems, Report
from tokumei.rules.publishing import aligned, secret_pairs
from tokumei.threats.full_knowledge import FullKnowledge


class OneName(Rules):
    """What such years share; the rows of a submission stand where those of the original stand."""

    published_file: ClassVar[str]
    """The name of the file that attackers get."""
    hit = "A hit is a pseudonym to which the guess gives the right customer."

    def answer(self, published: Published) -> Answer:
        """Return who is behind each pseudonym."""
        return FullKnowledge()(published.original.history, published.release, seed=0)[1]

    def read_guess(self, published: Published, path: Path) -> tuple[Guess, Report]:
        """Read lines pseudonym,customer."""
        pseudonyms = published.release.public.frame()["person"]
        return read_pairs(path, pseudonyms, published.original.customers)

    def files(self, published: Published) -> dict[str, str]:
        """Return the published rows and who is behind each pseudonym."""
        return {
            f"public/{self.published_file}": published.lines,
            "secret/answer.csv": secret_pairs(published.release),
        }

    def submission(
        self, original: History, anonymized: History, *, secret: bytes | None = None
    ) -> dict[str, str]:
        """Write A."""
        return {"A.csv": aligned(original, anonymized, self.name, None, secret)}


def check_pseudonyms(kept: pl.DataFrame, original: Original, problems: Problems) -> None:
    """Check that names are pseudonyms, one for each customer."""
    checks.check_names(kept, original.customers, problems)
    rule = "A customer must have one pseudonym"
    checks.check_one_name_each(kept, ("person/true",), rule, problems)
    checks.check_own_names(kept, "person/true", "failure", problems)


def names_of(kept: pl.DataFrame) -> pl.DataFrame:
    """Return pseudonym, person of the rows that were kept."""
    return kept.select(pseudonym="person", person="person/true").unique().sort("pseudonym")
