"""`llm-output repair`."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer

from src.entrypoints.cli import options as flags
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, read_source, value_writer
from src.entrypoints.cli.reading_view import cost_of_repair, print_repairs, report_error
from src.entrypoints.cli.screen import say, waiting
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.ports.repair import RepairedText
from src.shared.domain.repair import Repair
from src.shared.infrastructure.llm_json import decode_llm_json

EXAMPLES = (
    "llm-output repair examples/ask/broken.txt --replay examples/ask/repair.jsonl",
    "llm-output repair answer.txt --base-url http://localhost:11434/v1 --model qwen3",
)


@flags.command()
def repair(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The damaged text, UTF-8; `-`, or no FILE at all, reads stdin.")
    ] = STDIN,
    *,
    asked: flags.ModelOptions,
    finished: flags.FinishedOption = "unknown",
    result: flags.ResultOptions,
    quiet: flags.QuietOption = False,
    verbose: flags.VerboseOption = False,
) -> None:
    """Repair a damaged text's syntax, by a model only if necessary.

    If the parser can read the text, no model is asked. A model's repair is accepted only if it has exactly the names
    and values of the text.
    """
    flags.configure_log(verbose=verbose)
    source, end = read_source(file), flags.KNOWN_END[finished]
    repaired, repairs = None, tuple[Repair, ...]()
    try:
        try:
            decoded = decode_llm_json(source.text, finished=end)
            data, repairs = decoded.data, decoded.repairs
        except LLMJsonParseError as error:
            if not is_repairable(source.text, error):
                raise
            with waiting():
                repaired = asyncio.run(_repaired(source.text, error, asked, finished=end))
            data = json.loads(repaired.text)
    except AppException as refusal:
        report_error(refusal, source, result.error_format)
        raise typer.Exit(code_of(refusal)) from None
    write = value_writer(data, result)
    if not quiet:
        if repaired:
            say(cost_of_repair(repaired.reply, is_accepted=True))
        print_repairs(repairs)
    write()


async def _repaired(
    text: str, error: LLMJsonParseError, asked: flags.ModelOptions, *, finished: bool | None
) -> RepairedText:
    async with flags.application(asked) as app:
        return await app.repair_agent().repair(text, error, finished=finished)
