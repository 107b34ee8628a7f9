"""Every text that people read has its Japanese."""

import ast
import re
from pathlib import Path
from typing import get_args

import click
import pytest

import tokumei
from tokumei import registry, rules
from tokumei.cli.localized import Option
from tokumei.cli.main import root
from tokumei.cli.methods_group import summary
from tokumei.contest.server.meanings import first_comment
from tokumei.data.pwscup import COLUMNS
from tokumei.parameters import parameters
from tokumei.rules.lines import WHOLE_LINE
from tokumei.rules.problems import LABELS, Severity
from tokumei.words import japanese, preferred_language, translate

SOURCE = Path(tokumei.__file__).parent


def plain(text: str) -> str:
    return " ".join(text.split())


def called_texts() -> set[str]:
    """The literals in tr(…), and in the tables of labels that are passed to it."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("tr", "Sentence"):
                found |= {a.value for a in node.args if isinstance(a, ast.Constant)}
    for path in SOURCE.rglob("*.html"):
        found |= set(re.findall(r'tr\("([^"]+)"\)', path.read_text(encoding="utf-8")))
    from tokumei.audit.law import TEXTS
    from tokumei.cli.stats import LABELS
    from tokumei.contest.tasks import KINDS
    from tokumei.contest.working import End
    from tokumei.report.terminal import ARROWS, HEADS

    found |= TEXTS | set(KINDS) | set(get_args(End)) | {rules.find("simplified").title}
    return found | set(LABELS.values()) | set(HEADS) | set(ARROWS) | set(registry.FAMILIES)


def rule_texts() -> set[str]:
    """The rules of the contests, as a check names them; numbers and files stand for any."""
    found: set[str] = set()
    for path in (SOURCE / "rules").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        said = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, documented) and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            text = None
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            elif isinstance(node, ast.JoinedStr):
                parts = node.values
                text = "".join(p.value if isinstance(p, ast.Constant) else "7" for p in parts)
            if (
                text
                and id(node) not in said
                and re.match(r"(A|An|At|The|Two) .*(must|should|may)", text)
            ):
                found.add(text)
    whole = {text for text in found if not text.endswith((".", " ", "in", "have", "be"))}
    columns = {LABELS.get(name, name) for names in COLUMNS.values() for name in names}
    return whole | columns | {WHOLE_LINE, *get_args(Severity)}


SHOWN = ("actions", "server", "store", "blobs.py", "custom_checks.py", "evaluating.py", "tasks.py")
SHOWN += ("unpacking.py", "sandbox/running.py", "sandbox/scores.py", "sandbox/probing.py")
SHOWN += ("sandbox/interpreters.py",)
"""The parts of the contest platform whose sentences reach its pages."""
TO_OPERATORS = {"columns.py", "database.py", "sqlite_file.py"}
"""What only those read who start the server, as all errors of commands: in English."""


def contest_texts() -> set[str]:
    """Whatever can go wrong in a contest, as sentences; what stands for a value is a 7."""
    found: set[str] = set()
    for part in SHOWN:
        path = SOURCE / "contest" / part
        for file in [path] if path.suffix else path.rglob("*.py"):
            if file.name not in TO_OPERATORS and "migrations" not in file.parts:
                found |= _sentences(ast.parse(file.read_text(encoding="utf-8")))
    return found


def _sentences(tree: ast.AST) -> set[str]:
    told: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            # Docstrings, and what is said of a name below it, are for readers of the code.
            node.value = ast.Constant(None)
        elif isinstance(node, ast.keyword) and node.arg == "description":
            node.value = ast.Constant(None)
        elif isinstance(node, ast.Dict) and "description" in [_literal(key) for key in node.keys]:
            node.values = []
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
              for part in node.values}  # fmt: skip
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(p.value if isinstance(p, ast.Constant) else "7" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in inside else node.value
        if re.fullmatch(r"[A-Z][^.]* .*\.", text):
            told.add(text)
    return told


def _literal(node: ast.AST | None) -> object:
    return getattr(node, "value", None)


def command_texts() -> set[str]:
    """Help of all commands and their options."""
    found: set[str] = {"Usage:", "Options", "Commands"}

    def collect(command: click.Command) -> None:
        found.update((command.help or "").split("\n\n"))
        context = click.Context(command)
        for option in command.params:
            if isinstance(option, Option):
                found.add(option.help or "")
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                collect(command.get_command(context, name))  # type: ignore[arg-type]

    collect(root)
    return found


def method_texts() -> set[str]:
    """What every method says about itself and its parameters."""
    methods = [registry.find(f, name) for f in registry.FAMILIES for name in registry.names(f)]
    found = {part for method in methods for part in summary(method).split("\n\n")}
    return found | {p.doc for method in methods for p in parameters(method)}


def score_texts() -> set[str]:
    """What the scores of every contest mean, those of the demo's scripts too."""
    years = rules.RULES.values()
    found = {part for year in years for said in year.meanings().values() for part in said}
    scripts = (SOURCE / "contest" / "demo_scripts").iterdir()
    return found | {year.hit for year in years} | {first_comment(script) for script in scripts}


ASSUMPTIONS = {
    "The attacker knows every purchase of every customer.",
    "The attacker knows every purchase of every customer; pseudonyms, basket numbers and the order "
    "of rows are random.",
    "The attacker looks at item sets alone; the release shows more.",
    "The attacker knows 25% of the purchases of every customer.",
    "The attacker knows 25% of all rows, with items cut to 2 characters.",
    "The attacker knows the attributes of every customer.",
    "The attacker knows which items every customer bought.",
    "The attacker knows every record, and how values were drawn. One table cannot prove that they "
    "were drawn at random.",
}


def test_no_text_lacks_its_japanese() -> None:
    texts = called_texts() | command_texts() | method_texts() | rule_texts() | ASSUMPTIONS
    texts |= contest_texts() | score_texts()
    missing = sorted(text for text in map(plain, texts) if text and translate(text, "ja") == text)
    assert not missing, "\n".join(missing)


def test_the_catalog_has_nothing_that_is_no_longer_said() -> None:
    said = called_texts() | command_texts() | method_texts() | rule_texts() | contest_texts()
    texts = {plain(text) for text in said | score_texts()}
    unused = [text for text in japanese() if text not in texts and "{" not in text]
    assert set(unused) <= ASSUMPTIONS, unused


def test_a_value_inside_a_text_is_kept() -> None:
    text = "The attacker knows 25% of the purchases of every customer."
    assert "25%" in translate(text, "ja")
    assert translate(text, "en") == text


@pytest.mark.parametrize(
    ("variable", "value", "language"),
    [("TOKUMEI_LANG", "ja", "ja"), ("LC_ALL", "ja_JP.UTF-8", "ja"), ("LANG", "C.UTF-8", "en")],
)
def test_the_environment_chooses(monkeypatch, variable: str, value: str, language: str) -> None:
    for name in ("TOKUMEI_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert preferred_language() == "en"
    monkeypatch.setenv(variable, value)
    assert preferred_language() == language
