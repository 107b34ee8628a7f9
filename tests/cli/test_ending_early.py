"""Processes that end early: a bad file, a full disk, a full device, an interrupt."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SEED = 987_654_321
SHOP = "customer,date,item\nAnn,2011-01-05,pear\nBob,2011-01-06,fig\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def tokumei(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tokumei", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_the_process_exits_with_2_and_one_sentence(tmp_path: Path) -> None:
    done = tokumei("stats", write(tmp_path / "bad.csv", ""))
    assert done.returncode == 2
    assert done.stderr == "tokumei: bad.csv is empty; a history needs at least one row.\n"
    assert done.stdout == ""


def small_disk() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"big.{ending}"
    done = tokumei("data", "shop", "-n", "300", "-o", out, preexec_fn=small_disk)
    assert done.returncode == 2
    assert done.stderr == (
        f"tokumei: {out} cannot be written (File too large); nothing was left behind.\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_full_disk_leaves_no_half_release(tmp_path: Path, kind: str) -> None:
    shop = write(tmp_path / "shop.csv", SHOP + "Dan,2011-03-02," + "f" * 30_000)
    words = ("anonymize", "pseudonyms-only", shop, "-o", tmp_path / "out", "--as", kind)
    if kind == "parquet":
        rows = [f"{number},{number**9}" for number in range(5_000)]
        shop.write_text("customer,item\n" + "\n".join(rows))
    done = tokumei(*words, "--seed", SEED, preexec_fn=small_disk)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"tokumei: {tmp_path}/out/public/purchases.{kind} cannot be written (File too large); "
        "nothing was left behind."
    )
    assert "Traceback" not in done.stderr
    assert str(SEED) not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["shop.csv"]


def test_a_full_device_behind_the_output_is_said(tmp_path: Path) -> None:
    shop = write(tmp_path / "shop.csv", SHOP)
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    command = [sys.executable, "-m", "tokumei", "stats", str(shop)]
    # What Python keeps back and writes at the end fails in another place.
    buffered = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with full.open("w") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, env=buffered)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "tokumei: No space left on device."
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_interrupt_leaves_nothing(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"big.{ending}"
    command = [sys.executable, "-m", "tokumei", "data", "shop", "-n", "200000", "-o", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 30
        while not any(path.stat().st_size > 1000 for path in tmp_path.iterdir()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.decode().strip() == "Interrupted; nothing was left half-written."
    assert shown == b""
    assert not list(tmp_path.iterdir())
