"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

import tokumei

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "tokumei"
author = "The tokumei authors"
copyright = author
version = release = tokumei.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "import_graph",
    "japanese_search",
    "languages",
    "mathml",
    "registry_reference",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False
default_role = "literal"  # docstrings write code in single backticks

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Table", "Kernel", "Format", "World", "Period")}

# No MathJax: the pages need no network to be read.
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"tokumei {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

ICE_DEEP, ICE, ICE_LIGHT = "#0b3c5d", "#1f77b4", "#7fc4e8"
FONTS = {
    "font-stack": 'system-ui, "Hiragino Sans", "Yu Gothic UI", "Noto Sans JP", sans-serif',
    "font-stack--monospace": 'ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", '
    '"Noto Sans Mono CJK JP", monospace',
}
html_theme_options = {
    "light_css_variables": {
        **FONTS,
        "color-brand-primary": ICE_DEEP,
        "color-brand-content": ICE,
        "color-brand-visited": ICE,
    },
    "dark_css_variables": {
        "color-brand-primary": ICE_LIGHT,
        "color-brand-content": ICE_LIGHT,
        "color-brand-visited": ICE_LIGHT,
    },
}
