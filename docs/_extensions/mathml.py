"""Formulas as MathML, which browsers draw themselves: no script and no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)


def _draw(translator: Any, node: nodes.Element, *, block: bool) -> None:
    try:
        translator.body.append(tex2mathml(node.astext(), as_block=block))
    except MathError as error:
        log.warning("The formula %s cannot be drawn: %s", node.astext(), error, location=node)
    raise nodes.SkipNode


def _inline(translator: Any, node: nodes.Element) -> None:
    _draw(translator, node, block=False)


def _block(translator: Any, node: nodes.Element) -> None:
    _draw(translator, node, block=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
