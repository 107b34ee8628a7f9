"""The proven optimum of small games: set partitioning over all groups, by CP-SAT."""

from __future__ import annotations

from itertools import combinations

from tokumei.equalizing.kernels import Data
from tokumei.equalizing.search import Costs, Members, Partition
from tokumei.errors import MissingExtra, Unachievable

MOST_CUSTOMERS = 14
"""Beyond, there are too many groups to price."""


def optimum(data: Data) -> Partition:
    """Return the partition of least cost, with the groups' costs as the alignment finds them.

    For groups of two the costs are exact; for larger ones they are those that repeated re-alignment
    reaches, as in the search.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise MissingExtra("The proof of an optimum", "exact") from error
    costs = Costs(data)
    people = len(costs.sizes)
    if people > MOST_CUSTOMERS:
        raise Unachievable(
            f"The optimum is proven for up to {MOST_CUSTOMERS} customers; there are {people:,}."
        )
    order = costs.ordered(tuple(range(people)))
    groups: list[Members] = [
        part for size in range(1, people + 1) for part in combinations(order, size)
    ]
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in groups]
    for person in range(people):
        model.add_exactly_one(
            flag for flag, group in zip(chosen, groups, strict=True) if person in group
        )
    model.minimize(sum(costs(group) * flag for flag, group in zip(chosen, groups, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        raise Unachievable("The solver did not prove an optimum.")
    found = tuple(g for flag, g in zip(chosen, groups, strict=True) if solver.value(flag))
    return Partition(found, round(solver.objective_value))
