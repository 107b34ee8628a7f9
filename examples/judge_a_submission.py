"""Judge a submission to PWSCUP 2017: `python judge_a_submission.py T.csv M.csv AT.csv`."""

import sys

from tokumei import rules

contest = rules.find("pwscup2017")
original = contest.read(sys.argv[1], sys.argv[2])
entry = contest.check(original, sys.argv[3])
judgment = contest.judge(original, entry, seed=1)
print(f"{judgment.total:.6f}", {score.name: score.value for score in judgment.scores})
