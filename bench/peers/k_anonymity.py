"""Run pycanon or anjana in their own packages: they need older ones than ours.

`python k_anonymity.py pycanon table.csv age,sex` or
`python k_anonymity.py anjana table.csv time,item hierarchies.json 5 10`, which writes the
anonymized table beside the given one. Prints JSON.
"""

import json
import sys
import time
from pathlib import Path

import pandas as pd
import pycanon.anonymity
from anjana.anonymity import k_anonymity

what, path, names, *others = sys.argv[1:]
table = pd.read_csv(path, dtype=str)
columns = names.split(",")


def shortest(work, repeat=3):
    times = []
    for _ in range(repeat):
        start = time.process_time()
        found = work()
        times.append(time.process_time() - start)
    return min(times), found


if what == "pycanon":
    seconds, k = shortest(lambda: pycanon.anonymity.k_anonymity(table, columns))
    print(json.dumps({"seconds": seconds, "k": int(k)}))
else:
    hierarchies, k, suppressed = others

    def anonymize():
        # It changes the levels that it is given, so they are read again.
        levels = {
            column: {int(level): pd.Series(values) for level, values in found.items()}
            for column, found in json.loads(Path(hierarchies).read_text()).items()
        }
        return k_anonymity(table, [], columns, int(k), float(suppressed), levels)

    seconds, made = shortest(anonymize, repeat=2)
    if made.empty:
        sys.exit("anjana found no table with this k")
    made.to_csv(Path(path).with_name("made.csv"), index=False)
    print(json.dumps({"seconds": seconds}))
