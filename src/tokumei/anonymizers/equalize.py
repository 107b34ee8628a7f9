"""Groups of customers made identical, the winner's method of PWSCUP 2017."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from annotated_types import Ge, Gt
from typing_extensions import Doc

from tokumei.draws import derive
from tokumei.equalizing.games import SIMPLIFIED, Game, Weights, game_of
from tokumei.errors import Unachievable
from tokumei.history import ROW, History, months
from tokumei.parameters import Checked
from tokumei.registry import anonymizer
from tokumei.tables import table

log = logging.getLogger(__name__)

Ints = npt.NDArray[np.int64]
CELLS = ("time", "item", "price", "quantity")
PWSCUP2017 = Weights({"time": 0.5, "item": 3, "price": 0.5, "quantity": 2}, safety=2.0)
"""E1 to E3 rest on items and quantities, E4 and E5 on the small change of dates and prices."""


@anonymizer("equalize")
@dataclass(frozen=True, kw_only=True)
class Equalize(Checked):
    """Make groups of customers identical, with the fewest deletions and changes.

    Each group keeps as many rows as its smallest member has. The rows of its members are aligned,
    and every cell gets the commonest value; nothing but the pseudonym differs. If pseudonyms and
    row order are random, an attacker names at most one customer of each group on average: the
    expected re-identification is at most the number of groups divided by that of customers. The
    groups are chosen by search, so that this and the loss of utility together are least.

    In the simplified game the search minimizes :math:`d / R + x / C + g / n`: d of R rows are
    deleted, x of C cells changed, and n customers stand in g groups.

    Limits: a group of one may be the cheapest, and its member is found: the bound is an average,
    not a least size. Customers with many rows lose most of them. Columns that the objective does
    not count are left out.

    References
    ----------
    [hamada2018] Basic algorithm and improvements 1 and 2. Differs: the article gives the idea; how
    rows are aligned and groups are searched is ours.

    """

    groups: Annotated[
        Literal["free", "balanced", "everyone"],
        Doc("Groups of any size by search, groups of one size by row count, or one group of all."),
    ] = "free"
    size: Annotated[int, Ge(1), Doc("Size of balanced groups.")] = 3
    objective: Annotated[
        Literal["simplified", "pwscup2017", "information-loss", "own"],
        Doc("What changes cost: the article's game, PWSCUP 2017, all cells alike, or own weights."),
    ] = "simplified"
    date_weight: Annotated[float, Ge(0), Doc("Own weight of a changed date.")] = 1.0
    item_weight: Annotated[float, Ge(0), Doc("Own weight of a changed item.")] = 1.0
    price_weight: Annotated[float, Ge(0), Doc("Own weight of a changed price.")] = 1.0
    quantity_weight: Annotated[float, Ge(0), Doc("Own weight of a changed quantity.")] = 1.0
    safety: Annotated[
        float, Gt(0), Doc("Weight of the customers who are found, against the loss of utility.")
    ] = 1.0
    by: Annotated[
        Literal["customer", "month"],
        Doc("Whether whole histories are made identical, or the months of customers singly."),
    ] = "customer"
    seconds: Annotated[float, Gt(0), Doc("Time that the search may take, nominally.")] = 60.0

    def __call__(self, history: History, /, *, seed: int) -> History:
        weights = self.weights()
        missing = [name for name in weights.cells if name not in history.visible]
        history.require(*missing, to="make customers identical")
        plain = _plain(history, list(weights.cells))
        if self.by == "customer":
            return self._equalized(plain, weights, self.seconds, seed)
        rows = plain.frame().with_columns(_month=months(plain.frame()["time"]))
        parts = []
        for (month,), part in sorted(rows.group_by("_month"), key=lambda pair: str(pair[0])):
            seconds = self.seconds * len(part) / len(rows)
            one = plain.with_purchases(part.drop("_month"))
            made = self._equalized(one, weights, seconds, derive(seed, f"equalize/{month}"))
            parts.append(made.frame())
        return plain.with_purchases(pl.concat(parts).sort(ROW))

    def weights(self) -> Weights:
        """Return what changes cost."""
        match self.objective:
            case "simplified":
                weights = SIMPLIFIED
            case "pwscup2017":
                weights = PWSCUP2017
            case "information-loss":
                weights = Weights(dict.fromkeys(CELLS, 1.0))
            case "own":
                own = (self.date_weight, self.item_weight, self.price_weight, self.quantity_weight)
                weights = Weights({n: w for n, w in zip(CELLS, own, strict=True) if w > 0})
        return replace(weights, safety=weights.safety * self.safety)

    def _equalized(self, history: History, weights: Weights, seconds: float, seed: int) -> History:
        # The compiled loops are loaded only when they run.
        from tokumei.equalizing.search import Costs, search

        game = game_of(history, weights)
        costs = Costs(game.data)
        if self.groups == "free":
            groups = search(game.data, seconds=seconds, seed=seed).groups
        else:
            size = self.size if self.groups == "balanced" else len(game.persons)
            groups = tuple(balanced(costs.sizes, size))
        tuples = [costs.equalized(costs.ordered(group))[1] for group in groups]
        return _written(history, game, tuples)


def balanced(sizes: Ints, size: int) -> list[tuple[int, ...]]:
    """Cut the customers, in order of their rows, into groups of a size; the rest joins the last."""
    people = len(sizes)
    if size > people:
        raise Unachievable(f"There are {people:,} customers; no group can have {size:,}.")
    order = np.argsort(sizes, kind="stable")
    parts = np.split(order, np.arange(size, people - size + 1, size))
    return [tuple(part.tolist()) for part in parts]


def _plain(history: History, names: list[str]) -> History:
    """Leave out what would tell the members of a group apart."""
    others = [name for name in history.visible if name not in ("person", "basket", *names)]
    if others:
        log.info("columns that are not made identical are left out: %s", ", ".join(others))
    if history.customers is not None:
        log.info("the customers table would tell members of a group apart and is left out")
    rows = history.frame().select("person", *names, ROW)
    return History(table(rows), source=history.source)


def _written(history: History, game: Game, tuples: list[Ints]) -> History:
    """Give all members of each group the commonest values of their common rows."""
    rows = history.frame().sort("person", ROW)
    kept = np.zeros(len(rows), dtype=bool)
    source = np.arange(len(rows))
    columns = {name: source.copy() for name in game.weights.cells}
    for part in tuples:
        kept[part.ravel()] = True
        if part.shape[1] > 1:
            for number, name in enumerate(game.weights.cells):
                chosen = _commonest(game.data.cells[number], part)
                columns[name][part] = chosen[:, np.newaxis]
    shared = np.zeros(len(rows), dtype=bool)
    for part in tuples:
        shared[part.ravel()] = part.shape[1] > 1
    values = {name: rows[name].gather(places) for name, places in columns.items()}
    if "time" in values and values["time"].dtype == pl.Datetime:
        days = values["time"].dt.truncate("1d")
        values["time"] = days.zip_with(pl.Series(shared), values["time"])
    made = rows.with_columns(**values).filter(pl.Series(kept))
    return history.with_purchases(made.sort(ROW))


def _commonest(codes: npt.NDArray[np.int32], tuples: Ints) -> Ints:
    """Return for each tuple a row that has the commonest value; of equal ones the smallest."""
    values = np.sort(codes[tuples], axis=1)
    counts = (values[:, :, np.newaxis] == values[:, np.newaxis, :]).sum(axis=2)
    best = np.take_along_axis(values, counts.argmax(axis=1)[:, np.newaxis], axis=1)
    places = (codes[tuples] == best).argmax(axis=1)
    return np.take_along_axis(tuples, places[:, np.newaxis], axis=1)[:, 0]
