"""A search that finds Japanese, which is written without spaces between its words.

Sphinx takes everything up to the next sign for one word. Here a run of Japanese is indexed as its
pairs of neighboring characters, and a query is cut in the same way: a page is found that has all
pairs of what was asked. English is searched as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

JAPANESE = "\u3005\u3040-\u30ff\u4e00-\u9fff"  # kanji with their sign of repetition, and kana
RUN = re.compile(f"[{JAPANESE}]+|[^\\W{JAPANESE}]+")


def words(text: str) -> Iterator[str]:
    """Yield English words, and pairs of Japanese characters.

    >>> list(words("疑似データ by decoys"))
    ['疑似', '似デ', 'デー', 'ータ', 'by', 'decoys']
    """
    for run in RUN.findall(text):
        if len(run) > 2 and re.match(f"[{JAPANESE}]", run):
            yield from (run[start : start + 2] for start in range(len(run) - 1))
        else:
            yield run


class SearchBoth(SearchEnglish):
    """The English search, with Japanese cut into pairs when pages are indexed and when one asks."""

    js_splitter_code = rf"""
function splitQuery(query) {{
  const runs = query.match(/[{JAPANESE}]+|(?:(?![{JAPANESE}])[\p{{L}}\p{{N}}_])+/gu) || [];
  return runs.flatMap((run) =>
    run.length > 2 && /^[{JAPANESE}]/.test(run)
      ? Array.from({{ length: run.length - 1 }}, (_, start) => run.slice(start, start + 2))
      : [run]
  );
}}
"""

    def split(self, text: str) -> list[str]:
        """Return what is indexed of a text."""
        return list(words(text))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_search_language(SearchBoth)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
