"""The report on a capture, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tokumei.ble.devices import Devices
from tokumei.ble.generating import generate_capture
from tokumei.ble.observing import Observations, observe
from tokumei.ble.page import html
from tokumei.ble.reading import read_blocks
from tokumei.ble.tally import Tally
from tokumei.ble.writing import Packet, advertising_packet, write_capture


def observed(path: Path, devices: Devices | None = None) -> Observations:
    tally = Tally()
    return observe(read_blocks(path, tally, devices=devices), tally, devices=devices)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_report_has_every_part_and_needs_nothing_else(tmp_path: Path, language) -> None:
    made = generate_capture("thesis", seed=1)
    write_capture(made.packets, tmp_path / "lab.psd")
    seen = observed(tmp_path / "lab.psd", Devices(made.truth))
    page = html(seen, file="lab.psd", rssi_offset=-73, language=language)
    assert f'<html lang="{language}">' in page
    assert "21%" in page
    for part in ("detected", "levels", "kinds", "unknown", "makers", "left-out"):
        assert f'<section id="{part}">' in page
    for row in ("MacBook 3 (d)", "Mac mini (OS X)", "−73"):
        assert row in page
    assert page.count("<svg") == 2
    # Nothing is fetched: links lead to files inside the page.
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)


def test_a_capture_without_rssi_has_no_figure_of_it(tmp_path: Path) -> None:
    write_capture(generate_capture("thesis", seed=1).packets, tmp_path / "a.pcap", link=251)
    page = html(observed(tmp_path / "a.pcap"), file="a.pcap", rssi_offset=-73)
    assert "This kind of capture has no RSSI." in page
    assert page.count("<svg") == 1


def test_what_a_device_calls_itself_stays_text(tmp_path: Path) -> None:
    name = b"<script>x</script>"
    content = bytes(6) + bytes([len(name) + 1, 9]) + name
    packet = Packet(0, advertising_packet(0, content, random=True), 37, -50)
    write_capture([packet], tmp_path / "a.psd")
    page = html(observed(tmp_path / "a.psd"), file="<b>.psd", rssi_offset=-73)
    assert "<script" not in page
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "&lt;b&gt;.psd" in page
