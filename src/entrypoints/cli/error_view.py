"""Shows a parse error to people: the message, the stage, the place in the text, each field that was wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.files import Source
from src.entrypoints.cli.options import ErrorFormat
from src.entrypoints.cli.plain_output import json_text, spoken, visible
from src.entrypoints.cli.repairs_view import print_more
from src.entrypoints.cli.screen import error_line, stderr
from src.shared.domain.exceptions import AppException, json_path, problems_of
from src.shared.domain.language import Message
from src.shared.infrastructure.parsing.inspection import LineIndex, stage_names

_CUT = "…"
_EDGES = ("", "\n", "\r")
_LEAST = 24
"""Fewest cells of a line that are worth showing, however narrow the terminal says it is."""


class Excerpt(NamedTuple):
    """Part of a line as it is shown, and the cell under which the caret goes."""

    shown: str
    caret: int


def excerpt(text: str, offset: int, width: int) -> Excerpt:
    """The line around `offset` in at most `width` cells; the cost does not depend on the line's length."""
    width = max(width, _LEAST)
    start = text.rfind("\n", max(0, offset - width), offset) + 1 or max(0, offset - width)
    end = _line_end(text, offset, offset + width)
    before, from_start = _fitting(reversed(text[start:offset]), width * 2 // 3)
    before = before[::-1]
    room = width - cell_len("".join(before)) - 2 * len(_CUT)
    after, to_end = _fitting(text[offset:end], room)
    head = "" if from_start and text[start - 1 : start] in _EDGES else _CUT
    tail = "" if to_end and (text[end - 1 : end] == "\n" or text[end : end + 1] in _EDGES) else _CUT
    left = "".join((head, *before))
    return Excerpt("".join((left, *after, tail)), cell_len(left))


def print_excerpt(console: Console, text: str, position: dict[str, int], indent: str = "  ") -> None:
    """Print the line of a position, its number before it, and the caret."""
    gutter = f"{indent}{position['line']} │ "
    shown, caret = excerpt(text, position["offset"], console.width - cell_len(gutter) - 1)
    under = " " * (len(gutter) - 2) + "│ "
    for line in (
        Text(gutter, "dim").append(shown, "default not dim"),
        Text(under, "dim").append(" " * caret + "^", "bold red not dim"),
    ):
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _line_end(text: str, offset: int, bound: int) -> int:
    """Where the line of `offset` ends; a line end that is itself the place is shown."""
    end = text.find("\n", offset, bound)
    if end == offset:
        return end + 1
    if end < 0:
        return min(len(text), bound)
    return end - 1 if text[end - 1] == "\r" and end - 1 > offset else end


def _fitting(text: Iterable[str], room: int) -> tuple[list[str], bool]:
    """The characters that fit, made visible, and whether these are all."""
    shown: list[str] = []
    for char in text:
        piece = visible(char)
        room -= cell_len(piece)
        if room < 0:
            return shown, False
        shown.append(piece)
    return shown, True


_CANDIDATES_SHOWN = 5


def report_error(error: AppException, source: Source, error_format: ErrorFormat) -> None:
    """Say on stderr why a text was refused, in one of the two formats."""
    console = stderr()
    if error_format is ErrorFormat.JSON:
        console.print(error_json(error), soft_wrap=True)
    else:
        print_error(console, error, source)


def print_error(console: Console, error: AppException, source: Source) -> None:
    """Print the error; the text's characters are shown, never obeyed."""
    details = error.details
    error_line(error.message)
    if "stage" in details:
        _fact(console, spoken("阶段", "stage"), _stage(details["stage"]))
    places = [_shown(place, source.text) for place in _places(details)]
    for position in places[:_CANDIDATES_SHOWN]:
        _fact(console, spoken("位置", "at"), f"{source.name}:{position['line']}:{position['column']}")
        print_excerpt(console, source.text, position)
    print_more(console, len(places) - _CANDIDATES_SHOWN, "  ")
    if details.get("truncated"):
        _fact(console, spoken("截断", "cut off"), spoken("文本过早结束", "the text ends too early"))
    _print_fields(console, error, source)
    if details.get("root") == "array" and is_json_lines(source.text):
        _fact(console, spoken("做法", "way"), spoken(_ONE_A_LINE.zh, _ONE_A_LINE.en))


_ONE_A_LINE = Message(
    "每行各是一个对象，不是列表：请逐行读取，或把每行一个文本的文件交给 batch 命令",
    "each line is an object of its own (JSON Lines), and no list: read one line at a time, or give "
    "`llm-output batch` a file with a text a line",
)


def is_json_lines(text: str) -> bool:
    """Whether there are several lines, each of which begins and ends as an object does; blank ones do not count."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(line[0] == "{" and line[-1] == "}" for line in lines)


def error_json(error: AppException) -> str:
    """The error as a JSON object: `code`, `message`, `details`."""
    return json_text({"code": error.code, "message": error.message, "details": error.details})


def _places(details: dict[str, Any]) -> list[dict[str, int]]:
    """Where to look: the competing candidates, or the one place, or nowhere (a field has a path, not a place)."""
    position = details.get("position")
    places: list[dict[str, int]] = details.get("candidates") or ([position] if position else [])
    return places


def _shown(position: dict[str, int], text: str) -> dict[str, int]:
    """The place; of one behind the last line end, where the text before it ends: an empty line shows nothing."""
    offset = position["offset"]
    before = text[:offset].rstrip("\r\n")
    if text[offset:].strip() or not before or len(before) == offset:
        return position
    return LineIndex(text).position(len(before))


def _print_fields(console: Console, error: AppException, source: Source) -> None:
    details = error.details
    problems = details.get("validation_errors", [])
    places = details.get("validation_places") or [None] * len(problems)
    for problem, text, place in zip(problems, problems_of(error), places, strict=True):
        where = f" ({source.name}:{place['line']}:{place['column']})" if place else ""
        _fact(console, spoken("字段", "field"), f"{json_path(problem['loc'])}: {text}{where}")
    print_more(console, details.get("validation_error_count", 0) - len(problems), "  ")


def _fact(console: Console, name: str, value: str) -> None:
    console.print(Text.assemble((f"  {name}: ", "dim"), visible(value)), soft_wrap=True)


def _stage(name: str) -> str:
    names = stage_names(name)
    number = names.index(name) + 1
    return spoken(f"{name}（第 {number} 个，共 {len(names)} 个）", f"{name} ({number} of {len(names)})")
