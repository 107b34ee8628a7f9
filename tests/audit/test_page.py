"""The report: what it says first, that it shows nobody's name, and that a browser can read it."""

import base64
import html as escaping
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

from tokumei import publish
from tokumei.audit import printing
from tokumei.audit.auditing import Audit, audit
from tokumei.audit.criteria import Sentence
from tokumei.audit.markdown import markdown
from tokumei.audit.page import html
from tokumei.audit.printing import browser, pdf
from tokumei.audit.summary import groups_sentence, summarize
from tokumei.errors import Unachievable, WriteError
from tokumei.words import Language, translate

METHODS = ("pseudonyms", "yamaoka", "rows", "generalized")
FIGURES = 8
TELEPHONE = 375
LINK = re.compile(r'download="([^"]+)" href="data:([^;]+);base64,([^"]+)"')
Audited = Callable[[str], Audit]
Pages = Callable[..., str]

needs_browser = pytest.mark.skipif(browser() is None, reason="there is no Chromium on PATH")


def files(page: str) -> dict[str, bytes]:
    return {name: base64.b64decode(content) for name, _, content in LINK.findall(page)}


@pytest.fixture(scope="module")
def pages(audited: Audited) -> Pages:
    """Return the report on a release; each is made once."""

    @cache
    def made(method: str, language: Language) -> str:
        return html(audited(method), language=language)

    def of(method: str, language: Language = "en") -> str:
        return made(method, language)

    return of


@pytest.fixture
def page(pages: Pages) -> str:
    return pages("yamaoka")


@pytest.mark.parametrize(("method", "language"), [*((m, "en") for m in METHODS), ("rows", "ja")])
def test_nobody_and_nothing_secret_is_in_the_report(
    audited: Audited, pages: Pages, method: str, language: Language
) -> None:
    found, page = audited(method), pages(method, language)
    saved = [content.decode() for name, content in files(page).items() if "png" not in name]
    texts = [LINK.sub("", page), *saved, markdown(found, language=language)]
    texts.append(json.dumps(found.to_json()))
    pseudonyms = re.compile("|".join(rf"\b{name}\b" for name in found.release.public.persons()))
    for text in texts:
        assert "kundin" not in text
        assert not pseudonyms.search(text)
    assert len(page.encode()) < 3_000_000


@pytest.mark.parametrize("method", METHODS)
def test_names_are_shown_and_not_believed(audited: Audited, pages: Pages, method: str) -> None:
    page = pages(method)
    assert "<script" not in page
    assert "<b onclick" not in page
    assert "<script" not in markdown(audited(method))
    drawings = [text.decode() for name, text in files(page).items() if name.endswith(".svg")]
    assert len(drawings) == FIGURES
    assert not any("<script" in text or "<b onclick" in text for text in drawings)


def test_a_strange_column_is_named(page: str) -> None:
    assert "&lt;b onclick=steal()&gt;note" in page


def test_pictures_do_not_take_each_others_parts(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert all(f'id="{name}"' in page for name in re.findall(r"url\(#([^)]+)\)", page))


def test_a_manager_reads_the_answer_first(audited: Audited, pages: Pages) -> None:
    for method, said in {
        "yamaoka": "Exposed: the best attacker finds 100.0% of the customers; the limit is 10.0%.",
        "rows": "Exposed: the best attacker finds",
    }.items():
        for body in (pages(method), markdown(audited(method))):
            assert said in body
            assert body.index(said) < body.index("tokumei recommend ORIGINAL --risk 0.1")
            assert body.index("tokumei recommend") < body.index("Who can find whom")


def test_every_verdict_is_said(audited: Audited) -> None:
    found = audited("rows")
    judged = replace(found.judged, max_risk=0.5, excess=1.0)
    link = Sentence("The pseudonyms are in the order of the customers' ids.")
    weak = replace(found.headline, score=replace(found.headline.score, value=0.05))
    for verdict, said in (
        (judged, "Safe at a limit of 50.0%: nobody's chance of being found exceeds"),
        (replace(judged, links=(link,)), "Exposed: the pseudonyms or the row order tell who is"),
        (replace(judged, excess=1e-9), "Exposed: the bound is broken."),
        (replace(judged, max_risk=0.01), "Exposed: the best attacker finds 5.0% of the customers"),
        (
            replace(judged, max_risk=0.1, worst=1.0, above_limit=2),
            "Exposed: 2 of 30 customers may be found with a chance above the limit of 10.0%",
        ),
    ):
        page = markdown(replace(found, judged=verdict, risks=(weak, *found.risks[1:])))
        assert said in page
        assert (link.text in page) == bool(verdict.links)


def test_an_excess_is_tested_and_never_called_chance(audited: Audited) -> None:
    found = audited("rows")
    assert found.bound is not None
    first = found.risks[0]
    for value, above in ((found.bound.value, False), (found.bound.value + 0.1, True)):
        lucky = replace(first, score=replace(first.score, value=value))
        page = markdown(replace(found, risks=(lucky, *found.risks[1:])))
        assert ("Chance alone reaches a rate such as that of" in page) == above
        assert "by chance:" not in page


def test_how_many_stand_alone_is_said(audited: Audited) -> None:
    assert "look alike: 30 alone." in markdown(audited("pseudonyms"))
    groups = ((1, 2), (2, 4), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7))
    judged = replace(audited("rows").judged, groups=groups)
    said = (
        "Customers whose released rows look alike: 2 alone, 4 in groups of 2, 3 in groups of 3, "
        "4 in groups of 4, 5 in groups of 5, 13 in larger groups."
    )
    assert groups_sentence(judged, str) == said


