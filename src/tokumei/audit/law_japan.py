"""A release beside the five standards for anonymized information in Japan's rules."""

from __future__ import annotations

from dataclasses import replace

from tokumei.audit.criteria import Criterion, Sentence
from tokumei.audit.law_counts import (
    changes,
    columns_of,
    customers_left_out,
    linking_columns,
    lookalikes,
    order_kept,
    shared,
)
from tokumei.audit.law_rules import CODES, DESCRIPTIONS, LINKS, OTHER
from tokumei.audit.law_sentences import (
    Facts,
    alone_said,
    lasting_said,
    pseudonyms_said,
    rate_said,
    smallest_said,
)
from tokumei.audit.law_singular import singular
from tokumei.contracts import Release
from tokumei.history import History


def japanese_criteria(original: History, release: Release, facts: Facts) -> tuple[Criterion, ...]:
    """Return the five standards with what was found."""
    return (
        _descriptions(original, release, facts),
        _codes(release),
        _links(original, release, facts),
        singular(original, release),
        _other(original, release, facts),
    )


def _descriptions(original: History, release: Release, facts: Facts) -> Criterion:
    before, now = columns_of(original), columns_of(release.public)
    did = [
        _ids_told(facts) or Sentence("Every customer id was replaced by a pseudonym."),
        _listed(
            Sentence("Columns of the purchases beside the pseudonym: {columns}"), now.purchases
        ),
    ]
    if now.customers:
        about = Sentence("Columns about customers beside the pseudonym: {columns}")
        did.append(_listed(about, now.customers))
    else:
        did.append(Sentence("The release has no columns about customers."))
    kept = {*now.purchases, *now.customers}
    if gone := [name for name in (*before.purchases, *before.customers) if name not in kept]:
        did.append(_listed(Sentence("Columns of the original left out: {columns}"), gone))
    decide = [
        Sentence(
            "Can the name of an item, a time or an amount tell who somebody is, as with goods made "
            "to order?"
        ),
        Sentence("Who keeps the key and the secret, with which the pseudonyms can be undone?"),
    ]
    if now.beyond_roles:
        ask = Sentence("Do these columns tell who a person is, alone or together? {columns}")
        decide.insert(0, _listed(ask, now.beyond_roles))
    return replace(
        DESCRIPTIONS,
        did=tuple(did),
        evidence=(pseudonyms_said(facts.names), *facts.links.names),
        finding="open" if _ids_told(facts) or now.beyond_roles else "met-by-construction",
        decide=tuple(decide),
    )


def _ids_told(facts: Facts) -> Sentence | None:
    """Say what pseudonyms tell of customer ids; None if nothing."""
    if facts.names.equal:
        return Sentence("Some pseudonyms are customer ids of the original.")
    if facts.links.names:
        return Sentence("Pseudonyms tell something about the customers: they were not drawn.")
    return None


def _listed(sentence: Sentence, columns: tuple[str, ...] | list[str]) -> Sentence:
    return replace(sentence, values={"columns": ", ".join(columns)})


def _codes(release: Release) -> Criterion:
    found = lookalikes(release.public)
    decide = [
        Sentence(
            "A search by form proves nothing: does a column hold codes of another form, such as "
            "insurance numbers, or codes inside longer texts?"
        )
    ]
    if found:
        decide.insert(
            0,
            Sentence(
                "Do the cells found stand for persons? E-mail addresses and telephone numbers are "
                "no individual identification codes, but can be identifying descriptions."
            ),
        )
    cells = [Sentence(text, {"column": column, "cells": n}) for text, column, n in found]
    return replace(
        CODES,
        did=(Sentence("The texts and whole numbers of the release were searched by form."),),
        evidence=tuple(cells) or (Sentence("Cells that look like such a code: none"),),
        finding="open" if found else "measured",
        decide=tuple(decide),
    )


def _links(original: History, release: Release, facts: Facts) -> Criterion:
    told = _ids_told(facts)
    did = [told or Sentence("The customer id, which joins tables, is not in the release.")]
    evidence = [pseudonyms_said(facts.names), *facts.links.names]
    baskets = 0
    if "basket" in release.public.visible and "basket" in original.visible:
        numbers = release.public.frame()["basket"].drop_nulls()
        baskets = shared(numbers, original.frame()["basket"])
        did.append(
            Sentence("Some basket numbers of the original are in the release.")
            if baskets
            else Sentence("Baskets were numbered anew.")
        )
        evidence.append(
            Sentence(
                "Basket numbers that the original has too: {shared:,} of {baskets:,}",
                {"shared": baskets, "baskets": numbers.n_unique()},
            )
        )
    if release.public.rows > 1:
        did.append(
            Sentence("The order of the rows follows the original or tells about the customers.")
            if facts.links.rows
            else Sentence("No trace of the original's order was found in that of the rows.")
        )
    if (order := order_kept(release)) is not None:
        evidence.append(
            Sentence(
                "Neighboring rows in the order of the original: {share:.1%} (by chance 50%)",
                {"share": order},
            )
        )
    evidence += [*facts.links.baskets, *facts.links.rows]
    linking = linking_columns(original, release.public)
    evidence += [
        Sentence(
            "Column {column} looks like a code: values of one customer each, also in the original: "
            "{values:,}",
            {"column": column, "values": values},
        )
        for column, values in linking
    ]
    question = (
        Sentence("Must a customer keep one pseudonym throughout, or could it change with time?")
        if facts.names.most == 1
        else Sentence("Can anything but the pseudonym link the periods of a customer?")
    )
    linked = told or baskets or facts.links.baskets or facts.links.rows or linking
    return replace(
        LINKS,
        did=tuple(did),
        evidence=(*evidence, lasting_said(facts.names)),
        finding="open" if linked else "met-by-construction",
        decide=(
            question,
            Sentence("Which columns could be matched with data that the holder or others have?"),
        ),
    )


def _other(original: History, release: Release, facts: Facts) -> Criterion:
    made = changes(original, release)
    did = [
        Sentence("Which rows were deleted, invented or changed is unknown: the key does not tell.")
        if made is None
        else Sentence(
            "Rows of the original deleted: {deleted:.1%}; rows of the release invented: "
            "{invented:.1%}; cells of kept rows changed: {cells:.1%}",
            {"deleted": made.deleted, "invented": made.invented, "cells": made.cells},
        )
    ]
    if left_out := customers_left_out(original, release):
        did.append(
            Sentence("Customers of the original left out: {customers:,}", {"customers": left_out})
        )
    return replace(
        OTHER,
        did=tuple(did),
        evidence=(*alone_said(facts), smallest_said(facts), *rate_said(facts.largest)),
        finding="measured" if facts.largest else "open",
        decide=(
            Sentence(
                "Is the largest rate low enough for this recipient and purpose? The law names no "
                "number."
            ),
            Sentence("What could a recipient know that none of the attacks assumed?"),
        ),
    )
