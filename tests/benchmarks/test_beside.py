"""A benchmark is run with another tree's parser, and then with this one's."""

from pathlib import Path

import pytest

from tests.thorough import THOROUGH_ONLY
from tools.benchmarks.beside import ROOT, main

pytestmark = THOROUGH_ONLY


def test_only_the_parser_is_the_other_trees(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/__init__.py").write_text("print('the other parser')\n")
    assert main([str(tmp_path), "src"]) == 1  # ours is a package without a program
    assert f"old: {tmp_path}\n\nthe other parser" in capfd.readouterr().out


def test_both_runs_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT), "tools.benchmarks.rows", "--sizes", "1", "--only", "dense rows: bare keys + trailing"]) == 0
    assert capfd.readouterr().out.count("0 of 1 tables") == 2


def test_it_says_how_it_is_called_without_a_checkout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere", "tools.benchmarks.rows"]) == 2
    assert "OTHER is a checkout" in capsys.readouterr().out
