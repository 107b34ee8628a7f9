"""Run every benchmark, or those named: `python -m bench reading`."""

import sys
from importlib import import_module

ALL = ("reading", "growth", "jaccard", "grouping")

for name in sys.argv[1:] or ALL:
    import_module(f"bench.{name}").main()
