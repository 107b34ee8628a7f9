"""A cluster gives what one machine gives, also when it loses a machine in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from standalone import cluster, done, work

from tokumei import generate


def test_a_worker_killed_in_the_middle_does_not_change_the_result(
    spark: Any, tmp_path: Path
) -> None:
    shop = tmp_path / "shop.parquet"
    generate("shop", customers=200, seed=5).to_native().write_parquet(shop)
    alone = done(spark, shop, 0.1, block=60)
    with cluster(tmp_path) as made:
        together = work(made.master, shop, parts=2, seconds=0.1, block=60, kill=made)
        assert made.workers[0].poll() is not None
    assert together[:2] == alone
    assert alone[0].startswith("rows ")
