"""What the documentation says is run: commands, Python, and the output that is shown.

A comment before a block changes that: `<!-- not run: reason -->` leaves the block out,
`<!-- output varies: reason -->` runs it without comparing, and `<!-- output -->` before a text
block says that it is what the Python block above it prints.
"""

from __future__ import annotations

import ast
import contextvars
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest

from tokumei import registry

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "README.ja.md",
    *sorted(
        path
        for path in DOCS.rglob("*.md")
        if not {"_build", "reference"} & set(path.relative_to(DOCS).parts)
    ),
]
BLOCK = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*?) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
RUN = ("python", "console", "sh")
NOT_RUN = re.compile(r"not run: .+")
VARIES = re.compile(r"output varies: .+")
MACHINE_PATH = re.compile(r"(?<![\w./])/(?:home|root|work|tmp|usr|opt|Users|var)/|[A-Z]:\\")

pytestmark = pytest.mark.skipif(
    find_spec("sphinx") is None, reason="the documentation needs the extra 'dev'"
)


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    note: str

    @property
    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Every command with the output that is shown under it."""
        joined = self.text.replace("\\\n", " ")
        for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield command, lines(shown)


def lines(shown: list[str]) -> list[str]:
    return [line.rstrip() for line in shown if line.strip()]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m["kind"], m["text"], m["note"] or "") for m in BLOCK.finditer(text)]


@pytest.fixture
def reference() -> Iterator[ModuleType]:
    """The Sphinx extension that writes the reference."""
    sys.path.insert(0, str(DOCS / "_extensions"))
    try:
        import registry_reference

        yield registry_reference
    finally:
        sys.path.remove(str(DOCS / "_extensions"))


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """An empty folder, an empty module, plain English output, and a registry put back after."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKUMEI_LANG", "en")
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    registry.names("anonymizer")
    methods = {family: dict(known) for family, known in registry._methods.items()}
    monkeypatch.setattr(registry, "_methods", methods)
    monkeypatch.setattr(registry, "_names", dict(registry._names))
    page = ModuleType("page_of_the_documentation")
    monkeypatch.setitem(sys.modules, page.__name__, page)
    return page


def run_command(command: str) -> int:
    from tokumei.cli.main import _run

    words = shlex.split(command, comments=True)
    assert words[0] == "tokumei", f"only tokumei is run; say why with a comment: {command}"
    # In a context of its own: a command may set the language of what follows.
    return contextvars.copy_context().run(_run, words[1:])


