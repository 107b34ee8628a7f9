"""What Kobayashi 2019 and the contest printed, to stand beside ours."""

from __future__ import annotations

TABLE4 = {
    2: {"R": 0.270, "F": 0.463, "M": 0.352, "RFM": 0.097, "safety": 0.50},
    3: {"R": 0.214, "F": 0.343, "M": 0.301, "RFM": 0.040, "safety": 0.33},
    4: {"R": 0.155, "F": 0.287, "M": 0.288, "RFM": 0.026, "safety": 0.25},
}
"""Table 4: shares of customers with the same rank, and the expected re-identification, by k."""

TABLE2 = {
    "12348": (66, 4, 1797.24),
    "12349": (9, 1, 1757.55),
    "12354": (223, 1, 1079.40),
}
"""Table 2: R, F and M of three customers in the original."""

ROUND1 = {"first": 0.311, "second": 0.319, "third": 0.356, "fourth": 0.617}
"""Information loss of the teams that were not shot down in round 1 of PWSCUP 2018."""
