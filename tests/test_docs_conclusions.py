"""The documentation concludes nothing from output that no test compares.

A block marked `output varies` is run, but what it shows is not compared. So it may show no number,
and the text after it, up to the next block or heading, may neither give a result nor weigh one.
What is to be concluded belongs after output that is compared, or into an `assert` that is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import test_docs
from test_docs import BLOCK, NOT_RUN, PAGES, ROOT, VARIES, Block

pytestmark = test_docs.pytestmark

NUMBER = re.compile(r"\d")
LINK = re.compile(r"\w+://\S+")
AFTER = re.compile(r"^(?:#{1,6} |```|<!-- )", re.MULTILINE)
"""Where the text after a block ends."""
RESULT = re.compile(
    r"""
    \d+(?:\.\d+)?\s?% | \d\.\d | \d+\ of\ \d+ | \b\d+\ (?:customers|people)\b   # measured values
    | \b(?:half|quarters?|thirds?|fifths?|tenths?|twice|percent)\b
    | \b(?:so|therefore|thus|hence|consequently|because|means?\ that|shows?\ that)\b
    | \b(?:as\ \w+\ as|better|worse|fewer|less|more|most|still|no\ longer)\b
    | \b(?:hardly|nearly|about|almost)\b
    | \b(?:find|finds|found|identif\w+|guess\w*|attack\w*|succeed\w*|fail\w*|protect\w*|safe\w*)\b
    | \b(?:risks?|rates?|scores?|baseline|numbers)\b
    | (?:[2-9]|\d{2,})\s?人 | \d+\ 分の\ \d | \d\s?割 | 半分 | ほとんど | 全員 | 誰も
    | したがって | そのため | よって | つまり | だから | ことが分か | と言え
    | より(?:多|少|良|悪|高|低) | 下が | 上が | 程度 | まだ | もはや
    | 見つ | 再識別 | 特定 | 言い当て | 攻撃 | 推定 | 成功 | 失敗 | 守
    | 安全 | リスク | 率 | 評価 | 数値
    """,
    re.VERBOSE | re.IGNORECASE,
)


def varying(text: str) -> Iterator[tuple[Block, str]]:
    """Every block of a page whose output varies, and the text after it."""
    for found in BLOCK.finditer(text):
        if VARIES.fullmatch(found["note"] or ""):
            rest = text[found.end() :]
            end = AFTER.search(rest)
            said = rest[: end.start()] if end else rest
            yield Block(found["kind"], found["text"], found["note"]), said


def conclusions(text: str) -> list[str]:
    """What a page concludes, or lets conclude, from output that varies."""
    found: list[str] = []
    for block, said in varying(text):
        shown = [line for _, lines in block.commands for line in lines]
        if block.kind not in test_docs.RUN:
            shown = block.text.splitlines()
        found += [line for line in shown if NUMBER.search(LINK.sub("", line))]
        found += [match[0] for match in RESULT.finditer(LINK.sub("", said))]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_is_concluded_from_output_that_varies(page: Path) -> None:
    assert not conclusions(page.read_text(encoding="utf-8"))


BEFORE = "<!-- output varies: it is drawn -->\n```console\n$ tokumei score a b\n"


@pytest.mark.parametrize(
    "said",
    [
        "The attack now does about as well as the random guess.",
        "Nobody can be found any more, which makes this release safe.",
        "It names 3 of 100 customers.",
        "Some 40% of the cells changed.",
        "Pseudonyms are worse than groups.",
        "攻撃の成績は、無作為推定と同じ程度まで下がりました。",
        "この手法は顧客を守ります。",
        "見つかるのは 3 人です。",
    ],
)
def test_a_conclusion_is_noticed(said: str) -> None:
    assert conclusions(f"{BEFORE}```\n\n{said}\n")


def test_a_number_that_is_shown_is_noticed() -> None:
    assert conclusions(f"{BEFORE}│ exact-row │ 0.0200 │\n```\n") == ["│ exact-row │ 0.0200 │"]
    text = "<!-- output varies: it is drawn -->\n```text\n12 customers\n```\n"
    assert conclusions(text) == ["12 customers"]


def test_what_is_said_elsewhere_is_left_alone() -> None:
    after = "Give each link to one person.\n\n## Risk\n\nThe attack finds 40%.\n"
    assert not conclusions(f"{BEFORE}https://contest.example/i/81\n```\n\n{after}")
    compared = "```console\n$ tokumei score a b\n│ 0.5 │\n```\n\nHalf are found.\n"
    assert not conclusions(compared)


def test_output_of_a_block_that_is_not_run_here_is_run_by_the_test_it_names() -> None:
    for page in PAGES:
        for block in test_docs.blocks(page):
            shown = block.kind in test_docs.RUN and any(lines for _, lines in block.commands)
            if shown and NOT_RUN.fullmatch(block.note):
                named = re.search(r"(tests/\S+\.py) runs it$", block.note)
                assert named, f"{page.name}: {block.note}"
                assert (ROOT / named[1]).is_file()
