"""Parameters that stand between marks, `<parameter=city>Paris</parameter>`, or in elements, `<search city="Paris"/>`.

A value ends at its own mark, where a call can go on behind it; any other mark in it is text. Where that mark, or a part
of the one that opens it, is missing, the names of the tool's parameters tell what it was.

Elements are the tags of any markup: one counts only where its parameters are those of the tool, and a value is read
only where it ends in one place and markup would say the same as the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.infrastructure.parsing.expected import Expected
from src.shared.infrastructure.tool_call_forms import marks, words
from src.shared.infrastructure.tool_call_forms.call_objects import Parameter
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Grammar, Notation

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


def _spellings() -> Iterator[Spelling]:
    rows: dict[tuple[str, str], list[Notation]] = {}
    for row in NOTATIONS:
        if row.parameter[0]:
            rows.setdefault(row.parameter, []).append(row)
    for (opened, closed), of_it in rows.items():
        again = marks.pattern_of(opened, key="(?P=key)")
        inner = [marks.pattern_of(part) for part in re.split(r"\{key\}|~", opened) if Grammar.PAIRS is of_it[0].grammar]
        calls = [marks.pattern_of(marks.head_of(call)) for row in of_it for call in row.calls if marks.head_of(call)]
        ends = [marks.pattern_of(end) for row in of_it for end in row.ends or [wrap[1] for wrap in row.wraps]]
        last = [*inner, *map(marks.pattern_of, _TOKEN.findall(opened))][-1:]
        yield Spelling(
            expression(rf"\s*+{marks.pattern_of(opened)}(?:{again})?" + "".join(f"(?:{one})?" for one in last)),
            closed,
            expression(inner[-1] if inner else marks.pattern_of(_TAG_NAME.split(opened)[0])),
            marks.any_of([marks.pattern_of(marks.head_of(opened)), *inner, *calls]),
            expression(marks.any_of(ends)),
            of_it[0],
        )


SPELLINGS = tuple(_spellings())
_CLOSES = marks.any_of([one.pattern for one in marks.MARKS if one.kind in {"close", "section_end", "turn_end", "call"}])
_OPENS = marks.any_of([marks.pattern_of(marks.head_of(row.parameter[0])) for row in NOTATIONS if row.parameter[0]])
_NEXT = expression(rf"\s*+(?:{_OPENS}|{_CLOSES})")


class _Ends(NamedTuple):
    """What may be the end of a value.

    Attributes:
        edge: what ends it, or begins another although it has not ended.
        behind: what may stand behind it: the same mark again, another parameter, or the end of the call.
        spoken: the mark that closes it, between words of a line in which it stands once more.
    """

    edge: re.Pattern[str]
    behind: re.Pattern[str]
    spoken: re.Pattern[str]


@lru_cache(maxsize=256)
def _ends(spelling: Spelling, key: str) -> _Ends:
    closed = marks.pattern_of(spelling.closed, key=re.escape(key))
    return _Ends(
        expression(rf"(?P<closed>{closed})|{spelling.heads}"),
        expression(repeated(rf"\s*+{closed}") + rf"(?=\s*+(?:{_OPENS}|{_CLOSES}|\Z))"),
        expression(rf"(?<=[ \t\"'`(]){closed}(?=[\s\"'`).,;:!?])[^<>\n]*+(?={closed})"),
    )


class Opening(NamedTuple):
    """The mark that opens the value of a parameter.

    Attributes:
        text: the whole text.
        spelling: how the value is written.
        match: the mark.
    """

    text: str
    spelling: Spelling
    match: re.Match[str]

    @property
    def key(self) -> str:
        """The name of the parameter."""
        return self.match["key"].strip()

    @property
    def end(self) -> int:
        """Where the value begins."""
        return self.match.end()

    @property
    def ends(self) -> _Ends:
        """What may end the value."""
        return _ends(self.spelling, self.match["key"] if "{key}" in self.spelling.closed else "")

    def edge(self) -> re.Match[str] | None:
        """The mark that closes the value, or the first that has no place in one.

        One that stands in a line between words, behind which no call goes on, is text; so is one inside a line where
        the template puts each on a line of its own.
        """
        ends, text = self.ends, self.text
        first, are_spoken = None, True
        for found in ends.edge.finditer(text, self.end):
            is_inside = text[found.start() - 1] != "\n"
            if not found["closed"] or ends.behind.match(text, found.end()):
                return found if are_spoken or not (found["closed"] and is_inside) else first
            first = first or found
            is_spoken = ends.spoken.match(text, found.start()) is not None
            are_spoken &= is_spoken
            is_padded = self.spelling.row.is_padded and is_inside and not _TAG_BEHIND.match(text, found.end())
            if not (is_spoken or is_padded):
                return first
        return first

    def goes_on_at(self, edge: re.Match[str]) -> int | None:
        """Where the call goes on, or ends, with a mark that stands behind the one of the value already."""
        found = self.ends.behind.match(self.text, edge.end())
        return found.end() if found and self.text[found.end() :].strip() else None

    def is_certain(self, edge: re.Match[str], behind: int) -> bool:
        """Whether a value that its mark closes is no other one: no part of the marks around it is left in it.

        A mark that opens a value in it, and one more that closes it, may be of the value, or may have been doubled.
        """
        value = self.text[self.end : edge.start()]
        first, last = _TOKEN.findall(self.match.group())[-1:], _TOKEN.findall(self.spelling.closed)[:1]
        begins_again = "{key}" in self.spelling.closed and value.startswith(f"<{self.match['key']}>")
        is_left = value.startswith(tuple(first)) or value.endswith(tuple(last)) or _REST_OF_TAG.match(value)
        if is_left or begins_again or behind == edge.end():
            return not (is_left or begins_again)
        return len(self.spelling.again.findall(self.text, self.match.start(), edge.start())) <= 1

    def parameter(self, value: str) -> Parameter:
        """The parameter with this text as its value."""
        said = {_IS_TEXT.get(one["type"].lower()) for one in _TYPED.finditer(self.match.group())} - {None}
        row, is_text = self.spelling.row, said.pop() if len(said) == 1 else None
        return Parameter(self.key, value, row.is_padded, is_text, row.is_json_first, self.end)


def opened_at(text: str, at: int) -> Opening | None:
    """The parameter that begins at a place, white space apart."""
    found = ((one, one.opened.match(text, at)) for one in SPELLINGS)
    return next((Opening(text, one, match) for one, match in found if match), None)


def may_be_named(key: str, keys: Collection[str]) -> bool:
    """Whether the name of a parameter, as a tag tells it, is not that of one there is with a piece of a mark."""
    return key in keys or {*_NOT_OF_NAMES.split(key)}.isdisjoint(keys)


class ParameterReader:
    """Reads the parameters of one call.

    Args:
        text: the whole text.
        name: the tool.
        expected: what is known of its parameters.
    """

    def __init__(self, text: str, name: str, expected: Expected) -> None:
        self._text = text
        self._name = name
        self._keys = expected.names
        self._takes_any = not expected.names and not expected.has_no_fields
        self._found: dict[str, Parameter] = {}
        self._is_open = False

    def read(self, at: int) -> tuple[tuple[Parameter, ...], int]:
        """The parameters that stand one behind the other from an offset on, and the offset behind them.

        Raises:
            LLMJsonParseError: a value does not end, or may end in two places, or one of them stands there twice.
        """
        while opening := opened_at(self._text, at):
            start, key = opening.match.start(), opening.key
            if key in self._found:
                raise words.call_error(words.TWICE, self._text, start)
            if not may_be_named(key, self._keys):
                raise words.call_error(words.not_a_parameter(self._name), self._text, start)
            end, at, is_closed = self._value(opening)
            text = self._text[opening.end : end]
            self._is_open |= not is_closed
            is_cut_short = not is_closed and not opening.spelling.row.is_padded
            self._found[key] = opening.parameter(text.removesuffix("\n") if is_cut_short else text)
        return tuple(self._found.values()), at

    def _value(self, opening: Opening) -> tuple[int, int, bool]:
        """Where a value ends, where to go on, and whether its own mark is there."""
        is_empty = opening.match.group().endswith("/>")
        if is_empty and _NEXT.match(self._text, opening.end):
            return opening.end, opening.end, True
        edge, ends = opening.edge(), opening.ends
        if edge is not None and edge["closed"]:
            behind = match_end(ends.behind, self._text, edge.end())
            is_twice = self._is_open and len(ends.edge.findall(self._text, opening.end, behind)) > 1
            if is_twice or not opening.is_certain(edge, behind):
                raise self._two_values(opening.key, opening.match.start())
            return edge.start(), behind, True
        if is_empty:
            raise self._two_values(opening.key, opening.match.start())
        limit = len(self._text) if edge is None else edge.start()
        is_next = edge is not None and self._is_next(limit) and not self._ends_in_a_tag(opening.end, limit)
        end = limit if is_next else self._end_of_call(opening, limit)
        return end, end, False

    def _is_next(self, at: int) -> bool:
        """Whether another parameter of the tool begins at a place, on a line of its own or behind a mark."""
        opening = opened_at(self._text, at)
        is_apart = self._text[at - 1] == "\n" or not self._text[at - 1].isspace()
        return opening is not None and is_apart and opening.key in {*self._keys} - {*self._found}

    def _ends_in_a_tag(self, start: int, end: int) -> bool:
        """Whether a value that is not closed ends in what may be the rest of its mark."""
        return _TAG_AT_END.search(self._text, max(start, end - _TAG_LIMIT), end) is not None

    def _end_of_call(self, opening: Opening, limit: int) -> int:
        """Where the call ends, and with it a value of which the mark is missing, if that is there just once."""
        row, ends = opening.spelling.row, [*opening.spelling.ends.finditer(self._text, opening.end, limit)]
        problem = words.not_closed(opening.key, self._name)
        if not ends:
            is_cut = limit == len(self._text)
            place = limit if is_cut else opening.match.start()
            raise words.call_error(problem, self._text, place, truncated=is_cut)
        end = ends[0].start()
        before = self._text[max(0, end - 2) : end]
        is_apart = before[-1:] == "\n" != before[0] if row.is_padded else not before[-1:].isspace()
        is_damaged = self._ends_in_a_tag(opening.end, end)
        if len(ends) > 1 or not is_apart or is_damaged or opening.key not in self._keys:
            raise self._two_values(opening.key, opening.match.start())
        if row.ends and not self._text[ends[0].end() :].strip():  # it may stand in a value that was cut off
            raise words.call_error(problem, self._text, len(self._text), truncated=True)
        return end

    def _two_values(self, key: str, place: int) -> LLMJsonParseError:
        return words.call_error(words.two_values(key, self._name), self._text, place)


# --- elements ---

_TAG = expression(r"<(?P<name>[\w:.\-]++)")
_CHILD = expression(rf"\s*+<(?P<key>[\w.\-]{{1,{marks.NAME_LIMIT}}}+)(?:\s[^<>/]*+)?>")
_ATTRIBUTE = expression(r"\s(?P<key>[\w\-]++)\s?=\s?(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')")
_IS_MARKUP = expression(r"&(?:\w{2,8}|#\w{1,8});|<!\[CDATA\[|\A>|<\Z")
"""Text that markup would read as something else, or a sign of a tag that was damaged."""
_SHOWN = 500
"""Most characters of an element that a sentence shows."""


class ElementReader(ParameterReader):
    """Reads the arguments of one call from the element that a header opens.

    Attributes:
        is_empty: whether the element ends with its header.
    """

    def __init__(self, text: str, name: str, expected: Expected, header: re.Match[str]) -> None:
        """Look at the header; without names of parameters a tool takes any, unless it is known to have none."""
        super().__init__(text, name, expected)
        self.is_empty = header.group().endswith("/>")
        self._header = header
        self._begin = marks.behind_space(text, header.end())
        written = header.groupdict().get("attributes") or ""
        self._attributes = [*_ATTRIBUTE.finditer(text, *header.span("attributes"))] if written else []
        self._tags = _TAG.findall(header.group().replace(written, "")) or [""]
        self._end_tag = expression(rf"\s*+</{re.escape(self._tags[-1])}\s*+>")

    def is_call(self) -> bool:
        """Whether the element belongs to a call: what it holds are parameters of the tool, and prose speaks of none."""
        at = self._begin
        if any(one["key"] in self._keys for one in self._attributes) or self._text.startswith("{", at):
            return True
        if not self.is_empty and (self.child(at) or self._begins_child(at) or opened_at(self._text, at)):
            return True
        is_alone = not marks.line_before(self._text, self._header.start()).strip()
        has_none = not self._keys and not self._takes_any and not self._attributes
        is_whole = has_none and (self.is_empty or self.end(at) is not None)
        return is_alone and (is_whole or at == len(self._text))

    def child(self, at: int) -> re.Match[str] | None:
        """The element of a parameter that begins at a place, white space apart."""
        found = _CHILD.match(self._text, at)
        return found if found and (found["key"] in self._keys or self._takes_any) else None

    def end(self, at: int) -> int | None:
        """The offset behind the end of the element, if it comes next."""
        found = self._end_tag.match(self._text, at)
        return found.end() if found else None

    def first_end(self) -> int | None:
        """The first place behind which the element may have ended."""
        at = self._header.end()
        found = self._header if self.is_empty else self._end_tag.search(self._text, at, at + _SHOWN)
        return found.end() if found else None

    def read_element(self) -> tuple[tuple[Parameter, ...], int]:
        """The parameters of the call, and the offset behind it.

        Raises:
            LLMJsonParseError: something else stands in it, or a value may end in two places, or the text ends before.
        """
        for one in self._attributes:
            kind = "single" if one["double"] is None else "double"
            place = one.start(kind)
            if one["key"] not in self._keys and not self._takes_any:
                raise words.call_error(words.not_a_parameter(self._name), self._text, place)
            self._add(Parameter(one["key"], one[kind], place=place), place)
        at = self._header.end()
        while not self.is_empty and (child := self.child(at)):
            at = self._value_of(child)
        if not self._found and not self.is_empty:
            _, at = self.read(at)
        end = at if self.is_empty else self.end(at)
        if end is not None:
            return tuple(self._found.values()), end
        if self._text[at:].strip() and not self._begins_child(marks.behind_space(self._text, at)):
            raise words.call_error(words.not_a_parameter(self._name), self._text, at)
        raise words.call_error(words.CUT, self._text, len(self._text), truncated=True)

    def _value_of(self, child: re.Match[str]) -> int:
        """Take the value of a parameter's element; where the next one begins."""
        key, start, closing = child["key"], child.end(), f"</{child['key']}>"
        end = self._text.find(closing, start)
        if end < 0:
            raise words.call_error(words.not_closed(key, self._name), self._text, child.start("key") - 1)
        behind = end + len(closing)
        again = self._text.find(closing, behind)
        if again >= 0:
            rest, last = marks.behind_space(self._text, behind), again + len(closing)
            goes_on = self._goes_on(behind) or rest == len(self._text) or self._begins_child(rest)
            if not goes_on or (self._goes_on(last) and self._text.find(f"<{key}", behind, again) < 0):
                raise self._two_values(key, start)
        self._add(Parameter(key, self._text[start:end], is_padded=True, place=start), child.start("key") - 1)
        return behind

    def _goes_on(self, at: int) -> bool:
        """Whether another parameter, or the end of the element, comes next."""
        return self.child(at) is not None or self.end(at) is not None

    def _begins_child(self, at: int) -> bool:
        """Whether the text ends in the first signs of another tag."""
        rest = self._text[at + 1 : at + marks.NAME_LIMIT]
        is_last = self._text.startswith("<", at) and at + 1 + len(rest) == len(self._text)
        tags = (*self._keys, *(f"/{one}" for one in self._tags))
        return is_last and any(one.startswith(rest.rstrip()) for one in tags)

    def _add(self, parameter: Parameter, place: int) -> None:
        if parameter.key in self._found:
            raise words.call_error(words.TWICE, self._text, place)
        begins_again = parameter.text.startswith(f"<{parameter.key}>")
        if begins_again or _IS_MARKUP.search(parameter.text):
            raise self._two_values(parameter.key, place)
        self._found[parameter.key] = parameter
