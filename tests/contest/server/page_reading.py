"""A page as a browser reads it: its elements, its texts, and what no page of ours may have."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Page(HTMLParser):
    """Elements with their attributes and texts, in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.unlabeled: list[dict[str, str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "elements that are not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        field = tag in ("input", "select", "textarea") and found.get("type") != "hidden"
        if field and "label" not in self._open and not {"aria-label", "hidden"} & found.keys():
            self.unlabeled.append(found)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        # Code is the same in every language.
        if data.strip() and "code" not in self._open:
            self.texts.append(" ".join(data.split()))

    def all(self, tag: str) -> list[dict[str, str]]:
        return [found for name, found in self.elements if name == tag]

    def by_class(self, name: str) -> list[dict[str, str]]:
        return [found for _, found in self.elements if name in found.get("class", "").split()]

    def by_id(self, name: str) -> dict[str, str]:
        return next(found for _, found in self.elements if found.get("id") == name)


def refuse_unsafe(page: Page) -> None:
    """Refuse what the security policy would block, and what only an attacker would add."""
    scripts = [found.get("src") for found in page.all("script")]
    assert scripts in (["/static/contest.js"], ["/static/contest.js", "/arena/arena.js"])
    assert page.all("style") == page.all("iframe") == page.all("img") == []
    for tag, found in page.elements:
        for name in found:
            assert name != "style", (tag, found)
            assert not re.match(r"on|hx-on|hx-vals|data-hx", name), (tag, found)
        for name in ("href", "src", "action", "hx-get"):
            assert re.match(r"[/#]|$", found.get(name, "")), (tag, found)
            assert not found.get(name, "").startswith("//")


def refuse_unusable(page: Page) -> None:
    """Refuse a page that a keyboard or a screen reader cannot use."""
    assert page.unlabeled == []
    ids = [found["id"] for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids)), sorted(ids)
    assert len(page.all("h1")) == 1
    assert len(page.all("main")) == 1
    known = set(ids)
    for _, found in page.elements:
        for name in ("aria-describedby", "aria-labelledby"):
            assert set(found.get(name, "").split()) <= known