def run_console(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    for command, shown in block.commands:
        status = run_command(command)
        said = capsys.readouterr()
        assert status == 0, f"{command}: {said.err}"
        if shown and not VARIES.fullmatch(block.note):
            assert lines([*said.err.splitlines(), *said.out.splitlines()]) == shown, command


def examples(page: Path) -> list[object]:
    """What a page runs; comments, in whatever language, make no difference."""
    found: list[object] = []
    for block in blocks(page):
        if NOT_RUN.fullmatch(block.note) or block.kind not in RUN:
            continue
        if block.kind == "python":
            found.append(ast.dump(ast.parse(block.text)))
        else:
            found += [
                (shlex.split(command, comments=True), said) for command, said in block.commands
            ]
    return found


def translates_examples(page: Path) -> bool:
    """Whether a page runs just what the page that it translates runs."""
    if page.name.endswith(".ja.md"):
        english = page.with_name(page.name.replace(".ja.md", ".md"))
    elif page.is_relative_to(DOCS / "ja"):
        english = DOCS / page.relative_to(DOCS / "ja")
    else:
        return False
    return english.exists() and examples(page) == examples(english)


RUNNING = [page for page in PAGES if not translates_examples(page)]


@pytest.mark.parametrize("page", RUNNING, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run_and_print_what_is_shown(
    page: Path, sandbox: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = ""
    for block in blocks(page):
        if NOT_RUN.fullmatch(block.note):
            continue
        if block.kind == "python":
            code = compile(block.text, str(page.relative_to(ROOT)), "exec", dont_inherit=True)
            exec(code, vars(sandbox))
            printed = capsys.readouterr().out
        elif block.kind in RUN:
            run_console(block, capsys)
        elif block.note == "output":
            assert lines(printed.splitlines()) == lines(block.text.splitlines())


def test_every_block_is_found_and_every_comment_before_one_is_known() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = re.findall(r"^```(?:python|console|sh|bash|shell|pycon)\b", text, re.MULTILINE)
        found = [block for block in blocks(page) if block.kind in RUN]
        assert len(fences) == len(found), f"{page.name} has a block that is not run"
        for block in blocks(page):
            known = NOT_RUN.fullmatch(block.note) or VARIES.fullmatch(block.note)
            assert known or block.note in ("", "output"), f"{page.name}: {block.note}"


def test_there_is_output_that_is_compared() -> None:
    compared = [
        shown
        for page in PAGES
        for block in blocks(page)
        if block.kind == "console" and not block.note
        for _, shown in block.commands
        if shown
    ]
    assert compared


@pytest.mark.parametrize("family", registry.FAMILIES)
def test_every_method_and_parameter_is_in_the_reference(family, reference: ModuleType) -> None:
    from tokumei.parameters import parameters

    pages = reference.pages()
    for name in registry.names(family):
        label = reference.label(family, name)
        assert f":ref:`{name} <{label}>`" in pages[f"{family}s"]
        page = pages[label]
        assert page.startswith(f".. _{label}:\n\n{name}\n{'-' * len(name)}\n")
        for parameter in parameters(registry.find(family, name)):
            assert parameter.doc in page
            assert parameter.name.replace("_", "-") in page.replace("_", "-")


@pytest.mark.parametrize("folder", [DOCS, DOCS / "ja"], ids=["en", "ja"])
def test_the_guide_names_every_attack_and_metric(folder: Path) -> None:
    attackers, methods = (
        (folder / page).read_text(encoding="utf-8") for page in ("attackers.md", "methods.md")
    )
    explained = re.findall(r"^\| `([\w-]+)` \| \S", attackers, re.MULTILINE)
    assert sorted(explained) == sorted(registry.names("attack"))
    for name in (*registry.names("attack"), *registry.names("metric")):
        assert f"`{name}`" in methods


def test_every_public_name_is_in_the_reference(reference: ModuleType) -> None:
    import tokumei

    everything = "\n".join(reference.pages().values())
    for name in tokumei.__all__:
        assert re.search(rf"\b{name}\b", everything), f"{name} is not in the reference"


def test_an_unchanged_reference_is_not_written_again(reference: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    reference.write(folder)
    (folder / "of-the-past.rst").write_text("gone")
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("[!o]*.rst")}
    reference.write(folder)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_every_source_that_is_cited_is_listed(reference: ModuleType) -> None:
    listed = set(re.findall(r"^\((\w+)\)=$", (DOCS / "references.md").read_text("utf-8"), re.M))
    for page in reference.pages().values():
        assert set(re.findall(r":ref:`\[\w+\] <(\w+)>`", page)) <= listed


def test_a_link_to_the_sources_names_one_of_them() -> None:
    listed = set(re.findall(r"^\((\w+)\)=$", (DOCS / "references.md").read_text("utf-8"), re.M))
    the_page_itself = {"Sources", "source", "出典", "英語のページ"}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = set(re.findall(r"\[\[?([^\[\]]+)\]?\]\((?:\.\./)*references\.md\)", text))
        assert named <= listed | the_page_itself, f"{page.name}: {named - listed}"


def test_pages_name_no_path_of_a_machine(reference: ModuleType) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in PAGES} | reference.pages()
    for name, text in texts.items():
        assert not MACHINE_PATH.search(text), f"{name} names {MACHINE_PATH.search(text)}"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-d", tmp_path / "trees"]
    built = subprocess.run(
        [*command, DOCS, tmp_path / "html"], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    japanese = (tmp_path / "html" / "ja" / "index.html").read_text(encoding="utf-8")
    assert '<html class="no-js" lang="ja"' in japanese
    loaded = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"(?:https?:)?//")
    for page in (tmp_path / "html").rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), f"{page.name} needs a network"
    followed, broken = followed_links(tmp_path / "html")
    assert not broken
    assert followed > 1000


def followed_links(site: Path) -> tuple[int, list[str]]:
    """Follow every link to another place of the site; return their number, and the broken ones."""
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    names = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    followed, broken = 0, []
    for page, text in texts.items():
        for link in set(re.findall(r'<a [^>]*href="([^"]+)"', text)):
            url = urlsplit(link)
            if url.scheme:
                continue
            to = Path(os.path.normpath(page.parent / unquote(url.path))) if url.path else page
            lost = url.fragment and to in names and unquote(url.fragment) not in names[to]
            followed += 1
            if lost or not to.is_file():
                broken.append(f"{page.relative_to(site)}: {link}")
    return followed, broken


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.name)
def test_links_from_the_front_pages_lead_to_files(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert urlsplit(link).scheme or (ROOT / link).exists(), link
