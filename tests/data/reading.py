"""Small files that the tests of reading share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokumei import read
from tokumei.errors import TokumeiError

HEADER = "customer,item,date,price,quantity,invoice\n"
ANN = "Ann,pear,2011-01-05,1.20,2,i1\n"
BOB = "Bob,fig,2011-01-06,3.50,1,i2\n"
CELLS = {
    "customer": "Cid",
    "item": "kiwi",
    "date": "2011-01-07",
    "price": "2",
    "quantity": "3",
    "invoice": "i3",
}


def file(folder: Path, content: str, name: str = "shop.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def row(**cells: str) -> str:
    return ",".join((CELLS | cells).values()) + "\n"


def refusal(folder: Path, content: str, **options: object) -> str:
    with pytest.raises(TokumeiError) as caught:
        read(file(folder, content), **options)  # type: ignore[arg-type]
    return str(caught.value)
