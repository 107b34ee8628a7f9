"""The verdict on a release: by its worst-off customer, a limit, and what attackers measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tokumei.audit.criteria import Sentence
from tokumei.metrics.question import Case, Marked

MAX_RISK = 0.1
"""The chance of being found that a single customer may have unless the user says otherwise."""
LEVEL = 0.001
"""Below this probability, over all attackers together, a rate is no longer that of chance."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Verdict:
    """Whether every customer is bounded below the limit, and what stands against it."""

    max_risk: float
    worst: float
    """The chance of the worst-off customer, from the sizes of groups that look alike."""
    groups: tuple[tuple[int, int], ...]
    """Sizes of groups, and how many customers have their smallest group of that size."""
    above_limit: int
    """Customers whose chance is not bounded within the limit."""
    excess: float
    """The probability that chance carries some attacker as far as the luckiest one, at most."""
    luckiest: Marked | None
    """The attacker whom chance explains least."""
    links: tuple[Sentence, ...]
    """What pseudonyms, basket numbers or the order of rows tell, against the bound's assumption."""

    @property
    def broken(self) -> bool:
        """Whether an attacker found more than chance allows inside the groups."""
        return self.excess < LEVEL

    @property
    def withheld(self) -> str:
        """Why no bound can be stated, or nothing."""
        if self.links:
            return "The pseudonyms or the order of rows tell customers apart, so no bound holds."
        if self.broken:
            return "An attacker found more customers than the bound allows, so it does not hold."
        return ""

    @property
    def safe(self) -> bool:
        """Whether the bound holds and keeps every customer's chance within the limit."""
        return not self.withheld and self.worst <= self.max_risk + ROUNDING

    @property
    def customers(self) -> int:
        """All customers of the release."""
        return sum(count for _, count in self.groups)

    @property
    def alone(self) -> int:
        """Customers with a pseudonym that looks like no other."""
        return dict(self.groups).get(1, 0)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "max_risk": self.max_risk,
            "worst": {
                "chance": None if self.withheld else self.worst,
                "alone": self.alone,
                "above_limit": self.above_limit,
                "customers_by_group_size": {str(size): count for size, count in self.groups},
                "assumes": ASSUMES,
            },
            "excess": {
                "attacker": self.luckiest.score.name if self.luckiest else None,
                "probability": self.excess,
                "broken": self.broken,
            },
            "links": [sentence.said() for sentence in self.links],
        }


ASSUMES = "Pseudonyms, basket numbers and the order of rows are drawn at random."


def judge_groups(
    case: Case,
    risks: Sequence[Marked],
    *,
    max_risk: float = MAX_RISK,
    links: tuple[Sentence, ...] = (),
) -> Verdict:
    """Return the verdict: groups from the release alone, tested against every attacker."""
    customers = case.customers
    sizes = customers.group_by("alike").agg(pl.len()).sort("alike")
    excess, luckiest = _excess(risks)
    return Verdict(
        max_risk=max_risk,
        worst=float(customers["chance"][0]),
        groups=tuple(sizes.iter_rows()),
        above_limit=int((customers["chance"] > max_risk + ROUNDING).sum()),
        excess=excess,
        luckiest=luckiest,
        links=links,
    )


def _excess(risks: Sequence[Marked]) -> tuple[float, Marked | None]:
    """Return how likely chance does as well as the luckiest attacker, over all of them."""
    tried = [one for one in risks if one.groups is not None]
    if not tried:
        return 1.0, None
    chances = [one.groups.chance_of_more() for one in tried if one.groups is not None]
    least = min(range(len(tried)), key=lambda place: chances[place])
    return min(1.0, chances[least] * len(tried)), tried[least]
