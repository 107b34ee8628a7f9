"""The compiled loop that fits purchases into released rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.itemsets.compiling import compiled


@compiled
def count_fits(
    who: Any, starts: Any, members: Any, everything: Any, lows: Any, highs: Any,
    owner: Any, item: Any, values: Any, pseudonyms: int, persons: int,
) -> Any:  # fmt: skip
    """Count for every pseudonym and person the released rows into which a purchase fits.

    The purchases are sorted by item; `members` are the items of each released row.
    """
    fits = np.zeros((pseudonyms, persons), dtype=np.int64)
    last = np.full(persons, -1, dtype=np.int64)  # the last row that counted for a person
    items = item.max() + 1 if len(item) else 0
    begin = np.searchsorted(item, np.arange(items + 1))
    for row in range(len(who)):
        number = 1 if everything[row] else starts[row + 1] - starts[row]
        for place in range(number):
            if everything[row]:
                first, end = 0, len(item)
            else:
                code = members[starts[row] + place]
                first, end = begin[code], begin[code + 1]
            for purchase in range(first, end):
                person = owner[purchase]
                if last[person] == row:
                    continue
                fit = True
                for column in range(3):
                    value = values[purchase, column]
                    if value < lows[row, column] or value > highs[row, column]:
                        fit = False
                        break
                if fit:
                    last[person] = row
                    fits[who[row], person] += 1
    return fits
