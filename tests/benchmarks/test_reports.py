"""The reports of the benchmark are read right, and a line says so."""

import pytest

from benchmarks.reports import main


def test_reports_with_quoted_words_and_with_everything_at_once_are_read_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--sizes", "6", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if "right" in line] == ["6", "6", "20", "20"]
