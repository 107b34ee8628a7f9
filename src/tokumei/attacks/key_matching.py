"""The sample attacks of PWSCUP 2017: a few cells as a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from annotated_types import Ge
from typing_extensions import Doc

from tokumei.attacks.naming import asks_by_month
from tokumei.contracts import Challenge, Guess
from tokumei.errors import ParameterError
from tokumei.history import History, months
from tokumei.parameters import Checked
from tokumei.registry import attack
from tokumei.tables import frame

CELLS = {"date": "time", "item": "item", "price": "price", "quantity": "quantity"}


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
        cells = list(dict.fromkeys(self.on.split("+")))
        released, known = (
            self._keys(history, cells) for history in (challenge.release, challenge.known)
        )
        book = released.rename({"person": "pseudonym"}).unique(cells, keep="last")
        targets = frame(challenge.targets)
        if asks_by_month(challenge):
            times = challenge.known.in_row_order()["time"]
            known = known.with_columns(months(times).alias("month"))
        found = known.join(book, on=cells, how="inner", maintain_order="left")
        if asks_by_month(challenge):
            last = found.unique(["person", "month"], keep="last")
            said = last.join(targets, on=["person", "month"]).rename({"pseudonym": "value"})
        else:
            last = found.unique("pseudonym", keep="last")
            said = last.select(target="pseudonym", value="person").join(targets, on="target")
        return Guess(said.select("target", "value", weight=pl.lit(1.0)))

    def _keys(self, history: History, cells: list[str]) -> pl.DataFrame:
        """Return person and the cells of the key, in the order of the row ids."""
        roles = [CELLS[name] for name in cells]
        history.require(*roles, to="match rows by a key")
        rows = history.in_row_order()
        keys = {name: rows[role] for name, role in zip(cells, roles, strict=True)}
        if "item" in keys:
            keys["item"] = keys["item"].str.slice(0, self.item_characters)
        if "date" in keys and keys["date"].dtype.is_temporal():
            keys["date"] = keys["date"].cast(pl.Date)
        return pl.DataFrame({"person": rows["person"], **keys})


SAMPLES = {
    "S1": KeyMatching(on="date+quantity"),
    "S2": KeyMatching(on="item+price"),
    "S3": KeyMatching(on="item+quantity"),
    "S4": KeyMatching(on="date+item"),
    "S5": KeyMatching(on="item+price+quantity"),
    "S6": KeyMatching(on="item+date+quantity"),
}
"""The contest's sample attacks."""
