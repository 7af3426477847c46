"""Environments and other parts that the targets need, each made once: `python3 -m tools.environment dev`.

It runs with any Python from 3.11 on that has pip, and with nothing else. pip, which need not be in an environment
(Debian's python3 has no ensurepip), brings uv alone; uv installs the rest in a tenth of the time: a group of
`pyproject.toml` as `uv.lock` pins it, with the hashes, from the index that pip asks. All of it lies in `.venv` and
`.cache`. `uv lock --upgrade` (`.cache/uv/bin/uv`) writes the lock anew.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache"
LOCK = ROOT / "uv.lock"
VENV = ROOT / ".venv"
UV = CACHE / "uv"
PYTHON = getattr(sys, "_base_executable", sys.executable)
"""The one that runs this, or that its environment was made of: an environment has no pip."""
SYSTEM_PYTHON = Path(os.environ.get("SYSTEM_PYTHON", "/usr/bin/python3"))
BROWSER = "pyemscripten_2026_0_wasm32"
"""The platform of the wheels that Pyodide 314 loads."""
SETTINGS = {
    "PIP_CACHE_DIR": str(CACHE / "pip"),
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "UV_CACHE_DIR": str(CACHE / "uv-cache"),
    "UV_SYSTEM_CERTS": "1",  # as pip does: the certificates of the system, where a company has put its own
}


class Environment(NamedTuple):
    """A virtual environment.

    Attributes:
        folder: where it is.
        group: the group of `pyproject.toml` that goes into it.
        holds_project: whether the project itself does, so that its files can be edited.
        python: the Python of it; None for the one that runs this.
    """

    folder: Path
    group: str
    holds_project: bool = False
    python: Path | None = None


ENVIRONMENTS = {
    "cli": Environment(VENV, "cli", holds_project=True),
    "dev": Environment(VENV, "dev", holds_project=True),
    # The others are apart: what they bring is no requirement of the project, or does not go with it.
    "audit": Environment(CACHE / "audit", "audit"),
    "bench": Environment(CACHE / "bench", "bench"),
    "calls": Environment(CACHE / "calls", "calls"),
    "evaluations": Environment(CACHE / "evaluations", "evaluations"),
    "fuzz": Environment(CACHE / "fuzz/env", "fuzz"),
    "instructor": Environment(CACHE / "instructor", "instructor"),
    "system": Environment(
        CACHE / "system" / str(SYSTEM_PYTHON).strip("/").replace("/", "_"), "core", python=SYSTEM_PYTHON
    ),
}
NODE = {
    "axe": "tests/npm",
    "bench-node": "tools/benchmarks/npm",
    "openai-node": "tests/npm_openai",
    "playground": "tools/playground/npm",
}
"""Folders whose packages npm installs: for the tests of accessibility, the benchmarks, the tests of the gateway, the
playground."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make what is named and is not there yet; 1 where something cannot be made."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.environment", description=__doc__)
    parser.add_argument("name", nargs="+", choices=[*ENVIRONMENTS, *NODE])
    names = parser.parse_args(arguments).name
    os.environ.update(SETTINGS)
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # the many processes of the tests would compile the same files again
    try:
        for name in names:
            make(name)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{name} cannot be made: {error}\n")
        return 1
    return 0


def make(name: str) -> None:
    """Make an environment, or install a folder's packages, unless it was made of the same files before.

    Raises:
        subprocess.CalledProcessError, OSError: it cannot be made.
    """
    if name in NODE:
        folder, sources = CACHE / name, [ROOT / NODE[name] / file for file in ("package.json", "package-lock.json")]
    else:
        folder, sources = ENVIRONMENTS[name].folder, [LOCK, ROOT / "pyproject.toml"]
    stamp = folder / f"{name}.stamp"
    made_of = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()
    if stamp.is_file() and stamp.read_text() == made_of:
        return
    if name in NODE:
        _install_packages(name, folder)
    else:
        _install(ENVIRONMENTS[name])
    stamp.write_text(made_of)


def has_npm() -> bool:
    """Whether what npm installs can be had."""
    return shutil.which("npm") is not None


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install_command() -> list[str]:
    """The command that installs into an environment; its arguments follow."""
    index = os.environ.get("PIP_INDEX_URL") or _pip_setting("global.index-url")
    return [str(_uv()), "pip", "install", "--quiet", *(["--default-index", index] if index else [])]


def requirements_of(group: str) -> Path:
    """The file of what `uv.lock` pins for a group, with its hashes; it names no index."""
    file = CACHE / "requirements" / f"{group}.txt"
    form = ("--frozen", "--quiet", "--no-header", "--no-annotate", "--no-emit-project")
    _run(_uv(), "export", *form, "--only-group", group, "--output-file", file)
    return file


def make_environment(folder: Path, python: Path | None = None) -> Path:
    """An empty environment, unless there is one; returns its interpreter."""
    if not python_of(folder).exists():
        _run(python or PYTHON, "-m", "venv", "--without-pip", folder)
    return python_of(folder)


def _install(environment: Environment) -> None:
    python = make_environment(environment.folder, environment.python)
    into = [*install_command(), "--python", python]
    _run(*into, "--require-hashes", "--requirement", requirements_of(environment.group))
    if environment.holds_project:
        _run(*into, "--no-deps", "--no-build-isolation", "--editable", ROOT)


def _install_packages(name: str, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / NODE[name], folder)
    cache = CACHE / "npm-cache"
    _run("npm", "ci", "--prefix", folder, "--cache", cache, "--ignore-scripts", "--no-audit", "--no-fund")
    if name == "playground":  # the browser's Python comes from npm; these are the wheels that are built for it
        wheels = ["--only-binary=:all:", "--platform", BROWSER, "--implementation", "cp", "--python-version", "3.14"]
        files = ["--abi", "cp314", "--dest", folder / "wheels", "--requirement", requirements_of("core")]
        _run(PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", *wheels, *files)


def _uv() -> Path:
    """The program that installs, which pip installs as it is pinned itself."""
    program = UV / ("Scripts/uv.exe" if os.name == "nt" else "bin/uv")
    if not program.exists():
        python, file = make_environment(UV), UV / "uv.txt"
        (pinned,) = (one for one in tomllib.loads(LOCK.read_text("utf-8"))["package"] if one["name"] == "uv")
        hashes = " ".join(f"--hash={one['hash']}" for one in [pinned["sdist"], *pinned["wheels"]])
        file.write_text(f"uv=={pinned['version']} {hashes}\n", "utf-8")
        _run(PYTHON, "-m", "pip", "--python", python, "install", "--quiet", "--require-hashes", "--requirement", file)
    return program


def _pip_setting(name: str) -> str:
    command = [PYTHON, "-m", "pip", "config", "get", name]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 - this Python's pip


def _run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT)  # noqa: S603 - our own tools


if __name__ == "__main__":
    sys.exit(main())
