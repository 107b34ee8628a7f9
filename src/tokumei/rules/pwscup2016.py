"""PWSCUP 2016: M' and T' may be anything; P says which customer each row of M' is.

The contest's programs are lost: checks and utilities are ours, after the papers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import fmean

import narwhals as nw
import numpy as np
import polars as pl

from tokumei.attacks.exact_row import ExactRow
from tokumei.attacks.jaccard import Jaccard
from tokumei.attacks.multiset_jaccard import MultisetJaccard
from tokumei.contracts import Answer, Attack, Guess, Score
from tokumei.data.columns import LINE
from tokumei.data.pwscup import (
    COLUMNS,
    CUSTOMER_COLUMNS,
    contest_text,
    customers_text,
    typed_purchases,
)
from tokumei.errors import ParameterError, ReadError
from tokumei.history import ROW, History
from tokumei.judges.hit_rate import HitRate
from tokumei.metrics.not_a_subset import NotASubset
from tokumei.metrics.rfm_cell_shares import RfmCellShares
from tokumei.metrics.spend_by_segment import SpendByDecadeAndCountry, SpendBySexAndCountry
from tokumei.metrics.top_items_missing import TopItemsMissing
from tokumei.publishing import publish
from tokumei.registry import meaning
from tokumei.rules import checks
from tokumei.rules.contract import Entry, Original, Published, Rules, Step, Utility, plain, titled
from tokumei.rules.lines import WHOLE, read_cells
from tokumei.rules.problems import Problems, Report
from tokumei.tables import frame, table
from tokumei.threats.full_knowledge import FullKnowledge

ATTACKS: dict[str, Attack] = {
    "exact-row": ExactRow(),
    "jaccard": Jaccard(),
    "multiset-jaccard": MultisetJaccard(),
}


class Pwscup2016(Rules):
    """The rules of PWSCUP 2016."""

    name = "pwscup2016"
    title = "PWSCUP 2016"
    parts = ("M.csv", "T.csv", "P.csv")
    hit = "A hit is a row of M' to which the guess gives the right customer."
    utilities = (
        Utility("U1-cMAE", SpendBySexAndCountry()),
        Utility("U2-cMAE", SpendByDecadeAndCountry()),
        Utility("U3-RFM", RfmCellShares()),
        Utility("U4-topitems", TopItemsMissing()),
        Utility("Y1-subset", NotASubset()),
    )
    means = {
        title: ("The share of the rows of M' that this sample attack names rightly.", meaning(one))
        for title, one in ATTACKS.items()
    } | {
        "U": ("What is lost: the mean of U1 to Y1, each at most 1.",),
        "E": ("What is found: the largest share that a sample attack names rightly.",),
        "total": ("The mean of U and E.",),
    }

    def read(self, original: str | Path, master: str | Path | None = None) -> Original:
        """Read T and M; without M there is no 2016."""
        if master is None:
            raise ParameterError("pwscup2016 needs the customers table M beside T.")
        return super().read(original, master)

    def check(self, original: Original, submission: str | Path) -> Entry:
        """Check a folder with M.csv, T.csv and P.csv."""
        path = Path(submission)
        parts = {name: Problems(f"{name}.csv") for name in "MTP"}
        people = read_cells(_part(path, "M"), CUSTOMER_COLUMNS, parts["M"])
        origins = read_cells(_part(path, "P"), (ROW,), parts["P"])
        rows = read_cells(_part(path, "T"), COLUMNS[self.name], parts["T"])
        _check_people(people.filter(WHOLE), parts["M"])
        _check_origins(origins, len(people), len(original.customers), parts["P"])
        _check_purchases(rows.filter(WHOLE), people["person"], original, parts["T"])
        # One report for three files: the column says which file it is.
        found = pl.concat(
            part.report().found.with_columns((f"{name}." + pl.col("column")).alias("column"))
            for name, part in parts.items()
        )
        report = Report(path.name, found.sort("row", maintain_order=True))
        if not report.valid:
            return Entry(report, rows, pl.DataFrame(), pl.DataFrame())
        owners = original.customers.gather(origins[ROW].cast(pl.Int64) - 1)
        names = pl.DataFrame({"pseudonym": people["person"], "person": owners})
        birth = pl.col("birth").str.to_date("%Y/%m/%d")
        customers = people.select(CUSTOMER_COLUMNS).with_columns(birth)
        # Which row of T a row came from, the contest does not ask.
        rows = rows.with_columns(pl.lit(None, pl.Int64).alias(ROW))
        values = typed_purchases(rows.select(*COLUMNS[self.name], ROW, LINE), self.name).drop(LINE)
        return Entry(report, rows, values, names, table(customers))

    def publish(
        self,
        original: Original,
        entry: Entry,
        *,
        secret: bytes | None = None,
        published: str | Path | None = None,
    ) -> Published:
        """Publish M' and T' as they were submitted: P refers to their order."""
        if published is not None:
            raise ParameterError("pwscup2016 publishes M' and T' as they are submitted; give none.")
        entry.report.require_valid()
        return self._published(original, entry, np.arange(len(entry.rows)))

    def attacks(self, published: Published, *, seed: int, views: Path | None) -> Iterator[Step]:
        """Return the attacks that Harada played in this contest, and exact rows."""
        challenge, _ = FullKnowledge()(published.original.history, published.release, seed=seed)
        answer = self.answer(published)
        for title, attack in ATTACKS.items():
            yield partial(self.played, title, attack, challenge, answer, seed)

    def answer(self, published: Published) -> Answer:
        """Return P: who each row of M' is."""
        names = published.release.key.pseudonyms
        return Answer(names.select(target=nw.col("pseudonym"), value=nw.col("person")))

    def read_guess(self, published: Published, path: Path) -> tuple[Guess, Report]:
        """Read Q: a row number of M for each row of M'."""
        problems, customers = Problems(path.name), published.original.customers
        rows = read_cells(path, (ROW,), problems)
        names = frame(published.release.key.pseudonyms)["pseudonym"]
        _check_origins(rows, len(names), len(customers), problems, repeated=True)
        report = problems.report()
        if not report.valid:
            return Guess.of({}), report
        said = customers.gather(rows[ROW].cast(pl.Int64) - 1)
        return Guess.of(dict(pl.DataFrame([names, said]).iter_rows())), report

    def marked(self, title: str, guess: Guess, answer: Answer) -> list[Score]:
        """Return the share of rows of M' that are named rightly."""
        return [titled(HitRate()(guess, answer), title)]

    def total(self, losses: list[Score], risks: list[Score]) -> list[Score]:
        """Take the mean of U, the mean loss as a share of its range, and E, the largest rate."""
        loss = fmean(min(1.0, score.value / min(1.0, score.range[1])) for score in losses)
        risk = max(score.value for score in risks)
        return [plain("U", loss), plain("E", risk), plain("total", (loss + risk) / 2)]

    def files(self, published: Published) -> dict[str, str]:
        """Return M' and T', and P."""
        owners = frame(published.release.key.pseudonyms)["person"]
        return {
            "public/M.csv": customers_text(published.release.public),
            "public/T.csv": published.lines,
            "secret/P.csv": _numbers(published.original.customers, owners),
        }

    def submission(
        self, original: History, anonymized: History, *, secret: bytes | None = None
    ) -> dict[str, str]:
        """Write M', T' and P."""
        release = publish(original, anonymized, secret=secret)
        if original.customers is None or release.public.customers is None:
            raise ParameterError("pwscup2016 needs the customers table M beside T.")
        names = frame(release.key.pseudonyms).select(person="pseudonym", owner="person")
        rows = frame(release.public.customers.select("person")).join(
            names, on="person", maintain_order="left"
        )
        numbers = _numbers(frame(original.customers)["person"], rows["owner"])
        purchases = contest_text(release.public, self.name)
        return {"M.csv": customers_text(release.public), "T.csv": purchases, "P.csv": numbers}


