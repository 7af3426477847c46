"""What `parse` tells on stderr of a text: the repairs, what each stage did with it, or all of it as JSON.

`envelope` tells its layers with the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import OverflowMethod
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.files import Source
from src.entrypoints.cli.options import ErrorFormat, Finished, TraceFormat
from src.entrypoints.cli.plain_output import json_text, spoken, visible
from src.entrypoints.cli.reading_view import (
    SHOWN,
    error_facts,
    finished_hint,
    print_coercions,
    print_excerpt,
    print_left_out,
    print_more,
    print_repairs,
    repair_line,
    report_error,
)
from src.entrypoints.cli.screen import say, stderr, warning_line
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.domain.type_shapes import roots_of
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect, stage_names
from src.shared.infrastructure.tool_calls import contains_tool_call
from src.shared.infrastructure.view import (
    StageReport,
    StageState,
    note_json,
    repair_json,
    stages_of,
    view,
)

_INDENT = "    "
_NOTES_SHOWN = 5
_WHOLE: OverflowMethod = "ignore"
"""The overflow of a line that is shown whole; the others are cut to the width of the terminal."""
_QUOTED = 80
"""Most characters of the text that a note quotes; the terminal cuts them further."""


def tell(parsed: ParsedOutput[Any], text: str, contract: Contract | None, trace: TraceFormat) -> None:
    """Say how a text was read."""
    decoded = parsed.decoded
    if trace is TraceFormat.JSON:
        say(_trace(text, decoded.notes, view(parsed)))
        return
    if trace is TraceFormat.STAGES:
        _print_stages(text, contract, decoded.notes, decoded.repairs)
        stderr().print(Text.assemble((spoken("grade"), "bold"), f"  {decoded.grade}"))
    elif trace is TraceFormat.TEXT:
        print_repairs(decoded.repairs)
    print_coercions(decoded.coercions)
    print_left_out(parsed.kept.problems)
    if decoded.truncated:
        warning_line(spoken("the text was cut off; only the members that were complete are in the result"))


def tell_of_a_call(text: str) -> None:
    """Say that what was read is a tool call, and what reads those, if it is one."""
    if contains_tool_call(text):
        warning_line(
            spoken("the text holds a tool call, which is no answer; read_tool_calls of llm_output reads tool calls")
        )


def report(
    error: LLMJsonParseError, source: Source, contract: Contract | None, trace: TraceFormat, error_format: ErrorFormat,
    *, finished: Finished, salvage: bool,
) -> None:  # fmt: skip
    """Say why a text was refused: with all stages up to the one that did, where these are asked for."""
    as_text = error_format is ErrorFormat.TEXT
    if trace is TraceFormat.JSON or (trace is TraceFormat.STAGES and as_text):
        dto_type, normalizers, root = (
            (contract.checked_type, contract.normalizers, None) if contract else (None, (), error.details.get("root"))
        )
        reading = inspect(source.text, dto_type, normalizers=normalizers, finished=finished.known, root=root)
        if trace is TraceFormat.JSON:
            repairs = [repair_json(repair) for repair in reading.repairs]
            say(_trace(source.text, reading.notes, {"repairs": repairs, "error": error_facts(error)}))
            return
        _print_stages(source.text, contract, reading.notes, reading.repairs, refusing=error.details["stage"])
    report_error(error, source, error_format)
    if not as_text or not error.details.get("truncated"):
        return
    if finished is Finished.UNKNOWN:
        say(finished_hint())
    if not salvage:
        say(
            spoken("Hint: --salvage keeps the members that were complete; it goes without --agent, --dto and --schema.")
        )


def _trace(text: str, notes: Iterable[Note], facts: dict[str, Any]) -> str:
    lines = LineIndex(text)
    return json_text({"notes": [note_json(note, lines) for note in notes], **facts})


def _print_stages(
    text: str,
    contract: Contract | None,
    notes: Sequence[Note],
    repairs: Sequence[Repair],
    refusing: str | None = None,
) -> None:
    facts = {"empty": spoken("{count:,} characters", count=len(text))} | type_facts(contract)
    lines = LineIndex(text)
    for stage in stages_of(notes, refusing):
        print_rows(stage_names(refusing), stage.name, _rows(stage, text, lines, facts))
        if stage.is_deciding:
            print_placed_repairs(text, repairs)


def _rows(stage: StageReport, text: str, lines: LineIndex, facts: dict[str, str]) -> list[Text]:
    rows = [note_line(note, text, lines) for note in stage.notes]
    if stage.state is StageState.NOT_REACHED:
        return [not_reached()]
    if stage.state is StageState.REFUSED:
        return [*rows, failed()]
    if not rows and stage.name in facts:
        return [Text(facts[stage.name])]
    return rows or [nothing_to_do() if stage.state is StageState.NOTHING_TO_DO else not_needed()]


def type_facts(contract: Contract | None) -> dict[str, str]:
    """What the last three stages do for a type: the root it asks for, its hooks, and itself."""
    hooks = [getattr(hook, "__name__", type(hook).__name__) for hook in contract.normalizers] if contract else []
    ran, dto = ", ".join(hooks), name_of(contract.dto_type) if contract else ""
    roots = roots_of(adapter_of(contract.dto_type).core_schema) if contract else {"object"}
    names = {"object": spoken("an object"), "array": spoken("an array")}
    return {
        "root": spoken(" or ").join(names[root] for root in sorted(roots, reverse=True)),
        "normalize": spoken("ran {ran}", ran=ran) if hooks else spoken("no hooks"),
        "validate": spoken("satisfies {dto}", dto=dto) if dto else spoken("no DTO was asked for"),
    }


def print_rows(names: Iterable[str], name: str, lines: list[Text]) -> None:
    """Print one of the named steps: its number, its name, and what it did, a line each."""
    named = list(names)
    width = max(map(len, named)) + 2
    indent = " " * (3 + width)
    head = Text(f"{named.index(name) + 1:2} ", "dim").append(f"{name:{width}}", "bold not dim")
    for line in lines[:_NOTES_SHOWN]:
        is_whole = line.overflow == _WHOLE
        row = head.append_text(line)
        stderr().print(row, no_wrap=True, overflow=_WHOLE if is_whole else "ellipsis", crop=not is_whole)
        head = Text(indent)
    print_more(len(lines) - _NOTES_SHOWN, indent)


def print_placed_repairs(text: str, repairs: Sequence[Repair]) -> None:
    """Print the repairs, each with the line it is in and a caret."""
    for repair in repairs[:SHOWN]:
        stderr().print(Text(_INDENT).append_text(repair_line(repair)), no_wrap=True, overflow="ellipsis")
        position = {"line": repair.line, "column": repair.column, "offset": repair.offset}
        print_excerpt(text, position, _INDENT * 2)
    print_more(len(repairs) - SHOWN, _INDENT)


def note_line(note: Note, text: str, lines: LineIndex) -> Text:
    """What a stage did, where, and the text's beginning there."""
    first, last = lines.position(note.span.start), lines.position(max(note.span.start, note.span.end - 1))
    length = note.span.end - note.span.start
    place = spoken(
        "{line}:{column} to {last_line}:{last_column}, {length:,} characters: ",
        line=first["line"],
        column=first["column"],
        last_line=last["line"],
        last_column=last["column"],
        length=length,
    )
    quoted = visible(text[note.span.start : min(note.span.end, note.span.start + _QUOTED)])
    return Text.assemble((f"{note.action} ", "green"), place, (quoted, "dim"))


def nothing_to_do() -> Text:
    """A step that found nothing to do."""
    return Text(spoken("nothing to do"), "dim")


def not_needed() -> Text:
    """A step behind the one that decided."""
    return Text(spoken("not needed"), "dim")


def not_reached() -> Text:
    """A step behind the one that failed."""
    return Text(spoken("not reached"), "dim")


def failed(why: str = "", position: dict[str, int] | None = None) -> Text:
    """A step that failed, and where and why."""
    place = f"{position['line']}:{position['column']}" if position else ""
    where = spoken(" at {place}", place=place) if position else ""
    words = Text(spoken("failed"), "bold red", overflow=_WHOLE)
    return words.append(where + spoken(": ") + visible(why), "default not bold") if why else words
