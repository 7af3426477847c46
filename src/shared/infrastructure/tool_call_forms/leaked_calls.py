"""Finds the call of a tool in a text that should hold an answer: what stands in its marks is no answer.

A mark alone is none: there has to be the name of a tool behind it, and arguments. So a mark that prose speaks of, and
`<tool_call>{"score": 5}</tool_call>`, in which nothing names a tool, leave the answer what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import HOLDS_CALL
from src.shared.infrastructure.parsing.notes import Span
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.scanner import ValueScanner
from src.shared.infrastructure.parsing.state import ParseState
from src.shared.infrastructure.tool_call_forms.call_objects import (
    ARGUMENTS_MEMBER,
    NAME_MEMBER,
    is_only_a_name,
    names_of_calls,
)
from src.shared.infrastructure.tool_call_forms.marks import DEEPSEEK_HEADER, KIMI_HEADER, MARK, NAME_LIMIT, RECIPIENT
from src.shared.infrastructure.tool_call_forms.parameters import EDGE, OPENED
from src.shared.infrastructure.tool_call_forms.pythonic import read_python_calls

_NAME = rf"[^\W\d](?:[\w.\-:/]{{0,{NAME_LIMIT}}}\w)?"
_CALL_ID = rf"(?: \[CALL_ID\] [^\s\[\]{{}}]{{1,{NAME_LIMIT}}}+ )?"
_LANGUAGE = r"(?i: json[5c]? | javascript | js | python | text ) \b"
NAMED_BODY = re.compile(
    rf"""
    (?: [ \t]*+ \r?\n \s*+ )?  # not behind a blank: there, prose goes on
    (?: (?! {_LANGUAGE} ) {_NAME} {_CALL_ID} (?: \[ARGS\] )? \s*+ \{{  # Mistral
      | {_NAME} \s*+ (?: <arg_key> | </tool_call> )  # GLM
      | \[? \s*+ (?: print \s? \( )? {_NAME} \( (?: \) | \s*+ \w++ \s? = )  # as Python writes it
    )
    """,
    re.VERBOSE,
)
"""Behind a mark that opens calls: the name of one, and the beginning of its arguments."""
TAG_BODY = re.compile(
    r"\s*+ (?: [{｛] | ``` | ~~~ | <(?:｜DSML｜)?parameter[ =] | </(?:function|invoke|｜DSML｜invoke)> )", re.VERBOSE
)
"""Behind a tag that holds the name of a call: its arguments, or its end."""
INSIDE = re.compile(
    rf"""
    (?<= \w ) (?: \[ARGS\] \s? \{{
               | <\|tool_call_argument_begin\|> \s*+ [{{`]
               | <｜tool▁sep｜> (?: \s*+ [{{`] | {_NAME} [ ]*+ \n ) )
  | to=functions\.{_NAME} \s*+ (?: <\|constrain\|> )? (?: json | code )? \s*+ (?: <\|message\|> )? \s*+ \{{
    """,
    re.VERBOSE,
)
"""A mark that stands between a name and arguments, where the one before the name is missing."""
BARE_LIST = re.compile(rf"^ [ \t]*+ \[ [ \t]? {_NAME} \( (?= \) | [ \t]*+ \w++ [ ]? = )", re.VERBOSE | re.MULTILINE)
"""On a line of its own, a list of calls as Python writes it; JSON never begins so."""
MOST_LISTS = 8
"""Most lines that begin so and are read to see whether they are one."""
_PARAMETERS = ("<parameter", "<arg_value>", "｜DSML｜parameter")
_ONLY_OPENS = re.compile(r"\s*+(?:(?:```|~~~)\w{0,20}+\s*+)?\Z")
_PEOPLE = frozenset({"user", "assistant", "self", "all"})
"""Recipients of a message that are no tools."""
_RUN = re.compile("```+|~~~+")


def refuse_call(state: ParseState) -> None:
    """Refuse a text in which the call of a tool is marked, outside of reasoning; once it is decoded, a bare one, too.

    Raises:
        LLMJsonParseError: it does; its stage is `tool_call`.
    """
    place = place_of_list(state) if state.decoded else place_of_call(state)
    if place is not None:
        raise holds_call(state, place)


def holds_call(state: ParseState, place: int) -> LLMJsonParseError:
    """The text holds a call, and no answer."""
    return not_json(HOLDS_CALL, "tool_call", state.raw, position=state.lines.position(place))


def is_to_a_tool(header: str) -> bool:
    """Whether a message of harmony with this header is a call."""
    recipient = RECIPIENT.search(header)
    return recipient is not None and recipient["name"] not in _PEOPLE


def has_mark(text: str) -> bool:
    """Whether a part of the text has a mark of calls; one that ends all that a model says is none."""
    return any(mark.lastgroup != "turn_end" for mark in MARK.finditer(text))


def may_be_call(around: Iterable[str], inside: str) -> bool:
    """Whether an object in a text may be a call, or a part of one, for what stands around it."""
    marks = [(mark, part) for part in around for mark in MARK.finditer(part) if mark.lastgroup != "turn_end"]
    is_wrapped = all(mark.lastgroup in {"wrapper", "end"} and not part[mark.end() :].strip() for mark, part in marks)
    return bool(marks) and (not is_wrapped or "name" in inside)


def place_of_call(state: ParseState) -> int | None:
    """Where the first call in what is left of the text is marked; None if there is none.

    A mark in a string is text, and so is one in code that a sentence mentions.
    """
    text, scanner = state.text, state.scanner
    at = behind = 0
    for mark in MARK.finditer(text):
        place = mark.start()
        if place < at or mark.lastgroup == "turn_end":
            continue
        if _is_call(text, scanner, mark, behind) and not _is_in_code(text, place):
            at = scanner.covering(at, place) or mark.end()
            if at <= mark.end():
                return place
        behind = mark.end()
    return None


def place_of_list(state: ParseState) -> int | None:
    """Where a list of calls stands without a mark, as Python writes it; None if there is none."""
    lists = (found.start() for found in islice(BARE_LIST.finditer(state.text), MOST_LISTS))
    return next((place for place in lists if _is_list(state, place)), None)


def _is_list(state: ParseState, place: int) -> bool:
    try:
        read_python_calls(state.text, place)
    except LLMJsonParseError:
        return False
    return state.scanner.covering(0, place) is None


def parameter_values(text: str) -> list[Span]:
    """Where the values between the tags of parameters stand: no mark in one is a mark."""
    found: list[Span] = []
    if not any(sign in text for sign in _PARAMETERS):
        return found
    for mark in MARK.finditer(text):
        opened = OPENED.match(text, mark.start()) if mark.lastgroup == "inner" else None
        edge = EDGE.search(text, opened.end()) if opened else None
        if opened and edge and edge["closed"] and not (found and opened.end() < found[-1].end):
            found.append(Span(opened.end(), edge.start()))
    return found


def _is_call(text: str, scanner: ValueScanner, mark: re.Match[str], behind: int) -> bool:
    kind, end = mark.lastgroup, mark.end()
    if kind in {"wrapper", "fence"}:
        return NAMED_BODY.match(text, end) is not None or _holds_object(text, scanner, end)
    if kind == "begin":
        return (DEEPSEEK_HEADER.match(text, end) or KIMI_HEADER.match(text, end)) is not None
    if kind == "inner":
        return INSIDE.match(text, mark.start()) is not None or _is_parameter(text, mark.start())
    if kind == "end":
        return _ends_object(text, scanner, behind, mark.start())
    if mark["channel"]:
        return mark["message"] is not None and is_to_a_tool(mark.group())
    is_named = mark["function_name"] or mark["invoke_name"]
    return is_named is not None and TAG_BODY.match(text, end) is not None


def _holds_object(text: str, scanner: ValueScanner, start: int) -> bool:
    """Whether the first object behind a mark is a call."""
    following = MARK.search(text, start)
    end = following.start() if following else len(text)
    value = next(scanner.values(start, end), None)
    if value is None:
        return False
    if value.problem:
        part = text[value.start : end]
        return NAME_MEMBER.search(part) is not None and ARGUMENTS_MEMBER.search(part) is not None
    data = scanner.decoded(value).data
    return bool(names_of_calls(data)) or (
        is_only_a_name(data) and _ONLY_OPENS.match(text[start : value.start]) is not None
    )


def _ends_object(text: str, scanner: ValueScanner, start: int, end: int) -> bool:
    """Whether all that stands in front of a mark that ends a call is one: the mark before it ended the prompt."""
    value = next(scanner.values(start, end), None)
    if value is None or value.problem or text[start : value.start].strip() or text[value.end : end].strip():
        return False
    return bool(names_of_calls(scanner.decoded(value).data))


def _is_parameter(text: str, start: int) -> bool:
    opened = OPENED.match(text, start)
    edge = EDGE.search(text, opened.end()) if opened else None
    return edge is not None and edge["closed"] is not None


def _is_in_code(text: str, place: int) -> bool:
    """Whether a place is between single backticks on its line."""
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    before, after = text[start:place], text[place : end if end >= 0 else len(text)]
    return _RUN.sub("", before).count("`") % 2 == 1 and "`" in after
