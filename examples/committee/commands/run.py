"""`python -m examples.committee run`."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn, TypeAlias

import typer

from examples.committee.application.result import CommitteeResult
from examples.committee.commands.committee_progress import progress
from examples.committee.commands.committee_view import print_result
from examples.committee.commands.interrupting import interruptible
from examples.committee.commands.resumed_run import ResumedRun, resumed_run
from examples.committee.commands.run_folder import NewRun, new_run
from examples.committee.commands.run_journal import Journal
from examples.committee.composition import committee_of
from examples.committee.domain.dossier import Dossier
from examples.committee.domain.exceptions import CommitteeInterruptedError, DossierError
from examples.committee.infrastructure.dossier_reader import load_dossier
from examples.committee.reports.result_json import result_data
from src.entrypoints.cli.exit_codes import ExitCode, code_of
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.options import (
    BaseUrlOption,
    ModelOption,
    ModelOptions,
    RecordOption,
    ReplayOption,
    ResultFormat,
    ResultFormatOption,
    VerboseOption,
    application,
    configure_log,
)
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.screen import error_line, stderr
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.shared.application.agent_runs import Interruption
from src.shared.domain.exceptions import AppException

HELP = "Let a committee of agents decide on a stock."
EXAMPLES = (
    "python -m examples.committee run examples/committee/dossier.json --replay examples/committee/recording.jsonl",
    "python -m examples.committee run dossier.json --base-url http://localhost:8080/v1 --model qwen3 --out runs/688999",
    "python -m examples.committee run --resume runs/688999",
    "python -m examples.committee run runs/688999/dossier.json --replay runs/688999/recording.jsonl --format json",
)


DossierArgument: TypeAlias = Annotated[
    Path | None,
    typer.Argument(
        metavar="[DOSSIER]", help="The dossier, a JSON file; with --resume that of the run.", show_default=False
    ),
]
OutOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write the run to this folder: dossier, recording, result as JSON, report as Markdown and HTML. "
        "An earlier run there is replaced.",
    ),
]
ResumeOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="DIR",
        help="Go on with the run in this folder where it stopped: what was answered is not asked again. "
        "Written to the same folder unless --out names another.",
    ),
]


@guarded
def run(  # noqa: PLR0913 - one parameter an option
    dossier: DossierArgument = None,
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: ReplayOption = None,
    record: RecordOption = None,
    out: OutOption = None,
    resume: ResumeOption = None,
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
    stock, resumed = _begun(dossier, resume)
    with ExitStack() as open_things:
        folder = open_things.enter_context(new_run(out, stock, resume)) if (out := out or resume) else None
        files = (folder.recording if folder else None, resumed.earlier if resumed else None)
        options = ModelOptions(model, base_url, replay, record, *files)
        result = _ended(options, stock, folder, live=not verbose)
        if folder:
            folder.finish(stock, result)
    _tell(stock, result, output_format, folder)


def _ended(options: ModelOptions, dossier: Dossier, folder: NewRun | None, *, live: bool) -> CommitteeResult:
    """The run's result.

    Raises:
        KeyboardInterrupt: it was interrupted; what there is of it is in the folder, or there is nothing to tell of.
    """
    try:
        result = asyncio.run(_run(options, dossier, folder, live=live))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if isinstance(result.error, CommitteeInterruptedError):
        if folder:
            folder.write_report(dossier, result)
        if folder or not result.totals.calls:
            raise KeyboardInterrupt
    return result


async def _run(options: ModelOptions, dossier: Dossier, folder: NewRun | None, *, live: bool) -> CommitteeResult:
    interruption = Interruption()
    async with application(options) as app:
        container = committee_of(app)
        with progress(container.agents(), live=live) as watcher, interruptible(interruption):
            told = Journal(folder.journal, watcher) if folder else watcher
            result: CommitteeResult = await container.committee().run(dossier, told, interruption)
            return result


def _begun(dossier: Path | None, resume: Path | None) -> tuple[Dossier, ResumedRun | None]:
    """What the run is about, and the run that it goes on with, if any."""
    given = _loaded(dossier) if dossier else None
    if resume:
        try:
            resumed = resumed_run(resume, given)
        except DossierError as error:
            _refuse(error)
        return resumed.dossier, resumed
    if given is None:
        message = spoken("请给出 DOSSIER，或用 --resume 给出文件夹", "name a DOSSIER, or a folder with --resume")
        raise CommandError(message)
    return given, None


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
        raise typer.Exit(_exit_code(result, result.error))


def _exit_code(result: CommitteeResult, error: AppException) -> ExitCode:
    """The code of what went wrong; where too few experts answered, that of what went wrong with them."""
    experts = result.research.experts if result.research else ()
    codes = [code_of(expert.error) for expert in experts if expert.error]
    return max(codes) if isinstance(error, TooFewExpertsError) else code_of(error)
