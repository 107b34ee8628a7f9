"""A release beside the three questions of the European opinion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tokumei.audit.criteria import Criterion, Sentence
from tokumei.audit.law_counts import DIGITS, inference
from tokumei.audit.law_rules import INFERENCE, LINKABILITY, SINGLING_OUT
from tokumei.audit.law_sentences import (
    Facts,
    alone_said,
    lasting_said,
    rate_said,
    smallest_said,
)
from tokumei.contracts import Release
from tokumei.history import History


def european_criteria(original: History, release: Release, facts: Facts) -> tuple[Criterion, ...]:
    """Return the three questions with what was found."""
    return _singling_out(facts), _linkability(facts), _inference(original, release, facts)


def _singling_out(facts: Facts) -> Criterion:
    least = facts.rows.smallest
    return replace(
        SINGLING_OUT,
        did=(
            Sentence("No customer is alone: others have the very same rows.")
            if least > 1
            else Sentence("Customers whose rows nobody else has were left in the release."),
        ),
        evidence=(*alone_said(facts), smallest_said(facts)),
        finding="measured",
        decide=(
            Sentence(
                "Who could know so much about a customer's purchases, with means reasonably likely "
                "to be used (cost, time, technology), that being alone matters?"
            ),
        ),
    )


def _linkability(facts: Facts) -> Criterion:
    return replace(
        LINKABILITY,
        did=(lasting_said(facts.names),),
        evidence=rate_said(facts.largest),
        finding="measured" if facts.largest else "open",
        decide=(
            Sentence(
                "Which other data about the same people exists, and is joining it a means "
                "reasonably likely to be used?"
            ),
            Sentence("Is another release of the same customers planned, or was there one?"),
        ),
    )


TOLD = {
    "time": Sentence(
        "Days on which a customer is said to have bought, and really did: {true:.1%}; were the "
        "same days said of a customer drawn at random: {chance:.1%}"
    ),
    "price": Sentence(
        "Prices that a customer is said to have paid, and really did: {true:.1%}; were the same "
        "prices said of a customer drawn at random: {chance:.1%}"
    ),
    "quantity": Sentence(
        "Quantities that a customer is said to have bought, and really did: {true:.1%}; were the "
        "same quantities said of a customer drawn at random: {chance:.1%}"
    ),
}


def _told(original: History, release: Release) -> Iterator[Sentence]:
    """Say how true the exact days, prices and quantities are of whom they are said."""
    for column, sentence in TOLD.items():
        truth = inference(original, release, column)
        if truth is not None:
            shares = {"true": round(truth.true, DIGITS), "chance": round(truth.chance, DIGITS)}
            yield replace(sentence, values=shares)


def _inference(original: History, release: Release, facts: Facts) -> Criterion:
    truth = inference(original, release)
    evidence = [
        Sentence(
            "Customers in groups with the same rows: {grouped:,} of {customers:,}; what is said of "
            "a group is said of each of its members, though they cannot be told apart",
            {"grouped": facts.rows.customers - facts.rows.alone, "customers": facts.rows.customers},
        )
    ]
    if truth is None:
        did = Sentence("The release ascribes no items to customers.")
    else:
        did = Sentence(
            "Items that the release ascribes to a customer who never bought them: {untrue:.1%}",
            {"untrue": 1 - truth.true},
        )
        evidence.insert(
            0,
            Sentence(
                "Items ascribed to a customer who really bought them: {true:.1%}; were the same "
                "items ascribed to a customer drawn at random: {chance:.1%}",
                {"true": truth.true, "chance": truth.chance},
            ),
        )
    return replace(
        INFERENCE,
        did=(did,),
        evidence=(*evidence, *_told(original, release)),
        finding="open" if truth is None else "measured",
        decide=(
            Sentence(
                "Do items say something sensitive, such as health or belief, that must not be "
                "concluded even about a group?"
            ),
            Sentence("What else, beyond items, can be concluded from times and amounts?"),
        ),
    )
