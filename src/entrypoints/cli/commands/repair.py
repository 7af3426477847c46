"""`llm-output repair`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Annotated, TypeAlias

import typer

from src.entrypoints.cli import options
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, read_source, value_writer
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.reading_view import model_repair, print_repairs, report_error
from src.entrypoints.cli.screen import say, waiting
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.ports.repair import RepairedText
from src.shared.infrastructure.llm_json import decode_llm_json

EXAMPLES = (
    "llm-output repair examples/ask/broken.txt --replay examples/ask/repair.jsonl",
    "llm-output repair answer.txt --base-url http://localhost:11434/v1 --model qwen3",
)

FileArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The damaged text, UTF-8; `-`, or no FILE at all, reads stdin.")
]


@guarded
def repair(  # noqa: PLR0913 - one parameter an option
    file: FileArgument = STDIN,
    *,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
    finished: options.FinishedOption = options.Finished.UNKNOWN,
    output_format: options.FormatOption = options.Format.JSON,
    error_format: options.ErrorFormatOption = options.ErrorFormat.TEXT,
    output: options.OutputOption = None,
    quiet: options.QuietOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Repair a damaged text's syntax, by a model only if necessary.

    If the parser can read the text, no model is asked. A model's repair is accepted only if it has exactly the names
    and values of the text.
    """
    options.configure_log(verbose=verbose)
    source = read_source(file)
    try:
        model_options = options.ModelOptions(model, base_url, replay, record)
        data, tell = _read(source.text, model_options, finished=finished.known)
    except AppException as refusal:
        report_error(refusal, source, error_format)
        raise typer.Exit(code_of(refusal)) from None
    written = value_writer(data, output_format, output)
    if not quiet:
        tell()
    written()


def _read(
    text: str, model_options: options.ModelOptions, *, finished: bool | None
) -> tuple[object, Callable[[], None]]:
    """The data of a text, and what tells of its repairs."""
    try:
        decoded = decode_llm_json(text, finished=finished)
    except LLMJsonParseError as error:
        if not is_repairable(text, error):
            raise
        with waiting():
            repaired = asyncio.run(_repaired(text, error, model_options, finished=finished))
        return json.loads(repaired.text), partial(say, model_repair(repaired.reply))
    return decoded.data, partial(print_repairs, decoded.repairs)


async def _repaired(
    text: str, error: LLMJsonParseError, model_options: options.ModelOptions, *, finished: bool | None
) -> RepairedText:
    async with options.application(model_options) as app:
        return await app.repair_agent().repair(text, error, finished=finished)
