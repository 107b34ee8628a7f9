"""Which anonymizer is recommended, and why."""

import json
import math
import shlex
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tokumei import History, generate, read
from tokumei.anonymizers import Chain, DeleteRows, PseudonymsOnly, ShiftDates
from tokumei.audit import recommending
from tokumei.audit.designs import design, words
from tokumei.audit.frontier import figure
from tokumei.audit.recommending import Recommendation, recommend
from tokumei.audit.trials import KEEP, Trial, kept, loss, measurable, try_out
from tokumei.cli.options import method_from_text
from tokumei.contracts import Score
from tokumei.errors import ParameterError, ReadError, SchemaError, WriteError
from tokumei.metrics import Indistinguishable
from tokumei.registry import spec


@pytest.fixture(scope="module")
def tiny() -> History:
    return generate("shop", customers=30, seed=3)


def trial(name: str, worst: float, *, broken: bool = False, **losses: float) -> Trial:
    largest = Score(f"attack {name}", 0.1, "lower", (0.0, 1.0), 30, baseline=1 / 30)
    spec_of = {"method": name}
    return Trial(name, spec_of, 1, largest, worst, broken, losses or {"rows": 0.0}, 0.1)


def recommendation(*trials: Trial, best: Trial | None = None, risk: float = 0.1) -> Recommendation:
    return Recommendation(risk, tuple(trials[0].losses), 30, trials, best, (), ())


@pytest.mark.parametrize("risk", [0.04, 0.1, 0.3, 0.5, 1.0])
def test_words_say_what_the_command_understands(tiny: History, risk: float) -> None:
    methods = design(tiny, risk=risk, seconds=300)
    assert len(methods) == len(set(methods)) > 15
    for method in methods:
        if isinstance(method, Chain):
            before, *then = words(spec(method)).split(" --then ")
            steps = [before, *(shlex.split(text)[0] for text in then)]
        else:
            steps = [words(spec(method))]
        made = [method_from_text("anonymizer", step) for step in steps]
        assert made == list(method.steps if isinstance(method, Chain) else [method])


def test_words_are_as_short_as_can_be() -> None:
    steps = (ShiftDates(days=7), DeleteRows(share=0.25))
    assert words(spec(Chain(steps=steps))) == "shift-dates --then 'delete-rows --share 0.25'"
    assert words(spec(PseudonymsOnly())) == "pseudonyms-only"


def test_the_first_of_the_design_keep_the_risk_by_construction(tiny: History) -> None:
    metrics = measurable(tiny, seed=0)
    for method in design(tiny, risk=0.2, seconds=3)[:4]:
        found, _ = try_out(method, tiny, metrics, seed=5)
        assert found.risk <= 0.2, found.words


def test_a_design_fits_the_columns() -> None:
    rows = pl.DataFrame({"customer": ["a", "b", "c"], "item": ["x", "y", "y"]})
    found = recommend(read(rows), risk=0.5, seconds=60, seed=1)
    assert found.keep == ("items", "rows", "cells")
    assert any("--date-weight 0" in one.words for one in found.trials)
    assert any(one.name.startswith("perturb-amounts") for one in found.left_out)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score("E5", 0.25, "lower", (0.0, 1.0), 1), 0.25),
        (Score("RFM-agreement", 0.75, "higher", (0.0, 1.0), 1), 0.25),
        (Score("U3-RFM", 0.004, "lower", (0.0, 0.016), 1), 0.25),
        (Score("rows-added", 3.0, "lower", (0.0, math.inf), 1), 0.75),
        (Score("rows-added", 0.0, "lower", (0.0, math.inf), 1), 0.0),
    ],
)
def test_losses_by_hand(score: Score, expected: float) -> None:
    assert loss(score) == pytest.approx(expected)


def test_the_loss_is_the_mean_over_what_is_kept() -> None:
    one = trial("x", 0.5, rfm=0.2, items=0.4, rows=0.9)
    assert one.loss(["rfm"]) == pytest.approx(0.2)
    assert one.loss(["rfm", "items"]) == pytest.approx(0.3)


def test_nothing_is_lost_without_a_change_and_half_of_the_rows_with_half(tiny: History) -> None:
    metrics = measurable(tiny, seed=0)
    same, _ = try_out(PseudonymsOnly(), tiny, metrics, seed=1)
    assert same.losses == {name: 0.0 for name in KEEP if name != "segments"}
    assert same.risk == 1
    half, release = try_out(DeleteRows(share=0.5), tiny, metrics, seed=1)
    deleted = 1 - release.public.rows / tiny.rows
    assert half.losses["rows"] == pytest.approx(deleted / 2)  # and no row was added


