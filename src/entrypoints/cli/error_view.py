"""Shows a parse error to people: the message, the stage, the place in the text, each field that was wrong."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.excerpt import print_excerpt
from src.entrypoints.cli.options import ErrorFormat
from src.entrypoints.cli.plain_output import json_text, visible
from src.entrypoints.cli.repairs_view import print_more
from src.entrypoints.cli.screen import error_line, stderr
from src.entrypoints.cli.source import Source
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.exceptions import AppException, json_path, problems_of
from src.shared.infrastructure.parsing.inspection import LineIndex, stage_names

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
