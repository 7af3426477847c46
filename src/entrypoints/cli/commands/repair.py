"""`llm-output repair`."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer

from src.entrypoints.cli import options
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, read_source, value_writer
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.reading_view import cost_of_repair, print_repairs, report_error
from src.entrypoints.cli.screen import say, waiting
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.ports.repair import RepairedText
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json

EXAMPLES = (
    "llm-output repair examples/ask/broken.txt --replay examples/ask/repair.jsonl",
    "llm-output repair answer.txt --base-url http://localhost:11434/v1 --model qwen3",
)


@guarded
def repair(  # noqa: PLR0913 - one parameter an option
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The damaged text, UTF-8; `-`, or no FILE at all, reads stdin.")
    ] = STDIN,
    *,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
    finished: options.FinishedOption = "unknown",
    output_format: options.FormatOption = "json",
    error_format: options.ErrorFormatOption = "text",
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
    model_options = options.ModelOptions(model, base_url, replay, record)
    try:
        read = _read(source.text, model_options, finished=options.KNOWN_END[finished])
    except AppException as refusal:
        report_error(refusal, source, error_format)
        raise typer.Exit(code_of(refusal)) from None
    write = value_writer(json.loads(read.text) if isinstance(read, RepairedText) else read.data, output_format, output)
    if not quiet and isinstance(read, RepairedText):
        say(cost_of_repair(read.reply, is_accepted=True))
    elif isinstance(read, DecodedJson):
        print_repairs([] if quiet else read.repairs)
    write()


def _read(
    text: str, model_options: options.ModelOptions, *, finished: bool | None
) -> DecodedJson[object] | RepairedText:
    """The text as the parser reads it, or else as a model repaired it."""

    async def repaired(error: LLMJsonParseError) -> RepairedText:
        async with options.application(model_options) as app:
            return await app.repair_agent().repair(text, error, finished=finished)

    try:
        return decode_llm_json(text, finished=finished)
    except LLMJsonParseError as error:
        if not is_repairable(text, error):
            raise
        with waiting():
            return asyncio.run(repaired(error))
