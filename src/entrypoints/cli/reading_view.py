"""How a text was read, on stderr: what was repaired, what each stage did, or why it was refused, and where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rich.cells import cell_len
from rich.text import Text

from src.entrypoints.cli.options import KNOWN_END, Finished, InWordsOrJson, TraceFormat
from src.entrypoints.cli.plain_output import json_text, spoken, visible
from src.entrypoints.cli.screen import error_line, say, stderr, warning_line
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.exceptions import AppException, LLMJsonParseError, json_path, problems_of
from src.shared.domain.one_line import one_line
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.repair import Repair, RepairKind
from src.shared.domain.type_shapes import roots_of
from src.shared.infrastructure.llm_json import DecodedJson, ParsedOutput
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, Reading, inspect, stage_names
from src.shared.infrastructure.view import StageState, stages_of, view, view_steps

if TYPE_CHECKING:
    from src.entrypoints.cli.contract import Contract
    from src.entrypoints.cli.files import Source

T = TypeVar("T")
SHOWN = 10
"""Most repairs that are listed; the rest is counted."""
FOUND_LIMIT = 80
"""Most characters of a value that are shown before and after its coercion, and of the text that a note quotes."""
_KIND_WIDTH = max(len(kind) for kind in RepairKind)
_CANDIDATES_SHOWN = 5
_NOTES_SHOWN = 5
_CUT = "…"
_EDGES = ("", "\n", "\r")
_LEAST = 24
"""Fewest cells of a line that are worth showing, however narrow the terminal says it is."""
_INDENT = "    "


# --- a whole reading ---------------------------------------------------------------------------------------


def print_reading(parsed: ParsedOutput[Any], text: str, contract: Contract | None, trace: TraceFormat) -> None:
    """Say how a text was read."""
    decoded = parsed.decoded
    if trace == "json":
        say(json_text({"notes": view_steps(decoded, text)["notes"], **view(parsed), "spans": decoded.spans()}))
        return
    if trace == "stages":
        _print_stages(text, contract, decoded)
        stderr().print(Text.assemble((spoken("grade"), "bold"), f"  {decoded.grade}"))
    elif trace == "text":
        print_repairs(decoded.repairs)
    for change in _first(decoded.coercions, SHOWN):
        values = (json.dumps(value, ensure_ascii=False) for value in (change.before, change.after))
        shown = " → ".join(visible(one_line(value, FOUND_LIMIT)) for value in values)
        say(Text.assemble((spoken("coerced "), "yellow"), f"{change.kind.value}  {visible(change.path)}  {shown}"))
    for part in _first(parsed.kept.problems, SHOWN):
        place = f"  {part.place['line']}:{part.place['column']}" if part.place else ""
        path, why = (visible(one_line(words, 2 * FOUND_LIMIT)) for words in (part.path, part.error.message))
        say(Text.assemble((spoken("left out "), "bold yellow"), f"{path}{place}  {why}"))
    if decoded.truncated:
        warning_line(spoken("the text was cut off; only the members that were complete are in the result"))


def print_refusal(
    error: LLMJsonParseError,
    source: Source,
    contract: Contract | None,
    trace: TraceFormat,
    error_format: InWordsOrJson,
    finished: Finished,
    *,
    salvage: bool,
) -> None:
    """Say why a text was refused: with all stages up to the one that did, where these are asked for."""
    if trace == "json" or (trace == "stages" and error_format == "text"):
        dto_type, hooks = (contract.checked_type, contract.normalizers) if contract else (None, ())
        root = None if contract else error.details.get("root")
        reading = inspect(source.text, dto_type, normalizers=hooks, finished=KNOWN_END[finished], root=root)
        if trace == "json":
            shown = view_steps(reading, source.text)
            say(json_text({"notes": shown["notes"], "repairs": shown["repairs"], "error": _error_json(error)}))
            return
        _print_stages(source.text, contract, reading, refusing=error.details["stage"])
    report_error(error, source, error_format)
    if error_format == "text" and error.details.get("truncated"):
        hint_at_finished(finished)
        if not salvage:
            say(
                spoken(
                    "Hint: --salvage keeps the members that were complete; it goes without --agent, --dto and --schema."
                )
            )


def hint_at_finished(finished: Finished) -> None:
    """Say which option tells that a text is whole, where nobody has said anything of its end."""
    if finished == "unknown":
        say(spoken("Hint: if the model stopped by itself, --finished yes closes brackets that are missing at the end."))


def _first(some: Sequence[T], most: int, indent: str = "") -> Iterator[T]:
    """The first of some things; behind them it says how many more there are, if any."""
    yield from some[:most]
    _print_more(len(some) - most, indent)


def _print_more(count: int, indent: str = "") -> None:
    if count > 0:
        stderr().print(indent + spoken("… and {count:,} more", count=count))


# --- repairs -----------------------------------------------------------------------------------------------


def print_repairs(repairs: Sequence[Repair], text: str | None = None) -> None:
    """Print the list: kind, line:column, found → read; in an explanation of the text each with its line and a caret."""
    indent = "" if text is None else _INDENT
    places = [f"{repair.line}:{repair.column}" for repair in repairs[:SHOWN]]
    width = max(map(len, places), default=0) if text is None else 0
    for repair, place in zip(_first(repairs, SHOWN, indent), places, strict=True):
        line = Text.assemble(
            (spoken("repaired "), "yellow"),
            f"{repair.kind.value:{_KIND_WIDTH}}  {place:{width}}  ",
            visible(repair.found) or (spoken("(missing)"), "dim"),
            " → ",
            visible(repair.put.strip(" ")) or (spoken("(dropped)"), "dim"),
            f" ×{repair.count:,}" if repair.count > 1 else "",
        )
        if text is None:
            say(line)
        else:
            stderr().print(Text(indent).append_text(line), no_wrap=True, overflow="ellipsis")
            position = {"line": repair.line, "column": repair.column, "offset": repair.offset}
            _print_excerpt(text, position, indent * 2)


def cost_of_repair(reply: LLMReply, *, is_accepted: bool) -> str:
    """Who was asked to repair a text that the parser could not read, and what it cost."""
    by = visible(reply.model) or spoken("a model")
    about = spoken("about ") if reply.usage.is_estimated else ""
    tokens = spoken("{about}{total_tokens:,} tokens", about=about, total_tokens=reply.usage.total_tokens)
    if is_accepted:
        return spoken("repaired by {by}: {tokens}", by=by, tokens=tokens)
    return spoken("asked {by}: {tokens}", by=by, tokens=tokens)


# --- stages and layers -------------------------------------------------------------------------------------


def _print_stages(
    text: str, contract: Contract | None, reading: DecodedJson[Any] | Reading, refusing: str | None = None
) -> None:
    facts = {"empty": spoken("{count:,} characters", count=len(text))} | type_facts(contract)
    lines, stages = LineIndex(text), [*stages_of(reading.notes, refusing)]
    steps = {}
    for stage in stages:
        rows = [note_line(note, text, lines) for note in stage.notes]
        if stage.state in {StageState.REFUSED, StageState.NOT_REACHED}:
            rows.append(state_line(stage.state))
        elif not rows:
            rows = [Text(facts[stage.name]) if stage.name in facts else state_line(stage.state)]
        steps[stage.name] = rows
    print_steps(steps, text, reading.repairs, next(stage.name for stage in stages if stage.is_deciding))


def type_facts(contract: Contract | None) -> dict[str, str]:
    """What the last three stages do for a type: the root it asks for, its hooks, and itself."""
    if contract is None:
        no_dto = spoken("no DTO was asked for")
        return {"root": spoken("an object"), "normalize": spoken("no hooks"), "validate": no_dto}
    names = {"object": spoken("an object"), "array": spoken("an array"), "scalar": spoken("one value")}
    roots = sorted(roots_of(adapter_of(contract.dto_type).core_schema), reverse=True)
    ran = ", ".join(getattr(hook, "__name__", type(hook).__name__) for hook in contract.normalizers)
    return {
        "root": spoken(" or ").join(names[root] for root in roots),
        "normalize": spoken("ran {ran}", ran=ran) if ran else spoken("no hooks"),
        "validate": spoken("satisfies {dto}", dto=name_of(contract.dto_type)),
    }


def print_steps(
    steps: Mapping[str, Sequence[Text]], text: str, repairs: Sequence[Repair] = (), repaired_at: str | None = None
) -> None:
    """Print the steps of a reading by their names: the number of each, and what it did, a line each.

    Args:
        steps: what each did.
        text: the text.
        repairs: what was repaired in it.
        repaired_at: the step behind which the repairs are shown, each with its place; None to leave them out.
    """
    width = max(map(len, steps)) + 2
    for number, (name, rows) in enumerate(steps.items(), 1):
        head = Text(f"{number:2} ", "dim").append(f"{name:{width}}", "bold not dim")
        indent = " " * len(head)
        for line in _first(rows, _NOTES_SHOWN, indent):
            overflow = line.overflow or "ellipsis"  # it is cut to the width of the terminal, unless it says otherwise
            stderr().print(head.append_text(line), no_wrap=True, overflow=overflow, crop=overflow != "ignore")
            head = Text(indent)
        if name == repaired_at:
            print_repairs(repairs, text)


def note_line(note: Note, text: str, lines: LineIndex) -> Text:
    """What a stage did, where, and the text's beginning there."""
    start, end = note.span.start, note.span.end
    first, last = lines.position(start), lines.position(max(start, end - 1))
    place = spoken(
        "{line}:{column} to {last_line}:{last_column}, {length:,} characters: ",
        line=first["line"],
        column=first["column"],
        last_line=last["line"],
        last_column=last["column"],
        length=end - start,
    )
    quoted = visible(text[start : min(end, start + FOUND_LIMIT)])
    action = f"{note.action} {visible(note.path)}".rstrip()
    return Text.assemble((f"{action} ", "green"), place, (quoted, "dim"))


