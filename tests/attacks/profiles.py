"""What the tests of attacks on profiles share: who was named, with which weight."""

from __future__ import annotations

from tokumei import Guess, History, publish
from tokumei.contracts import Answer, Attack, Threat
from tokumei.judges import HitRate
from tokumei.tables import frame
from tokumei.threats import FullKnowledge


def named(guess: Guess, answer: Answer) -> dict[str, dict[str, float]]:
    """The guess with targets as their customers: truth → value → weight."""
    truth = dict(frame(answer.pairs).select("target", "value").iter_rows())
    result: dict[str, dict[str, float]] = {}
    for target, value, weight in frame(guess.pairs).iter_rows():
        result.setdefault(truth[target], {})[value] = weight
    return result


def found(known: History, released: History, attack: Attack) -> dict[str, dict[str, float]]:
    challenge, answer = FullKnowledge()(known, publish(known, released, secret=b"1"), seed=1)
    return named(attack(challenge, seed=1), answer)


def rate(
    history: History, anonymized: History, attack: Attack, threat: Threat | None = None
) -> float:
    """The share of customers that the attack finds in what is published of a history."""
    release = publish(history, anonymized, secret=b"2")
    challenge, answer = (threat or FullKnowledge())(history, release, seed=3)
    return HitRate()(attack(challenge, seed=3), answer).value
