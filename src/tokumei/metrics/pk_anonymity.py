"""Pk-anonymity, as it is in the release."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tokumei.attributes import Columns, WhichTable, column_names, records
from tokumei.contracts import Release, Score
from tokumei.errors import SchemaError
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.pk import Correlation, Domain, anonymity, mechanism, records_of
from tokumei.pk.files import Forbidden, parse_forbidden, space_of
from tokumei.pk.kernels import Ints
from tokumei.pk.randomness import LEVEL, randomness
from tokumei.pk.verifying import Estimate, estimate
from tokumei.registry import metric
from tokumei.tables import frame

DEVIATIONS = 1.96
ASSUMES = (
    "The attacker knows every record, and how values were drawn. One table cannot prove that they "
    "were drawn at random."
)


@metric("pk-anonymity")
@dataclass(frozen=True, kw_only=True)
class PkAnonymity(Checked):
    r"""Pk-anonymity k of some columns, computed from what happened to their values.

    The original and the release tell, with the key, how often values were kept; that gives rho, and
    rho gives k by the exact minimum. The release is compared with tables that are drawn with this
    rho. If it is odd among them, if fewer values are kept than by chance, or if none was changed,
    nothing is promised and k is 1; and also if a substitution, in which each value becomes one
    fixed value, would not be noticed in so small a table.

    With A the probabilities of the N records' changes, :math:`k = 1 + (N - 1) \min A_{u,v'}
    A_{v,u'} / (A_{u,u'} A_{v,v'})` over all values u, v before and u', v' after.

    Limits: one table never proves that values were drawn at random: a rule that the comparison does
    not look for passes, and one honest release in a thousand fails. rho is estimated, and roughly
    so where there are few records; what other columns tell is not covered. For purchases, k is
    about a row, not about its customer.

    References
    ----------
    [saito2014] Section 3.3.

    """

    columns: Columns
    table: WhichTable = "customers"
    forbidden: Forbidden = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        column_names(self.columns)
        parse_forbidden(self.forbidden)

    def __call__(self, history: History, release: Release, /, *, seed: int) -> Score:
        names = column_names(self.columns)
        kept = linked(history, release, self.table, names, self.forbidden)
        found, size = kept.estimate, len(kept.before)
        promised = looks_drawn(kept, seed=seed)

        def k_at(shift: float) -> float:
            rho = [
                min(max(rho + shift * error, 0.0), 1.0)
                for rho, error in zip(found.rho, found.errors, strict=True)
            ]
            return 1.0 if max(rho) == 1.0 else anonymity(mechanism(kept.space, rho), size)

        return Score(
            "pk-anonymity",
            k_at(0) if promised else 1.0,
            "higher",
            (1.0, float(size)),
            size,
            assumes=ASSUMES,
            interval=(k_at(DEVIATIONS), k_at(-DEVIATIONS)) if promised else (1.0, 1.0),
        )


@dataclass(frozen=True, eq=False)
class Linked:
    """The records of a release beside those that they came from."""

    space: Domain | Correlation
    before: Ints
    after: Ints
    estimate: Estimate


def looks_drawn(kept: Linked, *, seed: int) -> bool:
    """Tell whether nothing contradicts that values were kept and drawn as the estimate says."""
    found = kept.estimate
    if max(found.rho) == 1.0 or found.fewest <= LEVEL:
        return False
    of = mechanism(kept.space, found.rho)
    return randomness(kept.before, kept.after, of, seed=seed).believed


def linked(
    history: History, release: Release, part: str, names: list[str], forbidden: str
) -> Linked:
    """Link records with the key, and estimate with which rho they were perturbed."""
    to = "verify Pk-anonymity"
    before, after = (records(of, part, names, to=to) for of in (history, release.public))
    if part == "customers":
        key = frame(release.key.pseudonyms).select("pseudonym", origin="person")
        after = after.join(key, left_on="person", right_on="pseudonym")
        both = before.join(after, left_on="person", right_on="origin").sort("person")
    else:
        key = frame(release.origins()).drop_nulls()
        after = after.join(key, left_on=ROW, right_on="row")
        both = before.join(after, left_on=ROW, right_on="origin").sort(ROW)
    if len(both) < 2:
        raise SchemaError(f"To {to}, at least 2 records must be linked by the key.")
    old = both.select(names)
    new = both.select(pl.col(f"{name}_right").alias(name) for name in names)
    space = space_of(Domain.found_in(pl.concat([old, new]), names), forbidden)
    cells = records_of(old, space).cells, records_of(new, space).cells
    return Linked(space, *cells, estimate(*cells, space))
