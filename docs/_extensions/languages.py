"""Two languages in one site: `ja/NAME` is the Japanese twin of the page `NAME`.

A page links to its twin where there is one, and everything around its text (the sidebar, the pages
before and after, the theme's words) is in the page's own language.
"""

from __future__ import annotations

from typing import Any, cast

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import TocTree

FOLDER = "ja/"
WORDS = {
    "Back to top": "先頭へ戻る",
    "Home": "はじめに",
    "Next": "次のページ",
    "On this page": "このページの内容",
    "Previous": "前のページ",
    "Search": "検索",
    "Skip to content": "本文へ",
}


def japanese(page: str) -> bool:
    """Tell whether a page is one of the Japanese."""
    return page.startswith(FOLDER)


def twin(page: str) -> str:
    """Return the name that the same page has in the other language."""
    return page.removeprefix(FOLDER) if japanese(page) else FOLDER + page


def _in_its_language(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    builder = cast("StandaloneHTMLBuilder", app.builder)
    context["toctree"] = lambda **options: _sidebar(builder, page, **options)
    _parent, before, after = builder.relations.get(page, (None, None, None))
    for link, name in (("prev", before), ("next", after)):
        if name and japanese(name) != japanese(page):
            context[link] = None
    if japanese(page):
        context["language"] = "ja"  # fonts and line breaks of browsers follow it
        context["master_doc"] = FOLDER + app.config.root_doc
        context["gettext"] = lambda text: WORDS.get(text.strip(), text)
    if "body" in context and twin(page) in app.env.found_docs:
        context["body"] = _switch(builder, page) + context["body"]


def _switch(builder: StandaloneHTMLBuilder, page: str) -> str:
    language, name = ("en", "English") if japanese(page) else ("ja", "日本語")
    address = builder.get_relative_uri(page, twin(page))
    link = f'<a href="{address}" hreflang="{language}" lang="{language}">{name}</a>'
    return f'<p class="language-switch">{link}</p>'


def _sidebar(builder: StandaloneHTMLBuilder, page: str, **options: Any) -> str:
    """Draw the tree of the pages in one language; the two front pages have one each."""
    root = builder.config.root_doc
    home = builder.env.get_doctree(FOLDER + root if japanese(page) else root)
    drawn = addnodes.compact_paragraph(toctree=True)
    for tree in home.findall(addnodes.toctree):
        if all(japanese(name) == japanese(page) for _, name in tree["entries"]):
            resolved = TocTree(builder.env).resolve(page, builder, tree, **options)
            drawn += resolved.children if resolved else []
    return str(builder.render_partial(drawn)["fragment"])


def setup(app: Sphinx) -> dict[str, Any]:
    # Before the theme, which draws the sidebar from `toctree`.
    app.connect("html-page-context", _in_its_language, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