def test_what_can_no_longer_be_computed_is_lost(tiny: History) -> None:
    method = method_from_text("anonymizer", "generalize --k 5 --grouping rfm --objective rfm")
    found, _ = try_out(method, tiny, measurable(tiny, seed=0), seed=1)
    assert found.losses["dates"] == found.losses["amounts"] == 1


def test_the_frontier_by_hand() -> None:
    a, b, c, d, e = (
        trial("a", 0.1, rows=0.8),
        trial("b", 0.1, rows=0.9),
        trial("c", 0.2, rows=0.8),
        trial("d", 0.3, rows=0.2),
        trial("e", 1.0, rows=0.0),
    )
    assert recommendation(e, d, c, b, a).frontier == (a, d, e)
    assert recommendation(c, b).frontier == (b, c)


def test_the_worst_off_customer_decides_and_a_broken_bound_is_none() -> None:
    assert trial("fours", 0.25).risk == 0.25
    assert trial("fours", 0.25, broken=True).risk == 1.0


def test_a_small_average_does_not_hide_who_is_alone(tiny: History) -> None:
    free = method_from_text("anonymizer", "equalize --safety 0.8 --seconds 0.2")
    found, release = try_out(free, tiny, measurable(tiny, seed=0), seed=1)
    assert Indistinguishable(by="rows")(tiny, release, seed=1).value < 0.5
    assert found.risk == 1.0


def test_a_recommendation_keeps_the_risk(tiny: History) -> None:
    found = recommend(tiny, risk=0.2, seconds=4, seed=11)
    assert found.best is not None
    assert found.best.confirmed
    assert found.best.risk <= 0.2
    better = [one for one in found.trials if found.loss(one) < found.loss(found.best)]
    assert all(one.risk > 0.2 for one in better)
    assert json.loads(json.dumps(found.to_json()))["best"]["words"] == found.best.words


def test_the_same_seed_gives_the_same_trials(monkeypatch, tiny: History) -> None:
    texts = ("decoys --share rows --clusters 6 --seconds 0.2", "generalize --k 5 --seconds 0.2")
    methods = tuple(method_from_text("anonymizer", text) for text in texts)
    monkeypatch.setattr(recommending, "design", lambda *_, **__: methods)
    one, two = (recommend(tiny, risk=0.2, seed=11) for _ in range(2))
    assert [replace(trial, seconds=0) for trial in one.trials] == [
        replace(trial, seconds=0) for trial in two.trials
    ]
    assert len(one.trials) == 2


class Counted:
    """`try_out` that counts, and stops like Ctrl-C after so many."""

    def __init__(self, stop: int = 10**6) -> None:
        self.tried: list[str] = []
        self.stop = stop

    def __call__(self, method, history, metrics, *, seed):  # type: ignore[no-untyped-def]
        if len(self.tried) == self.stop:
            raise KeyboardInterrupt
        self.tried.append(words(spec(method)))
        return try_out(method, history, metrics, seed=seed)


def test_an_interrupted_run_goes_on(monkeypatch, tiny: History, tmp_path: Path) -> None:
    methods = (PseudonymsOnly(), DeleteRows(), ShiftDates())
    monkeypatch.setattr(recommending, "design", lambda *_, **__: methods)
    file = tmp_path / "out" / "trials.jsonl"
    monkeypatch.setattr(recommending, "try_out", first := Counted(stop=2))
    with pytest.raises(KeyboardInterrupt):
        recommend(tiny, risk=0.5, folder=file.parent)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["words"] for line in lines] == first.tried == ["pseudonyms-only", "delete-rows"]
    assert file.stat().st_mode & 0o077 == 0  # the seed can undo pseudonyms
    assert list(file.parent.iterdir()) == [file]

    monkeypatch.setattr(recommending, "try_out", second := Counted())
    found = recommend(tiny, risk=0.5, folder=file.parent)
    assert second.tried == ["shift-dates"]
    assert {trial.seed for trial in found.trials} == {lines[0]["seed"]}

    # Another risk and another use need no new trials.
    monkeypatch.setattr(recommending, "try_out", third := Counted())
    again = recommend(tiny, risk=1.0, keep=["rfm"], folder=file.parent)
    assert not third.tried
    assert again.best is not None


