"""Random correlations, and the mechanism's definition word by word, as the oracle."""

import itertools

import numpy as np
import numpy.typing as npt

from tokumei.pk import Correlation, Domain

Floats = npt.NDArray[np.float64]


def random_correlation(rng: np.random.Generator, attributes: int, most: int) -> Correlation:
    sizes = rng.integers(2, most + 1, attributes)
    domain = Domain.of({f"a{i}": [str(v) for v in range(m)] for i, m in enumerate(sizes)})

    def allows(prefix: tuple[str, ...]) -> list[str]:
        values = domain.ranges[len(prefix)]
        return rng.choice(values, rng.integers(1, len(values) + 1), replace=False).tolist()

    return Correlation.by_function(domain, allows)


def random_rho(rng: np.random.Generator, attributes: int) -> tuple[float, ...]:
    if rng.random() < 0.3:
        return (float(rng.random()),) * attributes
    return tuple((rng.random(attributes) * rng.choice([1, 0.3, 0.999])).tolist())


def matrix_by_steps(correlation: Correlation, rho: tuple[float, ...]) -> Floats:
    """Multiply the probabilities of the steps of section 3.2, record by record."""
    cells = [tuple(cell) for cell in correlation.codes.T.tolist()]
    values: dict[tuple[int, ...], set[int]] = {}
    for cell in cells:
        for level in range(len(rho)):
            values.setdefault(cell[:level], set()).add(cell[level])
    matrix = np.ones((len(cells), len(cells)))
    for (i, before), (j, after) in itertools.product(enumerate(cells), enumerate(cells)):
        for level, keep in enumerate(rho):
            size = len(values[after[:level]])
            if before[:level] == after[:level]:
                same = before[level] == after[level]
                matrix[i, j] *= (keep if same else 0) + (1 - keep) / size
            else:
                matrix[i, j] /= size
    return matrix


def block_product(left: Floats, blocks: list[list[Floats]]) -> Floats:
    """The paper's product of a matrix and a matrix of blocks (definition 3.2)."""
    return np.block(
        [[left[i, j] * block for j, block in enumerate(line)] for i, line in enumerate(blocks)]
    )


def least_of_all_quadruples(matrix: Floats) -> float:
    """The definition of section 2.3: every u, v, u', v'."""
    m = matrix
    top = m[:, None, None, :] * m[None, :, :, None]  # A[u, v'] A[v, u'] as [u, v, u', v']
    bottom = m[:, None, :, None] * m[None, :, None, :]  # A[u, u'] A[v, v']
    return float((top / bottom).min())
