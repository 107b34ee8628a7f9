"""What the laws share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokumei import History, registry
from tokumei.cli.main import _run
from tokumei.tables import small

ROLES = ("person", "item", "time", "price", "quantity", "basket")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, shop_with_customers: History) -> Path:
    """Files of the shop and of its customers, and a release of it."""
    place = tmp_path_factory.mktemp("commands")
    shop_with_customers.frame().select(ROLES).write_csv(place / "shop.csv")
    small(shop_with_customers.customers).write_csv(place / "people.csv")
    people = ["--customers", str(place / "people.csv")]
    people += ["--keep", "sex", "--keep", "birth", "--keep", "country"]
    kept = ["--keep-times"]  # attacks on them have something to see
    then = ["--then", "delete-rows --share 0.3", "-o", str(place / "release")]
    assert _run(["anonymize", "shift-dates", str(place / "shop.csv"), *people, *kept, *then]) == 0
    return place


@pytest.fixture
def empty_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register what is gone after it."""
    registry.names("anonymizer")
    methods = {family: dict(known) for family, known in registry._methods.items()}
    monkeypatch.setattr(registry, "_methods", methods)
    monkeypatch.setattr(registry, "_names", dict(registry._names))
