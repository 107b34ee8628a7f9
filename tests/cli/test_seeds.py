"""What a seed sets, and what it does not: the pseudonyms, basket numbers and order of a release."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typing_commands import printed, result

from tokumei import publish, read, read_release
from tokumei.cli.main import _run
from tokumei.draws import (
    GUESSABLE,
    hidden_uniform_of,
    keys_of,
    new_seed,
    repeatable_secret,
    uniform,
)
from tokumei.history import ROW
from tokumei.tables import frame, joined_text

SEED = 615


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    assert _run(["data", "shop", "-n", "30", "--seed", "3", "-o", str(path)]) == 0
    return path


def orders(seed: int, people: pl.DataFrame) -> Iterator[np.ndarray]:
    """Order customers as somebody would who guessed a seed and has read our code, old or new."""
    stream = "publish/pseudonyms"
    texts = {
        "old": people["person"] + "\0",
        "new": people.select(joined_text(people.columns).alias("text"))["text"],
    }
    for names in texts.values():
        yield np.argsort(uniform(seed, stream, keys_of(names)), kind="stable")
        for secret in (repeatable_secret(seed), str(seed).encode(), seed.to_bytes(32, "big")):
            yield np.argsort(hidden_uniform_of(secret, stream, names), kind="stable")


def test_a_guessed_seed_does_not_recover_the_pseudonyms(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    printed(capsys, "anonymize", "pseudonyms-only", shop_file, "-o", folder, "--seed", str(SEED))
    key = pl.read_csv(folder / "secret/pseudonyms.csv").sort("pseudonym")["person"].to_list()
    history = read(shop_file)
    people = pl.DataFrame({"person": history.persons(), "period": ""})
    tries = (order for seed in range(1000) for order in orders(seed, people))
    right = [sum(a == b for a, b in zip(people["person"][o], key, strict=True)) for o in tries]
    # A random order has one in its place on average; 15 of 30 once in a million million orders.
    assert max(right) < 15


def released(folder: Path) -> pl.DataFrame:
    """Return the rows of a release by the rows that they came from."""
    release = read_release(folder)
    rows = release.public.frame().join(frame(release.key.rows), on=ROW)
    return rows.sort("origin").drop(ROW, "origin")


def test_the_same_seed_gives_the_same_cells_under_other_names(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        printed(capsys, "anonymize", "shift-dates", shop_file, "-o", folder, "--seed", "5")
    hidden = ["person", "basket"]
    assert released(one).drop(hidden).equals(released(two).drop(hidden))
    assert all(released(one)[name].to_list() != released(two)[name].to_list() for name in hidden)


def test_method_seed_and_secret_of_a_release_make_it_again(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path
) -> None:
    from tokumei.registry import build

    folder = tmp_path / "release"
    printed(capsys, "anonymize", "shift-dates", shop_file, "-o", folder)
    kept = json.loads((folder / "secret/method.json").read_text())
    secret, seed, history = bytes.fromhex(kept["secret"]), kept["seed"], read(shop_file)
    made = {name: kept[name] for name in kept if name not in ("secret", "seed", "pseudonyms")}
    again = publish(history, build("anonymizer", made)(history, seed=seed), secret=secret)
    assert frame(again.key.rows).equals(frame(read_release(folder).key.rows))
    assert again.public.frame()["basket"].equals(read_release(folder).public.frame()["basket"])


def test_the_secret_is_in_no_public_file_and_for_the_owner_only(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    out = printed(capsys, "anonymize", "pseudonyms-only", shop_file, "-o", folder)
    secret = json.loads((folder / "secret/method.json").read_text())["secret"]
    assert len(bytes.fromhex(secret)) == 32
    assert secret not in out
    assert (folder / "secret/method.json").stat().st_mode & 0o777 == 0o600
    for file in (folder / "public").iterdir():
        content = file.read_bytes()
        assert secret.encode() not in content
        assert bytes.fromhex(secret) not in content


@pytest.mark.parametrize(
    ("seed", "warned"), [("5", True), (str(GUESSABLE - 1), True), (str(GUESSABLE), False)]
)
def test_a_seed_that_can_be_guessed_is_noted_once_and_json_stays_json(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path, seed: str, warned: bool
) -> None:
    capsys.readouterr()
    words = ["anonymize", "delete-rows", shop_file, "-o", tmp_path / "r", "--seed", seed, "--json"]
    assert _run([str(word) for word in words]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["method"]["method"] == "delete-rows"
    assert said.err.count("guesses the seed") == warned


def test_a_drawn_seed_is_never_one_that_can_be_guessed(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path
) -> None:
    assert all(GUESSABLE < new_seed() < 2**62 for _ in range(100))
    capsys.readouterr()
    assert _run(["anonymize", "delete-rows", str(shop_file), "-o", str(tmp_path / "r")]) == 0
    assert "guesses the seed" not in capsys.readouterr().err


def test_publishing_for_a_contest_draws_an_order_that_no_seed_sets(
    capsys: pytest.CaptureFixture[str], shop_file: Path, tmp_path: Path
) -> None:
    year, original = "simplified", tmp_path / "T.csv"
    printed(capsys, "convert", shop_file, "--to", year, "-o", original)
    words = (original, "--format", year, "--as", year, "-o", tmp_path / "A.csv")
    printed(capsys, "anonymize", "delete-rows", *words)
    files = ("--original", original, "--submission", tmp_path / "A.csv")
    one, two = (
        Path(result(capsys, "publish", year, *files, "-o", tmp_path / name)["files"][0])
        for name in ("one", "two")
    )
    assert one.read_text() != two.read_text()
    assert sorted(one.read_text().splitlines()) == sorted(two.read_text().splitlines())
    refused = ["publish", year, *files, "-o", tmp_path / "three", "--seed", "1"]
    assert _run([str(word) for word in refused]) == 2
    assert "Only the views of --make-views are drawn by --seed" in capsys.readouterr().err
