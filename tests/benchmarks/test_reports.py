"""The reports of the benchmark are read right, and a line says so."""

import json
import sys
from types import SimpleNamespace

import pytest

from tools.benchmarks.reports import json_repair, main


def test_reports_with_quoted_words_and_with_everything_at_once_are_read_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--sizes", "6", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if "right" in line] == ["6", "6", "20", "20"]


def test_time_is_told_beside_that_of_json_repair(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "json_repair", SimpleNamespace(loads=lambda _: {}))
    assert main(["--sizes", "1", "2", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.endswith(" x json_repair, refused") for line in lines)
    assert len([line for line in lines if "full-width everywhere" in line]) == 2
    assert not any("truncated" in line for line in lines)


def test_text_that_json_repair_gives_up_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "json_repair", SimpleNamespace(loads=json.loads))
    read = json_repair()
    assert read is not None
    assert (read("{}"), read("{")) == ({}, None)
    monkeypatch.setitem(sys.modules, "json_repair", None)
    assert json_repair() is None
