"""Where a page about runs is written."""

from __future__ import annotations

from pathlib import Path

from examples.committee.infrastructure.run_files import RESULT, is_run
from src.entrypoints.cli.files import write_file
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.screen import stderr

_MARK = '<meta name="generator" content="python -m examples.committee '
_HEAD = 4_096
"""Characters of a page within which it says who made it."""


def page_file(given: Path | None, usual: Path) -> Path:
    """Where to write: the place that is given, else the usual one, unless somebody else's page is there.

    Raises:
        CommandError: the page must not go there.
    """
    file = given or usual
    folder = file.resolve().parent
    if is_run(folder) or (folder / RESULT).exists():
        message = spoken(
            f"{folder} 是一次运行的文件夹，只放它自己的文件；请另给 --out FILE",
            f"{folder} is the folder of a run, which holds its own files only; name another place with --out FILE",
        )
        raise CommandError(message)
    if given is None and file.exists() and not _is_ours(file):
        message = spoken(
            f"{file} 不是本命令写的；请给出 --out FILE",
            f"{file} was not written by this command; name a place with --out FILE",
        )
        raise CommandError(message)
    return file


def write_page(file: Path, page: str) -> None:
    """Write a page, and say where.

    Raises:
        CommandError: it cannot be written.
    """
    write_file(file, page)
    name = visible(str(file))
    stderr().print(spoken(f"已写入 {name}", f"written to {name}"), soft_wrap=True)


def _is_ours(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return _MARK in opened.read(_HEAD)
    except OSError:
        return False
