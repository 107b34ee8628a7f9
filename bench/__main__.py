"""Run every benchmark, or those named: `python -m bench reading`.

Seven run only when they are named, and take options: `python -m bench fuzzing --count 20000`,
`python -m bench queue --jobs 10000 --kills 50`, `python -m bench ble_fuzzing --count 20000`,
`python -m bench live --clients 200 --tabs 12`, `python -m bench arena --minutes 10`,
`python -m bench spark --sizes 20000 50000` and `python -m bench before --revision HEAD~3`.
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
    "ble",
)

given = sys.argv[1:]
names = given[: next((n for n, word in enumerate(given) if word.startswith("-")), len(given))]
options = given[len(names) :]

for name in names or ALL:
    main = import_module(f"bench.{name}").main
    main(options) if options else main()
