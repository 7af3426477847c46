"""Finds the call of a tool in a text that should hold an answer: what stands in its marks is no answer.

A mark alone is none: there has to be the name of a tool behind it, and arguments. So a mark that prose speaks of, and
`<tool_call>{"score": 5}</tool_call>`, in which nothing names a tool, leave the answer what it is. Where the only
object has both, `{"name": "f", "arguments": {}}`, that is data if there is no type, or one with these keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from src.shared.domain.edits import kinds_of, span_around
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import HOLDS_CALL
from src.shared.domain.reading.signs import MARGIN
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.scan import Scan
from src.shared.infrastructure.parsing.state import ParseState, Span
from src.shared.infrastructure.tool_call_forms import marks
from src.shared.infrastructure.tool_call_forms.call_objects import (
    ARGUMENTS,
    ARGUMENTS_MEMBER,
    NAME_MEMBER,
    NAMES,
    is_only_a_name,
    names_of_calls,
)
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Grammar
from src.shared.infrastructure.tool_call_forms.parameters import opened_at
from src.shared.infrastructure.tool_call_forms.python_calls import read_python_calls

_NAME = rf"[^\W\d](?:[\w.\-:/]{{0,{marks.NAME_LIMIT}}}\w)?"
_ID = rf"[^\s\[\]{{}}]{{1,{marks.NAME_LIMIT}}}+"
_LANGUAGE = r"(?i:json[5c]?|javascript|js|python|text)\b"
_SHOWN_NAME = rf"[`*\"']{{0,3}}{_NAME}[`*\"']{{0,3}}[:：]?"
_FENCE = r"(?:```|~~~)\w{0,20}+\s*+"
_BARE = [(row, call) for row in NOTATIONS for call in row.calls if not marks.head_of(call).startswith("<")]
_INSIDE = marks.any_of(
    rf"{marks.pattern_of(one)}\s*+(?:[{{`]|{_NAME}[ ]*+\n)"
    for row in marks.WITH_MARKS
    for call in row.calls
    for one in marks.inner(call)
)
_LEAKS = marks.any_of(marks.pattern_of(leak) for row in NOTATIONS for leak in row.leaks)
_VALUES = marks.any_of(marks.pattern_of(marks.head_of(row.parameter[0])) for row in NOTATIONS if row.parameter[0])
_ANY_VALUE = expression(_VALUES)
_ENDS = marks.any_of(marks.pattern_of(end) for row in NOTATIONS for end in row.ends)


def _named_bodies() -> Iterator[str]:
    for row, call in _BARE:
        if not row.needs_a_tool:
            is_pair = row.grammar is Grammar.PAIRS
            behind = marks.any_of(
                [marks.pattern_of(marks.head_of(row.parameter[0])), *(marks.pattern_of(end) for _, end in row.wraps)]
            )
            yield rf"(?![`*\"']{{0,3}}{_LANGUAGE}){marks.pattern_of(call, name=_SHOWN_NAME, id=_ID)}\s*+" + (
                rf"(?:{behind})" if is_pair else rf"(?:{_FENCE})?\{{"
            )
    yield rf"\[?\s*+(?:print\s?\()?{_NAME}\((?:\)|\s*+\w++\s?=)"


NAMED_BODY = expression(rf"(?:[ \t]*+\r?\n\s*+)?(?:{marks.any_of(_named_bodies())})")
"""Behind a mark that opens calls: the name of one, and the beginning of its arguments; behind a blank prose goes on."""
TAG_BODY = expression(rf"\s*+(?:[{{｛]|```|~~~|{_VALUES}|{_ENDS})")
"""Behind a mark that holds the name of a call: its arguments, or its end."""
_NO_BODY = expression(rf"{TAG_BODY.pattern}|\s*+(?:<|\Z)")
"""The same of one that closes itself: nothing has to stand there."""
INSIDE = expression(
    rf"(?<=\w)(?:{_INSIDE})"
    rf"|(?:{_LEAKS}){_NAME}\s*+(?:<\|constrain\|>)?(?:json|code)?\s*+(?:<\|message\|>)?\s*+\{{"
)
"""A mark that stands between a name and arguments, where the one before the name is missing."""
_TAGS_OF_CALLS = r"(?:[\w\-]{1,20}:)?(?:tool_?|function_?)?(?:call|use|tool|function|invoke)s?"
_TAGS_OF_NAMES = r"(?:(?:tool|function)_?)?name|tool|function|action"
_TAGS_OF_ARGUMENTS = (
    r"(?:(?:tool|action|function)_)?(?:arguments|args|parameters|params|kwargs)|(?:tool|action|function)_input"
)
_LEAK_SIGN = "[<✿>]"
"""What each begins with: one set of characters, so that a search skips all others fast."""
_LEAK_BEGINS = expression(
    rf"""
    {_LEAK_SIGN} (?i:
      (?<=<) (?:
        {_TAGS_OF_CALLS} (?: \s | > \s{{0,{MARGIN}}}+ < ) | (?: {_TAGS_OF_NAMES} ) > | [|｜]tool[▁_]call[▁_]begin
      )
    | (?<=✿) FUNCTION✿
    | (?<= ^ > ) >> \w
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
LEAK = expression(
    rf"""
    {_LEAK_SIGN} (?i:
      (?<=<) {_TAGS_OF_CALLS} \s [^<>\n]{{0,200}}? \b (?:name|function|tool) \s? = [^<>\n]{{1,200}}+ >
      \s*+ (?: {_FENCE} )? [{{｛<]
    | (?<=<) (?: {_TAGS_OF_NAMES} ) > \s*+ {_NAME} \s*+ </ \w{{1,40}}+ > \s*+ < (?: {_TAGS_OF_ARGUMENTS} ) >
    | (?<=<) (?: tool | function | action ) > \s*+ {_NAME} \s*+ </ \w{{1,40}}+ > \s*+ < input >
    | (?<=<) (?: {_TAGS_OF_CALLS} > \s*+ < (?: {_TAGS_OF_NAMES} ) | (?:tool|function)_?name | function | tool ) >
      \s*+ {_NAME} \s*+ </ \w{{1,40}}+ > \s*+ (?: {_FENCE} )? [{{｛]
    | (?<=<) [|｜]tool[▁_]call[▁_]begin[|｜]> \s*+ {_ID} \s*+ (?: {_FENCE} )? [{{｛]
    | (?<=✿) FUNCTION✿ [ ]?[:：] \s*+ {_NAME} \s*+ ✿
    | (?<= ^ > ) >> (?! {"|".join(sorted(marks.PEOPLE))} ) {_NAME} [ \t]*+ \r?\n \s*+ [{{｛]
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
"""A call whose marks no notation has, or has otherwise: the name of a tool in a tag or behind a sign, and arguments."""
_CALL_IN_LIST = rf"\[ [ \t]? {_NAME} \( (?= \) | [ \t]*+ \w++ [ ]? = )"
_HAS_CALL_IN_LIST = expression(_CALL_IN_LIST, re.VERBOSE)
"""Finds at once that there is none; a search for the beginnings of lines takes many times as long."""
BARE_LIST = expression(rf"^ [ \t]*+ {_CALL_IN_LIST}", re.VERBOSE | re.MULTILINE)
"""On a line of its own, a list of calls as Python writes it; JSON never begins so."""
MOST_LISTS = 8
"""Most lines that begin so and are read to see whether they are one."""
_ONLY_OPENS = expression(r"\s*+(?:(?:```|~~~)\w{0,20}+\s*+)?\Z")
_AROUND_OBJECTS = frozenset({"open", "close", "turn_end"})
"""Marks around a call that is one object."""


def refuse_call(state: ParseState, *, listed: bool) -> None:
    """Refuse a text that holds the call of a tool outside of reasoning: a marked one, or a list of calls without marks.

    Raises:
        LLMJsonParseError: it does; its stage is `tool_call`.
    """
    place = place_of_list(state) if listed else place_of_call(state)
    if place is not None and (listed or not _may_be_wanted(state)):
        raise state.refused(HOLDS_CALL, "tool_call", place)


def _may_be_wanted(state: ParseState) -> bool:
    """Whether the only object is whole and has a name and arguments, and the type, if any, asks for such an object."""
    found = list(islice(state.scanner.outermost(), 2))
    if len(found) != 1 or found[0].problem or RepairKind.MISSING_BRACKET in kinds_of(found[0].edits):
        return False
    is_wanted = "object" in state.target.roots and is_wanted_call(found[0].data, state.target.own_keys())
    return is_wanted and wraps_object([state.text])


def is_wanted_call(data: object, fields: frozenset[str]) -> bool:
    """Whether an object has a name and arguments, and the type, if it has fields, asks for such an object."""
    fits = not fields or not (fields.isdisjoint(NAMES) or fields.isdisjoint(ARGUMENTS))
    return fits and isinstance(data, dict) and bool(names_of_calls(data))


def wraps_object(around: Iterable[str]) -> bool:
    """Whether all marks in parts of a text are those around a call that is one object."""
    return all(mark.mark.kind in _AROUND_OBJECTS for part in around for mark in marks.marks_of(part))


def is_to_a_tool(header: str) -> bool:
    """Whether a message of harmony with this header is a call."""
    recipient = marks.RECIPIENT.search(header)
    return recipient is not None and recipient["name"] not in marks.PEOPLE


def has_mark(text: str) -> bool:
    """Whether a part of the text has a mark of calls; one that ends all that a model says is none."""
    return _LEAK_BEGINS.search(text) is not None or any(mark.mark.kind != "turn_end" for mark in marks.marks_of(text))


def may_be_call(around: Iterable[str], inside: str) -> bool:
    """Whether an object in a text may be a call, or a part of one, for what stands around it."""
    is_wrapped = False
    for part in around:
        if _LEAK_BEGINS.search(part):
            return True
        for mark in marks.marks_of(part):
            if mark.mark.kind == "turn_end":
                continue
            if mark.mark.kind not in {"open", "close"} or part[mark.end :].strip():
                return True
            is_wrapped = True
    return is_wrapped and "name" in inside


def place_of_call(state: ParseState) -> int | None:
    """Where the first call in what is left of the text is marked; None if there is none.

    A mark in a string is text, and so is one in code that a sentence mentions.
    """
    scan, at, behind = state.scanner, 0, 0
    for mark in marks.marks_of(scan.text):
        place = mark.start
        if place < at or mark.mark.kind == "turn_end":
            continue
        if _is_call(scan, mark, behind) and not span_around(scan.code, place):
            at = scan.covering(at, place) or mark.end
            if at <= mark.end:
                return place
        behind = mark.end
    return _place_of_leak(scan) if _LEAK_BEGINS.search(scan.text) else None


def _place_of_leak(scan: Scan) -> int | None:
    at = 0
    for found in LEAK.finditer(scan.text):
        if found.start() >= at and not span_around(scan.code, found.start()):
            covered_to = scan.covering(at, found.start())
            if covered_to is None:
                return found.start()
            at = covered_to
    return None


def place_of_list(state: ParseState) -> int | None:
    """Where a list of calls stands without a mark, as Python writes it; None if there is none."""
    return next((place for place in state.scanner.once(bare_lists) if _is_list(state, place)), None)


def shows_only_lists(scan: Scan) -> bool:
    """Whether a list of calls may stand in the text, and no mark of calls does, which would be told instead."""
    return bool(scan.once(bare_lists)) and next(marks.marks_of(scan.text), None) is None


def bare_lists(text: str) -> tuple[int, ...]:
    """Where the first lines stand that begin as a list of calls."""
    found = islice(BARE_LIST.finditer(text), MOST_LISTS) if _HAS_CALL_IN_LIST.search(text) else ()
    return tuple(one.start() for one in found)


def _is_list(state: ParseState, place: int) -> bool:
    try:
        read_python_calls(state.text, place)
    except LLMJsonParseError:
        return False
    return state.scanner.covering(0, place) is None


def parameter_values(text: str) -> list[Span]:
    """Where the values between the tags of parameters stand: no mark in one is a mark."""
    found: list[Span] = []
    if not _ANY_VALUE.search(text):
        return found
    for mark in marks.marks_of(text):
        is_inside = bool(found) and mark.start < found[-1].end
        opening = opened_at(text, mark.start) if mark.mark.kind == "inner" and not is_inside else None
        if opening is None:
            continue
        edge = opening.edge()
        if edge is None:
            break
        if edge["closed"]:
            found.append(Span(opening.end, edge.start()))
    return found


def _argument_starts(text: str) -> frozenset[int]:
    """Where the values between the tags of parameters begin."""
    return frozenset(value.start for value in parameter_values(text))


def _is_call(scan: Scan, mark: marks.Found, behind: int) -> bool:
    """Whether a mark belongs to a call: it holds the name of a tool, or that stands beside it, and arguments.

    Args:
        scan: the parts of the text.
        mark: the mark.
        behind: the end of the one before it.
    """
    text, kind, end = scan.text, mark.mark.kind, mark.end
    if kind == "open":
        return NAMED_BODY.match(text, end) is not None or _opens_object(scan, end)
    if kind == "inner":
        opening = opened_at(text, mark.start)
        is_inside = INSIDE.match(text, mark.start) is not None
        return is_inside or (opening is not None and opening.end in scan.once(_argument_starts))
    if kind == "close":
        return _ends_object(scan, behind, mark.start)
    if kind != "call":
        return False
    if message := marks.MESSAGE.match(text, mark.start):
        return message["message"] is not None and is_to_a_tool(message.group())
    found = (one.expression.match(text, mark.start) for one in marks.HEADERS.get(text[mark.start], ()))
    header = next(filter(None, found), None)
    body = _NO_BODY if header and header.group().endswith("/>") else TAG_BODY
    return header is not None and body.match(text, header.end()) is not None


def _opens_object(scan: Scan, start: int) -> bool:
    """Whether the first object behind a mark is a call."""
    following = marks.next_mark(scan.text, start)
    end = following.start if following else len(scan.text)
    value = next(scan.values(start, end), None)
    if value is None:
        return False
    if value.problem:
        part = scan.text[value.start : end]
        return NAME_MEMBER.search(part) is not None and ARGUMENTS_MEMBER.search(part) is not None
    if names_of_calls(value.data):
        return True
    return is_only_a_name(value.data) and _ONLY_OPENS.match(scan.text[start : value.start]) is not None


def _ends_object(scan: Scan, start: int, end: int) -> bool:
    """Whether all that stands in front of a mark that ends a call is one: the mark before it ended the prompt."""
    value = next(scan.values(start, end), None)
    if value is None or value.problem:
        return False
    beside = scan.text[start : value.start] + scan.text[value.end : end]
    return not beside.strip() and bool(names_of_calls(value.data))
