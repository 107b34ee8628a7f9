"""Run the benchmarks that are named: `python -m bench reading ble`.

Without a name it is `results`, which `make bench` runs: everything beside its peers, and growth.
These take options: `python -m bench fuzzing --count 20000`, `python -m bench ratios --record`,
`python -m bench queue --jobs 10000 --kills 50`, `python -m bench ble_fuzzing --count 20000`,
`python -m bench live --clients 200 --tabs 12`, `python -m bench arena --minutes 10`,
`python -m bench spark --sizes 20000 50000`, `python -m bench before --revision HEAD~3` and
`python -m bench results --topics jaccard`.
"""

import sys
from importlib import import_module

given = sys.argv[1:]
names = given[: next((n for n, word in enumerate(given) if word.startswith("-")), len(given))]
options = given[len(names) :]

for name in names or ["results"]:
    main = import_module(f"bench.{name}").main
    main(options) if options else main()
