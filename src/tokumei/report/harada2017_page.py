"""The tables and figures of Harada 2017 as sections of a page."""

from __future__ import annotations

import polars as pl

from tokumei.itemsets.statistics import statistics
from tokumei.papers import harada2017
from tokumei.papers.harada2017_numbers import BEST, TABLE1, TABLE3, TABLE4
from tokumei.report import harada2017_figures as figures
from tokumei.report.harada2017_figures import LABELS, Results
from tokumei.report.paper_page import Section


def sections(results: Results) -> list[Section]:
    """Return the page's sections in the order of the paper."""
    return [
        _table1(results),
        *figures.histograms(results),
        *figures.cluster_sizes(results),
        _table3(results),
        figures.figure7(results),
        _table4(results),
        figures.figure9(results),
        figures.figure10(results),
        figures.figure11(),
        figures.figure12(),
        _strip(results),
        figures.figure31(results),
        _others(results),
    ]


def _table1(results: Results) -> Section:
    found = statistics(results.history).to_json()
    data = pl.DataFrame(
        [
            {"what": name, "paper": said, "ours": f"{found[name]:,.6g}"}
            for name, said in TABLE1.items()
        ]
    )
    text = (
        "Statistics of the contest's data. The paper rounds b down to 65; it prints the largest "
        "jaccard coefficient as 0.41, the data gives 0.40."
    )
    return Section("table1", "Table 1: the data", text, data, shown=data.columns)


def _table3(results: Results) -> Section:
    found = harada2017.correlations(results.measured)
    data = pl.DataFrame(
        [
            {"of": one, "with": other, "paper": said, "ours": found[one][other]}
            for (one, other), said in TABLE3.items()
        ]
    )
    text = (
        "Correlations over methods 1 and 2 at several c. The contest's programs are lost; U1 to U4 "
        "and Y1 are our definitions after their names. U4 hardly moves, as in the paper, which "
        "prints no number for it. Y1 is 1 as soon as every customer has a decoy."
    )
    return Section("table3", "Table 3: added rows against utility", text, data, shown=data.columns)


def _table4(results: Results) -> Section:
    rows = []
    for trial in results.table4:
        said = TABLE4.get((trial.method, trial.c, trial.s_min))
        best = TABLE4[BEST[trial.c]][0]
        rows.append(
            {
                "method": LABELS[trial.method],
                "c": trial.c,
                "s_min": trial.s_min,
                "added": round(trial.added),
                "paper added": said[0] if said else None,
                "against paper": f"{trial.added / (said[0] if said else best) - 1:+.1%}",
                "jaccard": trial.jaccard,
                "paper jaccard": said[1] if said else None,
                "reid": trial.reid,
                "paper reid": said[2] if said else None,
                "seconds": trial.seconds,
            }
        )
    data = pl.DataFrame(rows, infer_schema_length=None).sort("c", "method", "s_min")
    text = (
        "Methods 1 and 2 are means over the trials, search is one run, compared with the paper's "
        "best for that c. The paper does not say how its k-means starts; that is the main "
        "difference. Added rows are what the method costs; reid is the share found by the jaccard "
        "attack, c / n in theory."
    )
    return Section("table4", "Table 4: what decoys cost", text, data, shown=data.columns)


def _strip(results: Results) -> Section:
    data = pl.DataFrame(
        [
            {"decoys": name, "found by strip-decoys": results.strip[name]}
            for name in ("paper", "camouflage")
        ]
    )
    text = (
        f"Not in the paper. At c = n / 4 the paper's number is {results.strip['expected']:.2f}; an "
        "attacker who drops implausible rows first finds far more when decoys have the paper's "
        "prices, and gains nothing from decoys that copy real purchases. Neither number holds for "
        "an attacker who knows rows: the real purchases stand in the release as they were."
    )
    return Section("strip", "Decoys can be recognized", text, data, shown=data.columns)


def _others(results: Results) -> Section:
    data = pl.DataFrame(results.others)
    text = (
        "The papers' future work: the same with groups of four on other histories (at most 400 "
        "customers each). The rate is c / n wherever item sets differ; search needs fewer decoys."
    )
    return Section("others", "Other histories", text, data, shown=data.columns)
