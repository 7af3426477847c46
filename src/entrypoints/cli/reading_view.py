"""What is told on stderr of a text: what was repaired, or why it was refused, in which stage and where."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.text import Text

from src.entrypoints.cli.files import Source
from src.entrypoints.cli.options import ErrorFormat
from src.entrypoints.cli.plain_output import json_text, spoken, visible
from src.entrypoints.cli.screen import error_line, say, stderr
from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.exceptions import AppException, json_path, problems_of
from src.shared.domain.one_line import one_line
from src.shared.domain.partial import PartProblem
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.repair import Repair, RepairKind
from src.shared.infrastructure.parsing.inspection import LineIndex, stage_names

SHOWN = 10
"""Most repairs that are listed; the rest is counted."""
FOUND_LIMIT = 80
"""Most characters of a value that are shown before and after its coercion."""
_KIND_WIDTH = max(len(kind) for kind in RepairKind)
_CANDIDATES_SHOWN = 5
_CUT = "…"
_EDGES = ("", "\n", "\r")
_LEAST = 24
"""Fewest cells of a line that are worth showing, however narrow the terminal says it is."""
One = TypeVar("One")


def print_repairs(repairs: Sequence[Repair]) -> None:
    """Print the list: kind, line:column, found → read."""
    place_width = max((len(_place(repair)) for repair in repairs[:SHOWN]), default=0)
    _print_first(repairs, lambda repair: repair_line(repair, place_width))


def print_coercions(coercions: Sequence[Coercion]) -> None:
    """Print which values were read as what their type asks for: kind, path, before → after."""
    head = (spoken("coerced "), "yellow")
    _print_first(
        coercions,
        lambda one: Text.assemble(
            head, f"{one.kind.value}  {visible(one.path)}  {_shown(one.before)} → {_shown(one.after)}"
        ),
    )


def print_left_out(problems: Sequence[PartProblem]) -> None:
    """Print which parts of the answer are left out: path, place, why."""
    _print_first(problems, _left_out)


def _left_out(one: PartProblem) -> Text:
    place = f"  {one.place['line']}:{one.place['column']}" if one.place else ""
    path, why = (visible(one_line(said, 2 * FOUND_LIMIT)) for said in (one.path, one.error.message))
    return Text.assemble((spoken("left out "), "bold yellow"), f"{path}{place}  {why}")


def _print_first(found: Sequence[One], line: Callable[[One], Text]) -> None:
    for one in found[:SHOWN]:
        say(line(one))
    print_more(len(found) - SHOWN)


def print_more(count: int, indent: str = "") -> None:
    """Say how many more there are, if any."""
    if count > 0:
        stderr().print(indent + spoken("… and {count:,} more", count=count))


def _shown(value: object) -> str:
    return visible(one_line(json.dumps(value, ensure_ascii=False), FOUND_LIMIT))


def repair_line(repair: Repair, place_width: int = 0) -> Text:
    """One repair as a line."""
    return Text.assemble(
        (spoken("repaired "), "yellow"),
        f"{repair.kind.value:{_KIND_WIDTH}}  {_place(repair):{place_width}}  ",
        visible(repair.found) or (spoken("(missing)"), "dim"),
        " → ",
        visible(repair.put.strip(" ")) or (spoken("(dropped)"), "dim"),
        f" ×{repair.count:,}" if repair.count > 1 else "",
    )


def _place(repair: Repair) -> str:
    return f"{repair.line}:{repair.column}"


def model_repair(reply: LLMReply) -> str:
    """Who repaired a text that the parser could not read, and what it cost."""
    return spoken("repaired by {by}: {tokens}", by=_by(reply), tokens=_tokens(reply))


def asked(reply: LLMReply) -> str:
    """Who was asked for a repair that was refused, and what it cost."""
    return spoken("asked {by}: {tokens}", by=_by(reply), tokens=_tokens(reply))


def _by(reply: LLMReply) -> str:
    return visible(reply.model) or spoken("a model")


def _tokens(reply: LLMReply) -> str:
    about = spoken("about ") if reply.usage.is_estimated else ""
    return spoken("{about}{total_tokens:,} tokens", about=about, total_tokens=reply.usage.total_tokens)


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


def print_excerpt(text: str, position: dict[str, int], indent: str = "  ") -> None:
    """Print the line of a position, its number before it, and the caret."""
    console = stderr()
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


def report_error(error: AppException, source: Source, error_format: ErrorFormat) -> None:
    """Say on stderr why a text was refused, in one of the two formats."""
    if error_format is ErrorFormat.JSON:
        say(json_text(error_facts(error)))
        return
    details = error.details
    error_line(error.message)
    if "stage" in details:
        _fact(spoken("stage"), _stage(details["stage"]))
    places = [_seen(place, source.text) for place in _places(details)]
    for position in places[:_CANDIDATES_SHOWN]:
        _fact(spoken("at"), f"{source.name}:{position['line']}:{position['column']}")
        print_excerpt(source.text, position)
    print_more(len(places) - _CANDIDATES_SHOWN, "  ")
    if details.get("truncated"):
        _fact(spoken("cut off"), spoken("the text ends too early"))
    _print_fields(error, source)
    if details.get("root") == "array" and _is_json_lines(source.text):
        _fact(
            spoken("way"),
            spoken(
                "each line is an object of its own (JSON Lines), and no list: read one line at a time, or give "
                "`llm-output batch` a file with a text a line"
            ),
        )


def error_facts(error: AppException) -> dict[str, Any]:
    """The error as JSON types."""
    return {"code": error.code, "message": error.message, "details": error.details}


def finished_hint() -> str:
    """Which option says that the text is whole."""
    return spoken("Hint: if the model stopped by itself, --finished yes closes brackets that are missing at the end.")


def _is_json_lines(text: str) -> bool:
    """Whether there are several lines, each of which begins and ends as an object does; blank ones do not count."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(line[0] == "{" and line[-1] == "}" for line in lines)


def _places(details: dict[str, Any]) -> list[dict[str, int]]:
    """Where to look: the competing candidates, or the one place, or nowhere (a field has a path, not a place)."""
    position = details.get("position")
    places: list[dict[str, int]] = details.get("candidates") or ([position] if position else [])
    return places


def _seen(position: dict[str, int], text: str) -> dict[str, int]:
    """The place; of one behind the last line end, where the text before it ends: an empty line shows nothing."""
    offset = position["offset"]
    before = text[:offset].rstrip("\r\n")
    if text[offset:].strip() or not before or len(before) == offset:
        return position
    return LineIndex(text).position(len(before))


def _print_fields(error: AppException, source: Source) -> None:
    details = error.details
    problems = details.get("validation_errors", [])
    places = details.get("validation_places") or [None] * len(problems)
    for problem, text, place in zip(problems, problems_of(error), places, strict=True):
        where = f" ({source.name}:{place['line']}:{place['column']})" if place else ""
        _fact(spoken("field"), f"{json_path(problem['loc'])}: {text}{where}")
    print_more(details.get("validation_error_count", 0) - len(problems), "  ")


def _fact(name: str, value: str) -> None:
    say(Text.assemble((f"  {name}: ", "dim"), visible(value)))


def _stage(name: str) -> str:
    names = stage_names(name)
    number = names.index(name) + 1
    return spoken("{name} ({number} of {count})", name=name, number=number, count=len(names))
