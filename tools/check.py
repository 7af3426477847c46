"""The checks of the project: `make test`, `make quick` and `make thorough`, or one of them by its name.

Those that do not depend on each other run side by side; the output of each is shown when it has ended.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

from tests.recorded_readings.system_python import why_not
from tools.environment import CACHE, ENVIRONMENTS, ROOT, SYSTEM_PYTHON, has_npm, python_of

BIN = python_of(ENVIRONMENTS["dev"].folder).parent
PYTEST = (BIN / "pytest", "--dist=worksteal")
LIMIT = 3_600
"""Seconds that a check may take which runs beside others."""
CORE = (
    "tests/entrypoints/cli/test_batch_against.py",
    "tests/entrypoints/cli/test_batch_inputs.py",
    "tests/entrypoints/cli/test_batch_outcomes.py",
    "tests/entrypoints/cli/test_batch_ray.py",
    "tests/entrypoints/cli/test_learn.py",
    "tests/integrations",
    "tests/llm_output",
    "tests/modules",
    "tests/shared",
    "tests/tables",
)
"""Tests that cover `src/shared`, `src/modules`, `src/integrations` and `llm_output` to the last branch."""
FAST = "not slow and not browser and not tesseract"


def lint() -> int:
    """Ruff: all rules, and formatting."""
    return _run(BIN / "ruff", "check", ".") or _run(BIN / "ruff", "format", "--check", ".")


def types() -> int:
    """Mypy, strict."""
    return _run(BIN / "mypy")


def imports() -> int:
    """import-linter: the boundaries of the hexagon."""
    return _run(BIN / "lint-imports", "--no-cache")


def system() -> int:
    """Read the recorded texts with the system's Python too, or say why not: Debian 12's reads expressions otherwise."""
    why = why_not(SYSTEM_PYTHON, Path(sys._base_executable))  # type: ignore[attr-defined]  # noqa: SLF001 - it has no other name
    if why:
        sys.stdout.write(f"{why}\n")
        return 0
    made = _run(sys.executable, "-m", "tools.environment", "system")
    python = python_of(ENVIRONMENTS["system"].folder)
    return made or _run(python, "-m", "tests.recorded_readings", "--check")


def parts() -> int:
    """What some tests need besides the environment; without it they are skipped and say so."""
    for name in ("instructor", "evaluations", *(("axe", "openai-node", "playground") if has_npm() else ())):
        if _run(sys.executable, "-m", "tools.environment", name):
            sys.stdout.write(f"the tests that need {name} will be skipped\n")
    return 0


def compiled() -> int:
    """Compile what the tests import, once, where each worker would compile all of it."""
    return _run(BIN / "pytest", "--collect-only", "-qq", is_quiet=True)


def tests() -> int:
    """Every test, the longest of them as a sample."""
    return _pytest("test")


def coverage() -> int:
    """The tests of the core under the tracer, which doubles their time: they cover it to the last branch."""
    return _pytest("coverage", *CORE, "--cov", "--cov-report=") or _run(BIN / "coverage", "report", "--fail-under=100")


def quick() -> int:
    """What most changes need: lint, types, imports and the fast tests."""
    return run_together("lint", "types", "imports") or _pytest("quick", "-q", "-r", "fE", "-m", FAST)


def thorough() -> int:
    """The core's coverage, then every test at its full length."""
    failed = parts() or coverage()
    os.environ["THOROUGH"] = "1"
    return failed or _pytest("thorough", "--timeout=3600")


def test() -> int:
    """Every check."""
    return run_together("types", "lint", "imports", "system", "parts", "compiled") or tests()


CHECKS = {check.__name__: check for check in (test, quick, thorough, lint, types, imports, system, tests, coverage)}


def _pytest(name: str, *arguments: str) -> int:
    workers = f"--numprocesses={os.environ.get('WORKERS', '3')}"
    return _run(*PYTEST, workers, f"--basetemp={CACHE / f'pytest-{name}'}", *arguments)


def _run(*command: object, is_quiet: bool = False) -> int:
    sys.stdout.flush()
    output = subprocess.DEVNULL if is_quiet else None
    return subprocess.run([str(part) for part in command], check=False, cwd=ROOT, stdout=output).returncode  # noqa: S603 - our own tools


def run_together(*names: str) -> int:
    """Run checks as commands of their own, two at a time, and show what each printed; the highest exit code."""

    def run(name: str) -> int:
        command = [sys.executable, "-m", "tools.check", "--only", name]
        with Popen(command, cwd=ROOT, text=True, stdout=PIPE, stderr=STDOUT) as process:  # noqa: S603 - this file
            output, _ = process.communicate(timeout=LIMIT)
        sys.stdout.write(f"--- {name}\n{output}")
        sys.stdout.flush()
        return abs(int(process.returncode))

    with ThreadPoolExecutor(2) as pool:
        return max(pool.map(run, names))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a check; return its exit code."""
    each = "\n".join(f"  {name:9} {check.__doc__}" for name, check in CHECKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tools.check",
        description=f"{__doc__}\n{each}\n\nWORKERS is the number of processes that run tests, by default 3.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = {**CHECKS, "parts": parts, "compiled": compiled}
    parser.add_argument("name", nargs="?", default="test", choices=[*CHECKS], metavar="CHECK")
    parser.add_argument("--only", choices=[*steps], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(CACHE / "hypothesis")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    CACHE.mkdir(exist_ok=True)
    return steps[options.only or options.name]()


if __name__ == "__main__":
    sys.exit(main())
