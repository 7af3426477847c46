"""Wheels built from this checkout as `make wheels` builds them, and unpacked as an installer does."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
WHOLE, CORE = ROOT, ROOT / "core"


def build(project: Path, folder: Path) -> Path:
    """Build the wheel of a project into a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)  # noqa: S603 - our own build
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Unpack a wheel into a folder to import from; ours hold nothing that is not pure Python."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def python_with(*folders: Path, code: str) -> str:
    """What a program prints that sees these folders and the installed packages, but not this checkout."""
    done = _run(folders, code)
    assert done.returncode == 0, done.stderr
    return done.stdout


def failure_with(folder: Path, code: str) -> str:
    """The last line of what such a program says when it fails."""
    done = _run([folder], code)
    assert done.returncode == 1, done.stdout
    return done.stderr.strip().splitlines()[-1]


def _run(folders: Sequence[Path], code: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, folders), sysconfig.get_path("purelib")])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1"}
    command = [sys.executable, "-S", "-c", code]  # without `site`, whose .pth files lead to this checkout
    return subprocess.run(command, cwd=folders[0], env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own code
