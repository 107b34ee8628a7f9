"""Enter a contest: make a release, check it, hand it in, attack another's."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Enter a contest")

with app.setup:
    from contextlib import ExitStack
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import marimo as mo
    import polars as pl

    import tokumei
    from tokumei import Challenge
    from tokumei.anonymizers import Equalize, PseudonymsOnly
    from tokumei.attacks import Ensemble
    from tokumei.contest.actions import organizing, people
    from tokumei.contest.client import Client
    from tokumei.contest.creating import Data, create
    from tokumei.contest.demo_teams import work
    from tokumei.contest.opening import open_contest
    from tokumei.contest.serving import running
    from tokumei.data.pwscup import contest_text
    from tokumei.rules import find
    from tokumei.tables import frame, table


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Enter a contest

    In an anonymization contest, teams first anonymize the same purchases, then attack each
    other's. This notebook plays a whole contest, small and on this machine: with the rules of
    Hamada's simplified game, which fit into a minute, and with a real server.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The organizer's side

    Skip this part when you have a link to a contest. Here we make one: 30 generated customers, a
    server that only this machine can reach, and two teams. `client_of` does what you do in the
    browser: follow the invitation, choose a password, make a token.
    """)
    return


@app.cell
def _():
    rules = "simplified"
    opened = ExitStack()
    folder = Path(opened.enter_context(TemporaryDirectory(prefix="contest-")))
    purchases = folder / "T.csv"
    shop = tokumei.generate("shop", customers=30, seed=1)
    purchases.write_text(contest_text(shop, rules), encoding="utf-8")
    create(folder / "contest", rules, Data(purchases))
    contest = opened.enter_context(open_contest(folder / "contest"))
    server = opened.enter_context(running(contest))
    mo.md(f"The contest runs at {server}.")
    return contest, folder, opened, purchases, rules, server


@app.cell
def _(contest, opened, server):
    def client_of(team: str) -> Client:
        """Let somebody found a team, and return their program's way to the server."""
        invited = people.invite(contest, None, "captain", team_name=team)
        captain = people.accept(contest, invited.secret, f"{team}-captain", "a long password")
        token = people.new_token(contest, captain, "notebook", "write", days=1)
        return opened.enter_context(Client(server, token.secret))

    ice, mist = client_of("Ice"), client_of("Mist")
    return ice, mist


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Make a release

    You are team Ice. The total of this game adds the share of deleted rows, of changed cells, and
    of customers that the best attacker names. The smaller, the better. Without any change it is
    1: nothing is lost, everybody is found. `Equalize` searches for groups of customers that bring
    it down.
    """)
    return


@app.cell
def _(folder, purchases, rules):
    game = find(rules)
    original = game.read(purchases)

    def submission_by(method, name: str, *, seed: int) -> Path:
        """Anonymize, and write the file that the rules want."""
        anonymized = method(original.history, seed=seed)
        (text,) = game.submission(original.history, anonymized).values()
        file = folder / name
        file.write_text(text, encoding="utf-8")
        return file

    ours = submission_by(Equalize(seconds=1.0), "ours.csv", seed=2)
    mo.md("```text\n" + "\n".join(ours.read_text().splitlines()[:5]) + "\n```")
    return game, original, ours, submission_by


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Check and score it at home

    Your machine judges as the server does. `check` names every row that breaks a rule, `judge`
    gives the scores.
    """)
    return


@app.cell
def _(game, original, ours):
    entry = game.check(original, ours)
    entry.report.require_valid()
    at_home = game.judge(original, entry, seed=3)
    pl.DataFrame({score.name: [round(score.value, 4)] for score in at_home.scores})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Hand it in

    The other team, Mist, has only replaced the names. Both hand in through the same client as
    `tokumei contest submit`. `work` does what the workers of a server do meanwhile. The total is
    the one that you saw at home.
    """)
    return


@app.cell
def _(contest, ice, mist, ours, submission_by):
    theirs = submission_by(PseudonymsOnly(), "theirs.csv", seed=4)
    mist.submit(theirs)
    handed_in = ice.submit(ours)
    work(contest)
    scored = ice.wait_for_scores(handed_in["id"], seconds=30)
    results = ice.results({})["rows"]
    standings = pl.DataFrame(results).select("rank", pl.col("team").struct.field("name"), "total")
    total = f"{scored['results']['total']['value']:.4f}"
    mo.vstack([mo.stat(total, label="our total on the server"), standings])
    return (results,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Attack the others

    The organizer begins the second phase. The server then publishes one submission of each team,
    its rows shuffled. Download that of Mist, and ask: who is behind each pseudonym? You know the
    original purchases, as everybody in this game does.
    """)
    return


@app.cell
def _(contest, folder, ice, results, rules):
    organizing.set_phase(contest, None, "attack")
    work(contest)
    (mist_team,) = (row["team"]["id"] for row in results if row["team"]["name"] == "Mist")
    published = tokumei.read(ice.download_release(mist_team, folder), format=rules)
    published
    return mist_team, published


@app.cell
def _(original, published):
    challenge = Challenge(
        release=published,
        known=original.history,
        targets=table(pl.DataFrame({"target": published.persons()})),
        candidates=table(pl.DataFrame({"value": original.history.persons()})),
        assumes="The attacker knows every purchase of every customer.",
    )
    guess = frame(Ensemble()(challenge, seed=5).pairs)
    best = guess.sort("weight", descending=True).unique("target", keep="first").sort("target")
    best.head()
    return (best,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A guess is a file with a line `pseudonym,customer` for each. The server marks it against the
    key, which nobody but the server has.
    """)
    return


@app.cell
def _(best, contest, folder, ice, mist_team):
    answer = folder / "guess.csv"
    best.select("target", "value").write_csv(answer, include_header=False)
    sent = ice.attack(mist_team, answer)
    work(contest)
    marked = ice.wait_for_mark(sent["id"], seconds=30)
    mo.stat(f"{marked['hits']} of {marked['total']}", label="customers of Mist found")
    return (marked,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Pseudonyms alone protect nobody, and now Mist knows it. What Ice handed in stands up better:
    customers of a group look alike, and an attacker can only guess among them.

    The last cell ends the server.
    """)
    return


@app.cell
def _(marked, opened):
    opened.close()
    mo.md(f"The guess is {marked['state']}, and the server has ended.")
    return


if __name__ == "__main__":
    app.run()
