"""A copy of the project without the data beside it leaves out the tests that need the data, and skips none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import beside
from tests.beside import needs_corpus
from tests.paths import ROOT

HELPERS = [path.name for path in (ROOT / "tests").glob("*.py") if not path.name.startswith("test_")]
COPIED = ["pyproject.toml", "conftest.py", "src", "tests/loopback", *(f"tests/{name}" for name in HELPERS)]
SMALL_TEST = """
from tests.beside import needs_corpus, needs_seeds

@needs_corpus
def test_on_real_outputs(): pass

@needs_seeds
def test_on_a_specification(): pass

def test_on_nothing(): pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what such a run needs, with three small tests; nothing lies beside it yet."""
    for name in COPIED:
        copy = tmp_path / "project" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy, ignore=shutil.ignore_patterns("__pycache__", "test_*"))
        else:
            shutil.copy(ROOT / name, copy)
    (tmp_path / "project/tests/test_small.py").write_text(SMALL_TEST, encoding="utf-8")
    return tmp_path / "project"


def printed_by_a_run_of(project: Path) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own


def test_tests_whose_data_is_absent_are_deselected_and_the_header_says_so(project: Path) -> None:
    printed = printed_by_a_run_of(project)
    assert "../shared/corpus is absent: the tests read the project's own texts in tests/corpus/own" in printed
    assert "../shared/seeds is absent" in printed
    assert "1 passed, 2 deselected" in printed


def test_tests_run_where_their_data_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for name in beside.INSTEAD:
        (tmp_path / name).mkdir()
    monkeypatch.setattr(beside, "SHARED", tmp_path)
    request.node.add_marker(needs_corpus)

    assert beside.absent_folders() == []
    assert beside.split_by_need([request.node]) == ([request.node], [])
