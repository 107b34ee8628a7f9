"""Pictures with a palette of 256 colors: a third of the size, and no difference to the eye."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

COLORS = 256
SIGNATURE = b"\x89PNG\r\n\x1a\n"
Bytes = NDArray[np.uint8]


def indexed_png(image: Bytes) -> bytes:
    """Return a picture (height, width, red-green-blue) as a PNG with a palette."""
    height, width, _ = image.shape
    found, where, counts = np.unique(
        image.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    palette, entry = _palette(found, counts)
    rows = entry[where.reshape(-1)].reshape(height, width).astype(np.uint8)
    lines = np.hstack([np.zeros((height, 1), np.uint8), rows])  # each line begins with its filter
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"".join(
        [
            SIGNATURE,
            _chunk(b"IHDR", head),
            _chunk(b"PLTE", palette.tobytes()),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        ]
    )


def _palette(found: Bytes, counts: NDArray[np.intp]) -> tuple[Bytes, NDArray[np.intp]]:
    """Return the palette, and for each color its place there."""
    if len(found) <= COLORS:
        return found, np.arange(len(found))
    start = found[np.argsort(-counts, kind="stable")[:COLORS]].astype(float)
    # Roots: a few pixels of fire matter beside a large ground.
    fit = KMeans(COLORS, init=start, n_init=1, max_iter=20).fit(found, sample_weight=counts**0.5)
    return fit.cluster_centers_.round().astype(np.uint8), fit.labels_


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)
