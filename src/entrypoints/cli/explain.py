"""`--explain`: what each stage did with a text, for people; for an envelope, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rich.console import Console, OverflowMethod
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.error_view import print_excerpt
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.repairs_view import SHOWN, asked, model_repair, print_more, repair_line
from src.entrypoints.reports.stages import StageReport, StageState, stages_of
from src.modules.cowriting.application import Reading
from src.modules.cowriting.domain import LAYER_OF_STAGE, EnvelopeParseError, Layer, Part
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.domain.repair_errors import RepairRefusedError
from src.shared.domain.type_shapes import roots_of
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect, stage_names

_INDENT = "    "
_NOTES_SHOWN = 5
_WHOLE: OverflowMethod = "ignore"
"""The overflow of a line that is shown whole; the others are cut to the width of the terminal."""
_QUOTED = 80
"""Most characters of the text that a note quotes; the terminal cuts them further."""


def print_rows(console: Console, names: Iterable[str], name: str, lines: list[Text]) -> None:
    """Print one of the named steps: its number, its name, and what it did, a line each."""
    named = list(names)
    width = max(map(len, named)) + 2
    indent = " " * (3 + width)
    head = Text(f"{named.index(name) + 1:2} ", "dim").append(f"{name:{width}}", "bold not dim")
    for line in lines[:_NOTES_SHOWN]:
        is_whole = line.overflow == _WHOLE
        row = head.append_text(line)
        console.print(row, no_wrap=True, overflow=_WHOLE if is_whole else "ellipsis", crop=not is_whole)
        head = Text(indent)
    print_more(console, len(lines) - _NOTES_SHOWN, indent)


def note_line(note: Note, text: str, lines: LineIndex) -> Text:
    """What a stage did, where, and the text's beginning there."""
    first, last = lines.position(note.span.start), lines.position(max(note.span.start, note.span.end - 1))
    length = note.span.end - note.span.start
    place = spoken(
        f"{first['line']}:{first['column']} 至 {last['line']}:{last['column']}，{length:,} 个字符：",
        f"{first['line']}:{first['column']} to {last['line']}:{last['column']}, {length:,} characters: ",
    )
    quoted = visible(text[note.span.start : min(note.span.end, note.span.start + _QUOTED)])
    return Text.assemble((f"{note.action} ", "green"), place, (quoted, "dim"))


def print_placed_repairs(console: Console, text: str, repairs: tuple[Repair, ...]) -> None:
    """Print the repairs, each with the line it is in and a caret."""
    for repair in repairs[:SHOWN]:
        console.print(Text(_INDENT).append_text(repair_line(repair)), no_wrap=True, overflow="ellipsis")
        position = {"line": repair.line, "column": repair.column, "offset": repair.offset}
        print_excerpt(console, text, position, _INDENT * 2)
    print_more(console, len(repairs) - SHOWN, _INDENT)


def type_facts(contract: Contract | None) -> dict[str, str]:
    """What the last three stages do for a type: the root it asks for, its hooks, and itself."""
    hooks = [getattr(hook, "__name__", type(hook).__name__) for hook in contract.normalizers] if contract else []
    ran = ", ".join(hooks)
    return {
        "root": _root(contract),
        "normalize": spoken(f"运行了 {ran}", f"ran {ran}") if hooks else spoken("没有钩子", "no hooks"),
        "validate": _satisfied(contract),
    }


def _root(contract: Contract | None) -> str:
    roots = roots_of(adapter_of(contract.dto_type).core_schema) if contract else {"object"}
    names = {"object": spoken("对象", "an object"), "array": spoken("数组", "an array")}
    return spoken("或", " or ").join(names[root] for root in sorted(roots, reverse=True))


def _satisfied(contract: Contract | None) -> str:
    if contract is None:
        return spoken("未指定 DTO", "no DTO was asked for")
    dto = name_of(contract.dto_type)
    return spoken(f"符合 {dto}", f"satisfies {dto}")


def nothing_to_do() -> Text:
    """A step that found nothing to do."""
    return Text(spoken("无事可做", "nothing to do"), "dim")


