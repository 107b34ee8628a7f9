"""Pk-anonymity at size: two million records perturbed, and a million cells reconstructed.

Beside its peers it stands in `bench/RESULTS.md` (`python -m bench results --topics estimation`).
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from bench.field.estimation import space_of
from bench.measuring import seconds, show
from tokumei.data.census import allowed_pairs
from tokumei.data.census_like import generate_census
from tokumei.pk import Correlation, Domain, largest_rho, mechanism, perturb, records_of, tabulate
from tokumei.pk.reconstruction import reconstruct


def perturbing() -> None:
    rows = generate_census(seed=0)
    domain = Domain.found_in(rows, ["age", "education", "sex"])
    correlation = Correlation.allowing(domain, allowed_pairs())
    texts = rows.cast(pl.String)

    def ours(table: pl.DataFrame, space: Domain | Correlation) -> float:
        of = mechanism(space, largest_rho(space, 2, len(table)))

        def work() -> None:
            made = perturb(table, of, seed=1)
            tabulate(records_of(made, space).cells, of)

        return seconds(work, repeat=3)

    lines = []
    for name, table, space in (
        ("independent, Enum columns", rows, domain),
        ("correlated, Enum columns", rows, correlation),
        ("correlated, texts", texts, correlation),
    ):
        took = ours(table, space)
        each = f"{took / (len(rows) * 3) * 1e9:,.0f} ns"
        lines.append((f"{name}: {len(rows):,} records x 3", f"{took:.3f} s", each))
    show("Perturb a table and cross-tabulate it", ("", "time", "per value"), lines)


def large() -> None:
    """A million cells, in a process of its own so that its memory is its own."""
    code = "from bench.perturbing import million; million()"
    subprocess.run([sys.executable, "-c", code], check=True)


def million() -> None:
    space = space_of((100, 134, 100))
    of = mechanism(space, 0.7)
    records = 20_000_000
    counts = np.random.default_rng(0).multinomial(records, np.full(of.cells, 1 / of.cells))
    seen = of.forward(counts.astype(np.float64))
    noisy = np.random.default_rng(1).poisson(np.maximum(seen, 0)).astype(np.float64)
    begin = time.perf_counter()
    found = reconstruct(noisy, of)
    took = time.perf_counter() - begin
    # What getrusage tells includes the process that started this one.
    status = Path("/proc/self/status").read_text().split("VmHWM:")[1]
    peak = int(status.split()[0]) / 1e6
    lines = [(f"{took:.1f} s", f"{found.steps:,}", f"{found.gap:.1e}", f"{peak:.2f} GB")]
    title = f"The whole reconstruction of {of.cells:,} cells"
    show(title, ("time", "iterations", "gap", "memory of the process"), lines)


def main() -> None:
    perturbing()
    large()
