"""What makes mutants: changes of the bytes, cells and rows of a valid file, drawn at random."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from random import Random

from bench.games import ITEMS

Mutation = Callable[[Random, bytes], bytes]

PLAIN = """
DEL * ** del - _ 0 00 -0 -1 +5 1. .5 1.5 1e5 1e-5 1e400 nan NaN -nan inf -inf 0x10 1_000 12,5 2.105
99999.99 123456 １２ ٣ ² 𝟏𝟐 Ⅻ 2011/２/8 −5 " "a" "a a" "" ' ; [ ] { } [] {} [;] {;} [5;3] [1;2;3]
[*;*] {*} [nan;inf] [-1;5] [1;1e5] [0;999999999] [0.01;999999999.99] [0000/1/1;9999/12/31] {a;a}
{a;} {;a} {{a}} [[1;2]] {[1;2]} [{1;2}] [1;2} {1;2] (1;2) [1:2] [1,2] [2;1 2011/2/30 2011/2/29
0000/1/1 9999/12/31 10000/1/1 2011/2/0 2011-2-3 2011/02/03 24:00 9:60 9:5 p0 p0-12 12346 C3 POST
22423 é 梨 🍐 null None True <b> {{x}} %s ../x =1+1
"""
ODD = (
    *("", " ", "1 000", "[ 1;2 ]", "2011/7/1 9:05", "\t", "\r", "\x0b", "\x0c", "\x1b[31m", "\x7f"),
    *("\x85", "\xa0", "\u200b", "\u2028", "\u3000", "\ufeff", "\u202e", "e\u0301", "\U0010ffff"),
    *("9" * 19, "9" * 30, "9" * 400, "0." + "9" * 50, "0" * 500 + "1", "[" * 500, "x" * 70_000),
    "{" + ";".join("abc" * 300) + "}",
)
NOT_UTF8 = (
    b"\xff",
    b"\x00",
    b"\x82\xa0",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf5\x80\x80\x80",
    b"\x80",
)
STRANGE = (*(text.encode() for text in (*PLAIN.split(), *ODD)), *NOT_UTF8)

# Cells that are mostly valid, by the number of cells in a row and the place.
GENTLE: dict[int, dict[int, tuple[str, ...]]] = {
    7: {
        1: ("x-_9", "0"),
        3: ("0:00", "23:59"),
        4: ITEMS,
        5: ("99999.99", "0.01", "00000.01", "1", "3.50"),
        6: ("1", "999999", "000001", "12"),
    },
    5: {
        1: ("*", "[0000/1/1;9999/12/31]", "[2010/12/1;2011/7/28]"),
        2: ("*", "{22423;22728;85099B;85099C;M;POST}", '{22423;22728;85099B;85099C;M;POST;"}'),
        3: ("*", "[0.01;999999999.99]", "[0;999999999]", "[0.05;50.00]"),
        4: ("*", "[0;999999999]", "[1;90]", "[000000001;90]"),
    },
    3: {1: ("0000/1/1", "9999/12/31", "2012/2/29"), 2: ("梨", '"', "*", "DEL", "a b", "0" * 500)},
    4: {1: ("f", "m"), 2: ("0000/1/1", "9999/12/31", "2012/2/29"), 3: ("梨", '"', "*", "a b")},
}
DELETED = {7: b"DEL,,,,,,", 5: b"*,*,*,*,*", 3: b"DEL,,"}


def _place(draw: Random, data: bytes) -> int:
    return draw.randrange(len(data) + 1)


def _span(draw: Random, data: bytes) -> tuple[int, int]:
    start = _place(draw, data)
    return start, min(len(data), start + draw.choice((1, 1, 2, 7, 40, 400)))


def flip(draw: Random, data: bytes) -> bytes:
    if not data:
        return data
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def replace_byte(draw: Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return (
        data[:at]
        + bytes([draw.choice((draw.randrange(256), *b',;\n\r\0\xff"[]{}* '))])
        + data[at + 1 :]
    )


def insert(draw: Random, data: bytes) -> bytes:
    at = _place(draw, data)
    new = draw.choice((draw.randbytes(draw.randint(1, 9)), draw.choice(STRANGE)))
    return data[:at] + new + data[at:]


def delete(draw: Random, data: bytes) -> bytes:
    start, end = _span(draw, data)
    return data[:start] + data[end:]


def duplicate(draw: Random, data: bytes) -> bytes:
    start, end = _span(draw, data)
    at = _place(draw, data)
    return data[:at] + data[start:end] * draw.choice((1, 2, 50)) + data[at:]


def truncate(draw: Random, data: bytes) -> bytes:
    return data[: _place(draw, data)]


def mark(draw: Random, data: bytes) -> bytes:
    new = draw.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00"))
    at = draw.choice((0, 0, len(data), _place(draw, data)))
    return data[:at] + new + data[at:]


def encode(draw: Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace") + draw.choice(("", "梨", "é"))
    return text.encode(
        draw.choice(("utf-16", "utf-16-le", "cp932", "euc-jp", "utf-8-sig")), "replace"
    )


def breaks(draw: Random, data: bytes) -> bytes:
    return data.replace(
        b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"", b" \n", b"\x0b"))
    )


def pack(draw: Random, data: bytes) -> bytes:
    packed = gzip.compress(data, mtime=0)
    return draw.choice(
        (
            packed,
            packed[: _place(draw, packed)],
            packed + b"garbage",
            gzip.compress(draw.randbytes(200), mtime=0),
            b"\x1f\x8b" + draw.randbytes(draw.randint(0, 60)),
            packed[:12] + draw.randbytes(20) + packed[32:],
            gzip.compress(b"\0" * 3_000_000, mtime=0),
        )
    )


def long_line(draw: Random, data: bytes) -> bytes:
    at = _place(draw, data)
    long = draw.choice((b",", b"x", b"9", b" ", b"\0", b";", b"[", b"\xff"))
    return data[:at] + long * draw.choice((1_000, 70_000, 70_000, 1_100_000)) + data[at:]


def _cells(data: bytes) -> list[list[bytes]]:
    return [line.split(b",") for line in data.split(b"\n")]


def _joined(cells: Sequence[Sequence[bytes]]) -> bytes:
    return b"\n".join(b",".join(line) for line in cells)


def set_cell(draw: Random, data: bytes) -> bytes:
    cells = _cells(data)
    row = draw.choice(cells)
    row[draw.randrange(len(row))] = draw.choice(STRANGE)
    return _joined(cells)


def set_column(draw: Random, data: bytes) -> bytes:
    cells, new = _cells(data), draw.choice(STRANGE)
    at = draw.randrange(max(map(len, cells)))
    for row in cells:
        if len(row) > at and draw.random() < 0.9 and len(new) < 1_000:
            row[at] = new
    return _joined(cells)


def wrap_cell(draw: Random, data: bytes) -> bytes:
    """Change a cell a little, or make an interval or a set of it."""
    cells = _cells(data)
    row = draw.choice(cells)
    at = draw.randrange(len(row))
    value, other = row[at], draw.choice(draw.choice(cells))
    forms = (
        *(b"[%b;%b]", b"{%b;%b}", b"[%b;%b", b"%b;%b]", b"(%b;%b)", b"{%b;;%b}", b"[%b;%b;]"),
        *(b"{%b;%b}}", b"[%b]%b", b"%b %b", b"%b;%b", b"%b.%b", b"%b-%b", b"%b/%b", b"[%b,%b]"),
    )
    simple = (
        *(b"[" + value + b";" + value + b"]", b"{" + value + b"}", b"[" + value + b"]"),
        *(b" " + value, value + b" ", b"-" + value, b"+" + value, value + b".0", b"0" + value),
        *(value + b"0", b'"' + value + b'"', value[::-1], value.swapcase(), value * 20, value[:-1]),
        *(b"*" + value, value + b"*", value + b"\0", value + b"\r", value + "\u200b".encode()),
    )
    row[at] = draw.choice((draw.choice(forms) % (value, other), draw.choice(simple)))
    return _joined(cells)


def swap_cells(draw: Random, data: bytes) -> bytes:
    cells = _cells(data)
    one, other = draw.choice(cells), draw.choice(cells)
    a, b = draw.randrange(len(one)), draw.randrange(len(other))
    if draw.random() < 0.5:  # in the same column
        b = min(a, len(other) - 1)
    one[a], other[b] = other[b], one[a]
    return _joined(cells)


def number_of_cells(draw: Random, data: bytes) -> bytes:
    cells = _cells(data)
    row = draw.choice(cells)
    if draw.random() < 0.5:
        row.insert(_place(draw, bytes(len(row))), draw.choice(STRANGE))
    else:
        row.pop()
    return _joined(cells)


def gentle(draw: Random, data: bytes) -> bytes:
    """Put a cell or a deleted row that is mostly valid."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    cells = lines[at].split(b",")
    if len(cells) in DELETED and draw.random() < 0.1:
        lines[at] = DELETED[len(cells)]
    elif len(cells) in GENTLE:
        place = draw.choice(list(GENTLE[len(cells)]))
        cells[place] = draw.choice(GENTLE[len(cells)][place]).encode()
        lines[at] = b",".join(cells)
    return b"\n".join(lines)


def delete_row(draw: Random, data: bytes) -> bytes:
    """Put a row that is deleted in some contest."""
    lines = data.split(b"\n")
    full = (
        b"DEL,,,,,,",
        b"*,*,*,*,*",
        b"DEL,,",
        b"DEL",
        b"*",
        b"*,*,*",
        b"DEL,*,*,*,*",
        b"p9,*,*,*,*",
    )
    for _ in range(draw.choice((1, 1, 3, len(lines)))):
        lines[draw.randrange(len(lines))] = draw.choice(full[:4] if draw.random() < 0.7 else full)
    return b"\n".join(lines)


def move_rows(draw: Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    match draw.randrange(7):
        case 0:
            draw.shuffle(lines)
        case 1:
            lines.reverse()
        case 2:
            del lines[draw.randrange(len(lines))]
        case 3:
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
        case 4:
            lines *= draw.choice((2, 40))
        case 5:
            a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
        case _:
            lines.insert(draw.choice((0, len(lines), draw.randrange(len(lines) + 1))), b"")
    return b"\n".join(lines)


def header(draw: Random, data: bytes) -> bytes:
    names = (
        b"customer,invoice,date,time,item,price,quantity",
        b"X1,X2,X3,X4,X5",
        b"name,date,item",
    )
    return draw.choice((*names, b"#", b"sep=,")) + b"\n" + data


MUTATIONS: tuple[Mutation, ...] = (
    *(flip, replace_byte, insert, delete, duplicate, truncate, mark, encode, breaks, pack),
    *(set_cell, set_cell, set_cell, set_cell, set_column, wrap_cell, wrap_cell, wrap_cell),
    *(swap_cells, swap_cells, number_of_cells, delete_row, move_rows, move_rows, header),
)


def nothing(_draw: Random, _data: bytes) -> bytes:
    return b""


def noise(draw: Random, _data: bytes) -> bytes:
    return draw.randbytes(draw.randint(1, 500))


RARE: tuple[Mutation, ...] = (long_line, nothing, noise)
"""Slow, or soon exhausted."""
