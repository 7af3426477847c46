"""`llm-output repair`."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from src.entrypoints.cli import options
from src.entrypoints.cli.error_view import report_error
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, Source, read_source, value_writer
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.repairs_view import model_repair, print_repairs
from src.entrypoints.cli.screen import stderr, waiting
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
    configure_log(verbose=verbose)
    source = read_source(file)
    try:
        decoded = decode_llm_json(source.text, finished=finished.known)
    except LLMJsonParseError as error:
        damaged = _Damaged(source, error, finished.known)
        repaired = _by_model(damaged, options.ModelOptions(model, base_url, replay, record), error_format)
        written = value_writer(json.loads(repaired.text), output_format, output)
        if not quiet:
            stderr().print(model_repair(repaired.reply), soft_wrap=True)
    else:
        written = value_writer(decoded.data, output_format, output)
        if not quiet:
            print_repairs(stderr(), decoded.repairs)
    written()


@dataclass(frozen=True)
class _Damaged:
    """A text that the parser could not read, why, and what is known of its end."""

    source: Source
    error: LLMJsonParseError
    finished: bool | None


def _by_model(
    damaged: _Damaged, model_options: options.ModelOptions, error_format: options.ErrorFormat
) -> RepairedText:
    try:
        if not is_repairable(damaged.source.text, damaged.error):
            raise damaged.error
        with waiting(spoken("等待模型", "waiting for the model")):
            return asyncio.run(_repair(damaged, model_options))
    except AppException as refusal:
        report_error(refusal, damaged.source, error_format)
        raise typer.Exit(code_of(refusal)) from None


async def _repair(damaged: _Damaged, model_options: options.ModelOptions) -> RepairedText:
    async with options.application(model_options) as app:
        return await app.repair_agent().repair(damaged.source.text, damaged.error, finished=damaged.finished)
