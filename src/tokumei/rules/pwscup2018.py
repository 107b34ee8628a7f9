"""PWSCUP 2018: cells generalized to intervals and sets; a release survives or is shot down."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import polars as pl

from tokumei.attacks.item_intersection import ItemIntersection
from tokumei.attacks.unique_row import UniqueRow
from tokumei.cells import SUPPRESSED, covers, parse
from tokumei.contracts import Answer, Attack, Guess, Release, Score
from tokumei.data.columns import LINE
from tokumei.data.pwscup import CELLS, COLUMNS
from tokumei.history import ROW, History
from tokumei.judges.hit_rate import HitRate
from tokumei.judges.shoot_down import ShootDown
from tokumei.metrics.information_loss import InformationLoss
from tokumei.registry import meaning
from tokumei.rules import checks
from tokumei.rules.contract import Entry, Original, Published, Step, Utility, plain, titled
from tokumei.rules.lines import read_cells
from tokumei.rules.one_name import OneName, check_pseudonyms, names_of
from tokumei.rules.problems import Problems
from tokumei.threats.full_knowledge import FullKnowledge

SHOT_DOWN = 9999.0
"""What the contest's own tables give instead of the utility of a release that was shot down."""

_ITEM = r"[^;{}\[\]*\s]+"
_PRICE = r"[0-9]{1,9}(?:\.[0-9]{1,2})?"
_QUANTITY = r"[0-9]{1,9}"
SHAPES = {
    "date": rf"^(?:\*|{checks.DATE}|\[{checks.DATE};{checks.DATE}])$",
    "item": rf"^(?:\*|{_ITEM}|\{{{_ITEM}(?:;{_ITEM})*}})$",
    "price": rf"^(?:\*|{_PRICE}|\[{_PRICE};{_PRICE}])$",
    "quantity": rf"^(?:\*|{_QUANTITY}|\[{_QUANTITY};{_QUANTITY}])$",
}
FORMS = {
    "date": "A date must be like 2011/2/8, [2011/2/8;2011/3/1] or *, of days that exist, in order",
    "item": "An item must be like 84879, {84879;22745} or *, with each item once",
    "price": "A price must be like 1.69, [1.5;2.96] or *, with up to 2 decimals, in order",
    "quantity": "A quantity must be like 6, [5;7] or *, with whole numbers, in order",
}


SAMPLES: dict[str, Attack] = {"exact_row": UniqueRow(), "item_intersection": ItemIntersection()}
MARKS = {
    "guesses": "How many pseudonyms this sample attack names.",
    "correct": "How many pseudonyms this sample attack names rightly.",
    "shot_down": "1 if this sample attack names so many rightly that the release is shot down.",
}


class Pwscup2018(OneName):
    """The rules of PWSCUP 2018."""

    name = "pwscup2018"
    title = "PWSCUP 2018"
    published_file = "A.csv"
    utilities = (Utility("information_loss", InformationLoss()),)
    means = {
        f"{title}.{mark}": (said, meaning(attack))
        for title, attack in SAMPLES.items()
        for mark, said in MARKS.items()
    } | {
        "shot_down": ("1 if some sample attack shoots the release down, otherwise 0.",),
        "total": ("The information loss, or 9,999 if the release is shot down.",),
    }

    def check(self, original: Original, submission: str | Path) -> Entry:
        """Check A."""
        problems = Problems(Path(submission).name)
        columns = COLUMNS[self.name]
        rows = read_cells(Path(submission), columns, problems)
        truth = original.history.in_row_order()
        checks.check_rows(rows, len(truth), original.file, problems)
        rows = rows.with_columns((pl.col(LINE) - 1).alias(ROW))
        kept = checks.check_deleted(rows, columns, SUPPRESSED, problems)
        true_names = {"person": "person/true", "time": "date/true"} | {
            name: f"{name}/true" for name in ("item", "price", "quantity")
        }
        kept = kept.join(
            truth.select(ROW, *true_names).rename(true_names), on=ROW, how="left",
            maintain_order="left",
        )  # fmt: skip
        check_pseudonyms(kept, original, problems)
        cells = [_check_cells(kept, name, problems) for name in SHAPES]
        values = kept.select("person", *cells, ROW).rename({"date": "time"})
        return Entry(problems.report(), kept, values, names_of(kept))

    def attacks(self, published: Published, *, seed: int, views: Path | None) -> Iterator[Step]:
        """Return the exact-row attack, which compares texts, and the item intersection."""
        known, texts = published.original, published.texts
        rows, items = SAMPLES
        yield partial(self._asked, rows, known.texts, texts)
        yield partial(self._asked, items, known.history, published.release)

    def _asked(self, title: str, known: History, release: Release) -> list[Score]:
        challenge, answer = FullKnowledge()(known, release, seed=0)
        # The sample attacks draw nothing.
        return self.played(title, SAMPLES[title], challenge, answer, 0)

    def marked(self, title: str, guess: Guess, answer: Answer) -> list[Score]:
        """Return the lines of a guess, how many are right, and whether that shoots down."""
        judge = ShootDown()
        lines, right = judge.count(guess, answer)
        shot = titled(judge(guess, answer), f"{title}.shot_down")
        return [plain(f"{title}.guesses", lines), plain(f"{title}.correct", right, lines), shot]

    def named(self, published: Published, guess: Path) -> Score:
        """Return the share of pseudonyms that are named rightly; few lines need not shoot down."""
        said, report = self.read_guess(published, guess)
        report.require_valid()
        return titled(HitRate()(said, self.answer(published)), f"guess:{guess.name}")

    def total(self, losses: list[Score], risks: list[Score]) -> list[Score]:
        """Take the information loss, unless some guess shoots the release down."""
        shot = any(score.value for score in risks if score.name.endswith(".shot_down"))
        total = SHOT_DOWN if shot else losses[0].value
        shot_down = Score("shot_down", float(shot), "lower", (0.0, 1.0), len(risks) // 3)
        return [shot_down, plain("total", total)]


def _check_cells(rows: pl.DataFrame, name: str, problems: Problems) -> pl.Series:
    """Check that cells have one of their forms and hold the true value; return them typed."""
    texts = rows[name]
    shaped = texts.str.contains(SHAPES[name])
    read, wide, _ = CELLS[name]
    cells, bad = parse(texts.set(~shaped, SUPPRESSED), read, of=wide)
    if wide == "set" and cells.dtype == pl.List(pl.String):
        bad |= cells.list.n_unique().ne_missing(cells.list.len())
    marked = rows.with_columns((~shaped | bad).alias("_bad"), cells.alias("_cells"))
    checks.note(marked, pl.col("_bad"), FORMS[name], name, problems)
    fine = marked.filter(~pl.col("_bad") & pl.col(f"{name}/true").is_not_null())
    outside = ~covers(fine["_cells"], fine[f"{name}/true"])
    rule = "A cell must hold the true value"
    found = fine.filter(outside)
    problems.breaks(rule, name, found[LINE], found[name])
    return cells
