"""A copy of the checkout that a test may write into, and commands run in it."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.entrypoints.cli.harness import environment
from tests.paths import ROOT

_PARTS = (".github", "docs", "examples", "src", "tests", "tools")
_FILES = (
    "pyproject.toml",
    "conftest.py",
    "README.md",
    "README.zh-CN.md",
    "CHANGELOG.md",
    "Makefile",
)


def copy_checkout(folder: Path) -> Path:
    """Copy what the project consists of into a folder."""
    for part in _PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in _FILES:
        shutil.copyfile(ROOT / file, folder / file)
    return folder


def run_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, which imports its own `src` and `tests`."""
    return subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, "-B", *arguments],
        cwd=folder,
        env=environment(PYTHONPATH=str(folder), PYTHONUTF8="1"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def check_in(folder: Path, *arguments: str) -> None:
    """Run tests of the copy, all of which must pass."""
    ended = run_in(folder, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *arguments)
    assert ended.returncode == 0, ended.stdout
