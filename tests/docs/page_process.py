"""Runs a page in a process that has loaded the packages of others already: that takes longer than the page.

Nothing of this project is loaded before imports begin in the folder of the page, so that a page finds the copies in it.
"""

import importlib
import multiprocessing
import os
import sys
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path

OF_OTHERS = ["dependency_injector.containers", "jinja2", "openai", "rich.console", "sqlalchemy", "stamina", "typer"]
"""What many pages load."""


def context() -> ForkServerContext:
    """Processes that are forked from one with the packages of others."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(OF_OTHERS)
    return context


def run_in(folder: Path, page: Path, environment: Mapping[str, str], said: Path) -> None:
    """Run a page in a folder, in this process; what it says on stderr is in a file afterwards."""
    with said.open("wb") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, str(folder))
    markdown, run_page = (importlib.import_module(f"tests.docs.{name}") for name in ("markdown", "run_page"))
    run_page.run_page(markdown.read_page(page))
