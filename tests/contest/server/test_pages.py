"""The pages: who sees which, in both languages, and that nobody's text becomes markup."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from page_reading import Page, refuse_unsafe, refuse_unusable
from playing import attack, hand_in, played, work
from scoring import four_submissions
from staging import BROKEN, SQLITE, VALID, ClientOf, People

from tokumei.contest.actions import handing_in, organizing
from tokumei.contest.opening import Contest
from tokumei.contest.server import pages
from tokumei.contest.store import accounts, metrics
from tokumei.contest.store.accounts import User

pytestmark = SQLITE

TEMPLATES = Path(pages.__file__).parent / "templates"
OPEN = ("/", "/login", "/invitation")
FOR_ALL = ("/data", "/results", "/results?shown=all&sort=team&order=desc", "/matrix", "/metrics",
           "/account", "/arena")  # fmt: skip
FOR_TEAMS = ("/submit", "/team")
EVERY = (*OPEN, *FOR_ALL, *FOR_TEAMS, "/organize")
HOSTILE = '"><script>alert(1)</script><b onclick=x>&amp;'


def read(client: TestClient, path: str, language: str = "en") -> Page:
    answer = client.get(path, headers={"accept-language": language})
    assert answer.status_code == 200, (path, answer.text)
    page = Page(answer.text)
    assert page.all("html") == [{"lang": language}]
    refuse_unsafe(page)
    refuse_unusable(page)
    return page


def shown(client: TestClient, path: str) -> str:
    return " ".join(read(client, path).texts)


def propose(contest: Contest, user: User, name: str, source: str) -> None:
    """Keep a script, also where no sandbox could run it."""
    blob = contest.blobs.add([source.encode()], most=1_000)
    with contest.database.write() as connection:
        metrics.propose(
            connection, name=name, language="python", sha256=blob.sha256, kind="utility",
            better="lower", user_id=user.id, team_id=user.team_id,
        )  # fmt: skip


def english_texts() -> set[str]:
    """What templates say that is another text in Japanese."""
    found: set[str] = set()
    for template in TEMPLATES.glob("*.html"):
        found |= set(re.findall(r'tr\("([^"]+)"\)', template.read_text(encoding="utf-8")))
    return {text for text in found if "{" not in text and len(text) > 1}


ROLES = ("organizer", "observer", "captain", "member")


@pytest.mark.parametrize("role", ROLES)
def test_every_page_is_there_for_its_readers_in_both_languages(
    contest: Contest, people: People, client_of: ClientOf, role: str
) -> None:
    played(contest, people, client_of)
    client = client_of(getattr(people, role))
    allowed = {*OPEN, *FOR_ALL, f"/teams/{people.captain.team_id}"}
    allowed |= {"/organize"} if role == "organizer" else set()
    allowed |= set(FOR_TEAMS) if role in ("captain", "member") else set()
    english = english_texts()
    for path in allowed:
        read(client, path)
        left = [text for text in read(client, path, "ja").texts if text in english]
        assert left == [], path
    for path in set(EVERY) - allowed:
        assert client.get(path).status_code == 403, path


def test_without_a_login_there_are_the_open_pages_and_the_way_back(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(None)
    for path in OPEN:
        read(client, path)
        assert client.get(path, headers={"accept-language": "ja"}).status_code == 200
    for path in (*FOR_ALL, *FOR_TEAMS, "/organize"):
        answer = client.get(path, follow_redirects=False)
        assert answer.status_code == 303, path
        assert answer.headers["location"] == f"/login?next={path.partition('?')[0]}"


@pytest.mark.parametrize("phase", ["anonymize", "break", "attack", "closed"])
def test_the_first_page_says_what_to_do_in_every_phase(
    contest: Contest, people: People, client_of: ClientOf, phase: str
) -> None:
    organizing.set_phase(contest, people.organizer, phase)
    for user in (None, people.organizer, people.observer, people.captain):
        page = read(client_of(user), "/")
        assert len(page.by_class("todo")) == 1
        assert page.by_class("headline")[0]["class"] == f"headline {phase}"


def test_the_countdown_goes_to_the_next_phase(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    page = read(client_of(None), "/")
    ends = {found["data-countdown"] for _, found in page.elements if "data-countdown" in found}
    assert ends == {"2119-12-31T15:00:00Z"}


@pytest.mark.parametrize(
    "elsewhere",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/\t/evil",
     "evil.example", ""],
)  # fmt: skip
def test_no_page_leads_to_another_site(
    contest: Contest, people: People, client_of: ClientOf, elsewhere: str
) -> None:
    client = client_of(None)
    form = read(client, "/login?" + urlencode({"next": elsewhere})).all("form")[0]
    assert form["data-go"] == "/"
    answer = client.get("/language/ja", params={"next": elsewhere}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_the_language_is_kept_and_the_reader_comes_back(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(None)
    answer = client.get("/language/ja?next=/login%3Fnext%3D/results", follow_redirects=False)
    assert answer.headers["location"] == "/login?next=/results"
    assert Page(client.get("/").text).all("html") == [{"lang": "ja"}]
    assert client.get("/language/xx").status_code == 422


def test_texts_of_others_stay_texts(contest: Contest, people: People, client_of: ClientOf) -> None:
    with contest.database.write() as connection:
        team = accounts.add_team(connection, HOSTILE[:60])
        rival = accounts.add_user(connection, "<i>rival", "-", "captain", team.id)
    blob = contest.blobs.add([VALID], most=1_000)
    made = handing_in.submit(contest, rival, blob, f"{HOSTILE}.csv")
    handing_in.set_note(contest, rival, made.id, HOSTILE)
    broken = contest.blobs.add([f"{HOSTILE},{HOSTILE},x\n".encode() * 4], most=1_000)
    handing_in.submit(contest, rival, broken, HOSTILE)
    propose(contest, rival, HOSTILE[:60], f"print('{HOSTILE}')")
    hand_in(contest, people.captain)
    organizing.set_phase(contest, people.organizer, "attack")
    work(contest)
    assert attack(client_of(people.captain), team.id, HOSTILE.encode()) == 201
    work(contest)
    for user in (rival, people.organizer, people.captain):
        for path in (*FOR_ALL, f"/teams/{team.id}"):
            page = read(client_of(user), path)
            if path in ("/results", "/matrix"):
                assert any("<script>alert(1)</script>" in text for text in page.texts), path
    assert HOSTILE in " ".join(read(client_of(rival), "/submit").texts)
    read(client_of(rival), "/submit?report=2")
    read(client_of(people.organizer), "/organize")


def test_columns_say_which_way_is_better_and_how_they_are_sorted(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    four_submissions(contest, people)
    client = client_of(people.captain)
    page = read(client, "/results?shown=all&sort=guard&order=desc")
    heads = [found for found in page.all("th") if found.get("scope") == "col"]
    assert [found["aria-sort"] for found in heads if "aria-sort" in found] == ["descending"]
    links = [found["hx-get"] for found in page.all("a") if "hx-get" in found]
    # A first click brings the better ones to the top, a second one turns the order.
    assert "/results?shown=all&filter=&sort=loss&order=asc" in links
    assert "/results?shown=all&filter=&sort=guard&order=asc" in links
    texts = page.texts
    assert texts.count("higher is better") == 1
    groups = [found for found in page.all("th") if found.get("scope") == "colgroup"]
    assert [found["class"].split()[0] for found in groups] == ["total", "utility", "safety"]


def test_a_failed_score_is_words_and_has_no_rank(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    found = four_submissions(contest, people)
    page = read(client_of(people.captain), "/results?shown=all")
    assert page.by_id(f"row-{found['fire_failed']}") == {"id": f"row-{found['fire_failed']}"}
    assert page.by_id(f"row-{found['ice_second']}")["class"] == "own"
    assert "=BAD()" in page.texts
    assert page.texts[page.texts.index("=BAD()") - 5 :].count("–") == 1


def test_the_files_are_of_the_table_that_is_shown(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    four_submissions(contest, people)
    client = client_of(people.captain)
    page = read(client, "/results?shown=all&filter=fir&sort=loss&order=desc")
    files = [found["href"] for found in page.all("a") if "/export" in found.get("href", "")]
    assert len(files) == 3
    csv = next(address for address in files if "csv" in address)
    lines = client.get(csv).text.splitlines()
    assert len(lines) == 3
    assert all("fire" in line for line in lines[1:])
    assert "ice" not in page.texts[page.texts.index("Handed in") :]


def test_a_report_names_every_problem_by_row_and_column(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    number = hand_in(contest, people.captain, BROKEN)
    client = client_of(people.member)
    assert "breaks the rules" in shown(client, "/submit")
    assert "Every problem by row and column row column rule value" in shown(
        client, f"/submit?report={number}"
    )


def test_what_is_busy_is_asked_for_again(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.captain)
    assert not read(client, "/submit").by_id("submissions")["hx-trigger"].startswith("every")
    blob = contest.blobs.add([VALID], most=1_000)
    handing_in.submit(contest, people.captain, blob, "data.csv")
    page = read(client, "/submit")
    assert page.by_id("submissions")["hx-trigger"].startswith("every 2s, live:submission from:body")
    assert "received" in page.texts


def test_the_matrix_shows_hits_and_what_is_left(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    page = read(client_of(people.captain), "/matrix")
    assert "2/3" in page.texts
    assert len(page.by_class("self")) == 2
    assert any("heat-" in found["class"] for found in page.by_class("mine"))
    assert [found["data-aim"] for found in page.all("button") if "data-aim" in found] == [
        str(people.rival.team_id)
    ]
    assert "choose" not in read(client_of(people.observer), "/matrix").texts


def test_before_the_attack_nothing_is_there_to_download(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    hand_in(contest, people.rival)
    page = read(client_of(people.captain), "/matrix")
    assert not [found for found in page.all("a") if "/api/releases" in found.get("href", "")]
    organizing.set_phase(contest, people.organizer, "attack")
    work(contest)
    page = read(client_of(people.captain), "/matrix")
    releases = [found["href"] for found in page.all("a") if "/api/releases" in found["href"]]
    assert releases == [f"/api/releases/{people.rival.team_id}/file"]


def test_a_source_is_for_its_team_and_the_organizers(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    propose(contest, people.captain, "kept", "secret_of_ice = 1")
    for user, sees in [(people.member, True), (people.organizer, True), (people.rival, False)]:
        assert ("secret_of_ice" in client_of(user).get("/metrics").text) is sees


def test_a_team_that_is_not_there_is_a_page_that_says_so(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    client = client_of(people.captain)
    for path in ("/teams/999", "/nowhere", "http://contest.test//evil.example"):
        answer = client.get(path)
        assert answer.status_code == 404
        refuse_unsafe(Page(answer.text))
    answer = client.get("/results?sort=nothing")
    assert answer.status_code == 400
    assert "nothing" in answer.text


@pytest.mark.parametrize("more_settings", ['public = { results = "own" }'])
def test_hidden_results_are_hidden_on_pages_too(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    four_submissions(contest, people)
    client = client_of(people.captain)
    assert "each team sees its own results only" in shown(client, "/results")
    assert "0.4000" not in shown(client, "/results")
    assert "0.4000" not in shown(client, f"/teams/{people.rival.team_id}")
    assert "0.4000" in shown(client_of(people.organizer), "/results")


def test_an_invitation_is_for_the_browser_only(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    page = read(client_of(None), "/invitation")
    form = page.by_id("accept")
    assert form["data-api"] == "POST /api/invitations/accept"
    fields = {found["name"]: found["autocomplete"] for found in page.all("input")}
    assert fields == {"login": "username", "password": "new-password"}


def test_every_form_calls_a_route_of_the_api(
    contest: Contest, people: People, client_of: ClientOf
) -> None:
    played(contest, people, client_of)
    organizing.open_set(contest, people.organizer, "again")
    propose(contest, people.captain, "kept", "print({})")
    paths = client_of(None).get("/api/openapi.json").json()["paths"]
    known = {
        f"{method.upper()} {re.sub('{[^}]+}', '1', path)}"
        for path, methods in paths.items()
        for method in methods
    }
    called: set[str] = set()
    for user in (people.organizer, people.captain):
        for path in EVERY:
            answer = client_of(user).get(path)
            for found in Page(answer.text).all("form"):
                if "data-api" in found:
                    called.add(re.sub(r"/\d+", "/1", found["data-api"]))
                if "data-upload" in found:
                    called.add(f"POST {found['data-upload']}")
    assert len(called) > 15
    assert called <= known
