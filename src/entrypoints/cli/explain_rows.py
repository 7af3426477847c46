"""The rows of `--explain`: a numbered step and what it did, notes with their places, repairs with the text around."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, OverflowMethod
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.excerpt import print_excerpt
from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.repairs_view import SHOWN, print_more, repair_line
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.repair import Repair
from src.shared.domain.type_shapes import roots_of
from src.shared.infrastructure.parsing.inspection import LineIndex, Note

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
