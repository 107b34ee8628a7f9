"""What the rules ask, in our own words, with their sources; nothing here depends on data."""

from __future__ import annotations

from dataclasses import dataclass

from tokumei.audit.criteria import Criterion, Law

DISCLAIMER = (
    "This page sets facts about the data beside what the rules ask, with sources. It is no legal "
    "advice, and no finding says that a law is complied with. Laws change: read the sources."
)

JAPAN = (
    "Enforcement Rules for the Act on the Protection of Personal Information, Article 34: "
    "https://laws.e-gov.go.jp/law/428M60020000003"
)
EUROPE = (
    "Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216): "
    "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/files/2014/"
    "wp216_en.pdf"
)

DESCRIPTIONS = Criterion(
    "appi",
    1,
    "Identifying descriptions",
    "What tells who a person is, such as a name, must be deleted at least in part, or replaced by "
    "something from which no rule leads back to it.",
    JAPAN,
)
CODES = Criterion(
    "appi",
    2,
    "Individual identification codes",
    "Codes that stand for one person, such as a My Number, a passport number or face data (Article "
    "2(2) of the Act, Article 1 of its Cabinet Order), must all be deleted, or replaced by "
    "something from which no rule leads back to them.",
    JAPAN,
)
LINKS = Criterion(
    "appi",
    3,
    "Codes that link data",
    "Codes by which the holder joins its own data with the released data, such as a customer id in "
    "two tables, must be deleted, or replaced by codes that join nothing.",
    JAPAN,
)
SINGULAR = Criterion(
    "appi",
    4,
    "Singular descriptions",
    "What is so rare that it points to one person, such as an item that nobody else ever bought or "
    "an order of thousands of pieces, must be deleted or replaced.",
    JAPAN,
)
OTHER = Criterion(
    "appi",
    5,
    "Other measures that the data calls for",
    "Beyond the first four standards the data must be seen as a whole: where the records of one "
    "person differ from those of the others, the holder takes the measures that this calls for.",
    JAPAN,
)
SINGLING_OUT = Criterion(
    "wp29",
    1,
    "Singling out",
    "Can the records of one person still be told apart from those of everybody else?",
    EUROPE,
)
LINKABILITY = Criterion(
    "wp29",
    2,
    "Linkability",
    "Can records about one person or one group be brought together, within the release or with "
    "other data?",
    EUROPE,
)
INFERENCE = Criterion(
    "wp29",
    3,
    "Inference",
    "Can something about a person be concluded, with good probability, from what the data says?",
    EUROPE,
)
RULES = (DESCRIPTIONS, CODES, LINKS, SINGULAR, OTHER, SINGLING_OUT, LINKABILITY, INFERENCE)


@dataclass(frozen=True)
class Background:
    """Where the criteria of a law come from, and what to read about them."""

    law: Law
    name: str
    note: str
    reading: tuple[str, ...]


BACKGROUNDS = (
    Background(
        "appi",
        "Japan: anonymized information under the Act on the Protection of Personal Information",
        "Article 43(1) of the Act asks whoever makes anonymized information to follow the five "
        "standards of Article 34 of the Enforcement Rules. Before April 2022 these were Article "
        "36(1) and Article 19. The Act names no rate below which people count as anonymous.",
        (
            "Act on the Protection of Personal Information, Article 2(6) and Articles 43 to 46: "
            "https://laws.e-gov.go.jp/law/415AC0000000057",
            "Personal Information Protection Commission, Guidelines on the Act (pseudonymized and "
            "anonymized information): "
            "https://www.ppc.go.jp/personalinfo/legal/guidelines_anonymous/",
        ),
    ),
    Background(
        "wp29",
        "European Union: three questions about an anonymized release",
        "The opinion of 2014 was given under the former Directive 95/46/EC; it binds nobody and is "
        "still commonly referred to. The measure of the GDPR is its recital 26: data is anonymous "
        "when people cannot be identified by means reasonably likely to be used, considering cost, "
        "time and technology. The European Data Protection Board announced guidelines of its own.",
        (
            "Regulation (EU) 2016/679 (GDPR), recital 26: "
            "https://eur-lex.europa.eu/eli/reg/2016/679/oj",
            "European Data Protection Board, anonymisation and pseudonymisation: "
            "https://www.edpb.europa.eu/topics/ai-and-technology/anonymisationpseudonymisation_en",
        ),
    ),
)


@dataclass(frozen=True)
class Duty:
    """What Japan's Act asks beyond the making of the data."""

    asks: str
    source: str


DUTIES = (
    Duty(
        "Keep safe what was deleted and how the data was made: here the secret part of the "
        "release, with key and seed.",
        "Act, Article 43(2); Enforcement Rules, Article 35",
    ),
    Duty(
        "Once the information is made, publish which kinds of information about people it "
        "contains.",
        "Act, Article 43(3); Enforcement Rules, Article 36",
    ),
    Duty(
        "Before giving it to others, publish which kinds of information it contains and how it is "
        "given, and tell the recipient that it is anonymized information. Recipients who pass it "
        "on do the same.",
        "Act, Articles 43(4) and 44; Enforcement Rules, Articles 37 and 38",
    ),
    Duty(
        "Do not match it with other data in order to identify people. Recipients also may not "
        "acquire what was deleted or how it was done.",
        "Act, Articles 43(5) and 45",
    ),
    Duty(
        "A test of safety, such as this audit, matches data too: whether it is allowed is judged "
        "case by case, by its purpose.",
        "Personal Information Protection Commission, Q&A 15-30: "
        "https://www.ppc.go.jp/all_faq_index/faq1-q15-30/",
    ),
    Duty(
        "Strive for security, for the handling of complaints and for other proper care of the "
        "information, and publish what is done.",
        "Act, Articles 43(6) and 46",
    ),
)
