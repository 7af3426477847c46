"""The tests of evaluations with the SDKs of Langfuse, Logfire and Phoenix run in an environment of their own."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.installed import EVALUATIONS_PYTHON, missing_evaluations
from tests.paths import ROOT

SUITE = "tests/integrations/evaluation_suite"

pytestmark = pytest.mark.skipif(bool(missing_evaluations()), reason=missing_evaluations())


def test_each_sdk_sends_evaluations(tmp_path: Path) -> None:
    suite = ("-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'suite'}", f"--confcutdir={SUITE}", SUITE)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST", "OTEL"))}
    done = subprocess.run(  # noqa: S603 - our own command
        [str(EVALUATIONS_PYTHON), "-m", "pytest", *suite],
        cwd=ROOT,
        env=environment | {"PYTHONUTF8": "1"},
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
