"""The wheel and the sources as `tools.dist` builds them, and environments that hold the wheel and not this checkout."""

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from configparser import ConfigParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 300
"""Seconds after which a program is given up."""
_SCRIPT = "#!{python}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
_SAFELY: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # not in Debian's 3.11.2
_PACKAGES = "import sysconfig; print(sysconfig.get_path('purelib'))"


def build(folder: Path, target: str = "wheel", project: Path = ROOT) -> Path:
    """Build a wheel, or with another target the sources, into a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=LIMIT)  # noqa: S603 - our own build
    (built,) = folder.iterdir()
    return built


def unpack(sources: Path, folder: Path) -> Path:
    """Unpack the sources; the folder that they stand in."""
    with tarfile.open(sources) as archive:
        archive.extractall(folder, **_SAFELY)  # noqa: S202 - our own sources
    (top,) = folder.iterdir()
    return top


def environment(wheel: Path, folder: Path, packages_of: str = sys.executable) -> str:
    """An environment of its own with the wheel, and with the packages that another one has; its Python.

    Files that end in .pth, which lead to a checkout, are read in an environment's own folder alone.
    """
    _run([packages_of, "-m", "venv", "--without-pip", str(folder)], folder.parent)
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    own = Path(_run([python, "-c", _PACKAGES], folder).strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(own)  # noqa: S202 - our own wheel
    own.joinpath("packages.pth").write_text(_run([packages_of, "-c", _PACKAGES], folder), encoding="utf-8")
    scripts = ConfigParser()
    scripts.read(next(own.glob("llm_output-*.dist-info")) / "entry_points.txt", encoding="utf-8")
    for name, place in scripts["console_scripts"].items():
        module, function = place.split(":")
        script = Path(python).with_name(name)
        script.write_text(_SCRIPT.format(python=python, module=module, function=function), encoding="utf-8")
        script.chmod(0o755)
    return python


def run(python: str, *arguments: str, folder: Path) -> str:
    """What Python prints in a folder."""
    return _run([python, *arguments], folder)


def failure(python: str, code: str, folder: Path) -> str:
    """The last line of what a program says when it fails."""
    ended = _ended([python, "-c", code], folder)
    assert ended.returncode == 1, ended.stdout
    return ended.stderr.strip().splitlines()[-1]


def _run(command: Sequence[str], folder: Path) -> str:
    ended = _ended(command, folder)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def _ended(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A program that has ended, with the settings of a user who has none."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LLM_", "OUTPUT_"))}
    return subprocess.run(  # noqa: S603 - our own programs
        command,
        cwd=folder,
        env={**kept, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=LIMIT,
    )
