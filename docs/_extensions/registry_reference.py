"""The reference, written from the registry before every build.

`pages` makes the text of every page; a page is written only when its text changed, so that Sphinx
reads no more than it must. One declaration of a method is enough: nothing here is kept by hand.
The directive `methods` puts the table of a family into any page, in its language.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util.docutils import SphinxDirective

import tokumei
from tokumei.cli.options import on_command_line
from tokumei.parameters import Parameter, parameters
from tokumei.registry import FAMILIES, Family, find, name_of, names
from tokumei.words import translate

FOLDER = "reference"
PICTURES = Path(__file__).parents[1] / "_static" / "methods"
"""One SVG for each method that has one, by its name; `tools.method_pictures` draws them."""
LEADS: dict[Family, str] = {
    "anonymizer": "Methods that change a history. A kept row keeps its hidden row id; "
    "`publish` draws the pseudonyms.",
    "threat": "What an attacker knows and is asked.",
    "attack": "Ways to name the people behind a release. An attack sees the challenge only.",
    "judge": "How a guess is marked.",
    "metric": "What a release is still good for, and what it gives away.",
}
CALLS: dict[Family, str] = {
    "anonymizer": "tokumei anonymize {name} FILE -o FOLDER",
    "threat": "tokumei attack METHOD ORIGINAL RELEASE --threat {name}",
    "attack": "tokumei attack {name} ORIGINAL RELEASE",
    "judge": "tokumei attack METHOD ORIGINAL RELEASE --judge {name}",
    "metric": "tokumei score ORIGINAL RELEASE",
}
# In the order of the flow; public names that stand in none of these groups come last.
VALUES: dict[str, Sequence[str]] = {
    "Histories": ("History", "read", "generate", "Cleaning", "statistics"),
    "Releases": ("publish", "Release", "Key", "write_release", "read_release"),
    "Attacks": ("Challenge", "Answer", "Guess"),
    "Scores": ("Score", "Scorecard"),
}
SHOWN_ELSEWHERE = ("Risk",)  # a metric, on the page of its family
REFERENCES = ".. rubric:: References"
CITATION = re.compile(r"\[([a-z]+\d{4}[a-z]?)\](?!_)")


def pages() -> dict[str, str]:
    """Return name of page → text."""
    made = {"index": _index(), "values": _values()}
    for family in FAMILIES:
        made[_page(family)] = _family(family)
        for name in names(family):
            made[label(family, name)] = _text(_method(family, name, find(family, name)))
    return made


def write(folder: Path) -> None:
    """Write the pages that changed, and remove those that are no more."""
    folder.mkdir(exist_ok=True)
    made = {folder / f"{name}.rst": text for name, text in pages().items()}
    for path, text in made.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in set(folder.iterdir()) - set(made):
        path.unlink()


def _page(family: Family) -> str:
    return f"{family}s"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _title(text: str, line: str) -> list[str]:
    return [text, line * max(len(text), 1), ""]


def _indented(lines: Iterable[str], by: int = 3) -> list[str]:
    return [" " * by + line if line else "" for line in lines]


def _index() -> str:
    return _text(
        [
            *_title("Reference", "="),
            "Every method that is registered, with its parameters; and the values that flow "
            "between the methods.",
            "",
            ".. toctree::",
            "   :maxdepth: 2",
            "",
            *_indented([_page(family) for family in FAMILIES]),
            "   values",
        ]
    )


def _family(family: Family) -> str:
    lines = [*_title(f"{family.capitalize()}s", "="), LEADS[family], ""]
    if family == "metric":
        lines += ["`tokumei score` computes all of them, and every attack under every threat.", ""]
    lines += [".. list-table::", "   :class: methods", ""]
    for name in names(family):
        lines += [f"   * - :ref:`{name} <{label(family, name)}>`", f"     - {_does(family, name)}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    return _text([*lines, *_indented(label(family, name) for name in names(family))])


def label(family: Family, name: str) -> str:
    """Return the label of a method, for links; its page has the same name."""
    return f"{family}-{name}"


def _does(family: Family, name: str) -> str:
    """Say in a sentence what a method does."""
    text = inspect.getdoc(find(family, name)) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _method(family: Family, name: str, method: type) -> Iterator[str]:
    yield from (f".. _{label(family, name)}:", "", *_title(name, "-"))
    yield from (_home(method), "")
    if (PICTURES / f"{name}.svg").exists():
        # Inside the page, where its lines and words follow the colors of the reader's theme.
        yield from (".. raw:: html", f"   :file: ../_static/methods/{name}.svg", "")
    words, rubric, sources = "\n".join(_docstring(inspect.getdoc(method) or "")).partition(
        REFERENCES
    )
    yield from (*words.replace("\nLimits: ", "\n**Limits:** ").splitlines(), "")
    fields = parameters(method)
    optional = on_command_line(method)
    if family != "metric":
        only = ["It is made in Python: its fields cannot be given as options.", ""]
        yield from _call(family, name) if optional else only
    yield from _table(fields, options=optional and family != "metric")
    if sources:
        yield from (rubric, *sources.splitlines(), "")


def _home(method: type) -> str:
    """Say where to import the class from: the family's package if it exports it."""
    package = method.__module__.rpartition(".")[0]
    exported = getattr(sys.modules.get(package), method.__name__, None)
    module = package if exported is method else method.__module__
    return f"`from {module} import {method.__name__}`"


