"""The boundaries of the hexagon hold, as the contracts in pyproject.toml draw them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_import_contract_is_kept() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run(['--no-cache'])"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)  # noqa: S603 - our own command
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
