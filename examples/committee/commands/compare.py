"""`python -m examples.committee compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from examples.committee.commands.page_file import page_file, write_page
from examples.committee.commands.runs_view import print_comparison
from examples.committee.commands.shown_commands import resume_command
from examples.committee.domain.exceptions import RunUnfinishedError, RunUnreadableError
from examples.committee.domain.run_record import RecordedRun
from examples.committee.infrastructure.run_files import HTML
from examples.committee.infrastructure.run_reader import read_run
from examples.committee.reports.comparison_json import comparison_data
from examples.committee.reports.comparison_page import comparison_page
from examples.committee.reports.comparison_view import comparison_view
from examples.committee.reports.links import link_from
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.options import ResultFormat, ResultFormatOption
from src.entrypoints.cli.plain_output import json_text, spoken, write_stdout

EXAMPLES = (
    "python -m examples.committee compare runs/688999-august runs/688999-november",
    "python -m examples.committee compare runs/688999 runs/600519 --out compare.html --format json",
)
MOST_COMPARED = 20
"""Runs that are compared at a time."""
PAGE = Path("compare.html")

RunsArgument: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="RUN RUN...", help="The folders of two runs or more, as `run --out` wrote them.")
]
PageOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help=f"Where the page is written. Default: {PAGE} in the current folder."),
]


@guarded
def compare(
    runs: RunsArgument,
    *,
    out: PageOption = None,
    output_format: ResultFormatOption = ResultFormat.TEXT,
) -> None:
    """Put runs side by side: of one stock over time, or of several stocks.

    Writes one page with verdicts, prices, the experts' signals and scores, the debates, risks, gaps and costs. Runs of
    one stock are in the order of their dossiers' dates, and what changed from one to the next is told in words. The
    same goes to stdout, as a short text or as JSON.
    """
    file = page_file(out, PAGE)
    view = comparison_view(_read(runs), lambda run: link_from(file, run.folder / HTML) if run.has_report else "")
    page = comparison_page(view)
    text = json_text(comparison_data(view)) if output_format is ResultFormat.JSON else None
    write_page(file, page)
    if text is None:
        print_comparison(view)
    else:
        write_stdout(text)


def _read(folders: list[Path]) -> tuple[RecordedRun, ...]:
    """The runs; every folder that cannot be used is named at once.

    Raises:
        CommandError: there are too few or too many, one is given twice, or one cannot be read.
    """
    if not 1 < len(folders) <= MOST_COMPARED:
        message = spoken(f"请给出 2 至 {MOST_COMPARED} 次运行", f"name 2 to {MOST_COMPARED} runs")
        raise CommandError(message)
    twice = [folder for at, folder in enumerate(folders) if folder.resolve() in {one.resolve() for one in folders[:at]}]
    if twice:
        message = spoken(f"{twice[0]} 给出了两次", f"{twice[0]} is named twice")
        raise CommandError(message)
    found, problems = [], []
    for folder in folders:
        try:
            found.append(read_run(folder))
        except RunUnfinishedError as error:
            go_on = resume_command(folder)
            problems.append(spoken(f"{error.message}；接着运行：{go_on}", f"{error.message}; go on with {go_on}"))
        except RunUnreadableError as error:
            problems.append(error.message)
    if problems:
        raise CommandError("; ".join(problems))
    return tuple(found)
