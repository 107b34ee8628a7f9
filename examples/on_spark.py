"""Anonymize purchases on Spark: `spark-submit examples/on_spark.py PURCHASES FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import tokumei
from tokumei.anonymizers import Decoys
from tokumei.data.folder import write_release
from tokumei.metrics import Indistinguishable, InformationLoss
from tokumei.spark import session

SEED = 1  # whoever knows it can undo the pseudonyms: draw your own, and keep it with the key


def main(purchases: str, folder: str) -> None:
    """Write a release in which at least four customers have bought the same items."""
    spark = session()  # the one that spark-submit has set up
    shop = tokumei.read(spark.read.parquet(purchases))
    customers = tokumei.statistics(shop).customers
    method = Decoys(clusters=customers // 8, min_size=4, seconds=1)
    release = tokumei.publish(shop, method(shop, seed=SEED))
    write_release(release, Path(folder), method={**tokumei.registry.spec(method), "seed": SEED})
    for metric in (InformationLoss(), Indistinguishable()):
        sys.stdout.write(f"{metric(shop, release, seed=SEED)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
