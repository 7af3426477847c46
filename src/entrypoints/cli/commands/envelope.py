"""`llm-output envelope`."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.envelope_view import Opened, refuse, tell
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.model_options import (
    BaseUrlOption,
    ModelOption,
    ModelOptions,
    RecordOption,
    ReplayOption,
    application,
)
from src.entrypoints.cli.options import (
    AgentOption,
    DtoOption,
    ErrorFormat,
    ErrorFormatOption,
    Finished,
    FinishedOption,
    Format,
    FormatOption,
    OutputOption,
    QuietOption,
    SchemaOption,
    VerboseOption,
)
from src.entrypoints.cli.screen import waiting
from src.entrypoints.cli.source import STDIN, Source, read_source
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.cli.written import value_writer
from src.modules.cowriting.infrastructure.outputs import AnyPayload

if TYPE_CHECKING:
    from src.shared.domain.ports.output import OutputPort

EXAMPLES = (
    "llm-output envelope examples/cowriting/damaged.txt",
    "llm-output envelope examples/cowriting/broken.txt --repair --replay examples/cowriting/repair.jsonl --explain",
    "llm-output envelope answer.txt --dto shop.models:Draft --finished yes",
)

FileArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The model's raw text, UTF-8; `-`, or no FILE at all, reads stdin.")
]
RepairOption: TypeAlias = Annotated[
    bool, typer.Option("--repair", help="Ask a model to repair the syntax of a text that cannot be read without one.")
]
ExplainOption: TypeAlias = Annotated[
    bool, typer.Option("--explain", help="Show on stderr what each of the four layers did with either text.")
]


@guarded
def envelope(  # noqa: PLR0913 - one parameter an option
    file: FileArgument = STDIN,
    *,
    agent: AgentOption = None,
    dto: DtoOption = None,
    schema: SchemaOption = None,
    repair: RepairOption = False,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: ReplayOption = None,
    record: RecordOption = None,
    finished: FinishedOption = Finished.UNKNOWN,
    output_format: FormatOption = Format.JSON,
    error_format: ErrorFormatOption = ErrorFormat.TEXT,
    output: OutputOption = None,
    explain: ExplainOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Open an envelope and read the payload in it.

    An envelope is an object with `meta` and `payload`. It goes to stdout as JSON with its payload decoded, the repairs
    of either text to stderr. --agent, --dto or --schema says what the payload must be. With --repair a model is asked
    about a text whose syntax the parser cannot read, once; its repair is accepted only if it has exactly the names and
    values of the text.
    """
    configure_log(verbose=verbose)
    contract = contract_of(agent, dto, schema)
    options = ModelOptions(model, base_url, replay, record)
    _check(options, repair=repair, explain=explain, quiet=quiet)
    source = read_source(file)
    with waiting(spoken("等待模型", "waiting for the model")) if repair else nullcontext():
        opened = asyncio.run(_open(source, contract, options, finished, repair=repair))
    if opened.error:
        refuse(opened, error_format, explain=explain)
        raise typer.Exit(code_of(opened.error))
    written = value_writer(_data(opened, contract), output_format, output)
    if not quiet:
        tell(opened, explain=explain)
    written()


def _check(options: ModelOptions, *, repair: bool, explain: bool, quiet: bool) -> None:
    if explain and quiet:
        message = spoken("--explain 与 --quiet 不能同时使用", "--explain and --quiet exclude each other")
        raise CommandError(message)
    if not repair and options != ModelOptions():
        message = spoken(
            "--model、--base-url、--replay 和 --record 需要 --repair：否则不询问模型",
            "--model, --base-url, --replay and --record need --repair: without it no model is asked",
        )
        raise CommandError(message)


async def _open(
    source: Source, contract: Contract | None, options: ModelOptions, finished: Finished, *, repair: bool
) -> Opened:
    output: OutputPort[Any] = contract.output() if contract else AnyPayload()
    async with application(options) as app:
        app.config.repair.from_value("agent" if repair else "none")
        opening = app.open_envelope()
        envelope = await opening.read_envelope(source.text, finished=finished.known)
        payload = None
        if envelope.parsed:
            payload = await opening.read_payload(envelope.parsed.value, output, finished=finished.known)
    return Opened(source, contract, envelope, payload, finished, with_model=repair)


def _data(opened: Opened, contract: Contract | None) -> dict[str, Any]:
    """The envelope as JSON types, with its payload decoded."""
    payload = opened.payload.result() if opened.payload else None
    if contract and payload is not None:
        payload = contract.data(payload)
    return opened.envelope.result().model_dump() | {"payload": payload}
