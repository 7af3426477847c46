"""Walks through a text from mark to mark and reads the calls, in order, in whatever grammar their arguments are.

A mark in a string of undamaged JSON is text, and so is one in a parameter between marks, and one that is only
mentioned. A block of reasoning is passed over. A closing mark of reasoning that nothing opened makes reasoning of all
that stands before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from contextlib import suppress
from itertools import takewhile

from src.shared.domain.edits import LineIndex
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.parse_reasons import NO_OBJECT, ROUND_BRACKETS, TOO_DAMAGED, UNCLOSED_THINK
from src.shared.domain.reading.openings import LISTS_TOO
from src.shared.domain.reasoning import reasoning_marks
from src.shared.infrastructure.parsing.leaked_calls import is_to_a_tool
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.scan import MARK_COST, next_closings
from src.shared.infrastructure.parsing.state import Span, Target
from src.shared.infrastructure.tool_call_forms import marks, words
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS, RawCall
from src.shared.infrastructure.tool_call_forms.mentions import Mentions
from src.shared.infrastructure.tool_call_forms.notations import TURN_ENDS, Grammar, Notation
from src.shared.infrastructure.tool_call_forms.parameters import ElementReader, ParameterReader, opened_at
from src.shared.infrastructure.tool_call_forms.python_calls import read_arguments, read_python_calls
from src.shared.infrastructure.tool_call_forms.typed_calls import TypedCalls

_BLANK = expression(r"\s*+" + repeated(r"(?:```|~~~)[ \t]*+(?:\n\s*+|\Z)", "?"))
"""White space, and the end of a fence."""
_FENCE_END = expression(r"\s*+(?:`{2,}+|~{2,}+)[ \t]*+(?=\r?\n|\Z)")
_OBJECT = expression(r"\s*+[{｛`~]")
_BEGINS_ARGUMENTS = expression(r"\s*+(?:[{｛`~\"\\]|null\b|\Z)")
_WORD = expression(r"\s*+(?P<name>[\w.:/\-]{1,200}+)")
_KEYWORDS = expression(r"\(\s*+(?:\)|\w++\s*+=)")
_ORDINARY_LABEL = expression(r"(?i:tool|function|name)|工具|函数|操作|调用")
"""A label that prose has, too: it counts at the beginning of a line, and in front of an object."""
_LETTER = expression(r"[^\W\d_]")
_ATTRIBUTE = expression(r"\s(?P<key>[\w\-]++)\s*+=\s*+")
_CLOSING = expression(rf"(?=<[ ]?/){marks.REST.pattern}")
_ENDS_CALL = frozenset({"close", "turn_end"})
_OPENS = frozenset({"open", "section", "call"})


def _is_element(found: re.Match[str], row: Notation) -> bool:
    """Whether a header is a tag that any markup may have."""
    return row.needs_a_tool and found.group()[0] == "<"


class Reader:
    """One way through a text.

    Attributes:
        calls: those that were read.
        aside: the blocks of reasoning, and the marks that are only mentioned.
        marked: where the first mark of a call outside of them stands; None if there is none.
    """

    def __init__(self, text: str, typed_calls: TypedCalls, *, finished: bool | None, is_first: bool = True) -> None:
        self.calls: list[RawCall] = []
        self.aside: list[Span] = []
        self.marked: int | None = None
        self._text = text
        self._typed = typed_calls
        self._tools = typed_calls.tools
        self._scanner = Target().scanner(text, typed_calls.work)
        self._finished = finished
        self._is_first = is_first
        self._mentions = Mentions(text, self._tools.names)
        self._named = marks.named_marks(self._tools.names)
        is_named = any(name in text for name in self._tools.names)  # much faster than the search that follows
        self._next_named = self._named.any.search(text) if is_named else None
        self._ahead: tuple[int, marks.Found | None] = len(text) + 1, None
        self._wrapper: tuple[int, int, int] | None = None
        self._section: int | None = None
        self._guessed: int | None = None
        self._behind = self._behind_call = self._place = self._number = 0

    @property
    def reached(self) -> int:
        """The end of the last call or block of reasoning that was read."""
        following = marks.mark_at(self._text, self._behind_call) if self.calls else None
        is_whole = following is None or following.mark.kind != "inner"
        return self._behind_call if is_whole else self.calls[-1].span.start

    def run(self) -> None:
        """Go to the end of the text.

        Raises:
            LLMJsonParseError: a mark of a call stands there, and no call that can be read; or too many of reasoning.
        """
        self._thoughts = list(takewhile(lambda _: self._scanner.work.spend(MARK_COST), reasoning_marks(self._text)))
        if self._scanner.work.refused:
            raise not_json(TOO_DAMAGED, "think", self._text, root="call")
        self._closings = next_closings(self._thoughts)
        at = 0
        for _ in range(MAX_CALLS):
            try:
                self._go(at)
            except LLMJsonParseError:
                behind = self._lone_closing(self._place)
                if behind is None:
                    raise
                at = behind
                self._forget(at)
            else:
                return
        raise words.call_error(words.TOO_MANY, self._text, 0)

    def _go(self, at: int) -> None:
        while True:
            self._number = bisect_left(self._thoughts, (at,), self._number)
            mark, named = self._mark_from(at), self._named_from(at)
            thought = self._thoughts[self._number].start if self._number < len(self._thoughts) else None
            places = [one for one in (mark and mark.start, named and named.start(), thought) if one is not None]
            if not places:
                break
            self._place = place = min(places)
            if covered := self._in_json(at, place):
                at = covered
            elif mark and mark.start == place:
                at = self._at_mark(mark)
            else:
                at = self._at_thought() if place == thought else self._at_name(place)
        self._place = len(self._text)
        self._close_wrapper()
        if self._section is not None and self._finished is None:
            raise words.call_error(words.CUT, self._text, len(self._text), truncated=True)
        if self._guessed is not None and self._text[self._behind :].strip():
            raise self._unclosed(self._guessed)

    # --- reasoning ---

    def _at_thought(self) -> int:
        """Pass over reasoning."""
        thought, closing = self._thoughts[self._number], self._closings[self._number]
        is_text = thought.is_void or not (thought.is_firm or (closing is not None and not thought.closes))
        if thought.closes and not is_text:
            self._forget(thought.end)
        if thought.closes or is_text:
            return thought.end
        if closing is not None:
            return self._skip(thought.start, self._thoughts[closing].end)
        mark = marks.next_mark(self._text, thought.end)
        while mark and not mark.mark.is_certain:
            mark = marks.next_mark(self._text, mark.end)
        if mark is None:
            raise self._unclosed(thought.start)
        self._guessed = thought.start
        return self._skip(thought.start, mark.start)

    def _skip(self, start: int, end: int, *, is_thought: bool = True) -> int:
        """Leave a part of the text aside; a call that ends behind reasoning begins behind it, too."""
        if is_thought:
            self._behind = self._behind_call = end
        self.aside.append(Span(start, end))
        return end

    def _unclosed(self, place: int) -> LLMJsonParseError:
        position = LineIndex(self._text).position(place)
        return not_json(UNCLOSED_THINK, "think", self._text, position=position, root="call")

    def _lone_closing(self, place: int) -> int | None:
        """Behind the next closing mark of reasoning that nothing opened."""
        at = place
        for number in range(bisect_left(self._thoughts, (place,)), len(self._thoughts)):
            thought, closing = self._thoughts[number], self._closings[number]
            if thought.start < at or thought.is_void:
                continue
            at = self._in_json(at, thought.start) or thought.start  # no bracket before this mark is looked at again
            if thought.start < at or (thought.closes and not thought.is_firm):
                continue
            if thought.closes:
                return thought.end
            at = self._thoughts[closing].end if closing is not None else at
        return None

    def _forget(self, end: int) -> None:
        """All before a lone closing mark was reasoning."""
        self.calls.clear()
        self.aside[:] = [Span(0, end)]
        self.marked = None
        self._wrapper = self._section = self._guessed = None
        self._behind = self._behind_call = end

    # --- marks ---

    def _at_mark(self, found: marks.Found) -> int:
        """Go on behind a mark, or behind the calls that it opens."""
        kind = found.mark.kind
        if kind == "turn_end":
            self._close_wrapper()
            self._behind = self._behind if self._mentions.text_behind(self._behind) < found.start else found.end
            return found.end
        if kind == "call" and self._text.startswith(self._text[found.start : found.end], found.end):
            return found.end
        message = marks.MESSAGE.match(self._text, found.start) if kind == "call" else None
        if message and not is_to_a_tool(message.group()):
            return self._at_message(message)
        end = message.end() if message else found.end
        mentioned_to = self._mentions.end_of(found.start, end, self._behind_call)
        if mentioned_to is not None:
            return self._skip(found.start, mentioned_to, is_thought=False)
        self.marked = found.start if self.marked is None else self.marked
        return self._at_close(found) if kind == "close" else self._at_call_mark(found)

    def _at_call_mark(self, found: marks.Found) -> int:
        kind = found.mark.kind
        if kind == "section_end":
            self._section = None
            self._close_wrapper()
            self._behind = self._behind if self._text[self._behind : found.start].strip() else found.end
            return found.end
        if kind not in {"call", "inner"}:
            return self._at_open(found)
        header = self._header(found.start)
        return self._call(*header, found.start) if header else self._at_lone_mark(found)

    def _at_open(self, found: marks.Found) -> int:
        if self._wrapper is None or self._text[self._wrapper[2] : found.start].strip():
            self._close_wrapper()
        is_section = found.mark.kind == "section"
        self._section = found.start if is_section else self._section
        if is_section or self._opens_at(found.end) or self._header(marks.behind_space(self._text, found.end)):
            return self._wrap(found.start, found.end)
        return self._read(found.start, found.end)

    def _at_lone_mark(self, found: marks.Found) -> int:
        """Go on behind a mark that should hold the name of a tool: the calls that the next one opens are its own."""
        if found.mark.kind == "inner":
            raise words.call_error(words.NO_CALL, self._text, found.start)
        message = marks.MESSAGE.match(self._text, found.start)
        end = message.end() if message else found.end
        if (self._text[end - 1] == ">" or message) and self._opens_at(end):
            return self._wrap(found.start, end)
        raise self._nothing(found.start, found.end)

    def _at_name(self, place: int) -> int:
        """Read the call that begins with the name of a tool; an element that a sentence shows is none."""
        mentioned_to = self._mentions.end_of(place, place, self._behind_call)
        if mentioned_to is not None:
            return self._skip(place, mentioned_to, is_thought=False)
        header = self._header(place)
        if header and not self._is_call(*header):
            return header[0].end()
        end = self._elements(header[0]).first_end() if header and _is_element(*header) else None
        if end and self._mentions.is_in_sentence(marks.line_before(self._text, place), end, is_element=True):
            return self._skip(place, end, is_thought=False)
        self.marked = place if self.marked is None else self.marked
        return self._call(*header, place) if header else self._read(place, place)

    def _at_message(self, message: re.Match[str]) -> int:
        """A message that is no call: reasoning, or text."""
        if message.end() == len(self._text) and not message["message"]:
            raise words.call_error(words.CUT, self._text, message.end(), truncated=True)
        if not marks.ASIDE.search(message.group()):
            return message.end()
        end = marks.MESSAGE_END.search(self._text, message.end())
        if end is None:
            raise self._unclosed(message.start())
        return self._skip(message.start(), end.start())

    def _at_close(self, found: marks.Found) -> int:
        is_orphan = (bool(self.calls) or not self._is_first) and not self._text[self._behind : found.start].strip()
        if self._wrapper is not None:
            self._close_wrapper()
        elif not is_orphan:
            self._read_unopened(found.start)
        self._behind = self._behind_call = found.end
        return found.end

    def _read_unopened(self, end: int) -> None:
        """Read what ends with a mark whose partner is missing: the prompt may have ended with that one."""
        calls: list[RawCall] = []
        with suppress(LLMJsonParseError):
            if marks.PYTHONIC.match(self._text, self._behind):
                found, at = read_python_calls(self._text, self._behind)
                calls = found if not self._text[at:end].strip() else []
            calls = calls or self._envelopes(self._behind, end, finished=True)
        if not calls:
            raise words.call_error(words.NOT_OPENED, self._text, end)
        self._take(calls, end)

    def _close_wrapper(self) -> None:
        if self._wrapper is not None and len(self.calls) == self._wrapper[1]:
            raise words.call_error(words.NO_CALL, self._text, self._wrapper[0])
        self._wrapper = None

    # --- what comes next ---

    def _named_from(self, at: int) -> re.Match[str] | None:
        """The first mark with the name of a tool from a place on; places only grow, so that each is found once."""
        if self._next_named is not None and self._next_named.start() < at:
            self._next_named = self._named.any.search(self._text, at)
        return self._next_named

    def _mark_from(self, at: int) -> marks.Found | None:
        """The first mark from a place on, looked for once for all places before it."""
        since, found = self._ahead
        if at < since or (found is not None and found.start < at):
            found = marks.next_mark(self._text, at)
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
        headers = (*marks.HEADERS.get(sign, ()), *self._named.headers.get(sign, ()))
        found = ((one.expression.match(self._text, at), one.row) for one in headers)
        return next(((one, row) for one, row in found if one and one.groupdict().get("name") not in marks.PEOPLE), None)

    def _is_call(self, found: re.Match[str], row: Notation) -> bool:
        """Whether a header is that of a call: tags that any markup may have need parameters of the tool in them."""
        if _is_element(found, row):
            return row.grammar is not Grammar.TAGS or self._elements(found).is_call()
        if not (row.needs_a_tool and _ORDINARY_LABEL.match(found.group())):
            return True
        before = marks.line_before(self._text, found.start())
        return not _LETTER.search(before) and _OBJECT.match(self._text, found.end()) is not None

    def _opens_at(self, at: int) -> marks.Found | None:
        """The mark that opens calls and comes next, white space apart."""
        found = marks.mark_at(self._text, marks.behind_space(self._text, at))
        return found if found and found.mark.kind in _OPENS else None

    def _nothing(self, start: int, at: int) -> LLMJsonParseError:
        is_cut = self._mark_from(at) is None
        return words.call_error(words.CUT if is_cut else words.NO_CALL, self._text, start, truncated=is_cut)

    def _wrap(self, start: int, end: int) -> int:
        """Remember that a mark has to hold calls."""
        self._wrapper = (*(self._wrapper or (start, len(self.calls)))[:2], end)
        return end

    # --- what stands behind a mark ---

    def _read(self, start: int, at: int) -> int:
        """Read the calls behind a mark that does not name a tool."""
        for header in marks.BODY_HEADERS:
            if found := header.expression.match(self._text, at):
                return self._call(found, header.row, start)
        if marks.PYTHONIC.match(self._text, at):
            return self._python(start, at)
        word = _WORD.match(self._text, at)
        if word and self._tools.plain(word["name"]) in self._tools.names:
            if _OBJECT.match(self._text, word.end()):
                return self._arguments(word["name"], start, word.end(), None, None)
            return self._parameters(word["name"], start, word.end(), None)
        return self._objects(start, at)

    def _take(self, calls: Collection[RawCall], end: int) -> int:
        self._behind = self._behind_call = end
        self.calls += calls
        if len(self.calls) > MAX_CALLS:
            raise words.call_error(words.TOO_MANY, self._text, end)
        return end

    def _call(self, found: re.Match[str], row: Notation, start: int) -> int:
        """Read one call whose name is known."""
        groups = found.groupdict()
        name = groups.get("name") or groups.get("id") or ""
        try:
            end = self._named_call(found, row, start, name)
            self._check_attributes(found, row, name, end)
        except LLMJsonParseError as error:
            plain = self._tools.plain(name)
            raise words.add_notation(error, row, plain, self._tools.expected(name).names) from error.__cause__
        return end

    def _check_attributes(self, found: re.Match[str], row: Notation, name: str, end: int) -> None:
        """Refuse a header whose attributes hold a parameter of the tool that is not given behind it."""
        groups = found.groupdict()
        if "attributes" in groups or not groups.get("name"):
            return
        for one in _ATTRIBUTE.finditer(self._text, *found.span()):
            is_name = one.end() in range(found.start("name") - 3, found.start("name") + 1)
            is_own = is_name or any(f" {one['key']}=" in mark for mark in row.calls)
            is_missing = one["key"] not in self._text[found.end() : end]
            if is_missing and not is_own and one["key"] in self._tools.expected(name).names:
                raise words.call_error(words.not_a_parameter(name), self._text, one.start("key"))

    def _named_call(self, found: re.Match[str], row: Notation, start: int, name: str) -> int:
        if _is_element(found, row):
            return self._element_call(found, row, start, name)
        id_, at = found.groupdict().get("id"), found.end()
        while (same := found.re.match(self._text, marks.behind_space(self._text, at))) and same[0] == found[0]:
            at = same.end()
        following = None if row.parameter[0] else self._opens_at(at)
        if following and not self._text.startswith(found.group()[:12], following.start):  # another notation's call
            return self._wrap(start, at)
        if self._text.startswith("(", at):
            return self._in_round_brackets(name, start, at, row)
        if row.parameter[0] and (found.group().endswith("/>") or not _OBJECT.match(self._text, at)):
            is_known = self._tools.plain(name) in self._tools.names
            if is_known and not opened_at(self._text, at) and self._elements(found).child(at):
                return self._element_call(found, row, start, name)
            return self._parameters(name, start, at, row)
        return self._arguments(name, start, at, row, id_)

    def _part(self, at: int) -> tuple[int, int, bool | None]:
        """The part up to the next mark that is in no string: its end, where to go on, and whether it shows the end.

        The end of the text shows nothing, whatever is known of the model: servers say `stop` of calls that were cut.
        """
        while True:
            found, named = self._mark_from(at), self._named_from(at)
            places = [one for one in (found and found.start, named and named.start()) if one is not None]
            end = min(places, default=len(self._text))
            covered = self._in_json(at, end) if places else None
            if covered is None:
                break
            at = covered
        if found is None or found.start != end:
            return end, end, None
        is_end = found.mark.kind in _ENDS_CALL
        return end, found.end if is_end else end, is_end or found.mark.kind == "section_end" or None

    def _arguments(self, name: str, start: int, at: int, row: Notation | None, id_: str | None) -> int:
        end, behind, finished = self._part(at)
        text = self._text[at:end]
        is_empty = not text.strip()
        if is_empty and not finished:
            raise words.call_error(words.CUT, self._text, at, truncated=True)
        is_other = is_empty and self._wrapper is None and row and not self._is_own_end(row, end)
        if is_other or not _BEGINS_ARGUMENTS.match(text):
            raise words.call_error(words.NO_CALL, self._text, start)
        if row and row.grammar is Grammar.FLAGS:
            if not text.rstrip().endswith("}"):  # that of the object around them
                raise words.call_error(words.CUT, self._text, len(self._text), truncated=True)
            text = marks.without_flags(text.rstrip()[:-1])
        call = RawCall(name, Span(start, behind), text, at, finished, id=id_, row=row)
        return self._take([call], behind)

    def _is_own_end(self, row: Notation, at: int) -> bool:
        """Whether what ends a call of a notation comes next; the closing mark of another does not."""
        found = marks.mark_at(self._text, at)
        closings = (*row.ends, *(closed for _, closed in row.wraps), *TURN_ENDS)
        return found is not None and found.mark.pattern in map(marks.pattern_of, closings)

    def _in_round_brackets(self, name: str, start: int, at: int, row: Notation) -> int:
        if _KEYWORDS.match(self._text, at):
            written, end = read_arguments(self._text, at + 1)
            behind = self._behind_end(end)
            if behind is None and self._text[end:].strip():
                raise words.call_error(words.NOT_LITERAL, self._text, end)
            return self._take([RawCall(name, Span(start, behind or end), written, row=row)], behind or end)
        end, behind, finished = self._part(at)
        text = self._text[at:end].rstrip()
        if not text.endswith(")"):
            raise words.call_error(words.NO_CALL if finished else words.CUT, self._text, end, truncated=not finished)
        call = RawCall(name, Span(start, behind), f"{{{text[1:-1]}}}", at, finished, row=row)
        return self._take([call], behind)

    def _parameters(self, name: str, start: int, at: int, row: Notation | None) -> int:
        reader = ParameterReader(self._text, name, self._tools.expected(name))
        parameters, end = reader.read(at)
        behind = self._behind_end(end)
        is_empty = end == at and self._text.endswith("/>", start, at)
        if behind is None and (is_empty or self._opens_at(end)):  # nothing, or the next call
            behind = end
        if behind is None:
            is_cut = not self._text[end:].strip()
            problem = words.CUT if is_cut else words.not_a_parameter(name)
            raise words.call_error(problem, self._text, end, truncated=is_cut)
        return self._take([RawCall(name, Span(start, behind), parameters=parameters, row=row)], behind)

    def _elements(self, found: re.Match[str]) -> ElementReader:
        """What reads the element that a header with the name of a tool opens."""
        name = self._tools.plain(found["name"])
        return ElementReader(self._text, name, self._tools.expected(name), found)

    def _element_call(self, found: re.Match[str], row: Notation, start: int, name: str) -> int:
        """Read the call whose arguments stand in an element: as JSON, or each in one of its own or in an attribute."""
        elements, at = self._elements(found), marks.behind_space(self._text, found.end())
        if elements.is_empty or not _OBJECT.match(self._text, at):
            parameters, end = elements.read_element()
            return self._take([RawCall(name, Span(start, end), parameters=parameters, row=row)], end)
        value = self._scanner.strict_at(at)
        closed = elements.end(value.end) if value else None
        if value is None or closed is None:
            return self._arguments(name, start, at, row, None)
        call = RawCall(name, Span(start, closed), self._text[at : value.end], at, finished=True, row=row)
        return self._take([call], closed)

    def _behind_end(self, at: int) -> int | None:
        """The offset behind the mark that ends a call, if it comes next."""
        found = marks.mark_at(self._text, match_end(_BLANK, self._text, at))
        return found.end if found and found.mark.kind in _ENDS_CALL else None

    def _python(self, start: int, at: int) -> int:
        calls, behind = read_python_calls(self._text, at)
        fence = _FENCE_END.match(self._text, behind) if self._text[start] in "`~" else None
        end = self._behind_end(behind) or (fence and fence.end())
        if end is None and at != start and _BLANK.fullmatch(self._text, behind) is None:
            raise words.call_error(words.NOT_LITERAL, self._text, behind)
        return self._take(calls, end or behind)

    def _objects(self, start: int, at: int) -> int:
        end, behind, finished = self._part(at)
        if not self._text[at:end].strip():
            raise self._nothing(start, at)
        begin = start if self._text.startswith(("```", "~~~"), start) else at
        calls = self._envelopes(begin, end, finished=finished)
        if not calls:
            raise words.call_error(words.NO_CALL, self._text, start)
        rests, behind = self._rests(behind) if finished is None else ((), behind)
        return self._take([call._replace(span=Span(start, behind), rests=rests) for call in calls], behind)

    def _rests(self, at: int) -> tuple[tuple[Span, ...], int]:
        """The closing marks of parameters that stand behind a call, if it ends with them, and where to go on."""
        rests: list[Span] = []
        behind = at
        while found := marks.mark_at(self._text, marks.behind_space(self._text, behind)):
            rest = _CLOSING.match(self._text, found.start) if found.mark.kind == "inner" else None
            if rest is None:
                break
            rests.append(Span(*rest.span()))
            behind = rest.end()
        if not rests:
            return (), at
        if found and found.mark.kind in _ENDS_CALL:
            return tuple(rests), found.end
        is_end = found.mark.kind == "section_end" if found else not self._text[behind:].strip()
        return (tuple(rests), behind) if is_end else ((), at)

    def _envelopes(self, start: int, end: int, *, finished: bool | None) -> list[RawCall]:
        """The calls that a part of the text consists of; empty if it is none."""
        try:
            return self._typed.envelopes(start, end, finished=finished)
        except LLMJsonParseError as error:
            if error.details.get("json_error") in {NO_OBJECT.en, ROUND_BRACKETS.en}:
                raise self._nothing(start, end) from error
            raise words.add_tool(error, "", self._text, start) from error
