"""Reads the calls that stand behind a mark: their names, and where their arguments are in whatever grammar."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.parse_reasons import NO_OBJECT, ROUND_BRACKETS
from src.shared.domain.reading.openings import LISTS_TOO
from src.shared.infrastructure.parsing.state import Span, Target
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS, RawCall
from src.shared.infrastructure.tool_call_forms.elements import ElementReader, Tool
from src.shared.infrastructure.tool_call_forms.marks import (
    BODY_HEADERS,
    HEADERS,
    PEOPLE,
    PYTHONIC,
    Found,
    any_of,
    behind_repeats,
    mark_at,
    named_marks,
    next_mark,
    pattern_of,
    plain_name,
    without_flags,
)
from src.shared.infrastructure.tool_call_forms.notations import TURN_ENDS, Grammar, Notation
from src.shared.infrastructure.tool_call_forms.parameters import ParameterReader, opened_at
from src.shared.infrastructure.tool_call_forms.python_calls import read_arguments, read_python_calls
from src.shared.infrastructure.tool_call_forms.typed_calls import TypedCalls
from src.shared.infrastructure.tool_call_forms.words import (
    CUT,
    NO_CALL,
    NOT_LITERAL,
    TOO_MANY,
    call_error,
    in_notation,
    not_a_parameter,
    of_tool,
)

_BLANK = expression(r"\s*+" + repeated(r"(?:```|~~~)[ \t]*+(?:\n\s*+|\Z)", "?"))
"""White space, and the end of a fence."""
_FENCE_END = expression(r"\s*+(?:`{2,}+|~{2,}+)[ \t]*+(?=\r?\n|\Z)")
_SPACE = expression(r"\s*+")
_OBJECT = expression(r"\s*+[{｛`~]")
_BEGINS_ARGUMENTS = expression(r"\s*+(?:[{｛`~\"\\]|null\b|\Z)")
_WORD = expression(r"\s*+(?P<name>[\w.:/\-]{1,200}+)")
_KEYWORDS = expression(r"\(\s*+(?:\)|\w++\s*+=)")
_ORDINARY_LABEL = expression(r"(?i:tool|function|name)|工具|函数|操作|调用")
"""A label that prose has, too: it counts at the beginning of a line, and in front of an object."""
_LETTER = expression(r"[^\W\d_]")
_LINE = 200
"""Most characters in front of a label that are looked at."""
_SAME = 12
"""Characters by which two marks are told apart."""
_ATTRIBUTE = expression(r"\s(?P<key>[\w\-]++)\s*+=\s*+")
_ENDS_CALL = frozenset({"close", "turn_end"})
_OPENS = frozenset({"open", "section", "call"})


@lru_cache(maxsize=64)
def _own_end(row: Notation) -> re.Pattern[str]:
    """What ends a call that has no arguments; the closing mark of another notation does not."""
    closings = (*row.ends, *(closed for _, closed in row.wraps), *TURN_ENDS)
    return expression(any_of(pattern_of(one) for one in closings if one))


class CallReader:
    """Reads the calls of one text, from a place at which one begins.

    Attributes:
        calls: those that were read.
    """

    def __init__(self, text: str, typed_calls: TypedCalls) -> None:
        self.calls: list[RawCall] = []
        self._text = text
        self._scanner = Target().scanner(text, typed_calls.work)
        self._json = typed_calls.json
        self._keys_of = typed_calls.keys
        self._has_none = typed_calls.has_none
        self._named = named_marks(self._json.names)
        is_named = any(name in text for name in self._json.names)  # much faster than the search that follows
        self._next_named = self._named.any.search(text) if is_named else None
        self._ahead: tuple[int, Found | None] = len(text) + 1, None
        self._wrapper: tuple[int, int, int] | None = None
        self._behind = self._behind_call = 0

    # --- what comes next ---

    def _named_from(self, at: int) -> re.Match[str] | None:
        """The first mark with the name of a tool from a place on; places only grow, so that each is found once."""
        if self._next_named is not None and self._next_named.start() < at:
            self._next_named = self._named.any.search(self._text, at)
        return self._next_named

    def _mark_from(self, at: int) -> Found | None:
        """The first mark from a place on, looked for once for all places before it."""
        since, found = self._ahead
        if at < since or (found is not None and found.start < at):
            found = next_mark(self._text, at)
            self._ahead = at, found
        return found

    def _in_json(self, start: int, place: int) -> int | None:
        """The end of undamaged JSON that opens between two places and reaches beyond the second one."""
        bracket = LISTS_TOO.search(self._text, start, place)
        while bracket >= 0 and self._scanner.work.is_left():
            value = self._scanner.strict_at(bracket)
            end = value.end if value else bracket + 1
            if end > place:
                return end
            bracket = LISTS_TOO.search(self._text, end, place)
        return None

    def _header(self, at: int) -> tuple[re.Match[str], Notation] | None:
        """The mark with the name of a tool that begins at a place."""
        sign = self._text[at : at + 1]
        for headers in (HEADERS, self._named.headers):
            for header in headers.get(sign, ()):
                found = header.expression.match(self._text, at)
                if found and found.groupdict().get("name") not in PEOPLE:
                    return found, header.row
        return None

    def _is_call(self, found: re.Match[str], row: Notation) -> bool:
        """Whether a header is that of a call: tags that any markup may have need parameters of the tool in them."""
        if not row.needs_a_tool:
            return True
        if found.group()[0] == "<":
            return row.grammar is not Grammar.TAGS or self._elements(found).is_call()
        if not _ORDINARY_LABEL.match(found.group()):
            return True
        before = self._text[max(0, found.start() - _LINE) : found.start()].rpartition("\n")[2]
        return not _LETTER.search(before) and _OBJECT.match(self._text, found.end()) is not None

    def _opens(self, found: Found | None) -> bool:
        return found is not None and found.mark.kind in _OPENS

    def _nothing(self, start: int, at: int) -> LLMJsonParseError:
        is_cut = self._mark_from(at) is None
        return call_error(CUT if is_cut else NO_CALL, self._text, start, truncated=is_cut or None)

    def _wrap(self, start: int, end: int) -> int:
        """Remember that a mark has to hold calls."""
        self._wrapper = (*(self._wrapper or (start, len(self.calls)))[:2], end)
        return end

    # --- what stands behind a mark ---

    def _read(self, start: int, at: int) -> int:
        """Read the calls behind a mark that does not name a tool."""
        for header in BODY_HEADERS:
            if found := header.expression.match(self._text, at):
                return self._call(found, header.row, start)
        if PYTHONIC.match(self._text, at):
            return self._python(start, at)
        word = _WORD.match(self._text, at)
        if word and plain_name(word["name"], self._json.names) in self._json.names:
            if _OBJECT.match(self._text, word.end()):
                return self._arguments(word["name"], start, word.end(), None, None)
            return self._parameters(word["name"], start, word.end(), None)
        return self._objects(start, at)

    def _add(self, calls: Collection[RawCall], start: int) -> None:
        self.calls += calls
        if len(self.calls) > MAX_CALLS:
            raise call_error(TOO_MANY, self._text, start)

    def _take(self, calls: Collection[RawCall], end: int) -> int:
        self._behind = self._behind_call = end
        self._add(calls, end)
        return end

    def _call(self, found: re.Match[str], row: Notation, start: int) -> int:
        """Read one call whose name is known."""
        groups = found.groupdict()
        name = groups.get("name") or groups.get("id") or ""
        try:
            end = self._named_call(found, row, start, name)
            self._check_attributes(found, row, name, end)
        except LLMJsonParseError as error:
            plain = plain_name(name, self._json.names)
            raise in_notation(error, row, plain, self._keys_of(plain)) from error.__cause__
        return end

    def _check_attributes(self, found: re.Match[str], row: Notation, name: str, end: int) -> None:
        """Refuse a header whose attributes hold a parameter of the tool that is not given behind it."""
        if "attributes" in found.groupdict() or not found.groupdict().get("name"):
            return
        for one in _ATTRIBUTE.finditer(self._text, *found.span()):
            is_own = one.end() in range(found.start("name") - 3, found.start("name") + 1) or any(
                f" {one['key']}=" in mark for mark in row.calls
            )
            if not is_own and one["key"] in self._keys_of(name) and one["key"] not in self._text[found.end() : end]:
                raise call_error(not_a_parameter(name), self._text, one.start("key"))

    def _named_call(self, found: re.Match[str], row: Notation, start: int, name: str) -> int:
        if row.needs_a_tool and found.group()[0] == "<":  # tags that any markup may have
            return self._element_call(found, row, start, name)
        id_, at = found.groupdict().get("id"), found.end()
        while (same := found.re.match(self._text, match_end(_SPACE, self._text, at))) and same[0] == found[0]:
            at = same.end()
        if self._is_around(found, mark_at(self._text, match_end(_SPACE, self._text, at)), row):
            return self._wrap(start, at)
        if self._text.startswith("(", at):
            return self._in_round_brackets(name, start, at, row)
        if row.parameter[0] and (found.group().endswith("/>") or not _OBJECT.match(self._text, at)):
            is_known = plain_name(name, self._json.names) in self._json.names
            if is_known and not opened_at(self._text, at) and self._elements(found).child(at):
                return self._element_call(found, row, start, name)
            return self._parameters(name, start, at, row)
        return self._arguments(name, start, at, row, id_)

    def _is_around(self, found: re.Match[str], following: Found | None, row: Notation) -> bool:
        """Whether the mark with a name stands around another notation's call."""
        if not self._opens(following) or row.parameter[0]:
            return False
        return following is not None and not self._text.startswith(found.group()[:_SAME], following.start)

    def _part(self, at: int) -> tuple[int, int, bool | None]:
        """The part up to the next mark that is in no string: its end, where to go on, and whether it shows the end.

        The end of the text shows nothing, whatever is known of the model: servers say `stop` of calls that were cut.
        """
        place = at
        named = self._named_from(at)
        while found := self._mark_from(place):
            if named and place <= named.start() < found.start and self._in_json(at, named.start()) is None:
                return named.start(), named.start(), None
            covered = self._in_json(at, found.start)
            if covered is None:
                is_end = found.mark.kind in _ENDS_CALL
                shows_end = is_end or found.mark.kind == "section_end"
                return found.start, behind_repeats(self._text, found) if is_end else found.start, shows_end or None
            place = at = covered
            if named and named.start() < at:
                named = self._named_from(at)
        end = named.start() if named and self._in_json(at, named.start()) is None else len(self._text)
        return end, end, None

    def _arguments(self, name: str, start: int, at: int, row: Notation | None, id_: str | None) -> int:
        end, behind, finished = self._part(at)
        text = self._text[at:end]
        if not text.strip() and not finished:
            raise call_error(CUT, self._text, at, truncated=True)
        if not text.strip() and self._wrapper is None and row and not _own_end(row).match(self._text, end):
            raise call_error(NO_CALL, self._text, start)
        if not _BEGINS_ARGUMENTS.match(text):
            raise call_error(NO_CALL, self._text, start)
        if row and row.grammar is Grammar.FLAGS:
            text = self._inside(text)
        call = RawCall(name, Span(start, behind), text, at, finished, id=id_, row=row)
        return self._take([call], behind)

    def _inside(self, text: str) -> str:
        """Arguments inside an object that ends behind them."""
        text = text.rstrip()
        if not text.endswith("}"):
            raise call_error(CUT, self._text, len(self._text), truncated=True)
        return without_flags(text[:-1])

    def _in_round_brackets(self, name: str, start: int, at: int, row: Notation) -> int:
        if _KEYWORDS.match(self._text, at):
            written, end = read_arguments(self._text, at + 1)
            behind = self._behind_end(end)
            if behind is None and self._text[end:].strip():
                raise call_error(NOT_LITERAL, self._text, end)
            data = self._decoded(name, written)
            return self._take([RawCall(name, Span(start, behind or end), data=data, row=row)], behind or end)
        end, behind, finished = self._part(at)
        text = self._text[at:end].rstrip()
        if not text.endswith(")"):
            raise call_error(NO_CALL if finished else CUT, self._text, end, truncated=not finished or None)
        call = RawCall(name, Span(start, behind), f"{{{text[1:-1]}}}", at, finished, row=row)
        return self._take([call], behind)

    def _parameters(self, name: str, start: int, at: int, row: Notation | None) -> int:
        reader = ParameterReader(self._text, name, self._keys_of(name))
        parameters, end = reader.read(at)
        behind = self._behind_end(end)
        if behind is None and self._opens(mark_at(self._text, match_end(_SPACE, self._text, end))):
            behind = end  # the next call
        if behind is None and end == at and self._text.endswith("/>", start, at):
            behind = at
        if behind is None:
            is_cut = not self._text[end:].strip()
            raise call_error(CUT if is_cut else not_a_parameter(name), self._text, end, truncated=is_cut or None)
        return self._take([RawCall(name, Span(start, behind), parameters=parameters, row=row)], behind)

    def _elements(self, found: re.Match[str]) -> ElementReader:
        """What reads the element that a header with the name of a tool opens."""
        name = plain_name(found["name"], self._json.names)
        return ElementReader(self._text, found, Tool(name, self._keys_of(name), self._has_none(name)))

    def _element_call(self, found: re.Match[str], row: Notation, start: int, name: str) -> int:
        """Read the call whose arguments stand in an element: as JSON, or each in one of its own or in an attribute."""
        elements, at = self._elements(found), match_end(_SPACE, self._text, found.end())
        if found.group().endswith("/>") or not _OBJECT.match(self._text, at):
            parameters, end = elements.read()
            return self._take([RawCall(name, Span(start, end), parameters=parameters, row=row)], end)
        value = self._scanner.strict_at(at)
        closed = elements.end(value.end) if value else None
        if value is None or closed is None:
            return self._arguments(name, start, at, row, None)
        call = RawCall(name, Span(start, closed), self._text[at : value.end], at, finished=True, row=row)
        return self._take([call], closed)

    def _behind_end(self, at: int) -> int | None:
        """The offset behind the mark that ends a call, if it comes next."""
        found = mark_at(self._text, match_end(_BLANK, self._text, at))
        return behind_repeats(self._text, found) if found and found.mark.kind in _ENDS_CALL else None

    def _python(self, start: int, at: int) -> int:
        calls, behind = self.python(at)
        fence = _FENCE_END.match(self._text, behind) if self._text[start] in "`~" else None
        end = self._behind_end(behind) or (fence and fence.end())
        if end is None and at != start and _BLANK.fullmatch(self._text, behind) is None:
            raise call_error(NOT_LITERAL, self._text, behind)
        return self._take(calls, end or behind)

    def python(self, at: int, text: str | None = None) -> tuple[list[RawCall], int]:
        """The calls from an offset on, as Python writes them, and the offset behind them.

        Raises:
            LLMJsonParseError: they cannot be read.
        """
        found, end = read_python_calls(self._text if text is None else text, at)
        return [RawCall(one.name, one.span, data=self._decoded(one.name, one.arguments)) for one in found], end

    def _decoded(self, name: str, written: str) -> dict[str, object]:
        try:
            data: dict[str, object] = self._json.decoded(written, finished=None)
        except LLMJsonParseError as error:
            raise of_tool(error, name, self._text, None) from error
        return data

    def _objects(self, start: int, at: int) -> int:
        end, behind, finished = self._part(at)
        if not self._text[at:end].strip():
            raise self._nothing(start, at)
        begin = start if self._text.startswith(("```", "~~~"), start) else at
        calls = self._envelopes(begin, end, finished=finished)
        if not calls:
            raise call_error(NO_CALL, self._text, start)
        return self._take([call._replace(span=Span(start, behind)) for call in calls], behind)

    def _envelopes(self, start: int, end: int, *, finished: bool | None) -> list[RawCall]:
        """The calls that a part of the text consists of; empty if it is none."""
        try:
            return self._json.envelopes(start, end, finished=finished)
        except LLMJsonParseError as error:
            if error.details.get("json_error") in {NO_OBJECT.en, ROUND_BRACKETS.en}:
                raise self._nothing(start, end) from error
            raise of_tool(error, "", self._text, start) from error
