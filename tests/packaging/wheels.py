"""Wheels built from this checkout as `make wheels` builds them, and unpacked as an installer does."""

import subprocess
import sys
import zipfile
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
