"""Parameters that stand between marks, such as `<parameter=city>Paris</parameter>`.

A value ends at its own mark, where a call can go on behind it; any other mark in it is text. Where that mark, or a part
of the one that opens it, is missing, the names of the tool's parameters tell what it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.infrastructure.tool_call_forms.call_objects import Parameter
from src.shared.infrastructure.tool_call_forms.marks import MARKS, any_of, head_of, pattern_of
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Grammar, Notation
from src.shared.infrastructure.tool_call_forms.words import (
    TWICE,
    call_error,
    not_a_parameter,
    not_closed,
    two_values,
)

_TAG_BEHIND = expression(r"\s*+[<＜]")
_TAG_LIMIT = 60
_NOT_OF_NAMES = expression(r"[^\w.\-]++")
_TAG_NAME = expression(r"[ =](?=\w*+=?\"?\{)")
_TAG_AT_END = expression(r"[<＜]|[|｜][>＞]?\s{0,9}\Z|/[^\n/]{0,60}[>＞]\s{0,9}\Z")
_TOKEN = expression(r"<\|[^<>|]{1,40}+\|>")
_TYPED = expression(r"\s(?:string|type)\s*+=\s*+[\"'“”]?+(?P<type>\w++)")
_IS_TEXT = {
    **dict.fromkeys(("true", "string", "str"), True),
    **dict.fromkeys(("false", "integer", "int", "number", "float", "boolean", "bool", "null"), False),
    **dict.fromkeys(("object", "dict", "array", "list"), False),
}
"""Whether a value is text, by what an attribute of its tag says."""
_REST_OF_TAG = expression(
    rf"\W{{0,3}}\w{{0,40}}+\s*+=\s*+[\"'“”]?(?:{'|'.join(_IS_TEXT)})[\"'“”]?\s*+/?>", re.IGNORECASE
)


class Spelling(NamedTuple):
    """How the notations that have a pair of marks around values write them.

    Attributes:
        opened: what opens a value, once or twice.
        closed: the mark that closes it, as the row writes it.
        again: what a value that is in it begins with.
        heads: what the next parameter, or the next call, begins with.
        ends: what ends the call.
        row: the first of the notations.
    """

    opened: re.Pattern[str]
    closed: str
    again: re.Pattern[str]
    heads: str
    ends: re.Pattern[str]
    row: Notation


class _Value(NamedTuple):
    """Where a value ends, where to go on, and whether its own mark is there."""

    end: int
    behind: int
    is_closed: bool = True


def _spellings() -> Iterator[Spelling]:
    rows: dict[tuple[str, str], list[Notation]] = {}
    for row in NOTATIONS:
        if row.parameter[0]:
            rows.setdefault(row.parameter, []).append(row)
    for (opened, closed), of_it in rows.items():
        again = pattern_of(opened, key="(?P=key)")
        inner = [pattern_of(part) for part in re.split(r"\{key\}|~", opened) if Grammar.PAIRS is of_it[0].grammar]
        calls = [pattern_of(head_of(call)) for row in of_it for call in row.calls if head_of(call)]
        ends = [pattern_of(end) for row in of_it for end in row.ends or [wrap[1] for wrap in row.wraps]]
        last = [*inner, *map(pattern_of, _TOKEN.findall(opened))][-1:]
        yield Spelling(
            expression(rf"\s*+{pattern_of(opened)}(?:{again})?" + "".join(f"(?:{one})?" for one in last)),
            closed,
            expression(inner[-1] if inner else pattern_of(_TAG_NAME.split(opened)[0])),
            any_of([pattern_of(head_of(opened)), *inner, *calls]),
            expression(any_of(ends)),
            of_it[0],
        )


SPELLINGS = tuple(_spellings())
_CLOSES = any_of([one.pattern for one in MARKS if one.kind in {"close", "section_end", "turn_end", "call"}])
_OPENS = any_of([pattern_of(head_of(row.parameter[0])) for row in NOTATIONS if row.parameter[0]])
_NEXT = expression(rf"\s*+(?:{_OPENS}|{_CLOSES})")


@lru_cache(maxsize=256)
def _edge(spelling: Spelling, key: str) -> re.Pattern[str]:
    """What ends a value, or begins another although it has not ended."""
    return expression(rf"(?P<closed>{pattern_of(spelling.closed, key=re.escape(key))})|{spelling.heads}")


@lru_cache(maxsize=256)
def _goes_on(spelling: Spelling, key: str) -> re.Pattern[str]:
    """What may stand behind a value: the same mark again, another parameter, or the end of the call."""
    closed = pattern_of(spelling.closed, key=re.escape(key))
    again = repeated(rf"\s*+{closed}")
    return expression(rf"{again}(?=\s*+(?:{_OPENS}|{_CLOSES}|\Z))")


@lru_cache(maxsize=256)
def _spoken(spelling: Spelling, key: str) -> re.Pattern[str]:
    """The mark that closes a value, between words of a line in which it stands once more."""
    closed = pattern_of(spelling.closed, key=re.escape(key))
    return expression(rf"(?<=[ \t\"'`(]){closed}(?=[\s\"'`).,;:!?])[^<>\n]*+(?={closed})")


def opened_at(text: str, at: int) -> tuple[Spelling, re.Match[str]] | None:
    """The parameter that begins at a place, white space apart."""
    found = ((one, one.opened.match(text, at)) for one in SPELLINGS)
    return next(((one, opened) for one, opened in found if opened), None)


def edge_of_value(text: str, spelling: Spelling, opened: re.Match[str]) -> re.Match[str] | None:
    """The mark that closes a value, or the first that has no place in one.

    One that stands in a line between words, behind which no call goes on, is text; so is one inside a line where the
    template puts each on a line of its own.
    """
    key = _varying(spelling, opened["key"])
    first, are_spoken = None, True
    for found in _edge(spelling, key).finditer(text, opened.end()):
        is_inside = text[found.start() - 1] != "\n"
        if not found["closed"] or _goes_on(spelling, key).match(text, found.end()):
            return found if are_spoken or not (found["closed"] and is_inside) else first
        first = first or found
        is_spoken = _spoken(spelling, key).match(text, found.start()) is not None
        are_spoken &= is_spoken
        is_text = is_spoken or (spelling.row.is_padded and is_inside and not _TAG_BEHIND.match(text, found.end()))
        if not is_text:
            return first
    return first


def edge_from(text: str, spelling: Spelling, opened: re.Match[str], at: int) -> re.Match[str] | None:
    """The first mark that may end a value, from a place on."""
    return _edge(spelling, _varying(spelling, opened["key"])).search(text, at)


def goes_on_at(text: str, spelling: Spelling, opened: re.Match[str], edge: re.Match[str]) -> int | None:
    """Where the call goes on, or ends, with a mark that stands behind the one of a value already."""
    found = _goes_on(spelling, _varying(spelling, opened["key"])).match(text, edge.end())
    return found.end() if found and not text[found.end() :].isspace() and found.end() < len(text) else None


def is_certain(text: str, spelling: Spelling, opened: re.Match[str], edge: re.Match[str], behind: int) -> bool:
    """Whether a value that its mark closes is no other one: no part of the marks around it is left in it.

    A mark that opens a value in it, and one more that closes it: they may be of the value, or may have been doubled.
    """
    value = text[opened.end() : edge.start()]
    tokens = _TOKEN.findall(opened.group())[-1:], _TOKEN.findall(spelling.closed)[:1]
    begins_again = "{key}" in spelling.closed and value.startswith(f"<{opened['key']}>")
    is_left = value.startswith(tuple(tokens[0])) or value.endswith(tuple(tokens[1])) or _REST_OF_TAG.match(value)
    is_around = behind > edge.end() and len(spelling.again.findall(text, opened.start(), edge.start())) > 1
    return not (is_left or is_around or begins_again)


def may_be_named(key: str, keys: Collection[str]) -> bool:
    """Whether the name of a parameter, as a tag tells it, is not that of one there is with a piece of a mark."""
    return key in keys or {*_NOT_OF_NAMES.split(key)}.isdisjoint(keys)


def _varying(spelling: Spelling, key: str) -> str:
    return key if "{key}" in spelling.closed else ""


class ParameterReader:
    """Reads the parameters of one call.

    Args:
        text: the whole text.
        name: the tool.
        keys: the names of its parameters, where they are known.
    """

    def __init__(self, text: str, name: str, keys: Collection[str]) -> None:
        self._text = text
        self._name = name
        self._keys = keys
        self._found: dict[str, Parameter] = {}
        self._is_open = False

    def read(self, at: int) -> tuple[tuple[Parameter, ...], int]:
        """The parameters that stand one behind the other from an offset on, and the offset behind them.

        Raises:
            LLMJsonParseError: a value does not end, or may end in two places, or one of them stands there twice.
        """
        while opening := opened_at(self._text, at):
            spelling, opened = opening
            key = opened["key"].strip()
            if key in self._found:
                raise call_error(TWICE, self._text, opened.start())
            if not may_be_named(key, self._keys):
                raise call_error(not_a_parameter(self._name), self._text, opened.start())
            value = self._value(spelling, opened)
            text = self._text[opened.end() : value.end]
            self._is_open |= not value.is_closed
            is_cut_short = not value.is_closed and not spelling.row.is_padded
            self._found[key] = parameter_of(spelling, opened, text.removesuffix("\n") if is_cut_short else text)
            at = value.behind
        return tuple(self._found.values()), at

    def _value(self, spelling: Spelling, opened: re.Match[str]) -> _Value:
        is_empty = opened.group().endswith("/>")
        if is_empty and _NEXT.match(self._text, opened.end()):
            return _Value(opened.end(), opened.end())
        edge = edge_of_value(self._text, spelling, opened)
        if edge is not None and edge["closed"]:
            key = _varying(spelling, opened["key"])
            behind = match_end(_goes_on(spelling, key), self._text, edge.end())
            closed = _edge(spelling, key).findall(self._text, opened.end(), behind)
            if not is_certain(self._text, spelling, opened, edge, behind) or (self._is_open and len(closed) > 1):
                raise call_error(two_values(opened["key"].strip(), self._name), self._text, opened.start())
            return _Value(edge.start(), behind)
        if is_empty:
            raise call_error(two_values(opened["key"].strip(), self._name), self._text, opened.start())
        if edge is not None and self._is_next(edge.start()) and not self._ends_in_a_tag(opened.end(), edge.start()):
            return _Value(edge.start(), edge.start(), is_closed=False)
        return self._unclosed(spelling, opened, len(self._text) if edge is None else edge.start())

    def _is_next(self, at: int) -> bool:
        """Whether another parameter of the tool begins at a place, on a line of its own or behind a mark."""
        opening = opened_at(self._text, at)
        is_apart = self._text[at - 1] == "\n" or not self._text[at - 1].isspace()
        return opening is not None and is_apart and opening[1]["key"].strip() in {*self._keys} - {*self._found}

    def _ends_in_a_tag(self, start: int, end: int) -> bool:
        """Whether a value that is not closed ends in what may be the rest of its mark."""
        return _TAG_AT_END.search(self._text, max(start, end - _TAG_LIMIT), end) is not None

    def _unclosed(self, spelling: Spelling, opened: re.Match[str], limit: int) -> _Value:
        """The value of which the mark is missing: it reaches to the end of the call, if that is there just once."""
        ends = [*spelling.ends.finditer(self._text, opened.end(), limit)]
        problem = not_closed(opened["key"].strip(), self._name)
        if not ends:
            is_cut = limit == len(self._text)
            place = limit if is_cut else opened.start()
            raise call_error(problem, self._text, place, truncated=is_cut or None)
        before = self._text[max(0, ends[0].start() - 2) : ends[0].start()]
        is_apart = before[-1:] == "\n" != before[0] if spelling.row.is_padded else not before[-1:].isspace()
        is_damaged = self._ends_in_a_tag(opened.end(), ends[0].start())
        if len(ends) > 1 or not is_apart or is_damaged or opened["key"].strip() not in self._keys:
            raise call_error(two_values(opened["key"].strip(), self._name), self._text, opened.start())
        if spelling.row.ends and not self._text[ends[0].end() :].strip():  # it may stand in a value that was cut off
            raise call_error(problem, self._text, len(self._text), truncated=True)
        return _Value(ends[0].start(), ends[0].start(), is_closed=False)


def parameter_of(spelling: Spelling, opened: re.Match[str], text: str) -> Parameter:
    """A parameter with this text as its value."""
    said = {_IS_TEXT.get(one["type"].lower()) for one in _TYPED.finditer(opened.group())} - {None}
    is_text = said.pop() if len(said) == 1 else None
    row = spelling.row
    key = opened["key"].strip()
    return Parameter(key, text, row.is_padded, is_text, row.is_json_first, place=opened.end())
