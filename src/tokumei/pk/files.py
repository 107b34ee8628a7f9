"""Domains, correlations and mechanisms as files.

A domain is TOML with the ranges: `[attributes]` and lines such as `sex = ["male", "female"]`. A
correlation is a CSV file of allowed combinations with the attributes as header (those it leaves out
are free), or TOML with entries of forbidden ones:

```toml
[[forbidden]]
age = ["0-4", "5-9"]
licence = ["moped", "car"]
```

A mechanism file is JSON with everything that a reconstruction needs and nothing secret.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from typing_extensions import Doc

from tokumei.data.loading import load
from tokumei.data.writing import whole_file
from tokumei.errors import ParameterError, ReadError
from tokumei.pk.correlated import Correlated
from tokumei.pk.correlation import Correlation
from tokumei.pk.domain import Domain
from tokumei.pk.mechanism import Mechanism
from tokumei.pk.mechanisms import mechanism

DAMAGES = (
    *(ValueError, ArithmeticError, LookupError, TypeError, AttributeError),
    RecursionError,  # of lists in lists
)
Forbidden = Annotated[
    str,
    Doc("Combinations that cannot occur, as in 'sex=male & title=Ms|Mrs; age=0-4 & licence=car'."),
]


def read_domain(path: Path) -> Domain:
    """Read the ranges of the attributes."""
    found = _toml(path).get("attributes")
    if not isinstance(found, dict) or not all(map(_texts, found.values())):
        raise ReadError(
            f"{path} needs a table [attributes] with a list of values for each attribute."
        )
    return _domain(found)


def read_correlation(path: Path, domain: Domain) -> Correlation:
    """Read allowed combinations (CSV, Parquet) or forbidden ones (TOML)."""
    if path.suffix.lower() != ".toml":
        return Correlation.allowing(domain, load(path).rows)
    rules = _toml(path).get("forbidden")
    if not isinstance(rules, list) or not all(
        isinstance(rule, dict) and all(map(_texts, rule.values())) for rule in rules
    ):
        raise ReadError(f"{path} needs entries [[forbidden]] with lists of values of attributes.")
    texts = [
        {name: [str(value) for value in values] for name, values in rule.items()} for rule in rules
    ]
    return Correlation.forbidding(domain, texts)


def parse_forbidden(text: str) -> list[dict[str, list[str]]]:
    """Read forbidden combinations from one line.

    >>> parse_forbidden("age=0-4|5-9 & licence=car; sex=male & title=Ms")
    [{'age': ['0-4', '5-9'], 'licence': ['car']}, {'sex': ['male'], 'title': ['Ms']}]
    """
    rules = []
    for rule in filter(None, map(str.strip, text.split(";"))):
        parts = [part.partition("=") for part in rule.split("&")]
        if not all(sign and name.strip() for name, sign, _ in parts):
            raise ParameterError(
                f"A forbidden combination looks like age=0-4|5-9 & licence=car, not '{rule}'."
            )
        named = {name.strip(): values.split("|") for name, _, values in parts}
        rules.append({name: list(map(str.strip, values)) for name, values in named.items()})
    return rules


def space_of(domain: Domain, forbidden: str) -> Domain | Correlation:
    """Return the domain, or what forbidden combinations leave of it."""
    rules = parse_forbidden(forbidden)
    return Correlation.forbidding(domain, rules) if rules else domain


def write_mechanism(of: Mechanism, path: Path, **facts: Any) -> None:
    """Write what a reconstruction needs: ranges, rho and allowed combinations; and public facts."""
    found: dict[str, Any] = {
        "attributes": dict(zip(of.domain.names, of.domain.ranges, strict=True)),
        "rho": of.rho,
        **facts,
    }
    if isinstance(of, Correlated):
        found["allowed"] = of.codes.T.tolist()
    with whole_file(path) as file:
        file.write(json.dumps(found, ensure_ascii=False).encode())


def read_mechanism(path: Path) -> Mechanism:
    """Read a mechanism that `write_mechanism` wrote."""
    try:
        found = json.loads(path.read_bytes())
        json.dumps(found, ensure_ascii=False).encode()  # fails on half of a character
        if not all(map(_texts, found["attributes"].values())):
            raise TypeError("A range is a list of texts")
        domain, rho = _domain(found["attributes"]), [float(value) for value in found["rho"]]
        if "allowed" not in found:
            return mechanism(domain, rho)
        cells = {
            name: [values[cell[place]] for cell in found["allowed"]]
            for place, (name, values) in enumerate(zip(domain.names, domain.ranges, strict=True))
        }
        allowed = pl.DataFrame(cells)
    except DAMAGES as error:
        if isinstance(error, ParameterError):
            raise
        raise ReadError(f"{path} is not a mechanism file of tokumei pk perturb.") from error
    return mechanism(Correlation.allowing(domain, allowed), rho)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"{path} cannot be read as TOML ({error}).") from error


def _domain(ranges: Mapping[str, Sequence[object]]) -> Domain:
    return Domain.of({name: [str(value) for value in values] for name, values in ranges.items()})


def _texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str | int) for value in values)