def state_line(state: StageState, why: str = "", position: dict[str, int] | None = None) -> Text:
    """What became of a step; of one that failed, where and why."""
    words = {
        StageState.NOTHING_TO_DO: spoken("nothing to do"),
        StageState.NOT_NEEDED: spoken("not needed"),
        StageState.NOT_REACHED: spoken("not reached"),
        StageState.REFUSED: spoken("failed"),
    }[state]
    if state is not StageState.REFUSED:
        return Text(words, "dim")
    line = Text(words, "bold red", overflow="ignore")
    if not why:
        return line
    place = f"{position['line']}:{position['column']}" if position else ""
    where = spoken(" at {place}", place=place) if position else ""
    return line.append(where + spoken(": ") + visible(why), "default not bold")


# --- an error ----------------------------------------------------------------------------------------------


def report_error(error: AppException, source: Source, error_format: InWordsOrJson) -> None:
    """Say on stderr why a text was refused, in one of the two formats."""
    if error_format == "json":
        say(json_text(_error_json(error)))
        return
    details = error.details
    error_line(error.message)
    if "stage" in details:
        name, names = details["stage"], stage_names(details["stage"])
        number, count = names.index(name) + 1, len(names)
        _fact(spoken("stage"), spoken("{name} ({number} of {count})", name=name, number=number, count=count))
    position = details.get("position")  # a field has a path, and no place
    places = details.get("candidates") or ([position] if position else [])
    for one in _first(places, _CANDIDATES_SHOWN, "  "):
        seen = _seen(one, source.text)
        _fact(spoken("at"), f"{source.name}:{seen['line']}:{seen['column']}")
        _print_excerpt(source.text, seen)
    if details.get("truncated"):
        _fact(spoken("cut off"), spoken("the text ends too early"))
    problems = details.get("validation_errors", [])
    found = details.get("validation_places") or [None] * len(problems)
    for problem, text, place in zip(problems, problems_of(error), found, strict=True):
        where = f" ({source.name}:{place['line']}:{place['column']})" if place else ""
        _fact(spoken("field"), f"{json_path(problem['loc'])}: {text}{where}")
    _print_more(details.get("validation_error_count", 0) - len(problems), "  ")
    if details.get("root") == "array":
        lines = [line.strip() for line in source.text.splitlines() if line.strip()]
        if len(lines) > 1 and all(line[0] == "{" and line[-1] == "}" for line in lines):
            advice = spoken(
                "each line is an object of its own (JSON Lines), and no list: read one line at a time, or give "
                "`llm-output batch` a file with a text a line"
            )
            _fact(spoken("way"), advice)