def _part(folder: Path, name: str) -> Path:
    for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if path.is_file():
            return path
    raise ReadError(f"A submission to pwscup2016 is a folder with M.csv, T.csv and P.csv; "
                    f"{folder} has no {name}.csv.")  # fmt: skip


def _numbers(customers: pl.Series, owners: pl.Series) -> str:
    """Write the row numbers of M, one in each line."""
    numbers = {name: number for number, name in enumerate(customers, start=1)}
    places = owners.replace_strict(numbers, return_dtype=pl.Int64)
    return places.to_frame().write_csv(include_header=False)


def _check_people(people: pl.DataFrame, problems: Problems) -> None:
    person = pl.col("person")
    rule = "A pseudonym must consist of letters, digits, - and _"
    checks.note(people, ~person.str.contains(checks.NAME), rule, "person", problems)
    rule = "A pseudonym must stand once in M"
    checks.note(people, ~person.is_first_distinct(), rule, "person", problems)
    checks.note(people, ~pl.col("sex").is_in(["f", "m"]), "A sex must be f or m", "sex", problems)
    rule = "A date must exist and look like 2011/2/8"
    checks.note(people, checks.is_no_date(pl.col("birth")), rule, "birth", problems)
    rule = "A country must not be empty"
    checks.note(people, pl.col("country") == "", rule, "country", problems)


def _check_origins(
    rows: pl.DataFrame, needed: int, customers: int, problems: Problems, *, repeated: bool = False
) -> None:
    checks.check_rows(rows, needed, "M'", problems)
    number = pl.col(ROW).cast(pl.Int64, strict=False)
    bad = ~pl.col(ROW).str.contains(r"^[0-9]{1,9}$") | ~number.is_between(1, customers)
    rule = f"A line must be a row number of M, from 1 to {customers:,}"
    checks.note(rows, bad, rule, ROW, problems)
    if not repeated:
        rule = "A row of M must not be named twice"
        checks.note(rows.filter(WHOLE), ~pl.col(ROW).is_first_distinct(), rule, ROW, problems)


def _check_purchases(
    rows: pl.DataFrame, people: pl.Series, original: Original, problems: Problems
) -> None:
    rule = "A pseudonym of T must stand in M"
    stranger = ~pl.col("person").is_in(people.implode())
    checks.note(rows, stranger, rule, "person", problems)
    rule = "An invoice must consist of letters, digits, - and _"
    checks.note(rows, ~pl.col("basket").str.contains(checks.NAME), rule, "basket", problems)
    checks.check_dates(rows, problems)
    first, last = (
        original.history.frame()
        .select(first=pl.col("time").dt.date().min(), last=pl.col("time").dt.date().max())
        .row(0)
    )
    day = pl.col("date").str.to_date("%Y/%m/%d", strict=False)
    rule = f"A date must lie in {first} to {last}"
    checks.note(rows, ~day.is_between(first, last), rule, "date", problems)
    checks.check_clocks(rows, problems)
    checks.check_items(rows, original.texts.frame()["item"], problems)
    checks.check_amounts(rows, problems)
