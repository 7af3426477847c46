"""Build the wheel and the sources into `dist`, and try the wheel: `python -m tools.dist`.

It is tried in two environments, with extras and without. `--hosts` installs it instead with each extra, on each Python
that is found or named, into a project with its own package `src`, and runs the pages; that takes an hour.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tests.packaging import hosts
from tools.environment import CACHE, ROOT, install_command, make_environment, requirements_of

READ = 'import llm_output; print(llm_output.decode_llm_json("{ok: True,}").data)'


def main() -> int:
    """Build and try; return an exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.dist", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", nargs="*", metavar="PYTHON", help="try each Python that is named or found")
    parser.add_argument("--wheel", action="store_true", help="build the wheel alone, and try nothing")
    options = parser.parse_args()
    if options.hosts is not None:
        wheel = build(CACHE / "hosts/wheel", "wheel")
        return hosts.main([str(wheel), str(CACHE / "hosts"), *options.hosts, "--", *install_command()])
    wheel = build(ROOT / "dist", "wheel")
    if not options.wheel:
        build(ROOT / "dist", "sdist")
        try_out(wheel, "cli", "-m", "llm_output", "demo")
        try_out(wheel, "core", "-c", READ)
    return 0


def build(folder: Path, target: str) -> Path:
    """Build the wheel or the sources into a folder, in place of those that are there; the file."""
    pattern = "*.whl" if target == "wheel" else "*.tar.gz"
    for old in folder.glob(pattern):
        old.unlink()
    _run(sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder)
    (built,) = folder.glob(pattern)
    return built


def try_out(wheel: Path, group: str, *command: str) -> None:
    """Run a command of Python with the wheel and what a group needs, in an environment of its own."""
    folder = CACHE / "dist" / group
    shutil.rmtree(folder, ignore_errors=True)
    python = make_environment(folder)
    into = [*install_command(), "--python", python]
    _run(*into, "--require-hashes", "--requirement", requirements_of(group))
    _run(*into, "--no-deps", "--no-index", wheel)
    _run(python, *command, folder=folder)


def _run(*command: object, folder: Path = ROOT) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=folder)  # noqa: S603 - our own tools


if __name__ == "__main__":
    sys.exit(main())
