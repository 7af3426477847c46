"""`python -m examples.committee index`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from examples.committee.commands.compare import MOST_COMPARED
from examples.committee.commands.page_file import page_file, write_page
from examples.committee.commands.shown_commands import compare_command, resume_command
from examples.committee.infrastructure.run_files import HTML
from examples.committee.infrastructure.run_finder import FoundRuns, find_runs
from examples.committee.reports.links import link_from
from examples.committee.reports.runs_index import Commands, Order, index_page, index_view
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.screen import stderr

EXAMPLES = (
    "python -m examples.committee index runs",
    "python -m examples.committee index runs --sort cost --out all-runs.html",
)
PAGE = "index.html"

FolderArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that holds the runs.")]
SortOption: TypeAlias = Annotated[
    Order,
    typer.Option(
        "--sort",
        metavar="|".join(Order),
        help="How the runs are sorted: the newest dossier, the stock, the verdict (surest first) or the highest cost.",
    ),
]
PageOption: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help=f"Where the page is written. Default: {PAGE} in FOLDER.")
]


@guarded
def index(folder: FolderArgument, *, sort: SortOption = Order.DATE, out: PageOption = None) -> None:
    """Write a page of all runs beneath a folder, by stock.

    Each run links to its report. Runs that have not ended are listed apart, with the command that goes on with them,
    and so are folders that cannot be read, with the reason. Links to folders are not followed.
    """
    if not folder.is_dir():
        message = spoken(f"{folder} 不是文件夹", f"{folder} is no folder")
        raise CommandError(message)
    file = page_file(out, folder / PAGE)
    found = _found(folder)
    commands = Commands(
        link=lambda run: link_from(file, run.folder / HTML) if run.has_report else "",
        resume=resume_command,
        compare=lambda folders: compare_command(folders[:MOST_COMPARED]),
    )
    write_page(file, index_page(index_view(folder, found, sort, commands)))
    _tell(found)


def _found(folder: Path) -> FoundRuns:
    try:
        return find_runs(folder)
    except OSError as error:
        why = error.strerror or error
        message = spoken(f"无法读取 {folder}：{why}", f"cannot read {folder}: {why}")
        raise CommandError(message) from error


def _tell(found: FoundRuns) -> None:
    runs, unfinished, left_out = len(found.runs), len(found.unfinished), len(found.left_out)
    told = spoken(
        f"有结果的运行 {runs}，没有结束的 {unfinished}，没有读的文件夹 {left_out}",
        f"runs with a result: {runs}, unfinished: {unfinished}, folders not read: {left_out}",
    )
    stderr().print(told, soft_wrap=True)
    if not found.is_all:
        only = spoken("文件夹太多，只列出了一部分", "too many folders: only a part of them is listed")
        stderr().print(only, soft_wrap=True)