def _docstring(text: str) -> list[str]:
    """Turn sections into what Sphinx knows, and citations into links."""
    known = str(NumpyDocstring(text, Config()))
    return CITATION.sub(r":ref:`[\1] <\1>`", known).splitlines()


def _call(family: Family, name: str) -> list[str]:
    return [".. code-block:: text", "", f"   {CALLS[family].format(name=name)}", ""]


def _table(fields: Sequence[Parameter], *, options: bool) -> list[str]:
    if not fields:
        return ["It has no parameters.", ""]
    heads = ["Option" if options else "Field", "Type", "Allowed", "Default", "Meaning"]
    rows = [
        [
            f"`--{field.name.replace('_', '-')}`" if options else f"`{field.name}`",
            _type(field),
            field.allowed if not field.choices else " or ".join(f"`{c}`" for c in field.choices),
            "required" if field.required else _shown(field.default),
            field.doc,
        ]
        for field in fields
    ]
    lines = [".. list-table::", "   :header-rows: 1", "   :class: parameters", ""]
    for row in [heads, *rows]:
        for position, cell in enumerate(row):
            start = "* -" if position == 0 else "  -"
            lines.append(f"   {start} {cell}".rstrip())
    return [*lines, ""]


def _type(field: Parameter) -> str:
    if field.choices:
        return "choice"
    words = {int: "whole number", float: "number", bool: "yes or no", str: "text"}
    plain = field.type.__name__ if isinstance(field.type, type) else str(field.type)
    shown = words.get(field.type) or f"`{plain}`"
    if str(field.type).startswith("tuple["):
        shown = f"`{re.sub(r'[a-z_]+[.]', '', str(field.type))}`"
    return f"{shown}, or none" if field.optional else shown


def _shown(default: Any) -> str:
    return "" if default == "" else f"`{_value(default)}`"


def _value(default: Any) -> str:
    known = any(default.__class__ is find(family, n) for family in FAMILIES for n in names(family))
    return name_of(default) if known else str(default)


def _values() -> str:
    told = {name for group in VALUES.values() for name in group} | set(SHOWN_ELSEWHERE)
    more = sorted(set(tokumei.__all__) - told)
    lines = [
        *_title("Values", "="),
        "Values are frozen dataclasses around tables; the functions here make, store and describe "
        "them. All are imported from `tokumei`.",
        "",
    ]
    for title, group in [*VALUES.items(), *([("More", more)] if more else [])]:
        lines += _title(title, "-")
        for name in group:
            target = getattr(tokumei, name)
            kind = "class" if isinstance(target, type) else "function"
            lines += [f".. auto{kind}:: tokumei.{name}"]
            lines += ["   :members:", ""] if kind == "class" else [""]
    return _text(lines)


class Methods(SphinxDirective):
    """The methods of a family with a sentence on each: the body of a Markdown page's table."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Translate the sentences where the page is Japanese."""
        family: Family = self.arguments[0]
        language = "ja" if self.env.docname.startswith("ja/") else "en"
        heads = {"en": ("name", "what it does"), "ja": ("名前", "内容")}[language]
        lines = [f"| {heads[0]} | {heads[1]} |", "|---|---|"]
        for name in names(family):
            link = f"{{ref}}`{name} <{label(family, name)}>`"
            lines.append(f"| {link} | {translate(_does(family, name), language)} |")
        return self.parse_text_to_nodes("\n".join(lines))


def _before_build(app: Sphinx) -> None:
    write(Path(app.srcdir) / FOLDER)


def _docstring_of_value(
    _app: Sphinx, what: str, _name: str, _target: object, _options: object, lines: list[str]
) -> None:
    # The extension napoleon would take "type: meaning" out of the sentences about fields.
    if what not in ("attribute", "property"):
        lines[:] = _docstring("\n".join(lines))


def _plain_aliases(
    _app: Sphinx,
    _what: str,
    _name: str,
    _target: object,
    _options: object,
    *shown: str | None,
) -> tuple[str | None, ...]:
    """Show an alias such as `Table` by its name also within a union, where Sphinx shows a repr."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in shown)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("methods", Methods)
    app.connect("builder-inited", _before_build)
    app.connect("autodoc-process-docstring", _docstring_of_value)
    app.connect("autodoc-process-signature", _plain_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
