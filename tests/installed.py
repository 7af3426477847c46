"""Programs of the system that a test may need: where one is missing, the test says which Debian packages bring it."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.paths import ROOT

AXE = ROOT / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""The checker of accessibility, at the version that `tests/npm` pins."""
PLAYGROUND = ROOT / ".cache" / "playground" / "playground.stamp"
"""The browser's Python and its wheels, at the versions that files in `tools` pin."""
OPENAI_NODE = ROOT / ".cache" / "openai-node"
"""The SDK of OpenAI for Node, at the version that `tests/npm_openai` pins."""
CHROMIUM = shutil.which("chromium")
_PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"
INSTRUCTOR_PYTHON = ROOT / ".cache" / "instructor" / _PYTHON
"""instructor has an environment of its own: it does not allow the jiter that openai wants."""
EVALUATIONS_PYTHON = ROOT / ".cache" / "evaluations" / _PYTHON
"""So have the SDKs of Langfuse, Logfire and Phoenix: Logfire puts itself into Pydantic."""
PDFTOPPM, PDFTOTEXT = shutil.which("pdftoppm"), shutil.which("pdftotext")
_OF_THE_SYSTEM = os.pathsep.join(("/usr/local/sbin", "/usr/sbin", "/sbin"))
_TESSERACT = {"eng": "tesseract-ocr", "chi_sim": "tesseract-ocr-chi-sim"}
"""Debian's package of each language that tests read; the first brings the program as well."""


def missing_instructor() -> str:
    """What to run to have instructor; empty where it is there."""
    return "" if INSTRUCTOR_PYTHON.is_file() else "instructor is not installed: python3 -m tools.environment instructor"


def missing_evaluations() -> str:
    """What to run to have the SDKs that evaluations go to; empty where they are there."""
    return "" if EVALUATIONS_PYTHON.is_file() else "no SDK is installed: python3 -m tools.environment evaluations"


def missing_openai_node() -> str:
    """What to run to have the SDK of OpenAI for Node; empty where it is there."""
    if shutil.which("node") and (OPENAI_NODE / "node_modules" / "openai").is_dir():
        return ""
    return "openai for Node is not installed: apt install npm, then python3 -m tools.environment openai-node"


def missing_browser(*needed: str) -> str:
    """What to install to look at a page, and what else a test needs beside the browser; empty where all is there."""
    if CHROMIUM is None:
        return "there is no browser: apt install chromium"
    if "axe" in needed and not AXE.is_file():
        return "axe-core is not installed: apt install npm, then python3 -m tools.environment axe"
    if "playground" in needed and not PLAYGROUND.is_file():
        return (
            "the parts of the playground are not there: apt install npm, then python3 -m tools.environment playground"
        )
    if "poppler" in needed and (PDFTOPPM is None or PDFTOTEXT is None):
        return "poppler is not installed: apt install poppler-utils"
    return ""


def missing_tesseract(*languages: str) -> str:
    """What to install to read these languages; empty where they can be read."""
    missing = [_TESSERACT[language] for language in languages if language not in _languages()]
    return f"tesseract or its data are not installed: apt install {' '.join(missing)}" if missing else ""


@cache
def _languages() -> frozenset[str]:
    program = shutil.which("tesseract")
    if program is None:
        return frozenset()
    listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, check=True)  # noqa: S603 - found on the path
    return frozenset(listed.stdout.split())


def program(name: str) -> str | None:
    """The path of a program, also of one that stands where most users' PATH does not lead; None where there is none."""
    return shutil.which(name) or shutil.which(name, path=_OF_THE_SYSTEM)


def postgres_program(name: str) -> str | None:
    """The path of one of Postgres's own programs, the newest of Debian's versions; None where there is none."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    return str(versions[-1]) if versions else shutil.which(name)


def missing_postgres() -> str:
    """What to install to start a Postgres server; empty where it can be started."""
    if not postgres_program("initdb"):
        return "there is no Postgres server: apt install postgresql"
    if is_root() and not program("runuser"):
        return "Postgres refuses to run as root, and there is no runuser to start it as another: apt install util-linux"
    return ""


def is_root() -> bool:
    """Whether the tests run as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
