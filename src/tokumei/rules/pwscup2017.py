"""PWSCUP 2017: a pseudonym for every month, rows changed or deleted, attackers with views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from tokumei.attacks.key_matching import SAMPLES, guesses
from tokumei.contracts import Answer, Challenge, Guess, Score
from tokumei.data.columns import LINE
from tokumei.data.pwscup import COLUMNS, contest_text, text_history
from tokumei.errors import ReadError
from tokumei.history import ROW, History, months
from tokumei.judges.whole_history import WholeHistory
from tokumei.metrics.date_error import DateError
from tokumei.metrics.item_similarity import ItemSimilarity
from tokumei.metrics.price_error import PriceError
from tokumei.metrics.rows_deleted import RowsDeleted
from tokumei.metrics.top_items import TopItemsList, TopItemsSimilarity
from tokumei.rules import checks
from tokumei.rules.contract import Entry, Original, Published, Rules, Step, Utility, plain, titled
from tokumei.rules.lines import WHOLE, read_cells
from tokumei.rules.problems import Problems, Report
from tokumei.rules.publishing import aligned
from tokumei.tables import frame
from tokumei.threats.asking import ABSENT, whose_month
from tokumei.threats.monthly_view import MonthlyView

CONTEST_MONTHS = ("2010-12", *(f"2011-{month:02d}" for month in range(1, 12)))
VIEWS = {percent: MonthlyView(share=percent / 100) for percent in (25, 50, 75, 100)}
KNOWN = "The number after @ says how many percent of all rows the attacker knows."
FOUND = {
    "S1": "The share of customers that a search by date and quantity finds in every month.",
    "S2": "The share of customers that a search by item and price finds in every month.",
    "S3": "The share of customers that a search by item and quantity finds in every month.",
    "S4": "The share of customers that a search by date and item finds in every month.",
    "S5": "The share of customers that a search by item, price and quantity finds in every month.",
    "S6": "The share of customers that a search by item, date and quantity finds in every month.",
}
ASSUMES = "The attacker knows {}% of all rows, with items cut to 2 characters."


class Pwscup2017(Rules):
    """The rules of PWSCUP 2017."""

    name = "pwscup2017"
    title = "PWSCUP 2017"
    has_views = True
    hit = "A hit is a customer whose pseudonyms the guess names rightly in every month."
    utilities = (
        Utility("E1", ItemSimilarity(sales="wholesale"), 6, "Full dozens count: wholesale."),
        Utility("E2", ItemSimilarity(sales="retail"), 6, "Up to 11 pieces count: retail."),
        Utility("E3.list", TopItemsList(), 6),
        Utility("E3.similarity", TopItemsSimilarity(), 6),
        Utility("E4", DateError(), 10),
        Utility("E5", PriceError(), 10),
        Utility("E6", RowsDeleted(), 4),
    )
    means = {
        f"{name}@{percent}": (found, KNOWN) for name, found in FOUND.items() for percent in VIEWS
    } | {
        "utility": ("What is lost: the largest of E1 to E6.",),
        "risk": ("What is found: the largest share that a sample attack finds.",),
        "total": ("Utility and risk added.",),
    }

    def check(self, original: Original, submission: str | Path) -> Entry:
        """Check AT."""
        problems = Problems(Path(submission).name)
        columns = COLUMNS[self.name]
        rows = read_cells(Path(submission), columns, problems)
        truth = original.texts.in_row_order()
        checks.check_rows(rows, len(truth), original.file, problems)
        rows = rows.with_columns((pl.col(LINE) - 1).alias(ROW))
        # The contest let its own sample delete the odd row of 44,917.
        deleted = rows.filter(pl.col("person") == ABSENT)
        too_many = deleted[(len(truth) + 1) // 2 :]
        rule = "At most half of the rows may be deleted"
        problems.breaks(rule, "person", too_many[LINE][:1], [f"{len(deleted):,}"][: len(too_many)])
        kept = checks.check_deleted(rows.filter(WHOLE), columns, ABSENT, problems)
        known = truth.select(
            ROW, pl.col("person").alias("person/true"), pl.col("time").alias("date/true")
        )
        kept = kept.join(known, on=ROW, how="left", maintain_order="left")
        checks.check_names(kept, original.customers, problems)
        rule = "An invoice must consist of letters, digits, - and _"
        checks.note(kept, ~pl.col("basket").str.contains(checks.NAME), rule, "basket", problems)
        checks.check_dates(kept, problems)
        checks.check_clocks(kept, problems)
        checks.check_items(kept, truth["item"], problems)
        checks.check_amounts(kept, problems)
        day, true_day = (_month(pl.col(name)) for name in ("date", "date/true"))
        rule = "A date must stay in its year and month"
        fine = ~checks.is_no_date(pl.col("date"))
        checks.note(kept, fine & (day != true_day), rule, "date", problems)
        rule = "A customer must have one pseudonym in a month"
        kept = kept.with_columns(_month(pl.col("date/true")).alias("month/true"))
        holder = ("person/true", "month/true")
        checks.check_one_name_each(kept, holder, rule, problems)
        checks.check_own_names(kept, "person/true", "warning", problems)
        names = kept.select(pseudonym="person", person="person/true", period="month/true").unique()
        values = checks.values_of(kept, self.name, problems)
        return Entry(problems.report(), kept, values, names.sort("pseudonym", "period"))

    def views(self, original: Original, *, seed: int, folder: Path | None) -> dict[int, History]:
        """Return what the four attackers know: from T25.csv … in a folder, or drawn."""
        if folder is None:
            return {p: view.view(original.texts, seed=seed) for p, view in VIEWS.items()}
        return {percent: self._view(folder, percent) for percent in VIEWS}

    def _view(self, folder: Path, percent: int) -> History:
        for name in (f"T{percent}.csv", f"T{percent}.csv.gz"):
            if (folder / name).is_file():
                problems, columns = Problems(name), COLUMNS[self.name]
                rows = read_cells(folder / name, columns, problems)
                rows = checks.check_deleted(rows.filter(WHOLE), columns, ABSENT, problems)
                checks.check_dates(rows, problems)
                problems.report().require_valid()
                return text_history(rows.select(*columns, (pl.col(LINE) - 1).alias(ROW)))
        raise ReadError(f"{folder} must have the view T{percent}.csv of the attackers.")

    def question(self, published: Published) -> tuple[Challenge, Answer]:
        """Ask for the pseudonym of every customer of M in every month, knowing all rows."""
        original = published.original
        return whose_month(original.texts, published.texts, original.texts, "", months_of(original))

    def attacks(self, published: Published, *, seed: int, views: Path | None) -> Iterator[Step]:
        """Return S1 to S6 on each view."""
        question, answer = self.question(published)
        asked = {
            percent: replace(question, known=view, assumes=ASSUMES.format(percent))
            for percent, view in self.views(published.original, seed=seed, folder=views).items()
        }
        yield partial(self._sampled, asked, answer)

    def _sampled(self, asked: dict[int, Challenge], answer: Answer) -> list[Score]:
        said = {p: guesses(list(SAMPLES.values()), challenge) for p, challenge in asked.items()}
        return [
            score
            for number, name in enumerate(SAMPLES)
            for percent, challenge in asked.items()
            for score in self.judged(f"{name}@{percent}", said[percent][number], challenge, answer)
        ]

    def answer(self, published: Published) -> Answer:
        """Return F."""
        return self.question(published)[1]

    def read_guess(self, published: Published, path: Path) -> tuple[Guess, Report]:
        """Read F^: for each customer of M, in its order, a pseudonym for each month."""
        problems = Problems(path.name)
        asked, customers = months_of(published.original), published.original.customers
        rows = read_cells(path, ("customer", *asked), problems)
        checks.check_rows(rows, len(customers), "M", problems)
        expected = customers.head(len(rows)).alias("expected")
        paired = rows.head(len(customers)).with_columns(expected)
        rule = "The lines of a guess must stand in the order of M"
        strange = pl.col("customer") != pl.col("expected")
        checks.note(paired, strange, rule, "customer", problems)
        said = rows.unpivot(asked, index="customer", variable_name="month", value_name="value")
        target = (pl.col("customer") + " " + pl.col("month")).alias("target")
        pairs = said.select(target, "value", weight=pl.lit(1.0)).drop_nulls()
        return Guess(pairs.unique("target", keep="first")), problems.report()

    def marked(self, title: str, guess: Guess, answer: Answer) -> list[Score]:
        """Return the share of customers of whom every month is right."""
        return [titled(WholeHistory()(guess, answer), title, 6)]

    def total(self, losses: list[Score], risks: list[Score]) -> list[Score]:
        """Add the largest utility loss and the largest re-identification rate."""
        loss = max(score.value for score in losses)
        risk = max(score.value for score in risks)
        return [plain("utility", loss), plain("risk", risk), plain("total", loss + risk)]

    def files(self, published: Published) -> dict[str, str]:
        """Return S and F."""
        pairs = frame(self.answer(published).pairs)
        months_of_pairs = pairs.with_columns(pl.col("target").str.tail(7).alias("month"))
        wide = months_of_pairs.pivot("month", index="person", values="value")
        customers = published.original.customers.to_frame("person")
        asked = months_of(published.original)
        lines = customers.join(wide, on="person", maintain_order="left").select("person", *asked)
        return {
            "public/S.csv": published.lines,
            "secret/F.csv": lines.write_csv(include_header=False),
        }

    def view_files(self, original: Original, *, seed: int) -> dict[str, str]:
        """Return T25 to T100; a row that is not known stands as deleted."""
        return {
            f"views/T{percent}.csv": contest_text(
                view.view(original.history, seed=seed), self.name, lines=original.history.rows
            )
            for percent, view in VIEWS.items()
        }

    def submission(
        self, original: History, anonymized: History, *, secret: bytes | None = None
    ) -> dict[str, str]:
        """Write AT, with a pseudonym for every customer and month."""
        return {"AT.csv": aligned(original, anonymized, self.name, "month", secret)}


def months_of(original: Original) -> tuple[str, ...]:
    """Return the twelve months of the contest, or those of T where it is other data."""
    found = sorted(months(original.texts.frame()["time"]).unique())
    return CONTEST_MONTHS if set(found) <= set(CONTEST_MONTHS) else tuple(found)


def _month(day: pl.Expr) -> pl.Expr:
    """Return year and month of a date as text: 2011/2."""
    return day.str.strip_chars_end("0123456789").str.strip_suffix("/")
