"""Commands that are shown to be copied: their paths are quoted as a shell takes them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path


def resume_command(folder: Path) -> str:
    """The command that goes on with a run."""
    return shlex.join(("python", "-m", "examples.committee", "run", "--resume", _path(folder)))


def compare_command(folders: Iterable[Path]) -> str:
    """The command that puts runs side by side."""
    return shlex.join(("python", "-m", "examples.committee", "compare", *map(_path, folders)))


def _path(path: Path) -> str:
    """A path that is never taken for an option."""
    text = str(path)
    return f"./{text}" if text.startswith("-") else text
