"""Both languages of the guide are complete: a Japanese twin of every page says as much.

A twin has the same headings, tables and lists in the same order, the same examples, figures and
names of code; the sentences are its own. What the program itself says is counted in test_words.py.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import test_docs
from test_docs import DOCS, NOT_RUN, Block, blocks, examples

pytestmark = test_docs.pytestmark

JAPANESE = DOCS / "ja"
# Folder → why its pages have no twin.
ENGLISH_ONLY = {
    "reference": "written from docstrings; the command shows their sentences in Japanese",
    "_build": "no page of ours, but the built site",
}
FENCED = re.compile(r"^([ ]*)```.*?^\1```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TOCTREE = re.compile(r"^```\{toctree\}\n(?::.*\n)*\n((?:.+\n)+)```$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]+(?:\n[^`\n]+)?`")
FIGURE = re.compile(r"\d+(?:[.,]\d+)+")
KANA = re.compile("[ぁ-ヿ]")


def english_pages() -> list[str]:
    """Every page of the guide, by its path in the folder of the documentation."""
    found = (path.relative_to(DOCS) for path in DOCS.rglob("*.md"))
    return sorted(str(path) for path in found if path.parts[0] not in {"ja", *ENGLISH_ONLY})


TRANSLATED = [page for page in english_pages() if (JAPANESE / page).exists()]
every_twin = pytest.mark.parametrize("page", TRANSLATED)


def prose(page: Path) -> str:
    """What a page says without its blocks of code and its comments."""
    return COMMENT.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))


def outline(page: Path) -> list[str]:
    """Headings by level, rows of tables, list items, terms, pictures and boxes, in their order."""
    marks = re.compile(r"^\s*(#{1,6} |\||- |\d{1,2}\. |: |!\[|:::\{\w+\}|\$\$)", re.MULTILINE)
    return [re.sub(r"\d+", "1", mark).strip() for mark in marks.findall(prose(page))]


def shown(page: Path) -> list[object]:
    """Everything in blocks that a translation may not change: what is run, and what that prints."""

    def words(block: Block) -> list[str]:
        # A comment within an example may be translated, the reason before it as well.
        return re.sub(r"\s#.*", "", block.text).split()

    others = [
        (block.kind, words(block))
        for block in blocks(page)
        if block.note == "output" or block.kind == "toml" or NOT_RUN.fullmatch(block.note)
    ]
    return [*examples(page), *others]


def toctree(page: Path) -> list[str]:
    """The pages that a page puts under itself, in the order of the sidebar."""
    entries = "\n".join(TOCTREE.findall(page.read_text(encoding="utf-8"))).split("\n")
    names = [re.sub(r".*<(.*)>", r"\1", entry.strip()) for entry in entries if entry.strip()]
    return [name for name in names if name.split("/")[0] not in {"ja", *ENGLISH_ONLY}]


def test_no_translation_is_missing() -> None:
    missing = sorted(set(english_pages()) - set(TRANSLATED))
    assert not missing, f"missing in docs/ja: {len(missing)}: {', '.join(missing)}"


def test_no_japanese_page_has_lost_its_english_one() -> None:
    twins = {str(path.relative_to(JAPANESE)) for path in JAPANESE.rglob("*.md")}
    assert twins <= set(english_pages())


@every_twin
def test_both_sidebars_list_the_same_pages(page: str) -> None:
    assert toctree(JAPANESE / page) == toctree(DOCS / page)


@every_twin
def test_a_twin_has_the_same_parts(page: str) -> None:
    assert outline(JAPANESE / page) == outline(DOCS / page)


@every_twin
def test_a_twin_shows_the_same_examples(page: str) -> None:
    assert shown(JAPANESE / page) == shown(DOCS / page)


@every_twin
def test_a_twin_gives_the_same_figures(page: str) -> None:
    """Whole numbers may be words in one of the languages; a measured figure never is."""

    def figures(path: Path) -> Counter[str]:
        return Counter(FIGURE.findall(CODE.sub("", prose(path))))

    assert figures(JAPANESE / page) == figures(DOCS / page)


@every_twin
def test_a_twin_names_everything_that_the_english_page_names(page: str) -> None:
    def named(path: Path) -> set[str]:
        return {" ".join(code.split()) for code in CODE.findall(prose(path))}

    missing = named(DOCS / page) - named(JAPANESE / page)
    assert not missing, f"ja/{page} leaves out {', '.join(sorted(missing))}"


@every_twin
def test_a_twin_is_written_in_japanese(page: str) -> None:
    """No paragraph of the English page stands in the Japanese one as it is."""

    def paragraphs(path: Path) -> set[str]:
        parts = re.split(r"\n\s*\n|^[-|:] ?", prose(path), flags=re.MULTILINE)
        return {
            " ".join(part.split()) for part in parts if re.search(r"[a-z]+ [a-z]+ [a-z]+", part)
        }

    assert not paragraphs(JAPANESE / page) & paragraphs(DOCS / page)
    assert KANA.search(prose(JAPANESE / page))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site of two pages in each language, and one in English only."""
    from sphinx.cmd.build import build_main

    tree = "# {}\n\n```{{toctree}}\n:hidden:\n\n{}\n```\n"
    pages = {
        "conf.py": f"""
import sys
sys.path.insert(0, {str(DOCS / "_extensions")!r})
extensions = ["myst_parser", "languages", "japanese_search"]
html_theme = "furo"
""",
        "index.md": tree.format("Front", "data\nalone\n```\n\n```{toctree}\n:hidden:\n\nja/index"),
        "data.md": "# Data\n",
        "alone.md": "# Alone\n",
        "ja/index.md": tree.format("表紙", "data"),
        "ja/data.md": "# データ\n\nこれは疑似レコードです。\n",
    }
    (tmp_path / "ja").mkdir()
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    built = build_main(["-W", "-q", "-b", "html", str(tmp_path), str(tmp_path / "html")])
    assert built == 0
    return tmp_path / "html"


def test_a_page_links_to_its_twin_and_stays_in_its_language(site: Path) -> None:
    english, japanese, alone = (
        (site / name).read_text(encoding="utf-8")
        for name in ("data.html", "ja/data.html", "alone.html")
    )
    assert '<a href="ja/data.html" hreflang="ja" lang="ja">日本語</a>' in english
    assert '<a href="../data.html" hreflang="en" lang="en">English</a>' in japanese
    assert "hreflang" not in alone
    assert re.search('<html[^>]* lang="ja"', japanese)
    assert 'placeholder="検索"' in japanese

    def sidebar(page: str) -> list[str]:
        tree = page.partition('class="sidebar-tree"')[2].partition("</div>")[0]
        return re.findall(r"<a [^>]*>([^<]+)</a>", tree)

    assert sidebar(english) == sidebar(alone) == ["Data", "Alone"]
    assert sidebar(japanese) == ["データ"]
    assert "表紙" not in alone, "the page after the last English one is not a Japanese one"


def test_the_search_finds_a_word_within_a_japanese_sentence(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    terms = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    assert {"疑似", "似レ", "レコ", "コー", "ード"} <= set(terms)
