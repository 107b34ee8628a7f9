"""The sample attacks of PWSCUP 2017: a few cells as a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.attacks.naming import asks_by_month
from tokumei.contracts import Challenge, Guess
from tokumei.errors import ParameterError
from tokumei.history import months
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame

Ints = npt.NDArray[np.int64]
CELLS = {"date": "time", "item": "item", "price": "price", "quantity": "quantity"}
HIGHEST = 2**63 - 1


@attack("key-matching")
@dataclass(frozen=True, kw_only=True)
class KeyMatching(Checked):
    """Find known rows again by a few of their cells, and take the pseudonym that stands there.

    A dictionary leads from the key of every released row to its pseudonym; every known row looks
    its own key up. In both, later rows overwrite earlier ones, and no votes are counted. S1 to S6
    of PWSCUP 2017.

    Limits: a key that many rows share leads anywhere. It is as weak as the contest had it.
    """

    on: Annotated[
        str, Doc("Cells of the key, joined by +, out of date, item, price, quantity.")
    ] = "date+quantity"
    item_characters: Annotated[
        int, Ge(1), Doc("How many characters of an item's name are compared.")
    ] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.on.split("+"):
            if name not in CELLS:
                known = ", ".join(CELLS)
                raise ParameterError(f"on must join cells out of {known} by +, not {name!r}.")

    def __call__(self, challenge: Challenge, /, *, seed: int) -> Guess:
        return guesses([self], challenge)[0]


def guesses(attacks: Sequence[KeyMatching], challenge: Challenge) -> list[Guess]:
    """Return what each attack says; the cells that they compare are numbered once for all."""
    from tokumei.attacks.looking_up import last_equal  # numba takes long to load

    released, known = challenge.release.in_row_order(), challenge.known.in_row_order()
    targets, by_month = frame(challenge.targets), asks_by_month(challenge)
    if by_month:
        asked = _places(known.select("person", month=months(known["time"])), targets)
    else:
        asked = _places(released.select(target="person"), targets)

    @cache
    def numbers(name: str, characters: int | None) -> Ints:
        for history in (challenge.release, challenge.known):
            history.require(CELLS[name], to="match rows by a key")
        return _numbered(*(_cell(rows[CELLS[name]], characters) for rows in (released, known)))

    def guess(attack: KeyMatching) -> Guess:
        names = dict.fromkeys(attack.on.split("+"))
        cut = {"item": attack.item_characters}
        keys = _joined([numbers(name, cut.get(name)) for name in names])
        match = last_equal(keys[: len(released)], keys[len(released) :])
        row = np.flatnonzero(match >= 0)
        match = match[row]
        about, source, value = (
            (asked[row], released, match) if by_month else (asked[match], known, row)
        )
        # Of several rows that say something of one target, the last one stays.
        said = np.full(len(targets), -1)
        said[about[about >= 0]] = value[about >= 0]
        named = np.flatnonzero(said >= 0)
        pairs = {"target": targets["target"][named], "value": source["person"][said[named]]}
        return Guess(pl.DataFrame(pairs).with_columns(weight=pl.lit(1.0)))

    return [guess(attack) for attack in attacks]


def _places(rows: pl.DataFrame, targets: pl.DataFrame) -> Ints:
    """Return the place among the targets that each row is about, or -1."""
    places = targets.select(*rows.columns, place=pl.int_range(pl.len(), dtype=pl.Int64))
    found = rows.join(places, on=rows.columns, how="left", maintain_order="left")
    return found["place"].fill_null(-1).to_numpy()


def _cell(cells: pl.Series, characters: int | None) -> pl.Series:
    if cells.dtype.is_temporal():
        cells = cells.cast(pl.Date)
    texts = cells.cast(pl.String)
    return texts if characters is None else texts.str.slice(0, characters)


def _numbered(released: pl.Series, known: pl.Series) -> Ints:
    """Give equal cells of both the same number; a suppressed cell equals none of the other."""
    texts = pl.concat([released, known])
    numbers = texts.cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.Int64)
    highest = int(numbers.max() or 0)  # type: ignore[arg-type]
    parts = (numbers[: len(released)], numbers[len(released) :])
    return np.concatenate(
        [part.fill_null(highest + other).to_numpy() for other, part in enumerate(parts, 1)]
    )


def _joined(columns: Sequence[Ints]) -> Ints:
    """Give each row one number for all its cells, equal rows the same one."""
    joined = columns[0]
    for cells in columns[1:]:
        size = int(cells.max(initial=0)) + 1
        if int(joined.max(initial=0)) >= HIGHEST // size:
            joined = np.unique(joined, return_inverse=True)[1]
        joined = joined * size + cells
    return joined


SAMPLES = {
    "S1": KeyMatching(on="date+quantity"),
    "S2": KeyMatching(on="item+price"),
    "S3": KeyMatching(on="item+quantity"),
    "S4": KeyMatching(on="date+item"),
    "S5": KeyMatching(on="item+price+quantity"),
    "S6": KeyMatching(on="item+date+quantity"),
}
"""The contest's sample attacks."""
