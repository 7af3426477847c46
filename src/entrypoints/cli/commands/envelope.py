"""`llm-output envelope`."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Annotated, Any, TypeAlias

import typer
from rich.text import Text

from src.entrypoints.cli import options as flags
from src.entrypoints.cli import reading_view as view
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, Source, read_source, value_writer
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.screen import say, stderr, waiting
from src.modules.cowriting.application import PartReading
from src.modules.cowriting.domain import LAYER_OF_STAGE, Envelope, EnvelopeParseError, Layer, Part
from src.modules.cowriting.infrastructure import AnyPayload
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Language, language
from src.shared.domain.repair_errors import RepairRefusedError
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect
from src.shared.infrastructure.view import StageState

_PAYLOAD = "<payload>"
"""What places in the payload's text are shown under; its lines are not the file's."""

EXAMPLES = (
    "llm-output envelope examples/cowriting/damaged.txt",
    "llm-output envelope examples/cowriting/broken.txt --repair --replay examples/cowriting/repair.jsonl --explain",
    "llm-output envelope answer.txt --dto shop.models:Draft --finished yes",
)

_Opened: TypeAlias = tuple[PartReading[Any], Contract | None]
"""One of the two texts, as far as it was read, and what it must be, if that was said."""


@flags.command()
def envelope(  # noqa: PLR0913 - one parameter an option
    file: flags.FileArgument = STDIN,
    *,
    types: flags.TypeOptions,
    repair: Annotated[
        bool, flags.switch("--repair", "Ask a model to repair the syntax of a text that cannot be read without one.")
    ] = False,
    asked: flags.ModelOptions,
    finished: flags.FinishedOption = "unknown",
    result: flags.ResultOptions,
    explain: Annotated[
        bool, flags.switch("--explain", "Show on stderr what each of the four layers did with either text.")
    ] = False,
    quiet: flags.QuietOption = False,
    verbose: flags.VerboseOption = False,
) -> None:
    """Open an envelope and read the payload in it.

    An envelope is an object with `meta` and `payload`. It goes to stdout as JSON with its payload decoded, the repairs
    of either text to stderr. --agent, --dto or --schema says what the payload must be. With --repair a model is asked
    about a text whose syntax the parser cannot read, once; its repair is accepted only if it has exactly the names and
    values of the text.
    """
    flags.configure_log(verbose=verbose)
    contract = contract_of(types)
    if explain and quiet:
        raise CommandError("--explain and --quiet exclude each other")
    if not repair and asked != flags.ModelOptions():
        raise CommandError("--model, --base-url, --replay and --record need --repair: without it no model is asked")
    source, is_text = read_source(file), result.error_format == "text"
    with waiting() if repair else nullcontext():
        opened = asyncio.run(_open(source.text, contract, asked, finished=flags.KNOWN_END[finished], repair=repair))
    (first, _), (last, _) = opened[0], opened[-1]
    if last.error:
        if explain and is_text:
            _explain(opened)
        at = source if last is first else Source(_PAYLOAD, last.text)
        view.report_error(last.error, at, result.error_format)
        if is_text and last.unread:
            _print_hints(last, last.unread, finished, with_model=repair)
        raise typer.Exit(code_of(last.error))
    payload = last.result()
    if contract and payload is not None:
        payload = contract.data(payload)
    write = value_writer(first.result().model_dump() | {"payload": payload}, result)
    if explain:
        _explain(opened)
    elif not quiet:
        _print_repairs(opened)
    write()


async def _open(
    text: str, contract: Contract | None, asked: flags.ModelOptions, *, finished: bool | None, repair: bool
) -> list[_Opened]:
    """The envelope, and its payload where the envelope was read."""
    async with flags.application(asked, repair=repair) as app:
        opening = app.open_envelope()
        envelope = await opening.read_envelope(text, finished=finished)
        opened: list[_Opened] = [(envelope, Contract(Part.ENVELOPE.label, Envelope, LLMJsonParseError))]
        if envelope.parsed:
            payload = await opening.read_payload(envelope.parsed.value, contract or AnyPayload(), finished=finished)
            opened.append((payload, contract))
    return opened


def _print_repairs(opened: list[_Opened]) -> None:
    for reading, _ in opened:
        if reading.parsed and (reading.parsed.repairs or reading.repaired):
            stderr().print(Text(spoken("{part}:", part=_name_of(reading.part)), "bold"))
            if reading.repaired:
                say(view.cost_of_repair(reading.repaired.reply, is_accepted=True))
            view.print_repairs(reading.parsed.repairs)


def _print_hints(
    reading: PartReading[Any], unread: EnvelopeParseError, finished: flags.Finished, *, with_model: bool
) -> None:
    """Say which option helps; and where no model could be asked, what it was needed for."""
    if not isinstance(reading.error, EnvelopeParseError):
        say(spoken("A model was needed because: {why}", why=visible(unread.message)))
    if unread.details.get("truncated") and reading.part is Part.ENVELOPE:
        view.hint_at_finished(finished)
    if not with_model and is_repairable(reading.text, unread):
        say(spoken("Hint: --repair asks a model to repair the syntax."))


def _name_of(part: Part) -> str:
    return part.label if language() is Language.ZH else part.value


def _explain(opened: list[_Opened]) -> None:
    """Print what each layer did with either text."""
    for reading, contract in opened:
        length = len(reading.text)
        size = spoken("{length:,} characters", length=length) if length else spoken("empty")
        stderr().print(Text.assemble((_name_of(reading.part), "bold"), f"  {size}"))
        dto_type, hooks = (contract.checked_type, contract.normalizers) if contract else (None, ())
        found = inspect(reading.text, dto_type, normalizers=hooks, finished=reading.finished)
        notes = found.notes if reading.unread or not found.error else ()  # strict JSON that is no object has none
        steps = {layer.value: _rows(layer, reading, contract, notes) for layer in Layer}
        if reading.parsed:
            view.print_steps(steps, reading.text, reading.parsed.repairs, Layer.NORMALIZE)
        else:
            view.print_steps(steps, reading.text)
    if len(opened) == 1:
        not_reached = view.state_line(StageState.NOT_REACHED).plain
        stderr().print(Text.assemble((_name_of(Part.PAYLOAD), "bold"), f"  {not_reached}"))


def _rows(layer: Layer, reading: PartReading[Any], contract: Contract | None, notes: tuple[Note, ...]) -> list[Text]:
    unread = reading.unread
    if not reading.text:
        return [view.state_line(StageState.NOT_NEEDED)]
    if layer is Layer.REPAIR_AGENT:
        return _rows_of_model(reading, contract)
    if unread and layer.number > unread.layer.number:
        return [view.state_line(StageState.NOT_REACHED)]
    lines = LineIndex(reading.text)
    rows = [view.note_line(note, reading.text, lines) for note in notes if LAYER_OF_STAGE[note.stage] is layer]
    if unread and layer is unread.layer:
        rows.append(view.state_line(StageState.REFUSED, unread.reason, unread.details.get("position")))
    elif layer is Layer.PARSE:
        rows.append(_satisfied(contract))
    return rows or [view.state_line(StageState.NOTHING_TO_DO)]


def _rows_of_model(reading: PartReading[Any], contract: Contract | None) -> list[Text]:
    """Layer 4: not needed, not asked, refused, or what came of the repair."""
    error, unread = reading.error, reading.unread
    if unread is None:
        return [view.state_line(StageState.NOT_NEEDED)]
    if error is unread and not reading.repaired:
        if is_repairable(reading.text, unread):
            return [Text(spoken("not asked: only --repair asks a model"), "dim")]
        return [Text(spoken("not asked: no damage of syntax that a model could repair"), "dim")]
    why = error.reason if isinstance(error, EnvelopeParseError) else str(error)
    result = view.state_line(StageState.REFUSED, why) if error else _satisfied(contract)
    if reading.repaired:
        cost = view.cost_of_repair(reading.repaired.reply, is_accepted=True)
        return [Text(cost, "green"), Text(spoken("then parse: ")).append_text(result)]
    refusal = error and error.__cause__
    reply = refusal.reply if isinstance(refusal, RepairRefusedError) else None
    return [*([Text(view.cost_of_repair(reply, is_accepted=False))] if reply else []), result]


def _satisfied(contract: Contract | None) -> Text:
    facts = view.type_facts(contract)
    return Text(spoken(", ").join(facts.values()) if contract else facts["validate"])