def test_exchanged_histories_are_told(audited: Audited, page: str, pages: Pages) -> None:
    assert "Histories were exchanged between customers: 30 pseudonyms" in page
    assert "Histories were exchanged" not in pages("pseudonyms")
    assert "履歴が入れ替えられています" in markdown(audited("yamaoka"), language="ja")


def test_the_law_is_told_with_sources_and_what_is_left_to_decide(page: str) -> None:
    assert "no legal advice" in page
    assert 'href="https://laws.e-gov.go.jp/law/428M60020000003"' in page
    assert page.count('class="criterion"') == 8
    assert "To be decided by a person" in page


def test_numbers_can_be_made_again_and_signed(audited: Audited, page: str) -> None:
    for digest in audited("yamaoka").provenance.digests.values():
        assert digest in page
    assert "Signature" in page
    assert html(audited("yamaoka")) == page


def test_every_figure_can_be_saved(page: str) -> None:
    saved = files(page)
    assert len(saved) == 4 * FIGURES
    assert saved["rfm.csv"].decode().startswith("of,R,F,customers,spend")
    assert json.loads(saved["rfm.vl.json"])["$schema"].startswith("https://vega.github.io")
    assert saved["rfm.png"].startswith(b"\x89PNG")
    assert page.count("<details>") == FIGURES


def test_months_are_counted_where_pseudonyms_change(audited: Audited) -> None:
    shop = audited("pseudonyms").original
    monthly = audit(shop, publish(shop, shop, secret=b"1", period="month"), seed=1)
    text = markdown(monthly)
    assert "names every month of 30 of 30 customers" in text
    assert "100.0% of the customer-months" in text


def test_what_was_left_out_stands_once_by_its_reason(audited: Audited) -> None:
    found = audited("generalized")
    text = markdown(found)
    reason = "To compare item sets, every item must be exact; some are generalized."
    assert text.count(f"| {reason} |") == 1
    assert "商品集合を比べるには" in markdown(found, language="ja")


def test_a_table_without_facts_has_no_heading(audited: Audited, pages: Pages) -> None:
    for method in ("rows", "generalized"):
        for body in (pages(method), markdown(audited(method))):
            assert ("Facts under an assumption" in body) == bool(audited(method).facts)
    assert audited("rows").facts
    assert not audited("generalized").facts


def test_japanese_sentences_have_no_space_between_them(audited: Audited) -> None:
    found = audited("yamaoka")
    summary = summarize(found, partial(translate, language="ja"))
    assert "。試した攻撃者" in summary.measured
    assert not any("。 " in said for _, said in summary.attacker)
    assert ". Of the" in summarize(found, partial(translate, language="en")).measured


def run(arguments: list[str], page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    program = browser()
    assert program is not None
    quiet = ["--disable-gpu", "--no-first-run", "--disable-component-update", "--disable-sync"]
    command = [program, "--headless", *quiet, *printing._unboxed(), *arguments]
    profile = f"--user-data-dir={folder}/profile"
    return subprocess.run(
        [*command, profile, page.as_uri()], capture_output=True, text=True, timeout=60
    )


@needs_browser
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_browser_shows_it_without_network_or_complaint(
    pages: Pages, tmp_path: Path, language: Language
) -> None:
    def visit(text: str, name: str) -> tuple[str, list[str], set[str]]:
        path, log = tmp_path / f"{name}.html", tmp_path / f"{name}.json"
        path.write_text(text, encoding="utf-8")
        logging = ["--enable-logging=stderr", "--v=0", f"--log-net-log={log}", "--dump-dom"]
        done = run(logging, path, tmp_path / name)
        told = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        asked = set(re.findall(r"https?://([^/\"\\:; ]+)", log.read_text(encoding="utf-8")))
        # The browser itself calls home.
        return done.stdout, told, {host for host in asked if "google" not in host}

    shown, told, asked = visit(pages("rows", language), "report")
    assert shown.count("<svg") == FIGURES
    assert f'<html lang="{language}"' in shown
    assert not told
    assert not asked
    # What is not there would have been seen.
    bad = "<img src='http://example.invalid/a.png'><script>console.error('seen')</script>"
    _, told, asked = visit(bad, "bad")
    assert told
    assert asked == {"example.invalid"}


@needs_browser
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_narrow_screen_need_not_be_moved_sideways(
    pages: Pages, tmp_path: Path, language: Language
) -> None:
    """A window has a least width, so the page stands in a frame as wide as a telephone."""
    page = escaping.escape(pages("rows", language))
    script = """
        const page = document.querySelector("iframe").contentDocument;
        for (const part of page.querySelectorAll("details")) part.open = true;
        document.title = page.documentElement.scrollWidth + " of " + page.defaultView.innerWidth;
    """
    path = tmp_path / "narrow.html"
    path.write_text(
        f'<meta charset="utf-8"><iframe width="{TELEPHONE}" height="800" style="border: 0" '
        f'srcdoc="{page}"></iframe><script>onload = () => {{ {script} }}</script>',
        encoding="utf-8",
    )
    done = run(["--dump-dom"], path, tmp_path)
    widths = re.search(r"<title>(\d+) of (\d+)</title>", done.stdout)
    assert widths is not None
    assert int(widths[2]) == TELEPHONE
    assert int(widths[1]) <= TELEPHONE


@needs_browser
def test_it_is_printed(page: str, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    pdf(page, path)
    assert path.read_bytes().startswith(b"%PDF")
    with pytest.raises(WriteError, match="exists already"):
        pdf(page, path)


def test_without_a_browser_a_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unachievable, match=r"needs Chromium or Chrome .*use --as html"):
        pdf("<p>", tmp_path / "report.pdf")
    assert not list(tmp_path.iterdir())