def test_another_seed_is_tried_anew(monkeypatch, tiny: History, tmp_path: Path) -> None:
    monkeypatch.setattr(recommending, "design", lambda *_, **__: (PseudonymsOnly(),))
    for seed in (1, 2, 1):
        recommend(tiny, risk=1.0, seed=seed, folder=tmp_path / "out")
    lines = (tmp_path / "out" / "trials.jsonl").read_text().splitlines()
    assert [json.loads(line)["seed"] for line in lines] == [1, 1, 2, 2]  # tried and confirmed
    other = [line.replace('"version": "', '"version": "0.') for line in lines]
    (tmp_path / "out" / "trials.jsonl").write_text("\n".join(other))
    monkeypatch.setattr(recommending, "try_out", counted := Counted())
    recommend(tiny, risk=1.0, seed=1, folder=tmp_path / "out")
    assert counted.tried == ["pseudonyms-only"]


def test_folders_that_do_not_fit_are_refused(monkeypatch, tiny: History, tmp_path: Path) -> None:
    monkeypatch.setattr(recommending, "design", lambda *_, **__: (PseudonymsOnly(),))
    recommend(tiny, risk=1.0, folder=tmp_path / "out")
    other = generate("shop", customers=10, seed=4)
    with pytest.raises(SchemaError, match="has trials of other data"):
        recommend(other, risk=1.0, folder=tmp_path / "out")
    (tmp_path / "out" / "trials.jsonl").write_text("{}\n")
    with pytest.raises(ReadError, match=r"line 1: this is no finished trial"):
        recommend(tiny, risk=1.0, folder=tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(WriteError, match="has no trials"):
        recommend(tiny, risk=1.0, folder=tmp_path / "mine")


def test_who_fails_before_all_attackers_is_not_recommended(monkeypatch, tiny: History) -> None:
    monkeypatch.setattr(recommending, "design", lambda *_, **__: (PseudonymsOnly(), DeleteRows()))
    quick = {"pseudonyms-only": trial("pseudonyms-only", 0.1, rows=0.0)}
    quick["delete-rows"] = trial("delete-rows", 0.1, rows=0.5)
    monkeypatch.setattr(
        recommending, "try_out", lambda method, *_, **__: (quick[words(spec(method))], None)
    )

    def confirmed(tried: Trial, *_: object) -> Trial:
        return replace(tried, broken=tried.words == "pseudonyms-only", confirmed=True)

    monkeypatch.setattr(recommending, "confirmed", confirmed)
    found = recommend(tiny, risk=0.2, keep=["rows"], seed=1)
    assert found.best is not None
    assert found.best.words == "delete-rows"
    assert [one.risk for one in found.trials] == [0.1, 1.0]


def test_what_cannot_be_reached_is_said(tiny: History) -> None:
    found = recommend(tiny, risk=0.01, seconds=2, seed=1)
    assert found.best is None
    assert found.nearest.risk >= 1 / 30
    drawn = figure(found, str)
    assert drawn.title.startswith("Nothing that was tried bounds every customer's chance by 1.0%")


def test_a_short_time_still_gives_an_answer(tiny: History) -> None:
    begun = time.monotonic()
    found = recommend(tiny, risk=0.2, seconds=0.01, seed=1)
    assert time.monotonic() - begun < 60
    assert len(found.trials) == 1
    assert found.best == found.trials[0]
    assert len(found.not_tried) > 15


def test_nonsense_is_refused(tiny: History) -> None:
    for settings in ({"risk": 0.0}, {"risk": 1.1}, {"risk": 0.1, "seconds": 0.0}):
        with pytest.raises(ParameterError):
            recommend(tiny, **settings)
    with pytest.raises(ParameterError, match=r"some of rfm, items, .*; not 'colors'"):
        kept(["rfm", "colors"], KEEP)
    with pytest.raises(SchemaError, match="lacks the columns to measure segments"):
        recommend(tiny, risk=0.1, keep=["segments"])


def test_the_figure_draws_every_trial() -> None:
    best = trial("decoys", 0.1, rows=0.6)
    drawn = figure(recommendation(best, trial("pseudonyms-only", 1.0), best=best), str)
    assert drawn.title == "Of 2 tried, decoys loses least at a risk of at most 10.0%: 0.60 of 1"
    assert drawn.data["best"].to_list() == [True, False]
    assert drawn.data["loss of rows"].to_list() == [0.6, 0.0]
    assert "vega-lite" in drawn.chart.to_dict()["$schema"]
