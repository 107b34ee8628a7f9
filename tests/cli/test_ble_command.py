"""`tokumei ble`, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tokumei.cli.main import _run, psd2csv

Captured = pytest.CaptureFixture[str]


def result(capsys: Captured, *words: object) -> dict:
    capsys.readouterr()
    assert _run(["ble", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refusal(capsys: Captured, *words: object) -> str:
    capsys.readouterr()
    assert _run(["ble", *map(str, words)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


@pytest.fixture
def lab(capsys: Captured, tmp_path: Path) -> Path:
    words = ("-o", tmp_path / "lab.psd", "--truth", tmp_path / "known.csv", "--seed", 1)
    assert result(capsys, "generate", *words)["devices"] == 19
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_capture_becomes_a_table(capsys: Captured, lab: Path, ending: str) -> None:
    target = lab / f"table.{ending}"
    told = result(capsys, "convert", lab / "lab.psd", "-o", target, "--devices", lab / "known.csv")
    rows = pl.read_csv(target) if ending == "csv" else pl.read_parquet(target)
    assert len(rows) == told["packets"] == told["crc"]["ok"] + told["crc"]["bad"]
    first = ["id", "time_stamp", "pdu_type", "adv_a", "scan_a", "rssi", "device", "user"]
    assert rows.columns[:8] == first
    assert {"Mac mini (a)", "unknown"} <= set(rows["device"])


def test_psd2csv_is_the_short_name(capsys: Captured, lab: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        psd2csv([str(lab / "lab.psd")])
    assert ended.value.code == 0
    assert pl.read_csv(lab / "lab.csv")["pdu_type"].is_in(["SCAN_REQ", "ADV_IND"]).any()
    assert "lab.csv" in capsys.readouterr().out


def test_the_report_has_the_tables_of_the_thesis(capsys: Captured, lab: Path) -> None:
    words = ("report", lab / "lab.psd", "--devices", lab / "known.csv", "--pdu", "SCAN_REQ")
    told = result(capsys, *words, "-o", lab / "report.html")
    assert told["detected"][-1] == {
        "type": None, "present": 19, "detected": 4, "share": pytest.approx(4 / 19),
    }  # fmt: skip
    assert "Mac mini" in (lab / "report.html").read_text(encoding="utf-8")
    assert _run([*map(str, ("ble", *words)), "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert "4 of 19 known devices were detected" in shown
    assert "coefficient of variation" in shown


def test_two_captures_are_linked(capsys: Captured, tmp_path: Path) -> None:
    for name, later in (("a", 0), ("b", 3600)):
        words = ("--scene", "office", "--seed", 1, "--later", later)
        outputs = ("-o", tmp_path / f"{name}.pcap", "--truth", tmp_path / f"{name}.csv")
        result(capsys, "generate", *words, *outputs)
    both = (tmp_path / "a.pcap", tmp_path / "b.pcap")
    lists = ("--devices", tmp_path / "a.csv", "--devices", tmp_path / "b.csv")
    told = result(capsys, "link", *both, *lists, "-o", tmp_path / "said.csv")
    assert [way["way"] for way in told["ways"]] == ["address", "payload", "level"]
    assert all(way["baseline"] < way["value"] < 1 for way in told["ways"])
    assert told["recognized_in_any_way"] <= told["devices_seen_again"]
    said = pl.read_csv(tmp_path / "said.csv")
    assert set(said["way"]) == {"address", "payload", "level"}
    assert _run(["ble", "link", *map(str, both), "--lang", "en"]) == 0
    assert "only stable addresses count" in capsys.readouterr().out


def test_bad_input_is_one_sentence(capsys: Captured, lab: Path) -> None:
    noise = lab / "noise.psd"
    noise.write_bytes(bytes(range(250)) * 9)
    assert "neither pcap nor pcapng nor psd" in refusal(capsys, "convert", noise)
    assert not (lab / "noise.csv").exists()
    assert "does not exist" in refusal(capsys, "report", lab / "nothing.psd")
    assert "must end in .csv or .parquet" in refusal(
        capsys, "convert", lab / "lab.psd", "-o", lab / "x.txt"
    )
    assert "must end in .html" in refusal(capsys, "report", lab / "lab.psd", "-o", lab / "x.pdf")
    (lab / "other.csv").write_text("address,device\n60F81DC11F4F,somebody\n")
    lists = ("--devices", lab / "known.csv", "--devices", lab / "other.csv")
    assert "disagree on who has" in refusal(capsys, "report", lab / "lab.psd", *lists)
    assert "exists already" in refusal(capsys, "generate", "-o", lab / "lab.psd")
