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

MEASURED = """
import sys
import instructor, openai.resources, pytest, uvicorn  # before a tracer doubles the time that it takes
from coverage import Coverage

measured = Coverage(data_file=None, config_file=sys.argv[1])
measured.start()
failed = pytest.main(sys.argv[2:])
measured.stop()
sys.exit(failed or measured.report() < 100)
"""

pytestmark = pytest.mark.skipif(bool(missing_instructor()), reason=missing_instructor())


def test_suite_of_instructor_passes_and_covers_every_branch(tmp_path: Path) -> None:
    configuration = tmp_path / "coverage.ini"
    configuration.write_text(COVERAGE, encoding="utf-8")
    warned = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"  # by `instructor`, of anyio's plugin
    suite = (
        "-q",
        "-W",
        warned,
        "-p",
        "no:cacheprovider",
        f"--basetemp={tmp_path / 'suite'}",
        f"--confcutdir={SUITE}",
        SUITE,
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST"))}
    done = subprocess.run(  # noqa: S603 - our own command
        [str(INSTRUCTOR_PYTHON), "-c", MEASURED, str(configuration), *suite],
        cwd=ROOT,
        env=environment | {"PYTHONUTF8": "1"},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
    assert "src/integrations/instructor.py" in done.stdout.replace(os.sep, "/")
