"""`llm-output envelope --explain`: what each of the four layers did with a text, in their order."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.explain_rows import (
    failed,
    not_needed,
    not_reached,
    note_line,
    nothing_to_do,
    print_placed_repairs,
    print_rows,
    type_facts,
)
from src.entrypoints.cli.repairs_view import asked, model_repair
from src.entrypoints.cli.spoken import spoken
from src.modules.cowriting.application.reading import Reading
from src.modules.cowriting.domain.envelope import LAYER_OF_STAGE, Layer, Part
from src.modules.cowriting.domain.exceptions import EnvelopeParseError
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException
from src.shared.domain.repair_errors import RepairRefusedError
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect


def explain_layers(console: Console, reading: Reading[Any], contract: Contract | None) -> None:
    """Print the layers of a text that was read or refused."""
    length = len(reading.text)
    size = spoken(f"{length:,} 个字符", f"{length:,} characters") if length else spoken("空", "empty")
    _print_title(console, reading.part, size)
    notes = _notes(reading, contract)
    for layer in Layer:
        print_rows(console, Layer, layer, _rows(layer, reading, contract, notes))
        if layer is Layer.NORMALIZE and reading.parsed:
            print_placed_repairs(console, reading.text, reading.parsed.repairs)


def explain_unreached(console: Console, part: Part) -> None:
    """Print that there was no such text to read."""
    _print_title(console, part, not_reached().plain)


def _print_title(console: Console, part: Part, what: str) -> None:
    console.print(Text.assemble((spoken(part.label, part.value), "bold"), f"  {what}"))


def _notes(reading: Reading[Any], contract: Contract | None) -> tuple[Note, ...]:
    """What layers 1 to 3 recognised, dropped and chose; nothing of a payload that is strict JSON but no object."""
    dto_type, normalizers = (contract.dto_type, contract.normalizers) if contract else (None, ())
    found = inspect(reading.text, dto_type, normalizers=normalizers, finished=reading.finished)
    return () if found.error and not reading.unread else found.notes


def _rows(layer: Layer, reading: Reading[Any], contract: Contract | None, notes: tuple[Note, ...]) -> list[Text]:
    if not reading.text:
        return [not_needed()]
    if layer is Layer.REPAIR_AGENT:
        return _by_model(reading, contract)
    unread, lines = reading.unread, LineIndex(reading.text)
    if unread and layer.number > unread.layer.number:
        return [not_reached()]
    rows = [note_line(note, reading.text, lines) for note in notes if LAYER_OF_STAGE[note.stage] is layer]
    if unread and layer is unread.layer:
        rows.append(failed(unread.reason, unread.details.get("position")))
    elif layer is Layer.PARSE:
        rows.append(Text(_satisfied(contract)))
    return rows or [nothing_to_do()]


def _by_model(reading: Reading[Any], contract: Contract | None) -> list[Text]:
    """Layer 4: not needed, not asked, refused, or what came of the repair."""
    if reading.unread is None:
        return [not_needed()]
    if reading.repaired:
        again = Text(spoken("再经 parse：", "then parse: "))
        read = _failure(reading.error) if reading.error else Text(_satisfied(contract))
        return [Text(model_repair(reading.repaired.reply), "green"), again.append_text(read)]
    if reading.error is reading.unread:
        return [Text(_why_not_asked(reading, reading.unread), "dim")]
    refusal = reading.error and reading.error.__cause__
    cost = refusal.reply if isinstance(refusal, RepairRefusedError) else None
    return [*([Text(asked(cost))] if cost else []), _failure(reading.error)]


def _failure(error: AppException | None) -> Text:
    return failed(error.reason if isinstance(error, EnvelopeParseError) else str(error))


def _why_not_asked(reading: Reading[Any], unread: EnvelopeParseError) -> str:
    if is_repairable(reading.text, unread):
        return spoken("未询问：--repair 才会请模型修复", "not asked: only --repair asks a model")
    return spoken("未询问：没有模型能修复的语法损坏", "not asked: no damage of syntax that a model could repair")


def _satisfied(contract: Contract | None) -> str:
    facts = type_facts(contract)
    return spoken("，", ", ").join(facts.values()) if contract else facts["validate"]
