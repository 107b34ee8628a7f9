"""Run every benchmark, or those named: `python -m bench reading`.

`fuzzing` runs only when it is named, and takes options: `python -m bench fuzzing --count 20000`.
"""

import sys
from importlib import import_module

ALL = (
    "reading",
    "growth",
    "jaccard",
    "grouping",
    "judging",
    "generalizing",
    "perturbing",
    "auditing",
)

given = sys.argv[1:]
names = given[: next((n for n, word in enumerate(given) if word.startswith("-")), len(given))]
options = given[len(names) :]

for name in names or ALL:
    main = import_module(f"bench.{name}").main
    main(options) if options else main()
