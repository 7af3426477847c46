"""The tests of instructor's integration run in an environment of its own, and cover it to the last branch there."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.installed import INSTRUCTOR_PYTHON, missing_instructor
from tests.paths import ROOT

SUITE = "tests/integrations/instructor_suite"
COVERAGE = """
[run]
branch = true
include = src/integrations/instructor.py
[report]
exclude_also = @overload
"""

pytestmark = pytest.mark.skipif(bool(missing_instructor()), reason=missing_instructor())


def run(*arguments: str, folder: Path) -> str:
    """What a command of coverage prints in that environment; it must end well."""
    command = [
        str(INSTRUCTOR_PYTHON),
        "-m",
        "coverage",
        arguments[0],
        "--rcfile",
        str(folder / "coverage.ini"),
        *arguments[1:],
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST"))}
    environment |= {"COVERAGE_FILE": str(folder / "coverage"), "PYTHONUTF8": "1"}
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=ROOT, env=environment, check=False, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_suite_of_instructor_passes_and_covers_every_branch(tmp_path: Path) -> None:
    (tmp_path / "coverage.ini").write_text(COVERAGE, encoding="utf-8")
    suite = (
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--basetemp={tmp_path / 'suite'}",
        f"--confcutdir={SUITE}",
    )
    printed = run("run", *suite, SUITE, folder=tmp_path)
    assert " passed" in printed
    assert "skipped" not in printed
    report = run("report", "--fail-under=100", folder=tmp_path)
    assert "src/integrations/instructor.py" in report.replace(os.sep, "/")
