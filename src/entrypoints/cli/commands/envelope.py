"""`llm-output envelope`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from rich.text import Text

from src.entrypoints.cli import explain as steps
from src.entrypoints.cli import options
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, Source, read_source, value_writer
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.reading_view import asked, finished_hint, model_repair, print_repairs, report_error
from src.entrypoints.cli.screen import say, stderr, waiting
from src.modules.cowriting.application import Reading
from src.modules.cowriting.domain import LAYER_OF_STAGE, Envelope, EnvelopeParseError, Layer, Part
from src.modules.cowriting.infrastructure import AnyPayload
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException, LLMJsonParseError, error_of
from src.shared.domain.language import Language, language
from src.shared.domain.repair_errors import RepairRefusedError
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect

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
        yield self.envelope, self.source, Contract(Part.ENVELOPE.label, Envelope, LLMJsonParseError)
        if self.payload:
            yield self.payload, Source(_PAYLOAD, self.payload.text), self.contract

    @property
    def error(self) -> AppException | None:
        """Why one of them was refused."""
        return self.payload.error if self.payload else self.envelope.error


EXAMPLES = (
    "llm-output envelope examples/cowriting/damaged.txt",
    "llm-output envelope examples/cowriting/broken.txt --repair --replay examples/cowriting/repair.jsonl --explain",
    "llm-output envelope answer.txt --dto shop.models:Draft --finished yes",
)

RepairOption: TypeAlias = Annotated[
    bool, typer.Option("--repair", help="Ask a model to repair the syntax of a text that cannot be read without one.")
]
ExplainOption: TypeAlias = Annotated[
    bool, typer.Option("--explain", help="Show on stderr what each of the four layers did with either text.")
]


@guarded
def envelope(  # noqa: PLR0913 - one parameter an option
    file: options.FileArgument = STDIN,
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
    options.configure_log(verbose=verbose)
    contract = contract_of(agent, dto, schema)
    model_options = options.ModelOptions(model, base_url, replay, record)
    _check(model_options, repair=repair, explain=explain, quiet=quiet)
    source = read_source(file)
    with waiting() if repair else nullcontext():
        opened = asyncio.run(_open(source, contract, model_options, finished, repair=repair))
    if opened.error:
        _refuse(opened, error_format, explain=explain)
        raise typer.Exit(code_of(opened.error))
    written = value_writer(_data(opened, contract), output_format, output)
    if explain:
        _explain(opened)
    elif not quiet:
        _print_repairs(opened)
    written()


def _check(model_options: options.ModelOptions, *, repair: bool, explain: bool, quiet: bool) -> None:
    if explain and quiet:
        raise CommandError("--explain and --quiet exclude each other")
    if not repair and model_options != options.ModelOptions():
        raise CommandError("--model, --base-url, --replay and --record need --repair: without it no model is asked")


async def _open(
    source: Source,
    contract: Contract | None,
    model_options: options.ModelOptions,
    finished: options.Finished,
    *,
    repair: bool,
) -> Opened:
    output: OutputPort[Any] = contract or AnyPayload()
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


def _print_repairs(opened: Opened) -> None:
    for reading, _, _ in opened.readings:
        if reading.parsed and (reading.parsed.repairs or reading.repaired):
            stderr().print(Text(spoken("{part}:", part=_part_word(reading.part)), "bold"))
            if reading.repaired:
                say(model_repair(reading.repaired.reply))
            print_repairs(reading.parsed.repairs)


def _refuse(opened: Opened, error_format: options.ErrorFormat, *, explain: bool) -> None:
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
    if not isinstance(reading.error, EnvelopeParseError):
        why = visible(unread.message)
        say(spoken("A model was needed because: {why}", why=why))
    is_cut = unread.details.get("truncated") and reading.part is Part.ENVELOPE
    if is_cut and opened.finished is options.Finished.UNKNOWN:
        say(finished_hint())
    if not opened.with_model and is_repairable(reading.text, unread):
        say(spoken("Hint: --repair asks a model to repair the syntax."))


def _explain(opened: Opened) -> None:
    """Print what each layer did with either text."""
    for reading, _, contract in opened.readings:
        length = len(reading.text)
        size = spoken("{length:,} characters", length=length) if length else spoken("empty")
        _print_title(reading.part, size)
        notes = _notes(reading, contract)
        for layer in Layer:
            steps.print_rows(Layer, layer, _rows(layer, reading, contract, notes))
            if layer is Layer.NORMALIZE and reading.parsed:
                steps.print_placed_repairs(reading.text, reading.parsed.repairs)
    if opened.payload is None:
        _print_title(Part.PAYLOAD, steps.not_reached().plain)


def _print_title(part: Part, what: str) -> None:
    stderr().print(Text.assemble((_part_word(part), "bold"), f"  {what}"))


def _part_word(part: Part) -> str:
    return part.label if language() is Language.ZH else part.value


def _notes(reading: Reading[Any], contract: Contract | None) -> tuple[Note, ...]:
    """What layers 1 to 3 recognised, dropped and chose; nothing of a payload that is strict JSON but no object."""
    dto_type, normalizers = (contract.checked_type, contract.normalizers) if contract else (None, ())
    found = inspect(reading.text, dto_type, normalizers=normalizers, finished=reading.finished)
    return () if found.error and not reading.unread else found.notes


def _rows(layer: Layer, reading: Reading[Any], contract: Contract | None, notes: tuple[Note, ...]) -> list[Text]:
    if not reading.text:
        return [steps.not_needed()]
    if layer is Layer.REPAIR_AGENT:
        return _by_model(reading, contract)
    unread, lines = reading.unread, LineIndex(reading.text)
    if unread and layer.number > unread.layer.number:
        return [steps.not_reached()]
    rows = [steps.note_line(note, reading.text, lines) for note in notes if LAYER_OF_STAGE[note.stage] is layer]
    if unread and layer is unread.layer:
        rows.append(steps.failed(unread.reason, unread.details.get("position")))
    elif layer is Layer.PARSE:
        rows.append(Text(_satisfied(contract)))
    return rows or [steps.nothing_to_do()]


def _by_model(reading: Reading[Any], contract: Contract | None) -> list[Text]:
    """Layer 4: not needed, not asked, refused, or what came of the repair."""
    if reading.unread is None:
        return [steps.not_needed()]
    if reading.repaired:
        again = Text(spoken("then parse: "))
        read = _failure(reading.error) if reading.error else Text(_satisfied(contract))
        return [Text(model_repair(reading.repaired.reply), "green"), again.append_text(read)]
    if reading.error is reading.unread:
        return [Text(_why_not_asked(reading, reading.unread), "dim")]
    refusal = reading.error and reading.error.__cause__
    cost = refusal.reply if isinstance(refusal, RepairRefusedError) else None
    return [*([Text(asked(cost))] if cost else []), _failure(reading.error)]


def _failure(error: AppException | None) -> Text:
    return steps.failed(error.reason if isinstance(error, EnvelopeParseError) else str(error))


def _why_not_asked(reading: Reading[Any], unread: EnvelopeParseError) -> str:
    if is_repairable(reading.text, unread):
        return spoken("not asked: only --repair asks a model")
    return spoken("not asked: no damage of syntax that a model could repair")


def _satisfied(contract: Contract | None) -> str:
    facts = steps.type_facts(contract)
    return spoken(", ").join(facts.values()) if contract else facts["validate"]
