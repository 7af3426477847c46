"""Runs a page in a process that has loaded the packages of others already: that takes longer than the page.

Nothing of this project is loaded before the page begins: it imports what is installed, or the copies in its folder.
"""

import importlib
import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver, spawn
from multiprocessing.context import ForkServerContext
from pathlib import Path

from tests.paths import ROOT

OF_OTHERS = ["dependency_injector.containers", "jinja2", "openai", "rich.console", "sqlalchemy", "typer"]
"""What many pages load."""
PROGRAM = (
    "import sys; path = sys.path[:]; sys.path.insert(0, {root!r}); from tests.docs.page_process import run_with; "
    "run_with(path, {page!r})"
)
"""Runs a page in the current folder, with what another Python than that of the tests has."""


def context(python: str) -> ForkServerContext:
    """Processes of a Python that are forked from one with the packages of others."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(OF_OTHERS)
    ours = os.fsdecode(spawn.get_executable())
    spawn.set_executable(python)
    try:
        forkserver.ensure_running()
    finally:
        spawn.set_executable(ours)
    return context


def run_in(folder: Path, page: Path, path: Sequence[str], environment: Mapping[str, str], said: Path) -> None:
    """Run a page in a folder, in this process, with a path of imports behind the folder; what it says is in a file."""
    with said.open("wb") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    run_with([str(folder), *path], str(page))


def run_with(path: Sequence[str], page: str) -> None:
    """Run a page that can import what stands on the path, and nothing of the tests or of the checkout beside."""
    markdown, run_page = (importlib.import_module(f"tests.docs.{name}") for name in ("markdown", "run_page"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.path[:] = path
    run_page.run_page(markdown.read_page(Path(page)))


def program(page: Path) -> str:
    """The code that runs a page in the current folder."""
    return PROGRAM.format(root=str(ROOT), page=str(page))
