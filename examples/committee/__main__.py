"""The command line: `python -m examples.committee`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from examples.committee.committee import committee_of
from examples.committee.dossier import Dossier, DossierError, load_dossier
from examples.committee.prices import with_prices
from examples.committee.printed import PrintedResult, print_result
from examples.committee.report import html_report
from examples.committee.result import CommitteeResult
from examples.committee.words import spoken
from src.entrypoints.cli.app import CONTEXT, add_command
from src.entrypoints.cli.exit_codes import ExitCode, code_of
from src.entrypoints.cli.files import write_file
from src.entrypoints.cli.guard import CommandError, guarded, os_errors_as
from src.entrypoints.cli.main import whole_process
from src.entrypoints.cli.options import (
    BaseUrlOption,
    ModelOption,
    ModelOptions,
    ReplayOption,
    VerboseOption,
    application,
    configure_log,
)
from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.screen import error_line, say
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message

NAME = "python -m examples.committee"
DOSSIER, RECORDING, REPORT = "dossier.json", "recording.jsonl", "report.html"
"""What the folder of a run holds."""
EXAMPLES = (
    f"{NAME} run examples/committee/dossier.json --replay examples/committee/recording.jsonl --out report",
    f"{NAME} run dossier.json --base-url http://localhost:8080/v1 --model qwen3 --out runs/688999",
    f"{NAME} run dossier.json --prices prices.csv",
)

DossierArgument: TypeAlias = Annotated[
    Path, typer.Argument(metavar="DOSSIER", help="The dossier, a JSON file.", show_default=False)
]
PricesOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--prices", metavar="FILE", help="Make the dossier's technical section of daily prices, a CSV file."),
]
OutOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write dossier, recording and report to this new folder."),
]


@guarded
def run(
    dossier: DossierArgument,
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: ReplayOption = None,
    prices: PricesOption = None,
    out: OutOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Let a committee of agents decide on the stock of a dossier.

    Experts judge it side by side, two advocates argue, a third agent settles the argument, and the last one
    decides. If an expert fails, the result names it and the others go on. Progress goes to stderr, the result to
    stdout. With --out every reply is written down as it comes, so that a run that is stopped loses none.
    """
    configure_log(verbose=verbose)
    stock = _read_dossier(dossier, prices)
    result = PrintedResult(stock.stock.symbol)
    if out:
        _make_folder(out)
    options = ModelOptions(model, base_url, replay, out and out / RECORDING)
    try:
        asyncio.run(_sit(options, stock, result))
    finally:
        if out and (result.verdict or result.error):
            _write_run(out, stock, result)
    print_result(stock, result)
    if result.error:
        error_line(result.error.message)
        raise typer.Exit(_exit_code(result, result.error))


def _read_dossier(file: Path, prices: Path | None) -> Dossier:
    """The dossier; if it is none, every problem is told on a line of its own."""
    try:
        dossier = load_dossier(file)
        return with_prices(dossier, prices) if prices else dossier
    except DossierError as error:
        first, *more = error.message.splitlines()
        error_line(first)
        for line in more:
            say(visible(line))
        raise typer.Exit(ExitCode.USAGE) from None


async def _sit(options: ModelOptions, dossier: Dossier, result: CommitteeResult) -> None:
    async with application(options) as app:
        result.price = app.budget().price
        await committee_of(app.typed_llm()).run(dossier, result)


def _make_folder(folder: Path) -> None:
    """Make the folder of a run; nothing that is there is replaced.

    Raises:
        CommandError: it cannot be made, or holds more than the empty recording of a run that had no model.
    """
    with os_errors_as(Message(f"无法写入 {folder}", f"cannot write to {folder}")):
        folder.mkdir(parents=True, exist_ok=True)
        if any(file.stat().st_size for file in folder.iterdir()):
            raise CommandError(
                Message(f"{folder} 中已有内容；请另选文件夹", f"{folder} is not empty; name a new folder")
            )


def _write_run(folder: Path, dossier: Dossier, result: CommitteeResult) -> None:
    write_file(folder / DOSSIER, dossier.model_dump_json(indent=2, exclude_unset=True))
    write_file(folder / REPORT, html_report(dossier, result))
    say(spoken(f"已写入 {folder}；请看 {REPORT}", f"written to {folder}; read {REPORT}"))


def _exit_code(result: CommitteeResult, error: AppException) -> ExitCode:
    """The code of what went wrong; where too few experts answered, that of what went wrong with them."""
    experts = result.research.experts if result.research else ()
    codes = [code_of(expert.error) for expert in experts if expert.error]
    return max(codes) if isinstance(error, TooFewExpertsError) else code_of(error)


def _app() -> typer.Typer:
    app = typer.Typer(
        name=NAME, help="Let a committee of agents decide on a stock.", no_args_is_help=True, add_completion=False,
        rich_markup_mode=None, context_settings=CONTEXT, pretty_exceptions_enable=False,
    )  # fmt: skip
    app.callback()(lambda: None)
    add_command(app, sys.modules[__name__], "run")
    return app


app = _app()

if __name__ == "__main__":
    with whole_process():
        app(prog_name=NAME)
