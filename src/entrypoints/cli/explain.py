"""`--explain`: what every stage did, in the order of `STAGES`, with the text around each repair."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.excerpt import print_excerpt
from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.repairs_view import SHOWN, print_more, repair_line
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.domain.type_shapes import roots_of
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.inspection import STAGE_NAMES, LineIndex, Note, inspect

_INDENT = "    "
_HEAD = len(f"{len(STAGE_NAMES):2} ") + max(map(len, STAGE_NAMES)) + 2
_NOTES_SHOWN = 5
_QUOTED = 80
"""Most characters of the text that a note quotes; the terminal cuts them further."""
_CHOSEN = "chosen"


def explain_result(console: Console, text: str, contract: Contract | None, decoded: DecodedJson[Any]) -> None:
    """Print the stages of a text that was parsed."""
    _explain(console, text, contract, _Evidence(decoded.notes, decoded.repairs))


def explain_failure(
    console: Console, text: str, contract: Contract | None, error: LLMJsonParseError, *, finished: bool | None
) -> None:
    """Print the stages of a text up to the one that failed; the error itself says the rest."""
    dto_type, normalizers = (contract.dto_type, contract.normalizers) if contract else (None, ())
    reading = inspect(text, dto_type, normalizers=normalizers, finished=finished)
    _explain(console, text, contract, _Evidence(reading.notes, reading.repairs), failed=error.details["stage"])


class _Evidence(NamedTuple):
    notes: tuple[Note, ...]
    repairs: tuple[Repair, ...]


def _explain(
    console: Console, text: str, contract: Contract | None, evidence: _Evidence, failed: str | None = None
) -> None:
    deciding = next((note.stage for note in evidence.notes if note.action == _CHOSEN), failed or STAGE_NAMES[-1])
    facts = _facts(text, contract)
    lines = LineIndex(text)
    for name in STAGE_NAMES:
        notes = [_note(note, text, lines) for note in evidence.notes if note.stage == name]
        if failed and STAGE_NAMES.index(name) > STAGE_NAMES.index(failed):
            notes = [Text(spoken("未到达", "not reached"), "dim")]
        elif name == failed:
            notes.append(Text(spoken("失败", "failed"), "bold red"))
        idle = (
            spoken("无事可做", "nothing to do")
            if STAGE_NAMES.index(name) < STAGE_NAMES.index(deciding)
            else spoken("不需要", "not needed")
        )
        _print_stage(console, name, notes or [Text(facts.get(name, idle), "" if name in facts else "dim")])
        if name == deciding:
            _print_repairs(console, text, evidence.repairs)


def _facts(text: str, contract: Contract | None) -> dict[str, str]:
    """What the stages that leave no note had to do."""
    hooks = [getattr(hook, "__name__", type(hook).__name__) for hook in contract.normalizers] if contract else []
    ran, dto = ", ".join(hooks), name_of(contract.dto_type) if contract else ""
    return {
        "empty": spoken(f"{len(text):,} 个字符", f"{len(text):,} characters"),
        "root": _root(contract),
        "normalize": spoken(f"运行了 {ran}", f"ran {ran}") if hooks else spoken("没有钩子", "no hooks"),
        "validate": spoken(f"符合 {dto}", f"satisfies {dto}")
        if contract
        else spoken("未指定 DTO", "no DTO was asked for"),
    }


def _root(contract: Contract | None) -> str:
    roots = roots_of(adapter_of(contract.dto_type).core_schema) if contract else {"object"}
    names = {"object": spoken("对象", "an object"), "array": spoken("数组", "an array")}
    return spoken("或", " or ").join(names[root] for root in sorted(roots, reverse=True))


def _print_stage(console: Console, name: str, lines: list[Text]) -> None:
    head = Text(f"{STAGE_NAMES.index(name) + 1:2} ", "dim").append(f"{name:{_HEAD - 3}}", "bold not dim")
    for line in lines[:_NOTES_SHOWN]:
        console.print(head.append_text(line), no_wrap=True, overflow="ellipsis")
        head = Text(" " * _HEAD)
    print_more(console, len(lines) - _NOTES_SHOWN, " " * _HEAD)


def _note(note: Note, text: str, lines: LineIndex) -> Text:
    first, last = lines.position(note.span.start), lines.position(max(note.span.start, note.span.end - 1))
    length = note.span.end - note.span.start
    place = spoken(
        f"{first['line']}:{first['column']} 至 {last['line']}:{last['column']}，{length:,} 个字符：",
        f"{first['line']}:{first['column']} to {last['line']}:{last['column']}, {length:,} characters: ",
    )
    quoted = visible(text[note.span.start : min(note.span.end, note.span.start + _QUOTED)])
    return Text.assemble((f"{note.action} ", "green"), place, (quoted, "dim"))


def _print_repairs(console: Console, text: str, repairs: tuple[Repair, ...]) -> None:
    for repair in repairs[:SHOWN]:
        console.print(Text(_INDENT).append_text(repair_line(repair)), no_wrap=True, overflow="ellipsis")
        position = {"line": repair.line, "column": repair.column, "offset": repair.offset}
        print_excerpt(console, text, position, _INDENT * 2)
    print_more(console, len(repairs) - SHOWN, _INDENT)