def not_needed() -> Text:
    """A step behind the one that decided."""
    return Text(spoken("不需要", "not needed"), "dim")


def not_reached() -> Text:
    """A step behind the one that failed."""
    return Text(spoken("未到达", "not reached"), "dim")


def failed(why: str = "", position: dict[str, int] | None = None) -> Text:
    """A step that failed, and where and why."""
    place = f"{position['line']}:{position['column']}" if position else ""
    where = spoken(f"，位于 {place}", f" at {place}") if position else ""
    words = Text(spoken("失败", "failed"), "bold red", overflow=_WHOLE)
    return words.append(where + spoken("：", ": ") + visible(why), "default not bold") if why else words


def explain_result(console: Console, text: str, contract: Contract | None, decoded: DecodedJson[Any]) -> None:
    """Print the stages of a text that was parsed."""
    _explain(console, text, contract, _Evidence(decoded.notes, decoded.repairs))
    console.print(Text.assemble((spoken("等级", "grade"), "bold"), f"  {decoded.grade}"))


def explain_failure(
    console: Console, text: str, contract: Contract | None, error: LLMJsonParseError, *, finished: bool | None
) -> None:
    """Print the stages of a text up to the one that failed; the error itself says the rest."""
    dto_type, normalizers, root = (
        (contract.dto_type, contract.normalizers, None) if contract else (None, (), error.details.get("root"))
    )
    reading = inspect(text, dto_type, normalizers=normalizers, finished=finished, root=root)
    _explain(console, text, contract, _Evidence(reading.notes, reading.repairs), refusing=error.details["stage"])


class _Evidence(NamedTuple):
    notes: tuple[Note, ...]
    repairs: tuple[Repair, ...]


def _explain(
    console: Console, text: str, contract: Contract | None, evidence: _Evidence, refusing: str | None = None
) -> None:
    facts = {"empty": spoken(f"{len(text):,} 个字符", f"{len(text):,} characters")} | type_facts(contract)
    lines = LineIndex(text)
    for stage in stages_of(evidence.notes, refusing):
        print_rows(console, stage_names(refusing), stage.name, _rows(stage, text, lines, facts))
        if stage.is_deciding:
            print_placed_repairs(console, text, evidence.repairs)


def _rows(stage: StageReport, text: str, lines: LineIndex, facts: dict[str, str]) -> list[Text]:
    rows = [note_line(note, text, lines) for note in stage.notes]
    if stage.state is StageState.NOT_REACHED:
        return [not_reached()]
    if stage.state is StageState.REFUSED:
        return [*rows, failed()]
    if not rows and stage.name in facts:
        return [Text(facts[stage.name])]
    return rows or [nothing_to_do() if stage.state is StageState.NOTHING_TO_DO else not_needed()]


def explain_layers(console: Console, reading: Reading[Any], contract: Contract | None) -> None:
    """Print the layers of a text that was read or refused."""
    length = len(reading.text)
    size = spoken(f"{length:,} 个字符", f"{length:,} characters") if length else spoken("空", "empty")
    _print_title(console, reading.part, size)
    notes = _notes(reading, contract)
    for layer in Layer:
        print_rows(console, Layer, layer, _layer_rows(layer, reading, contract, notes))
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


def _layer_rows(layer: Layer, reading: Reading[Any], contract: Contract | None, notes: tuple[Note, ...]) -> list[Text]:
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
        rows.append(Text(_type_satisfied(contract)))
    return rows or [nothing_to_do()]


def _by_model(reading: Reading[Any], contract: Contract | None) -> list[Text]:
    """Layer 4: not needed, not asked, refused, or what came of the repair."""
    if reading.unread is None:
        return [not_needed()]
    if reading.repaired:
        again = Text(spoken("再经 parse：", "then parse: "))
        read = _failure(reading.error) if reading.error else Text(_type_satisfied(contract))
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


def _type_satisfied(contract: Contract | None) -> str:
    facts = type_facts(contract)
    return spoken("，", ", ").join(facts.values()) if contract else facts["validate"]
