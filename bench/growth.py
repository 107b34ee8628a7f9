"""How cost grows with the number of customers, on generated shops."""

from __future__ import annotations

import logging
import math
import resource

from bench.measuring import seconds, show
from tokumei import Risk, generate, publish, registry, statistics
from tokumei.anonymizers import DeleteRows

SIZES = (1_000, 2_000, 4_000, 8_000)


def main() -> None:
    logging.disable(logging.WARNING)
    times: dict[str, list[float]] = {}
    for size in SIZES:
        shop = generate("shop", customers=size, seed=0)
        release = publish(shop, DeleteRows(share=0.2)(shop, seed=1), seed=1)
        work = {
            "generate shop": lambda size=size: generate("shop", customers=size, seed=0),
            "statistics (all pairs)": lambda shop=shop: statistics(shop),
            "publish": lambda shop=shop: publish(shop, shop, seed=1),
            "risk of exact-row": lambda shop=shop, release=release: Risk()(shop, release, seed=1),
        }
        for name in registry.names("anonymizer"):
            method = registry.build("anonymizer", {"method": name})
            work[name] = lambda method=method, shop=shop: method(shop, seed=1)
        for name, job in work.items():
            times.setdefault(name, []).append(seconds(job, repeat=2))
    rows = [
        (name, *(f"{value:.3f}" for value in taken), f"{exponent(taken):.2f}")
        for name, taken in times.items()
        if taken[-1] > 0.001
    ]
    heads = ("seconds for", *(f"n = {size:,}" for size in SIZES), "exponent")
    show("Cost against the number of customers n", heads, rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")


def exponent(taken: list[float]) -> float:
    """Fit time = a n^b over the sizes by least squares of the logarithms; return b."""
    xs, ys = [math.log(size) for size in SIZES], [math.log(value) for value in taken]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - mean_x) ** 2 for x in xs)


if __name__ == "__main__":
    main()
