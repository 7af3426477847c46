"""Run the tests on one mutant after the other, in a copy of the sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from tools.mutation.mutant import Mutant

TESTS = (
    "tests/shared/domain/reading",
    "tests/tables",
    "tests/shared/domain/test_edits.py",
    "tests/shared/infrastructure/parsing",
    "tests/shared/infrastructure/test_*.py",
    "tests/shared/test_*.py",
    "tests/recorded_readings",
    "tests/reference_reader",
    "tests/linear/test_expressions.py",
    "tests/docs/test_reference.py",
    "tests/properties",
)
"""What tests the code that is changed, as patterns; a pattern that fits nothing is left out."""
_COPIED = ("src", "llm_output", "tests", "tools", "docs", "examples")
_FILES = ("pyproject.toml", "conftest.py", "Makefile", "README.md", "README.zh-CN.md", "CHANGELOG.md", "LICENSE")
_SLOWER = 3
_MARGIN = 30.0
"""A mutant may take so many times as long as the unchanged code, and these seconds more; then a test has caught it."""


class End(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    """A test failed, or the tests no longer came to their end."""
    SURVIVED = "survived"
    """Every test passed."""
    BROKEN = "broken"
    """The tests could not be loaded: no expression, or an error where the module is imported. It says nothing."""


class Ended(NamedTuple):
    """What became of a mutant, and after how many seconds."""

    mutant: Mutant
    end: End
    seconds: float


Check = Callable[[list[str], float | None], int | None]
"""Runs tests for so many seconds at most; gives pytest's exit code, or None where the time was up."""


class Copy:
    """A copy of the sources, in which one mutant after the other is put."""

    def __init__(self, root: Path, folder: Path, check: Check | None = None) -> None:
        self._folder = folder
        self._check = check or self._pytest
        self._copy(root)
        self._tests = sorted(
            {str(p.relative_to(folder)) for each in TESTS for p in folder.glob(each)}, key=_first_reader
        )
        self._seconds: float | None = None

    def run(self, mutants: list[Mutant]) -> Iterator[Ended]:
        """Run the tests on each; raise ValueError where they fail on the unchanged code."""
        start = time.monotonic()
        if self._check(self._tests, None) != 0:
            message = "the tests fail on the unchanged code"
            raise ValueError(message)
        self._seconds = (time.monotonic() - start) * _SLOWER + _MARGIN
        for mutant in mutants:
            yield self._ended(mutant)

    def _ended(self, mutant: Mutant) -> Ended:
        path = self._folder / mutant.path
        source = path.read_text("utf-8")
        start = time.monotonic()
        path.write_text(mutant.apply(source), "utf-8")
        try:
            code = self._check(_nearest_first(self._tests, mutant), self._seconds)
        finally:
            path.write_text(source, "utf-8")
        end = {0: End.SURVIVED, 1: End.KILLED, None: End.KILLED}.get(code, End.BROKEN)
        return Ended(mutant, end, time.monotonic() - start)

    def _copy(self, root: Path) -> None:
        without = shutil.ignore_patterns("__pycache__", "node_modules")
        for name in _COPIED:
            shutil.copytree(root / name, self._folder / name, ignore=without, dirs_exist_ok=True)
        for name in _FILES:
            shutil.copy(root / name, self._folder / name)

    def _pytest(self, tests: list[str], seconds: float | None) -> int | None:
        options = ("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0")  # the same examples for each mutant
        command = [sys.executable, "-B", "-m", "pytest", *options, *tests]
        try:
            done = subprocess.run(command, cwd=self._folder, timeout=seconds, capture_output=True, check=False)  # noqa: S603 - our own tests
        except subprocess.TimeoutExpired:
            return None
        return done.returncode


def _first_reader(path: str) -> tuple[bool, bool, str]:
    """Fast tests that fail most first: what is recorded, the reader's, then what is beside it, properties last."""
    return "/recorded" not in path, "/reader" not in path, path


def _nearest_first(tests: list[str], mutant: Mutant) -> list[str]:
    """The tests that have the file's name in theirs, then the others."""
    return sorted(tests, key=lambda path: mutant.path.stem not in path)
