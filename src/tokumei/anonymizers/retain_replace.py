"""Values kept or drawn anew: Pk-anonymity."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from annotated_types import Gt, Interval
from typing_extensions import Doc

from tokumei.attributes import Columns, WhichTable, column_names, records
from tokumei.draws import derive, keys_of
from tokumei.history import ROW, History
from tokumei.parameters import Checked
from tokumei.pk import Domain, best_rho, largest_rho, mechanism, perturb
from tokumei.pk.files import Forbidden, parse_forbidden, space_of
from tokumei.registry import anonymizer
from tokumei.tables import table

log = logging.getLogger(__name__)


@anonymizer("retain-replace", spark="columns:retain_replace")
@dataclass(frozen=True, kw_only=True)
class RetainReplace(Checked):
    """Keep a value of the chosen columns with probability rho, else draw it from its range.

    rho is the largest with which the table has Pk-anonymity k: an attacker who knows all records
    and sees the perturbed ones links a perturbed record to its original with a confidence of 1/k at
    most. Combinations that cannot occur are never drawn if they are named as forbidden, which lets
    rho be larger. The statistics of the columns can be reconstructed (tokumei pk reconstruct).

    The promise is about the records of the chosen table and the chosen columns. In the customers
    table a record is a person. In the purchases it is a row: a customer with 12% of the rows is
    behind a perturbed row with a probability of 12% before anything is looked at, whatever k is,
    and the rows of a customer together remain a fingerprint. The ranges are the values that occur.

    A value is kept with probability :math:`ρ + (1 - ρ) / m`, and becomes each other of the m values
    with probability :math:`(1 - ρ) / m`.

    References
    ----------
    [saito2014] Section 3. Differs: k by the exact minimum instead of the closed forms.

    """

    columns: Columns
    table: WhichTable = "customers"
    k: Annotated[float, Gt(1), Doc("Pk-anonymity that the table must have.")] = 2.0
    rho: Annotated[
        float | None,
        Interval(ge=0, lt=1),
        Doc("Probability of keeping a value, instead of the largest that gives k."),
    ] = None
    choose: Annotated[
        Literal["one", "each"],
        Doc("One rho for all columns, or for each the one with the least expected error."),
    ] = "one"
    forbidden: Forbidden = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        column_names(self.columns)
        parse_forbidden(self.forbidden)

    def __call__(self, history: History, /, *, seed: int) -> History:
        names = column_names(self.columns)
        rows = records(history, self.table, names, to="perturb columns")
        log.warning(
            "The ranges of %s are the values that occur in the data, and the release shows them.",
            ", ".join(names),
        )
        space = space_of(Domain.found_in(rows, names), self.forbidden)
        rho: float | tuple[float, ...]
        if self.rho is not None:
            rho = self.rho
        else:
            rho = (largest_rho if self.choose == "one" else best_rho)(space, self.k, len(rows))
        keys = rows[ROW].to_numpy() if self.table == "purchases" else keys_of(rows["person"])
        perturbed = perturb(
            rows, mechanism(space, rho), seed=derive(seed, "retain-replace"), keys=keys
        )
        if self.table == "purchases":
            return history.with_purchases(perturbed)
        return replace(history, customers=table(perturbed))
