"""A replay as one HTML file that needs nothing else, also not a network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from typing import Any

from tokumei.arena.bundle import module_file
from tokumei.arena.story import Story
from tokumei.arena.texts import arena_texts
from tokumei.words import Language, translate

PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
</head>
<body class="arena-page">
<div id="arena" data-options="{options}"></div>
<noscript>{noscript}</noscript>
<script type="application/json" id="arena-story">{story}</script>
<script type="module">{module}</script>
</body>
</html>
"""


def replay_page(story: Story, *, language: Language, seconds: int = 120) -> str:
    """Return a page that plays a story in so many seconds."""
    module = inline_module()
    digest = base64.b64encode(hashlib.sha256(module.encode()).digest()).decode()
    # A team's name that is meant to be a script must not run, wherever it comes from.
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; img-src data: blob:"
    options = {"texts": arena_texts(language), "language": language, "seconds": seconds}
    return PAGE.format(
        language=language,
        policy=policy,
        title=escape(str(story.header["title"][language])),
        noscript=escape(translate("This page needs JavaScript.", language)),
        options=escape(json.dumps(options, ensure_ascii=False)),
        story=inline_json(story.to_json()),
        module=module,
    )


def inline_json(content: Any) -> str:
    """Write JSON that can stand inside of a page: nothing in it can end its element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def inline_module() -> str:
    """Return the module as it can stand inside of a page."""
    text = module_file().read_text(encoding="utf-8")
    # In JavaScript these can only be in texts, where a backslash before them changes nothing.
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", text, flags=re.IGNORECASE)
