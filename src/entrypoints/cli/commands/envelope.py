"""`llm-output envelope`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from rich.console import Console
from rich.text import Text

from src.entrypoints.cli import options
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.error_view import report_error
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, Source, read_source, value_writer
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.parse_view import finished_hint
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.repairs_view import model_repair, print_repairs
from src.entrypoints.cli.screen import stderr, waiting
from src.modules.cowriting.application import Reading
from src.modules.cowriting.domain import Envelope, EnvelopeParseError, Part
from src.modules.cowriting.infrastructure import AnyPayload
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException, error_of

if TYPE_CHECKING:
    from src.shared.domain.ports.output import OutputPort

_PAYLOAD = "<payload>"
"""What places in the payload's text are shown under; its lines are not the file's."""


@dataclass(frozen=True)
class Opened:
    """An envelope and its payload, as far as they were read.

    Attributes:
        source: where the envelope came from.
        contract: what the payload must be, if that was said.
        envelope: what the layers made of the envelope.
        payload: the same of its payload; None where the envelope was not read.
        finished: what was said of the end.
        with_model: whether a model might be asked.
    """

    source: Source
    contract: Contract | None
    envelope: Reading[Envelope]
    payload: Reading[Any] | None
    finished: options.Finished
    with_model: bool

    @property
    def readings(self) -> Iterator[tuple[Reading[Any], Source, Contract | None]]:
        """Each text that was read or refused, under what name, and what it must be."""
        yield self.envelope, self.source, Contract(Envelope, (), Part.ENVELOPE.label)
        if self.payload:
            yield self.payload, Source(_PAYLOAD, self.payload.text), self.contract

    @property
    def error(self) -> AppException | None:
        """Why one of them was refused."""
        return self.payload.error if self.payload else self.envelope.error


def tell(opened: Opened, *, explain: bool) -> None:
    """Say how both texts were read."""
    if explain:
        _explain(opened)
        return
    console = stderr()
    for reading, _, _ in opened.readings:
        if reading.parsed and (reading.parsed.repairs or reading.repaired):
            _print_repairs(console, reading)


def _print_repairs(console: Console, reading: Reading[Any]) -> None:
    console.print(Text(spoken(f"{reading.part.label}：", f"{reading.part.value}:"), "bold"))
    if reading.repaired:
        console.print(model_repair(reading.repaired.reply), soft_wrap=True)
    if reading.parsed:
        print_repairs(console, reading.parsed.repairs)


def refuse(opened: Opened, error_format: options.ErrorFormat, *, explain: bool) -> None:
    """Say why one of the texts was refused."""
    *_, (reading, source, _) = opened.readings
    as_text = error_format is options.ErrorFormat.TEXT
    if explain and as_text:
        _explain(opened)
    report_error(error_of(reading.error), source, error_format)
    if as_text and reading.unread:
        _hint(opened, reading, reading.unread)


def _hint(opened: Opened, reading: Reading[Any], unread: EnvelopeParseError) -> None:
    """Say which option helps; and where no model could be asked, what it was needed for."""
    console = stderr()
    if not isinstance(reading.error, EnvelopeParseError):
        why = visible(unread.message)
        console.print(spoken(f"需要模型的原因：{why}", f"A model was needed because: {why}"), soft_wrap=True)
    is_cut = unread.details.get("truncated") and reading.part is Part.ENVELOPE
    if is_cut and opened.finished is options.Finished.UNKNOWN:
        console.print(finished_hint(), soft_wrap=True)
    if not opened.with_model and is_repairable(reading.text, unread):
        hint = spoken("提示：--repair 请模型修复语法。", "Hint: --repair asks a model to repair the syntax.")
        console.print(hint, soft_wrap=True)


def _explain(opened: Opened) -> None:
    from src.entrypoints.cli.explain import (  # noqa: PLC0415 - hardly a call asks for it
        explain_layers,
        explain_unreached,
    )

    console = stderr()
    for reading, _, contract in opened.readings:
        explain_layers(console, reading, contract)
    if opened.payload is None:
        explain_unreached(console, Part.PAYLOAD)


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
    agent: options.AgentOption = None,
    dto: options.DtoOption = None,
    schema: options.SchemaOption = None,
    repair: RepairOption = False,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
    finished: options.FinishedOption = options.Finished.UNKNOWN,
    output_format: options.FormatOption = options.Format.JSON,
    error_format: options.ErrorFormatOption = options.ErrorFormat.TEXT,
    output: options.OutputOption = None,
    explain: ExplainOption = False,
    quiet: options.QuietOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Open an envelope and read the payload in it.

    An envelope is an object with `meta` and `payload`. It goes to stdout as JSON with its payload decoded, the repairs
    of either text to stderr. --agent, --dto or --schema says what the payload must be. With --repair a model is asked
    about a text whose syntax the parser cannot read, once; its repair is accepted only if it has exactly the names and
    values of the text.
    """
    configure_log(verbose=verbose)
    contract = contract_of(agent, dto, schema)
    model_options = options.ModelOptions(model, base_url, replay, record)
    _check(model_options, repair=repair, explain=explain, quiet=quiet)
    source = read_source(file)
    with waiting(spoken("等待模型", "waiting for the model")) if repair else nullcontext():
        opened = asyncio.run(_open(source, contract, model_options, finished, repair=repair))
    if opened.error:
        refuse(opened, error_format, explain=explain)
        raise typer.Exit(code_of(opened.error))
    written = value_writer(_data(opened, contract), output_format, output)
    if not quiet:
        tell(opened, explain=explain)
    written()


def _check(model_options: options.ModelOptions, *, repair: bool, explain: bool, quiet: bool) -> None:
    if explain and quiet:
        raise CommandError("--explain 与 --quiet 不能同时使用", "--explain and --quiet exclude each other")
    if not repair and model_options != options.ModelOptions():
        raise CommandError(
            "--model、--base-url、--replay 和 --record 需要 --repair：否则不询问模型",
            "--model, --base-url, --replay and --record need --repair: without it no model is asked",
        )


async def _open(
    source: Source,
    contract: Contract | None,
    model_options: options.ModelOptions,
    finished: options.Finished,
    *,
    repair: bool,
) -> Opened:
    output: OutputPort[Any] = contract.output() if contract else AnyPayload()
    async with options.application(model_options) as app:
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
