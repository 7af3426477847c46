"""`llm-output parse`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer
from rich.text import Text

from src.entrypoints.cli.contract import Contract, Parsed, contract_of
from src.entrypoints.cli.error_view import error_json, print_error
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.explain import explain_failure, explain_result
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.options import (
    AgentOption,
    DtoOption,
    ErrorFormat,
    ErrorFormatOption,
    Finished,
    FinishedOption,
    Format,
    FormatOption,
    VerboseOption,
)
from src.entrypoints.cli.repairs_view import print_repairs
from src.entrypoints.cli.screen import stderr
from src.entrypoints.cli.source import STDIN, Source, read_source
from src.entrypoints.cli.written import value_writer
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json

EXAMPLES = (
    "llm-output parse answer.txt --agent verdict",
    "cat answer.txt | llm-output parse --agent verdict --explain",
    "llm-output parse answer.txt --dto shop.models:Order --format table",
    "llm-output parse answer.txt --agent verdict --finished yes",
    "llm-output parse cut-off.txt --salvage > complete-members.json",
)

_TRUNCATED = "the text was cut off; only the members that were complete are in the result"
_FINISHED = "Hint: if the model stopped by itself, --finished yes closes brackets that are missing at the end."
_SALVAGE = "Hint: --salvage keeps the members that were complete; it goes without --agent and --dto."

FileArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The model's raw text, UTF-8; `-`, or no FILE at all, reads stdin.")
]
ExplainOption: TypeAlias = Annotated[
    bool, typer.Option("--explain", help="Show on stderr, stage by stage, what was recognised, dropped and repaired.")
]
SalvageOption: TypeAlias = Annotated[
    bool,
    typer.Option("--salvage", help="Keep the complete members of a cut-off text; only without --agent and --dto."),
]


@guarded
def parse(  # noqa: PLR0913 - one parameter an option
    file: FileArgument = STDIN,
    agent: AgentOption = None,
    dto: DtoOption = None,
    output_format: FormatOption = Format.JSON,
    error_format: ErrorFormatOption = ErrorFormat.TEXT,
    *,
    finished: FinishedOption = Finished.UNKNOWN,
    explain: ExplainOption = False,
    salvage: SalvageOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Parse a model's text into a typed object.

    The object goes to stdout as JSON, and what was repaired in the text to stderr. With neither --agent nor --dto
    the text is decoded and the object written as it is. On an error stdout stays empty, and stderr says what is
    wrong, in which stage and where.
    """
    configure_log(verbose=verbose)
    contract = contract_of(agent, dto)
    if salvage and contract:
        message = "--salvage goes without --agent and --dto: a cut-off text is never passed off as a typed answer"
        raise CommandError(message)
    source = read_source(file)
    try:
        parsed = _parsed(source.text, contract, finished=finished.known, salvage=salvage)
    except LLMJsonParseError as error:
        if explain and error_format is ErrorFormat.TEXT:
            explain_failure(stderr(), source.text, contract, error, finished=finished.known)
        _report(error, source, error_format, finished=finished, salvage=salvage)
        raise typer.Exit(ExitCode.PARSE_ERROR) from None
    written = value_writer(parsed.data, output_format)
    _tell(parsed, source, contract, explain=explain)
    written()


def _parsed(text: str, contract: Contract | None, *, finished: bool | None, salvage: bool) -> Parsed:
    if contract:
        return contract.parse(text, finished=finished)
    decoded = decode_llm_json(text, finished=finished, salvage=salvage)
    return Parsed(decoded.data, decoded)


def _tell(parsed: Parsed, source: Source, contract: Contract | None, *, explain: bool) -> None:
    console = stderr()
    if explain:
        explain_result(console, source.text, contract, parsed.decoded)
    else:
        print_repairs(console, parsed.decoded.repairs)
    if parsed.decoded.truncated:
        console.print(Text.assemble(("Warning:", "bold yellow"), " ", _TRUNCATED), soft_wrap=True)


def _report(
    error: LLMJsonParseError, source: Source, error_format: ErrorFormat, *, finished: Finished, salvage: bool
) -> None:
    console = stderr()
    if error_format is ErrorFormat.JSON:
        console.print(error_json(error), soft_wrap=True)
        return
    print_error(console, error, source)
    if not error.details.get("truncated"):
        return
    if finished is Finished.UNKNOWN:
        console.print(_FINISHED, soft_wrap=True)
    if not salvage:
        console.print(_SALVAGE, soft_wrap=True)
