"""Run anonymeter in its own packages: it needs an older numpy than ours.

`python risk.py nearest known.csv released.csv` names the known row that is nearest to each released
one; `python risk.py linkability known.csv released.csv R,F M` measures whether released rows link
two parts of the columns. Prints JSON.
"""

import json
import sys
import time

import pandas as pd
from anonymeter.evaluators import LinkabilityEvaluator
from anonymeter.neighbors.mixed_types_kneighbors import MixedTypeKNeighbors

what, known, released, *parts = sys.argv[1:]
known, released = pd.read_csv(known), pd.read_csv(released)


def nearest():
    search = MixedTypeKNeighbors(n_neighbors=1, n_jobs=1).fit(known)
    return search.kneighbors(released)[:, 0].tolist()


def linkability():
    columns = tuple(part.split(",") for part in parts)
    evaluator = LinkabilityEvaluator(
        known, released, aux_cols=columns, n_attacks=len(known), n_neighbors=1
    )
    found = evaluator.evaluate(n_jobs=1).risk()
    return {"risk": found.value, "interval": list(found.ci)}


work = {"nearest": nearest, "linkability": linkability}[what]
work()  # compiles
start = time.process_time()
result = work()
print(json.dumps({"seconds": time.process_time() - start, "result": result}))
