"""The recorded texts are read with the system's own Python too, or a sentence says why not."""

import sys
from pathlib import Path

import pytest

from tests.recorded_readings.system_python import why_not

OURS = Path(sys.executable)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A path to another interpreter, of which nothing is known but what it prints as its version."""
    path = tmp_path / "python3"
    path.touch(mode=0o755)
    return path


def says(path: Path, version: str) -> None:
    path.write_text(f"#!/bin/sh\necho {version}\n", "utf-8")


def test_another_interpreter_is_one_to_read_with(other: Path) -> None:
    says(other, "3 11 2")

    assert why_not(other, OURS) == ""


def test_an_interpreter_that_is_not_there_is_named_with_its_package(tmp_path: Path) -> None:
    why = why_not(tmp_path / "python3", OURS)

    assert str(tmp_path / "python3") in why
    assert "apt install python3" in why


def test_the_interpreter_of_the_tests_reads_nothing_twice() -> None:
    assert "runs all the tests" in why_not(OURS, OURS)


def test_an_interpreter_that_is_too_old_is_named_with_its_version(other: Path) -> None:
    says(other, "3 10 12")

    assert "Python 3.10.12, which is too old" in why_not(other, OURS)
