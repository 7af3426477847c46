"""What is wrong with a call, in words, and the errors that say it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from src.shared.domain.edits import LineIndex
from src.shared.domain.exceptions import LLMJsonParseError, Told
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.parsing.parse_errors import parse_error
from src.shared.infrastructure.tool_call_forms.notations import Notation

MOST_NAMED = 20
"""Most tools that an error names."""
QUOTED = 80
"""Most characters of a name that an error quotes."""

NO_CALL = Phrase("a mark of a tool call, and no call that can be read behind it")
NOT_OPENED = Phrase("a mark ends a tool call, and there is none before it that can be read")
CUT = Phrase("the tool call is cut off here")
TWICE = Phrase("a parameter stands there twice")
NOT_LITERAL = Phrase("an argument is no literal with a name")
NOT_A_CALL = Phrase("a call needs a name and one object of arguments")
OTHER_MEMBERS = Phrase("the object of a call has a member that does not belong there")
BETWEEN = Phrase("text between two calls belongs to neither")
TAKEN_BACK = Phrase("a call that was given before is reasoning, or text, after all")
TOO_MANY = Phrase("too many tool calls")


def not_closed(key: str, name: str) -> Message:
    """The problem of a parameter whose value does not end."""
    key, name = one_line(key, QUOTED), one_line(name, QUOTED)
    return Phrase("the parameter {key} of {name} is not closed", key=key, name=name)


def two_values(key: str, name: str) -> Message:
    """The problem of a parameter whose value says one thing or another."""
    key, name = one_line(key, QUOTED), one_line(name, QUOTED)
    return Phrase("the value of the parameter {key} of {name} can be read in two ways", key=key, name=name)


def not_a_parameter(name: str) -> Message:
    """The problem of something between the parameters of a call."""
    name = one_line(name, QUOTED)
    return Phrase("neither a parameter nor the end of the call of {name}", name=name)


def call_error(problem: Message, raw: str, place: int, *, truncated: bool = False) -> LLMJsonParseError:
    """A call that cannot be read, and where."""
    message = Phrase("no valid tool call: {problem}", problem=problem)
    facts = {"json_error": problem.en, "position": LineIndex(raw).position(place), "truncated": truncated or None}
    return parse_error(message, "extract", raw, **facts, root="call")


def unknown_tool(name: str, known: Iterable[str], raw: str, place: int) -> LLMJsonParseError:
    """A call of a tool that there is not."""
    shown, names = one_line(name, QUOTED), sorted(known)
    listed = ", ".join(one_line(one, QUOTED) for one in names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    message = Phrase("there is no tool {shown}; there are: {listed}", shown=shown, listed=listed)
    facts = {"json_error": f"unknown tool {shown}", "tool": shown, "tools": names[:MOST_NAMED], "root": "call"}
    return parse_error(message, "validate", raw, **facts, position=LineIndex(raw).position(place))


def add_tool(error: LLMJsonParseError, name: str, raw: str = "", offset: int | None = 0) -> LLMJsonParseError:
    """The error of a call, with the tool's name if it is known and places of the whole text; it asks for a call again.

    Args:
        error: what reading the arguments raised.
        name: the tool.
        raw: the whole text; empty if the arguments are all of it.
        offset: where the arguments stand in it; None if they were written anew, so that their places say nothing.
    """
    details = error.details
    if raw and details.get("root") == "call":
        return error  # its places are those of the whole text already
    if raw:
        for places in ("candidates", "validation_places", *(["position"] if offset is None else [])):
            details.pop(places, None)
        move_places(error, raw, (offset or 0).__add__)
    shown = one_line(name, QUOTED)
    if shown:
        details["tool"] = shown
        error.told = (error.told or Told(error.message)).under(shown)
        error.message = f"{shown}: {error.message}"
    error.details["root"] = "call"
    return error


def add_notation(error: LLMJsonParseError, row: Notation | None, name: str, keys: Collection[str]) -> LLMJsonParseError:
    """The error with the notation that the model used, and how a call is written in it, for its next try."""
    if row is not None and "notation" not in error.details:
        example = row.written(one_line(name, QUOTED), min(keys, default="…"), "…")
        facts = {"notation": row.name, "example": example}
        error.details |= facts
    return error


def move_places(error: LLMJsonParseError, raw: str, offset: Callable[[int], int]) -> None:
    """Tell the places of an error in another form of the same text."""
    error.details["raw_length"] = len(raw)
    if position := error.details.get("position"):
        error.details["position"] = LineIndex(raw).position(min(offset(position["offset"]), len(raw)))
