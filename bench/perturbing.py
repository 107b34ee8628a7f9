"""Pk-anonymity: how fast records are perturbed, and cross tabulations reconstructed.

Peers: multi-freq-ldpy's client for the same kind of perturbation (generalized randomized response),
called record by record and attribute by attribute as its documentation does, on a sample; and an
iterative Bayes estimate with the dense matrix in numpy.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

from bench.measuring import seconds, show
from tokumei.data.census import allowed_pairs
from tokumei.data.census_like import generate_census
from tokumei.pk import Correlation, Domain, largest_rho, mechanism, perturb, records_of, tabulate
from tokumei.pk.reconstruction import _step, reconstruct

SAMPLE = 20_000


def perturbing() -> None:
    rows = generate_census(seed=0)
    domain = Domain.found_in(rows, ["age", "education", "sex"])
    correlation = Correlation.allowing(domain, allowed_pairs())
    texts = rows.cast(pl.String)
    per_value = len(rows) * 3
    sample = domain.encode(rows.head(SAMPLE))

    def peer() -> None:
        for line, size in zip(sample, domain.shape, strict=True):
            [GRR_Client(value, size, 2.0) for value in line]

    def ours(table: pl.DataFrame, space: Domain | Correlation) -> float:
        of = mechanism(space, largest_rho(space, 2, len(table)))

        def work() -> None:
            made = perturb(table, of, seed=1)
            tabulate(records_of(made, space).cells, of)

        return seconds(work, repeat=3)

    peer_time = seconds(peer, repeat=2) / (SAMPLE * 3)
    lines = [("multi-freq-ldpy (sample)", "", f"{peer_time * 1e9:,.0f} ns", "1")]
    for name, table, space in (
        ("independent, Enum columns", rows, domain),
        ("correlated, Enum columns", rows, correlation),
        ("correlated, texts", texts, correlation),
    ):
        took = ours(table, space)
        lines.append(
            (
                f"{name}: {len(rows):,} records x 3",
                f"{took:.3f} s",
                f"{took / per_value * 1e9:,.0f} ns",
                f"{peer_time * per_value / took:,.0f} x",
            )
        )
    show("Perturb a table and cross-tabulate it", ("", "time", "per value", "faster"), lines)


def space_of(shape: tuple[int, ...]) -> Correlation:
    """A correlation that forbids a quarter of the last two attributes' pairs."""
    names = [f"a{number}" for number in range(len(shape))]
    domain = Domain.of(
        {n: [str(value) for value in range(size)] for n, size in zip(names, shape, strict=True)}
    )
    rule = {
        names[-2]: [str(value) for value in range(shape[-2] // 2)],
        names[-1]: [str(value) for value in range(shape[-1] // 2)],
    }
    return Correlation.forbidding(domain, [rule])


def reconstructing() -> None:
    of = mechanism(space_of((20, 24, 20)), 0.6)
    rng = np.random.default_rng(0)
    seen = rng.dirichlet(np.ones(of.cells))
    start = np.full(of.cells, 1 / of.cells)
    matrix = of.matrix()

    def dense() -> None:
        start * (matrix @ (seen / (start @ matrix)))

    _step(start, seen, of)
    fast, slow = seconds(lambda: _step(start, seen, of), repeat=50), seconds(dense, repeat=3)
    lines = [
        ("dense matrix", f"{slow * 1e3:.2f} ms", "1"),
        ("ours", f"{fast * 1e3:.3f} ms", f"{slow / fast:,.0f} x"),
    ]
    title = f"One iteration of the reconstruction, {of.cells:,} cells"
    show(title, ("", "time", "faster"), lines)


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
    reconstructing()
    large()
