"""Parameters that stand between marks, such as `<parameter=city>Paris</parameter>`.

A value ends at its own mark, where a call can go on behind it; any other mark in it is text. Where that mark, or a part
of the one that opens it, is missing, the names of the tool's parameters tell what it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.expression import expression, repeated
from src.shared.infrastructure.tool_call_forms.call_objects import Parameter
from src.shared.infrastructure.tool_call_forms.marks import MARKS, any_of, head_of, pattern_of
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Grammar, Notation
from src.shared.infrastructure.tool_call_forms.words import TWICE, TWO_VALUES, call_error, not_closed

_TAG_BEHIND = expression(r"\s*+[<＜]")
_TAG_LIMIT = 60
_TAG_AT_END = expression(r"[<＜]|[|｜][>＞]?\s{0,9}\Z|/[^\n/]{0,60}[>＞]\s{0,9}\Z")
_TOKEN = expression(r"<\|[^<>|]{1,40}+\|>")


class Spelling(NamedTuple):
    """How the notations that have a pair of marks around values write them.

    Attributes:
        opened: what opens a value, once or twice.
        closed: the mark that closes it, as the row writes it.
        heads: what the next parameter, or the next call, begins with.
        ends: what ends the call.
        row: the first of the notations.
    """

    opened: re.Pattern[str]
    closed: str
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
        for marks in (row.parameter, *row.other_parameters):
            if marks[0]:
                rows.setdefault(marks, []).append(row)
    for (opened, closed), of_it in rows.items():
        again = pattern_of(opened, key="(?P=key)", text=r"\w++", type=r"\w++")
        inner = [pattern_of(part) for part in re.split(r"\{key\}|~", opened) if Grammar.PAIRS is of_it[0].grammar]
        calls = [pattern_of(head_of(call)) for row in of_it for call in row.calls if head_of(call)]
        ends = [pattern_of(end) for row in of_it for end in row.ends or [wrap[1] for wrap in row.wraps]]
        yield Spelling(
            expression(rf"\s*+{pattern_of(opened)}(?:{again})?" + (f"(?:{inner[-1]})?" if inner else "")),
            closed,
            any_of([pattern_of(head_of(opened)), *inner, *calls]),
            expression(any_of(ends)),
            of_it[0],
        )


SPELLINGS = tuple(_spellings())
_CLOSES = any_of([one.pattern for one in MARKS if one.kind in {"close", "section_end", "turn_end", "call"}])
_OPENS = any_of(
    [pattern_of(head_of(one)) for row in NOTATIONS for one, _ in (row.parameter, *row.other_parameters) if one]
)


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


def opened_at(text: str, at: int) -> tuple[Spelling, re.Match[str]] | None:
    """The parameter that begins at a place, white space apart."""
    found = ((one, one.opened.match(text, at)) for one in SPELLINGS)
    return next(((one, opened) for one, opened in found if opened), None)


def edge_of_value(text: str, spelling: Spelling, opened: re.Match[str]) -> re.Match[str] | None:
    """The mark that closes a value, or the first that has no place in one.

    Where the template puts each on a line of its own, one inside a line, behind which no call goes on, is text.
    """
    key = _varying(spelling, opened["key"])
    first = None
    for found in _edge(spelling, key).finditer(text, opened.end()):
        if not found["closed"] or _goes_on(spelling, key).match(text, found.end()):
            return found if first is None or not found["closed"] or text[found.start() - 1] == "\n" else first
        first = first or found
        is_text = spelling.row.is_padded and text[found.start() - 1] != "\n"
        if not is_text or _TAG_BEHIND.match(text, found.end()):
            return first
    return first


def edge_from(text: str, spelling: Spelling, opened: re.Match[str], at: int) -> re.Match[str] | None:
    """The first mark that may end a value, from a place on."""
    return _edge(spelling, _varying(spelling, opened["key"])).search(text, at)


def goes_on(text: str, spelling: Spelling, opened: re.Match[str], edge: re.Match[str]) -> bool:
    """Whether the call goes on, or ends, with a mark that stands behind the one of a value already."""
    found = _goes_on(spelling, _varying(spelling, opened["key"])).match(text, edge.end())
    return found is not None and not text[found.end() :].isspace() and found.end() < len(text)


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
            value = self._value(spelling, opened)
            if not self._is_whole(spelling, opened, value):
                raise call_error(not_closed(key, self._name), self._text, opened.start())
            text = self._text[opened.end() : value.end]
            is_cut_short = not value.is_closed and not spelling.row.is_padded
            self._found[key] = parameter_of(spelling, opened, text.removesuffix("\n") if is_cut_short else text)
            at = value.behind
        return tuple(self._found.values()), at

    def _value(self, spelling: Spelling, opened: re.Match[str]) -> _Value:
        edge = edge_of_value(self._text, spelling, opened)
        if edge is not None and edge["closed"]:
            again = _goes_on(spelling, _varying(spelling, opened["key"])).match(self._text, edge.end())
            return _Value(edge.start(), again.end() if again else edge.end())
        if edge is not None and self._is_next(edge.start()) and not self._ends_in_a_tag(opened.end(), edge.start()):
            return _Value(edge.start(), edge.start(), is_closed=False)
        return self._unclosed(spelling, opened, len(self._text) if edge is None else edge.start())

    def _is_next(self, at: int) -> bool:
        """Whether another parameter of the tool begins at a place, on a line of its own or behind a mark."""
        opening = opened_at(self._text, at)
        is_apart = self._text[at - 1] == "\n" or not self._text[at - 1].isspace()
        return opening is not None and is_apart and opening[1]["key"].strip() in {*self._keys} - {*self._found}

    def _is_whole(self, spelling: Spelling, opened: re.Match[str], value: _Value) -> bool:
        """Whether no part of the marks around a value may stand in it."""
        text = self._text[opened.end() : value.end]
        tokens = _TOKEN.findall(opened.group())[-1:], _TOKEN.findall(spelling.closed)[:1]
        return not (text.startswith(tuple(tokens[0])) or text.endswith(tuple(tokens[1])))

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
            raise call_error(TWO_VALUES, self._text, opened.start())
        if spelling.row.ends and not self._text[ends[0].end() :].strip():  # it may stand in a value that was cut off
            raise call_error(problem, self._text, len(self._text), truncated=True)
        return _Value(ends[0].start(), ends[0].start(), is_closed=False)


def parameter_of(spelling: Spelling, opened: re.Match[str], text: str) -> Parameter:
    """A parameter with this text as its value."""
    given = opened.groupdict()
    said = given.get("text") or given.get("type")
    is_text = said in {"true", "string"} if said else None
    row = spelling.row
    key = opened["key"].strip()
    return Parameter(key, text, is_padded=row.is_padded, is_text=is_text, is_json_first=row.is_json_first)
