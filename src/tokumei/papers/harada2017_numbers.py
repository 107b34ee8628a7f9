"""The numbers that Harada 2017 and the thesis of 2016 print."""

from __future__ import annotations

TABLE1: dict[str, str] = {
    "customers": "400",
    "rows": "38,087",
    "baskets": "1,763",
    "items": "2,781",
    "mean_items_per_customer": "65",
    "mean_jaccard": "0.03",
    "max_jaccard": "0.41",
}

# (method, c, s_min) → added rows, jaccard, re-identification rate; the mean of 10 trials.
TABLE4: dict[tuple[str, int, int], tuple[int, float, float]] = {
    ("1", 50, 1): (182_897, 0.1728, 0.1235),
    ("2", 50, 2): (183_902, 0.1729, 0.1223),
    ("2", 50, 3): (175_449, 0.1726, 0.1222),
    ("2", 50, 4): (162_474, 0.1723, 0.1218),
    ("2", 50, 8): (125_798, 0.1681, 0.1218),
    ("1", 75, 1): (141_696, 0.2402, 0.1858),
    ("2", 75, 2): (136_526, 0.2403, 0.1860),
    ("2", 75, 3): (112_781, 0.2394, 0.1855),
    ("2", 75, 4): (91_946, 0.2382, 0.1855),
    ("1", 100, 1): (128_568, 0.3060, 0.2488),
    ("2", 100, 2): (99_228, 0.3061, 0.2475),
    ("2", 100, 3): (68_357, 0.3041, 0.2480),
    ("2", 100, 4): (59_374, 0.3044, 0.2465),
    ("1", 125, 1): (97_581, 0.3692, 0.3120),
    ("2", 125, 2): (60_492, 0.3687, 0.3105),
    ("2", 125, 3): (46_101, 0.3667, 0.3102),
}
BEST = {50: ("2", 50, 8), 75: ("2", 75, 4), 100: ("2", 100, 4), 125: ("2", 125, 3)}
"""The fewest added rows for each c."""

# Correlation with the number of added rows, and of the rate with the number of clusters.
TABLE3: dict[tuple[str, str], float] = {
    ("added", "U1-cMAE"): 0.9798,
    ("added", "U2-cMAE"): 0.9798,
    ("added", "U3-RFM"): 0.9547,
    ("added", "Y1-subset"): 0.6690,
    ("added", "jaccard"): -0.8586,
    ("added", "reid"): -0.8489,
    ("c", "reid"): 0.9999,
    ("c", "jaccard"): 0.9994,
}
C_STAR = {400: 130, 4000: 1427}
LARGEST_CLUSTER = {"jaccard-kmeans": 294, "1": 32, "2": 16}
"""Figures 3, 5 and 6: the largest of 50 clusters (method 2 with s_min = 5)."""
