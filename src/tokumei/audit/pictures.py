"""A figure as parts of a page that needs nothing else: the picture, and files inside links."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import zlib
from dataclasses import dataclass

import altair as alt
import vl_convert

from tokumei.audit.figure import Figure
from tokumei.report import charts

PNG_HEAD = 8
"""Bytes before the first chunk of a PNG; a chunk is a length, a name, the data and a checksum."""
SCALE = 2.0


@dataclass(frozen=True)
class Download:
    """A file inside a link."""

    label: str
    file: str
    address: str


def drawing(figure: Figure) -> str:
    """Return the chart as SVG to stand in a page, which gives it its title."""
    chart = figure.chart.copy(deep=False)
    chart.title = alt.Undefined
    # Several drawings stand in one page, and each calls its parts by the same ids.
    svg = re.sub(r'\bid="', f'id="{figure.name}-', charts.text(chart, "svg"))
    return svg.replace("url(#", f"url(#{figure.name}-")


def downloads(figure: Figure) -> list[Download]:
    """Return data and chart as files."""
    svg = charts.text(figure.chart, "svg")
    png = smaller(vl_convert.svg_to_png(svg, scale=SCALE))
    spec = json.dumps(figure.chart.to_dict(), ensure_ascii=False, separators=(",", ":"))
    return [
        _download(figure, "CSV", "csv", "text/csv", figure.data.write_csv().encode()),
        _download(figure, "SVG", "svg", "image/svg+xml", svg.encode()),
        _download(figure, "PNG", "png", "image/png", png),
        _download(figure, "Vega-Lite", "vl.json", "application/json", spec.encode()),
    ]


def _download(figure: Figure, label: str, ending: str, kind: str, content: bytes) -> Download:
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(label, f"{figure.name}.{ending}", address)


def smaller(png: bytes) -> bytes:
    """Pack the pixels of a PNG again; it was packed in haste, and a quarter is enough."""
    file, packed = io.BytesIO(), b""
    file.write(png[:PNG_HEAD])
    at = PNG_HEAD
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if name == b"IDAT":
            packed += data
        elif name == b"IEND":
            _write_chunk(file, b"IDAT", zlib.compress(zlib.decompress(packed), 8))
            _write_chunk(file, name, data)
        else:
            _write_chunk(file, name, data)
        at += length + 12
    return file.getvalue()


def _write_chunk(file: io.BytesIO, name: bytes, data: bytes) -> None:
    checksum = zlib.crc32(name + data)
    file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum))