def _error_json(error: AppException) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "details": error.details}


def _fact(name: str, value: str) -> None:
    say(Text.assemble((f"  {name}: ", "dim"), visible(value)))


def _seen(position: dict[str, int], text: str) -> dict[str, int]:
    """The place; of one behind the last line end, where the text before it ends: an empty line shows nothing."""
    offset = position["offset"]
    before = text[:offset].rstrip("\r\n")
    if text[offset:].strip() or not before or len(before) == offset:
        return position
    return LineIndex(text).position(len(before))


# --- a line of the text ------------------------------------------------------------------------------------


def excerpt(text: str, offset: int, width: int) -> tuple[str, int]:
    """The line around `offset` in at most `width` cells, and the cell under which the caret goes.

    The cost does not depend on the line's length.
    """
    width = max(width, _LEAST)
    start = text.rfind("\n", max(0, offset - width), offset) + 1 or max(0, offset - width)
    end = text.find("\n", offset, offset + width)
    if end == offset:
        end += 1  # a line end that is itself the place is shown
    elif end < 0:
        end = min(len(text), offset + width)
    elif text[end - 1] == "\r" and end - 1 > offset:
        end -= 1
    before = _fitting(reversed(text[start:offset]), width * 2 // 3)[::-1]
    after = _fitting(text[offset:end], width - cell_len("".join(before)) - 2 * len(_CUT))
    is_from_start = len(before) == offset - start and text[start - 1 : start] in _EDGES
    is_to_end = len(after) == end - offset and (text[end - 1 : end] == "\n" or text[end : end + 1] in _EDGES)
    left = "".join(("" if is_from_start else _CUT, *before))
    return "".join((left, *after, "" if is_to_end else _CUT)), cell_len(left)


def _fitting(text: Iterable[str], room: int) -> list[str]:
    """The characters that fit, made visible."""
    shown: list[str] = []
    for piece in map(visible, text):
        room -= cell_len(piece)
        if room < 0:
            break
        shown.append(piece)
    return shown


def _print_excerpt(text: str, position: dict[str, int], indent: str = "  ") -> None:
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
