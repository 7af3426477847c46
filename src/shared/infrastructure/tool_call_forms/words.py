"""What is wrong with a call, in words, and the errors that say it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from src.shared.domain.edits import LineIndex
from src.shared.domain.exceptions import LLMJsonParseError, Told
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.parsing.parse_errors import parse_error
from src.shared.infrastructure.tool_call_forms.notations import Notation

MOST_NAMED = 20
"""Most tools that an error names."""
QUOTED = 80
"""Most characters of a name that an error quotes."""

NO_CALL = Message(
    "此处有工具调用的标记，但其后没有可读的调用", "a mark of a tool call, and no call that can be read behind it"
)
NOT_OPENED = Message(
    "调用结束标记之前没有可读的调用", "a mark ends a tool call, and there is none before it that can be read"
)
CUT = Message("工具调用在此处被截断", "the tool call is cut off here")
TWICE = Message("同一参数出现两次", "a parameter stands there twice")
NOT_LITERAL = Message("参数不是带名称的字面量", "an argument is no literal with a name")
NOT_A_CALL = Message("调用须有名称和一个参数对象", "a call needs a name and one object of arguments")
OTHER_MEMBERS = Message("调用对象含有多余的成员", "the object of a call has a member that does not belong there")
BETWEEN = Message("多个调用之间有无法归属的文本", "text between two calls belongs to neither")
TAKEN_BACK = Message("先前给出的调用其实是推理或文本", "a call that was given before is reasoning, or text, after all")
TOO_MANY = Message("工具调用过多", "too many tool calls")


def not_closed(key: str, name: str) -> Message:
    """The problem of a parameter whose value does not end."""
    key, name = one_line(key, QUOTED), one_line(name, QUOTED)
    return Message(f"{name} 的参数 {key} 没有结束", f"the parameter {key} of {name} is not closed")


def two_values(key: str, name: str) -> Message:
    """The problem of a parameter whose value says one thing or another."""
    key, name = one_line(key, QUOTED), one_line(name, QUOTED)
    return Message(
        f"{name} 的参数 {key} 有两种读法，无法判定",
        f"the value of the parameter {key} of {name} can be read in two ways",
    )


def not_a_parameter(name: str) -> Message:
    """The problem of something between the parameters of a call."""
    name = one_line(name, QUOTED)
    return Message(f"{name} 的调用中此处既不是参数也不是结尾", f"neither a parameter nor the end of the call of {name}")


def call_error(problem: Message, raw: str, place: int, *, truncated: bool = False) -> LLMJsonParseError:
    """A call that cannot be read, and where."""
    message = Message(f"工具调用不是合法 JSON：{problem.zh}", f"no valid tool call: {problem.en}")
    facts = {"json_error": problem.en, "position": LineIndex(raw).position(place), "truncated": truncated or None}
    return parse_error(message, "extract", raw, **facts, root="call")


def unknown_tool(name: str, known: Iterable[str], raw: str, place: int) -> LLMJsonParseError:
    """A call of a tool that there is not."""
    shown, names = one_line(name, QUOTED), sorted(known)
    listed = ", ".join(one_line(one, QUOTED) for one in names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    message = Message(
        f"没有名为 {shown} 的工具，可用的工具：{listed}", f"there is no tool {shown}; there are: {listed}"
    )
    facts = {"json_error": f"unknown tool {shown}", "tool": shown, "tools": names[:MOST_NAMED], "root": "call"}
    return parse_error(message, "validate", raw, **facts, position=LineIndex(raw).position(place))


def of_call(error: LLMJsonParseError, name: str, raw: str = "", offset: int | None = 0) -> LLMJsonParseError:
    """The error of a call's arguments, with the tool's name if it is known, and with places of the whole text.

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
        placed_in(error, raw, (offset or 0).__add__)
    shown = one_line(name, QUOTED)
    if shown:
        details["tool"] = shown
        error.told = (error.told or Told(error.message)).under(shown)
        error.message = f"{shown}: {error.message}"
    return with_closing(error)


def with_closing(error: LLMJsonParseError) -> LLMJsonParseError:
    """The error, whose feedback asks for the call again and not for an object."""
    error.details["root"] = "call"
    return error


def in_notation(error: LLMJsonParseError, row: Notation | None, name: str, keys: Collection[str]) -> LLMJsonParseError:
    """The error with the notation that the model used, and how a call is written in it, for its next try."""
    if row is not None and "notation" not in error.details:
        example = row.written(one_line(name, QUOTED), min(keys, default="…"), "…")
        facts = {"notation": row.name, "example": example}
        error.details |= facts
    return error


def placed_in(error: LLMJsonParseError, raw: str, offset: Callable[[int], int]) -> None:
    """Tell the places of an error in another form of the same text."""
    error.details["raw_length"] = len(raw)
    if position := error.details.get("position"):
        error.details["position"] = LineIndex(raw).position(min(offset(position["offset"]), len(raw)))
