"""One session for all tests on Spark, and the same small histories on both engines."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from standalone import BRIEF, LOOPBACK

from tokumei import History, Release, publish
from tokumei.anonymizers import Chain, DeleteRows, PerturbAmounts, ShiftDates


def pytest_collection_modifyitems(items: list[Any]) -> None:
    for item in items:
        if "spark" in item.path.parts[-2:]:
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("PySpark is not installed: pip install 'tokumei[spark]'")
    if not shutil.which("java"):
        pytest.skip("Spark needs Java 17: install openjdk-17-jre-headless")
    from tokumei.spark import session

    started = session(
        "local[2]",
        **LOOPBACK,
        **BRIEF,
        spark_driver_memory="1g",
        spark_sql_shuffle_partitions="2",
        spark_default_parallelism="2",
    )
    yield started
    started.stop()


@pytest.fixture(scope="session")
def local(shop_with_customers: History) -> History:
    return shop_with_customers


@pytest.fixture(scope="session")
def distant(local: History, spark: Any) -> History:
    """The same on Spark, with the same row ids."""
    from tokumei.spark import to_cluster

    return to_cluster(local, spark)


CHANGED = Chain(steps=(DeleteRows(share=0.3), ShiftDates(days=2, together="row"), PerturbAmounts()))


@pytest.fixture(scope="session")
def release(local: History) -> Release:
    return publish(local, CHANGED(local, seed=11), secret=b"12")


@pytest.fixture(scope="session")
def distant_release(distant: History) -> Release:
    return publish(distant, CHANGED(distant, seed=11), secret=b"12")
