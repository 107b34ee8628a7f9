"""Small changes of Python code, each of which should make a test fail.

Chosen for code that checks tables: besides operators and numbers, a check that is left out, a
filter that lets everything pass, the other kind of join, an end of a pattern that is not asked for.
Changes that can only crash, as another name of a column, tell nothing of the tests and are not
made; neither are those of sentences for people, of annotations and of documentation.
"""

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
WORDS = {
    "anti": "semi", "left": "inner", "inner": "left", "first": "last", "failure": "warning",
    "warning": "failure", "lower": "higher", "higher": "lower",
}  # fmt: skip
METHODS = {
    "min": "max", "max": "min", "any": "all", "all": "any", "head": "tail", "first": "last",
    "any_horizontal": "all_horizontal", "n_unique": "count", "is_null": "is_not_null",
    "is_not_null": "is_null", "startswith": "endswith", "endswith": "startswith",
}  # fmt: skip
LEFT_OUT = {
    "abs", "clip", "drop_nulls", "fill_null", "filter", "round", "sort", "strip_chars", "unique",
}  # fmt: skip
"""Methods of tables whose result can be what they were called on."""
NAME = re.compile(r"[\w/.-]+")


@dataclass(eq=False)
class Change:
    """One node that becomes another."""

    holder: Any
    field: str
    place: int | None
    becomes: ast.AST | None
    line: int
    lines: set[int]
    """Those of the statement, to tell which tests reach it."""
    on_import: bool
    """Whether the statement runs when the module is imported, and not in a test."""
    text: str = ""

    def apply(self) -> None:
        """Change the tree."""
        becomes = self.becomes or ast.Pass()
        old = getattr(self.holder, self.field)
        ast.copy_location(becomes, old if self.place is None else old[self.place])
        ast.fix_missing_locations(becomes)
        if self.place is None:
            setattr(self.holder, self.field, becomes)
        else:
            old[self.place] = becomes


def changes(tree: ast.Module) -> list[Change]:
    """Return all changes of a module, each with a text of its own that has no line numbers."""
    found = list(_walk(tree, "module", set(), on_import=True))
    seen: Counter[str] = Counter()
    for change in found:
        seen[change.text] += 1
        if seen[change.text] > 1:
            change.text += f" ({seen[change.text]})"
    return found


def _walk(node: ast.AST, where: str, lines: set[int], *, on_import: bool) -> Iterator[Change]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "ctx", "op", "ops", "type_ignores"):
            continue
        for place, part in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(part, ast.AST) or _says_nothing(part):
                continue
            inner, own, first = where, lines, on_import
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                inner = f"{where}.{part.name}".removeprefix("module.")
            if isinstance(part, ast.stmt):
                own = _header(part)
            if isinstance(node, ast.FunctionDef) and field == "body":
                first = False
            for becomes in (*_instead(part), *_decided(node, field)):
                was, now = ast.unparse(part), ast.unparse(becomes) if becomes else "nothing"
                index = place if isinstance(value, list) else None
                text = f"{inner}: {was} → {now}".replace("\n", " ")
                line = getattr(part, "lineno", min(own, default=0))
                yield Change(node, field, index, becomes, line, own, first, text)
            yield from _walk(part, inner, own, on_import=first)


def _says_nothing(node: ast.AST) -> bool:
    """Tell documentation, imports, types, and sentences for people, which have spaces."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id == "Literal"
    if isinstance(node, ast.JoinedStr):
        return any(
            isinstance(part, ast.Constant) and " " in str(part.value) for part in node.values
        )
    return False


def _header(statement: ast.stmt) -> set[int]:
    body = getattr(statement, "body", None)
    end = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return set(range(statement.lineno, max(end, statement.lineno) + 1))


def _instead(node: ast.AST) -> Iterator[ast.AST | None]:
    """Return what a node can become; None leaves a statement out."""
    if isinstance(node, ast.Raise | ast.AugAssign) or _is_call(node) or _uses_itself(node):
        yield None
    match node:
        case ast.Compare(ops=ops):
            for place, operator in enumerate(ops):
                others = [*ops[:place], COMPARISONS[type(operator)](), *ops[place + 1 :]]
                yield _with(node, ops=others)
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            yield _with(node, op=OPERATORS[type(operator)]())
        case ast.BoolOp(op=operator):
            yield _with(node, op=ast.And() if isinstance(operator, ast.Or) else ast.Or())
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub(), operand=operand):
            yield operand
        case ast.Constant(value=value):
            yield from (ast.Constant(other) for other in _constants(value))
        case ast.Call():
            yield from _calls(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        yield from (node.left, node.right)


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _decided(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """Return what a condition can become; a loop that never ends would say little."""
    if field in ("test", "ifs"):
        if not isinstance(node, ast.While):
            yield ast.Constant(value=True)
        yield ast.Constant(value=False)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    match node.func:
        case ast.Name(id=name) if name in METHODS:
            yield _with(node, func=ast.Name(METHODS[name], ast.Load()))
        case ast.Attribute(value=called_on, attr=name):
            if name in METHODS:
                yield _with(node, func=ast.Attribute(called_on, METHODS[name], ast.Load()))
            if name in LEFT_OUT:
                yield called_on


def _constants(value: object) -> Iterator[bool | float | str]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    elif isinstance(value, str) and value in WORDS:
        yield WORDS[value]
    elif value == "":
        yield "x"
    elif isinstance(value, str) and " " not in value and not NAME.fullmatch(value):
        yield from dict.fromkeys(("", value[1:], value[:-1]))


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _uses_itself(node: ast.AST) -> bool:
    """Tell `rows = rows.…`: without it the rows stay as they were."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name = node.targets[0].id
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node.value))
