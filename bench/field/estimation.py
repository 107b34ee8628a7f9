"""Values perturbed by retention-replacement, and their frequencies estimated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from bench.field.comparing import Comparison, Measured, duel
from tokumei.pk import Correlation, Domain, Mechanism, mechanism, reconstruct
from tokumei.pk.reconstruction import _step

TITLE = "Perturbation and estimation"
ABOUT = """\
multi-freq-ldpy perturbs one attribute by generalized randomized response, which is our
retention-replacement with rho = (e^ε - 1) / (e^ε + m - 1). It is called value by value, as its
documentation does. Both then estimate the frequencies from the same perturbed values, by the
inverse matrix and by maximum likelihood: it iterates, we have the closed form for one attribute.
The error is the sum of absolute differences to the true shares. The dense peer is the iteration
p ← p · (A (y / (p A))) in numpy with the whole matrix A, as the paper writes it; we do the same
number of iterations without ever building A, on three attributes with forbidden combinations."""

RECORDS = 20_000
VALUES = 16
EPSILON = 1.0
RHO = (np.exp(EPSILON) - 1) / (np.exp(EPSILON) + VALUES - 1)
SHAPE = (20, 24, 20)
STEPS = 5
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def comparisons() -> list[Comparison]:
    data = f"generated, {RECORDS:,} values of {VALUES}"
    cells = mechanism(space_of(SHAPE), 0.6).cells
    dense = f"generated, {cells:,} cells"
    peer = "multi-freq-ldpy"
    return [
        Comparison("perturb values", data, peer, against_client),
        Comparison("estimate, inverse matrix", data, peer, partial(against_estimator, "inverse")),
        Comparison("estimate, most likely", data, peer, partial(against_estimator, "bayes")),
        Comparison("iterate Bayes", dense, "numpy, dense matrix", against_dense, 50),
    ]


def truth() -> Ints:
    shares = np.random.default_rng(0).dirichlet(np.ones(VALUES))
    return np.random.default_rng(1).choice(VALUES, RECORDS, p=shares).astype(np.int64)


def one_attribute() -> Mechanism:
    return mechanism(Domain.of({"a": [str(value) for value in range(VALUES)]}), RHO)


def our_draws() -> Callable[[], Ints]:
    values, of, keys = truth(), one_attribute(), np.arange(RECORDS)
    return lambda: of.draw(values, keys, seed=0)


def their_draws() -> Callable[[], Ints]:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    values = truth()
    return lambda: np.array([GRR_Client(value, VALUES, EPSILON) for value in values])


def against_client() -> Measured:
    ours, theirs = our_draws(), their_draws()
    kept, expected = (float(np.mean(made() == truth())) for made in (ours, theirs))
    near = abs(kept - expected) < 6 * np.sqrt(expected * (1 - expected) / RECORDS)
    return duel(ours, theirs, f"values kept {kept:.1%}, peer {expected:.1%}", kept=bool(near))


def against_estimator(method: str) -> Measured:
    from multi_freq_ldpy.pure_frequency_oracles import GRR

    values, of = truth(), one_attribute()
    reports = of.draw(values, np.arange(RECORDS), seed=0)
    aggregate = GRR.GRR_Aggregator_MI if method == "inverse" else GRR.GRR_Aggregator_IBU
    true = np.bincount(values, minlength=VALUES) / RECORDS

    def ours() -> Floats:
        counts = np.bincount(reports, minlength=VALUES).astype(np.float64)
        return reconstruct(counts, of, method=method).counts / RECORDS  # type: ignore[arg-type]

    def theirs() -> Floats:
        return np.asarray(aggregate(reports, VALUES, EPSILON))

    errors = [float(abs(estimate() - true).sum()) for estimate in (ours, theirs)]
    same = abs(errors[0] - errors[1]) < 1e-3
    return duel(ours, theirs, f"error {errors[0]:.4f}, peer {errors[1]:.4f}", kept=same)


def against_dense() -> Measured:
    of = mechanism(space_of(SHAPE), 0.6)
    ours, theirs = our_steps(of, STEPS), dense_steps(of, STEPS)
    same = bool(np.allclose(ours(), theirs(), rtol=1e-9, atol=0))
    return duel(ours, theirs, f"{STEPS} equal steps", kept=same)


def seen_shares(of: Mechanism) -> Floats:
    return of.forward(np.random.default_rng(0).dirichlet(np.ones(of.cells)))


def our_steps(of: Mechanism, steps: int) -> Callable[[], Floats]:
    """Return the iteration from the uniform distribution."""
    seen = seen_shares(of)

    def run() -> Floats:
        estimate = np.full(of.cells, 1 / of.cells)
        for _ in range(steps):
            estimate = _step(estimate, seen, of)[0]
        return estimate

    return run


def dense_steps(of: Mechanism, steps: int) -> Callable[[], Floats]:
    """Return the same with the whole matrix."""
    seen, matrix = seen_shares(of), of.matrix()

    def run() -> Floats:
        estimate = np.full(of.cells, 1 / of.cells)
        for _ in range(steps):
            estimate = estimate * (matrix @ (seen / (estimate @ matrix)))
        return estimate

    return run


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
