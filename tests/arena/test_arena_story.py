"""Stories as lines of JSON, generated contests, and the page that plays them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tokumei.arena.generating import generate_story
from tokumei.arena.page import inline_module, replay_page
from tokumei.arena.story import Story, header, read_story
from tokumei.arena.texts import arena_texts
from tokumei.cli.main import _run
from tokumei.errors import ParameterError, ReadError

FRONTEND = Path(__file__).parents[2] / "frontend" / "arena"
HOSTILE = "</script><script>alert(1)</script><!-- \"'&"
TEAM = {"t": "2026-12-01T00:00:00Z", "kind": "team", "team": 1, "name": HOSTILE}
GUESS = {"t": "2026-12-01T00:00:00Z", "kind": "guess", "attacker": 1, "defender": 2, "hits": 1,
         "total": 2, "success": 0.5}  # fmt: skip
METRIC = {"name": "E", "title": {"en": "E", "ja": "E"}, "kind": "utility", "better": "lower"}


def first(**changed: Any) -> dict[str, Any]:
    told = header(
        title={"en": "Small", "ja": "小さい"}, counts="best", better="lower", metrics=[METRIC],
        until="2026-12-02T00:00:00Z",
    )  # fmt: skip
    return told | changed


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_story_is_read_as_it_was_written(tmp_path: Path) -> None:
    story = generate_story(teams=3, seed=5)
    file = tmp_path / "events.jsonl"
    file.write_text(story.to_lines(), encoding="utf-8")
    assert read_story(file) == story


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "must begin with the header"),
        ([TEAM], "must begin with the header"),
        ([first(version=2)], "must have version 1 in its header, not 2"),
        ([first(counts="all")], "entry 1: counts must not be 'all'"),
        ([first(title="x")], "entry 1: title must not be 'x'"),
        ([first(metrics=[{"name": "E"}])], "entry 1: metrics must not be"),
        ([first(), {**TEAM, "team": True}], "entry 2: team must not be 'True'"),
        ([first(), {**TEAM, "t": "2026-12-01T00:00:00"}], "entry 2: t must not be"),
        ([first(), TEAM, {"kind": "team"}], "entry 3: t is missing"),
        ([first(), {**GUESS, "success": 1.5}], "entry 2: success must not be '1.5'"),
        ([first(), {**GUESS, "hits": -1}], "entry 2: hits must not be '-1'"),
        ([first(), {"kind": "fire"}], "one of team, phase, submission"),
        ([first(), {"kind": []}], "one of team, phase, submission"),
        ([first(), [1]], "line 2: this is no JSON object"),
        ([first(), {**GUESS, "success": float("nan")}], "line 2: this is no JSON object"),
    ],
)
def test_a_story_that_is_not_as_it_must_be_is_named_by_its_place(
    tmp_path: Path, lines: list[object], said: str
) -> None:
    with pytest.raises(ReadError) as caught:
        read_story(written(tmp_path / "events.jsonl", *lines))
    assert said in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{", b"[" * 100_000, b"\x00"])
def test_other_files_are_no_stories(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(content)
    with pytest.raises(ReadError):
        read_story(file)


def test_the_same_seed_makes_the_same_contest() -> None:
    assert generate_story(seed=3) == generate_story(seed=3)
    assert generate_story(seed=3) != generate_story(seed=4)


@pytest.mark.parametrize("teams", [2, 20, 57])
def test_a_generated_contest_is_one_that_could_have_been(teams: int) -> None:
    story = generate_story(teams=teams, seed=1)
    times = [line["t"] for line in story.lines]
    assert times == sorted(times)
    assert times[-1] <= story.header["until"]
    named = [line["name"] for line in story.lines if line["kind"] == "team"]
    assert len(set(named)) == len(named) == teams
    attack = next(line["t"] for line in story.lines if line.get("phase") == "attack")
    for line in story.lines:
        if line["kind"] == "submission":
            assert line["t"] < attack
        if line["kind"] == "guess":
            assert line["t"] > attack
            assert line["attacker"] != line["defender"]
            assert line["success"] == line["hits"] / line["total"] <= 1
    with pytest.raises(ParameterError, match="teams must lie in"):
        generate_story(teams=1)


class Scripts(HTMLParser):
    """What a browser takes for scripts, and the other elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and self.scripts:
            attributes, before = self.scripts[-1]
            self.scripts[-1] = (attributes, before + data)


def test_a_page_is_whole_and_a_hostile_name_stays_a_name() -> None:
    story = Story(first(title={"en": HOSTILE, "ja": "-"}), (TEAM,))
    page = replay_page(story, language="en")
    read = Scripts(page)
    assert [found.get("type") for found, _ in read.scripts] == ["application/json", "module"]
    assert json.loads(read.scripts[0][1].strip()) == story.to_json()
    module = read.scripts[1][1]
    assert "createArena" in module
    assert "alert(1)" not in module
    for tag, attributes in read.seen:
        assert not {"src", "href", "style"} & attributes.keys(), tag
    policy = next(found["content"] for tag, found in read.seen if "http-equiv" in found)
    digest = base64.b64encode(hashlib.sha256(inline_module().encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none'")


def test_every_word_that_the_arena_asks_for_is_there_in_both_languages() -> None:
    texts = arena_texts("en")
    sources = "".join(file.read_text(encoding="utf-8") for file in FRONTEND.glob("*.ts"))
    asked = set(re.findall(r'(?:texts\["|said\(")(\w+)"', sources))
    asked |= {f"column_{key}" for key in re.findall(r'key: "(\w+)"', sources)}
    assert {"no_webgl", "play", "axis_loss", "column_found"} <= asked
    assert asked <= texts.keys(), asked - texts.keys()
    assert texts.keys() == arena_texts("ja").keys()


def test_the_commands_write_files_that_replay_each_other(tmp_path: Path, capsys) -> None:
    page, events, again = (tmp_path / name for name in ("a.html", "e.jsonl", "b.html"))
    demo = [
        "arena",
        "demo",
        "--teams",
        "4",
        "--seed",
        "2",
        "-o",
        str(page),
        "--events",
        str(events),
    ]
    assert _run([*demo, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["lines"]["team"] == 4
    assert _run(["arena", "replay", str(events), "-o", str(again), "--lang", "en"]) == 0
    assert again.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    assert _run(["arena", "replay", str(events), "-o", str(again)]) == 2, "it exists already"
    assert _run(["arena", "replay", str(page), "-o", str(tmp_path / "c.html")]) == 2
    assert not (tmp_path / "c.html").exists()
