"""`llm-output committee run`."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn, TypeAlias

import typer

from src.committee.application.result import CommitteeResult
from src.committee.domain.dossier import Dossier
from src.committee.domain.exceptions import DossierError
from src.committee.infrastructure.dossier_reader import load_dossier
from src.entrypoints.cli.committee_progress import progress
from src.entrypoints.cli.committee_view import print_result
from src.entrypoints.cli.exit_codes import ExitCode, code_of
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.model_options import (
    BaseUrlOption,
    ModelOption,
    ModelOptions,
    RecordOption,
    ReplayOption,
    application,
)
from src.entrypoints.cli.options import VerboseOption
from src.entrypoints.cli.plain_output import json_text, visible, write_stdout
from src.entrypoints.cli.run_folder import NewRun, new_run
from src.entrypoints.cli.screen import error_line, stderr
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.reports.result_json import result_data
from src.modules.research.application.public import TooFewExpertsError

HELP = "Let a committee of agents decide on a stock."
EXAMPLES = (
    "llm-output committee run examples/committee/dossier.json --replay examples/committee/recording.jsonl",
    "llm-output committee run dossier.json --base-url http://localhost:11434/v1 --model qwen3 --out runs/688999",
    "llm-output committee run runs/688999/dossier.json --replay runs/688999/recording.jsonl --format json",
)


class ResultFormat(StrEnum):
    """How a committee's result is written to stdout."""

    TEXT = "text"
    JSON = "json"


DossierArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="DOSSIER", help="The dossier, a JSON file.")]
OutOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write the run to this folder: dossier, recording, result as JSON, report as Markdown and HTML. "
        "An earlier run there is replaced.",
    ),
]
ResultFormatOption: TypeAlias = Annotated[
    ResultFormat, typer.Option("--format", metavar="|".join(ResultFormat), help="How the result is written to stdout.")
]


@guarded
def run(  # noqa: PLR0913 - one parameter an option
    dossier: DossierArgument,
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: ReplayOption = None,
    record: RecordOption = None,
    out: OutOption = None,
    output_format: ResultFormatOption = ResultFormat.TEXT,
    verbose: VerboseOption = False,
) -> None:
    """Let a committee of agents decide on the stock of a dossier.

    Experts judge it side by side, two advocates argue, a third agent settles the argument, and the last one
    decides. If an expert fails, the result names it and the others go on. Progress goes to stderr. The result goes to
    stdout: the verdict, both sides of the debate, the risks, each expert's signal, what was repaired or asked again.
    Settings are environment variables: COMMITTEE_DEADLINE, COMMITTEE_LEAST_EXPERTS and others.
    """
    configure_log(verbose=verbose)
    stock = _loaded(dossier)
    with ExitStack() as open_things:
        folder = open_things.enter_context(new_run(out)) if out else None
        options = ModelOptions(model, base_url, replay, record, folder.recording if folder else None)
        result = asyncio.run(_run(options, stock, live=not verbose))
        if folder:
            folder.finish(stock, result)
    _tell(stock, result, output_format, folder)


async def _run(options: ModelOptions, dossier: Dossier, *, live: bool) -> CommitteeResult:
    async with application(options) as app:
        committee = app.committee()
        with progress(app.committee_agents(), live=live) as watcher:
            result: CommitteeResult = await committee.run(dossier, watcher)
            return result


def _loaded(path: Path) -> Dossier:
    try:
        return load_dossier(path)
    except DossierError as error:
        _refuse(error)


def _refuse(error: DossierError) -> NoReturn:
    """Every problem on a line of its own, with its place."""
    first, *more = error.message.splitlines()
    error_line(first)
    for line in more:
        stderr().print(f"  {visible(line)}", soft_wrap=True)
    raise typer.Exit(code_of(error))


def _tell(dossier: Dossier, result: CommitteeResult, output_format: ResultFormat, folder: NewRun | None) -> None:
    if output_format is ResultFormat.JSON:
        write = partial(write_stdout, json_text(result_data(dossier, result)))
    else:
        write = partial(print_result, dossier, result)
    if folder:
        place = visible(str(folder.place))
        stderr().print(
            spoken(f"已写入 {place}；请看 report.html", f"written to {place}; read report.html"), soft_wrap=True
        )
    write()
    if result.error:
        error_line(result.error.message)
        raise typer.Exit(_exit_code(result))


def _exit_code(result: CommitteeResult) -> ExitCode:
    """The code of what went wrong; where too few experts answered, that of what went wrong with them."""
    assert result.error is not None  # noqa: S101 - the caller has looked
    experts = result.research.experts if result.research else ()
    codes = [code_of(expert.error) for expert in experts if expert.error]
    return max(codes) if isinstance(result.error, TooFewExpertsError) else code_of(result.error)
