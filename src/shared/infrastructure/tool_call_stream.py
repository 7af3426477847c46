"""Calls of tools in a text that arrives in pieces: each when its last mark is there, and what it says so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.options import Finished, known_end, takes
from src.shared.domain.reasoning import reasoning_marks
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_call_forms.call_objects import ARGUMENTS, NAMES
from src.shared.infrastructure.tool_call_forms.marks import (
    BODY_HEADERS,
    HEADERS,
    QUOTE,
    QUOTES,
    Found,
    behind_space,
    next_mark,
    with_plain_quotes,
)
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS
from src.shared.infrastructure.tool_call_forms.parameters import may_be_named, opened_at
from src.shared.infrastructure.tool_call_forms.reader import Reader
from src.shared.infrastructure.tool_call_forms.typed_calls import (
    ToolCall,
    Tools,
    TypedCalls,
    place_in_original,
    readings,
    types_of,
)
from src.shared.infrastructure.tool_call_forms.words import TAKEN_BACK, call_error
from src.shared.infrastructure.tool_calls import read_calls

LONGEST = 1 << 16
"""Most characters behind the last call that are looked at while they come; behind more, calls come at the end."""
MOST_TRIES = 64
"""Most marks behind the last call at which it is tried to read the next one."""
_LONGEST_MARK = 300
_LONGEST_HEADER = 2_000
"""Most characters from a mark to the arguments of its call, for them to be shown as they grow."""
_MOST_MARKS = 8
"""Most marks from one, itself included, to the arguments of its call, for the same."""
_ENDS = frozenset({"close", "section_end", "turn_end"})
_BEGINS_ARGUMENTS = frozenset("{").union(row.parameter[0].rstrip("~")[-1:] for row in NOTATIONS if row.parameter[0])
"""The signs one of which comes last before there are arguments."""


@dataclass(frozen=True, slots=True)
class ToolCallSnapshot:
    """What is known of the calls of a text so far.

    Attributes:
        calls: those that this piece of the text completed.
        name: the tool of the call that is being written, if its name is whole.
        arguments: what is certain of its arguments; a text that is not whole only grows.

    .. versionadded:: 0.1.0
    """

    calls: tuple[ToolCall, ...] = ()
    name: str | None = None
    arguments: Mapping[str, Any] | None = None


class ToolCallStream:
    """Reads the calls of a text as it comes. However it is cut into pieces, the calls come at the same offsets.

    .. versionadded:: 0.1.0
    """

    @takes()
    def __init__(
        self,
        tools: Mapping[str, AnswerType[Any]],
        *,
        normalizers: Mapping[str, Sequence[Normalizer]] | None = None,
        context_label: str = "",
        coerce: bool = False,
    ) -> None:
        """Begin; as for `read_tool_calls`."""
        self._tools = Tools(tools, normalizers, context_label, coerce=coerce)
        self._pieces: list[str] = []
        self._rest = ""
        self._offset = self._looked = self._tries = self._settled = 0
        self._calls: list[ToolCall] = []
        self._is_lost = self._is_thought = False
        self._growing: _GrowingCall | _GrowingParameters | None = None

    def feed(self, chunk: str) -> ToolCallSnapshot:
        """Take up more of the text."""
        self._pieces.append(chunk)
        before = len(self._calls)
        if not self._is_lost:
            self._rest += chunk
            self._look()
            self._is_lost |= len(self._rest) > LONGEST
        calls = tuple(self._calls[before:])
        may_begin = self._growing is None and not self._is_lost and not self._is_thought
        if may_begin and (calls or not _BEGINS_ARGUMENTS.isdisjoint(chunk)):
            self._growing = self._begin()
        if self._growing is None or self._is_lost:
            return ToolCallSnapshot(calls)
        return ToolCallSnapshot(calls, *self._growing.so_far(self._rest))

    def close(self, finished: Finished = None) -> tuple[ToolCall, ...]:
        """All calls: exactly what `read_tool_calls` gives for the whole text.

        Raises:
            LLMJsonParseError: as for `read_tool_calls`; or a call that came before turns out to be none.
        """
        text = "".join(self._pieces)
        calls = read_calls(text, self._tools, finished=known_end(finished))
        if calls[: len(self._calls)] != tuple(self._calls):
            raise call_error(TAKEN_BACK, text, self._calls[0].span.start)
        return calls

    def _look(self) -> None:
        """Try to read a call at each mark that may end one."""
        while not self._is_lost and (found := next_mark(self._rest, self._looked)) is not None:
            self._looked = 0 if found.mark.kind in _ENDS and self._take(found) else found.end
        self._looked = max(self._looked, len(self._rest) - _LONGEST_MARK)

    def _take(self, found: Found) -> bool:
        """Take the calls that end with a mark; whether there are any."""
        self._tries += 1
        plain = with_plain_quotes(self._rest[: found.end])
        typed = TypedCalls(plain.text, self._tools)
        reader = Reader(plain.text, typed, finished=None, is_first=not self._calls)
        with suppress(LLMJsonParseError):  # the rest of the call, or of what stands around it, has not come yet
            reader.run()
        found_calls = reader.calls
        is_whole = found_calls and found_calls[-1].span.end == len(plain.text)
        if not is_whole or self._rest[: found_calls[0].span.start].count("`") % 2 == 1:  # it may be code in a line
            self._is_lost = self._tries >= MOST_TRIES
            return False
        try:
            calls = [call for one in found_calls for call in typed.calls(one)]
        except LLMJsonParseError:
            self._is_lost = True  # told at the end, with its place in the whole text
            return False
        self._calls += (place_in_original(call, plain, self._offset) for call in calls)
        self._rest = self._rest[found.end :]
        self._offset += found.end
        self._tries = self._settled = 0
        self._growing, self._is_thought = None, False
        return True

    def _begin(self) -> _GrowingCall | _GrowingParameters | None:
        """Find the beginning of the arguments of the next call, outside of reasoning; behind the last marks only."""
        marks, found = [], next_mark(self._rest, self._settled)
        while found is not None:
            marks.append(found)
            found = next_mark(self._rest, found.end)
        for number, found in enumerate(marks):
            growing = self._growing_at(found)
            far = marks[number + _MOST_MARKS].start if number + _MOST_MARKS < len(marks) else len(self._rest)
            if growing is not None and growing.at <= min(far, found.start + _LONGEST_HEADER):
                is_open = [mark.closes for mark in reasoning_marks(self._rest[: found.start])][-1:] == [False]
                self._is_thought = is_open
                return None if is_open else growing
        recent = (one.start for one in marks[-_MOST_MARKS:] if len(self._rest) - one.start <= _LONGEST_HEADER)
        self._settled = next(recent, max(self._settled, len(self._rest) - _LONGEST_MARK))
        return None

    def _growing_at(self, found: Found) -> _GrowingCall | _GrowingParameters | None:
        """What reads the arguments behind a mark, and behind the name of a tool in it or next to it, as they come."""
        is_open = found.mark.kind == "open"
        headers, at = (BODY_HEADERS, found.end) if is_open else (HEADERS.get(self._rest[found.start], ()), found.start)
        for header in headers:
            named = header.expression.match(self._rest, at)
            name = self._tools.plain(named.groupdict().get("name") or named["id"]) if named else ""
            if named is None or name not in self._tools.types:
                continue
            if self._rest.startswith("{", named.end()):
                return (_GrowingFields if header.row.quotes else _GrowingCall)(named.end(), name, self._tools)
            if header.row.parameter[0] and opened_at(self._rest, named.end()):
                return _GrowingParameters(named.end(), name, self._tools)
        start = behind_space(self._rest, found.end)
        return _GrowingCall(start, None, self._tools) if is_open and self._rest.startswith("{", start) else None


class _GrowingCall:
    """The call that is being written: its object is read as it comes.

    Attributes:
        at: behind what was read of it.
    """

    def __init__(self, at: int, name: str | None, tools: Tools) -> None:
        """Begin with its arguments, or with the object that has its name, too."""
        self.at = at
        self._name = name
        self._tools = tools
        self._stream: LLMJsonStream[Any] = LLMJsonStream(dict[str, Any] if name is None else tools.types[name])

    def so_far(self, text: str) -> tuple[str | None, Mapping[str, Any] | None]:
        """The name and the arguments, as far as they are certain."""
        snapshot = self._stream.feed(self._new(text))
        data = snapshot.data if isinstance(snapshot.data, dict) else {}
        if self._name is not None:
            return self._name, data
        complete = snapshot.complete
        whole = (data[key] for key in NAMES if f"$.{key}" in complete and isinstance(data.get(key), str))
        name = next((name for name in whole if name in self._tools.types), None)
        arguments = next((data[key] for key in ARGUMENTS if isinstance(data.get(key), dict)), None)
        return name, arguments if name is not None else None

    def _new(self, text: str) -> str:
        """What came since the last time, as JSON."""
        start, self.at = self.at, len(text)
        return text[start:]


class _GrowingFields(_GrowingCall):
    """One whose texts have quotes of its own: its arguments grow with each that is whole."""

    _seen = 0
    _quotes: tuple[int, ...] = ()
    _is_waiting = False

    def _new(self, text: str) -> str:
        """What came up to the last text that is whole; only the last two quotes may still be around one."""
        since = max(self.at, self._seen - _LONGEST_MARK)
        new = [quote for quote in QUOTE.finditer(text, since) if quote.end() > self._seen]
        behind = new[-1].end() if new else self._seen
        is_due, self._seen = bool(new) or self._is_waiting, len(text)
        self._is_waiting = is_due and not text[behind:].strip()
        start = max(self.at, self._quotes[0] - _LONGEST_MARK) if len(self._quotes) > 1 else self.at
        self._quotes = (*self._quotes, *(quote.start() for quote in new))[-2:]
        if not is_due:
            return ""
        plain = with_plain_quotes(text[start:])
        if not plain.edited_to:
            return ""
        whole = text[self.at : start] + plain.text[: plain.edited_to]
        self.at = start + plain.origin(plain.edited_to)
        return whole


class _GrowingParameters:
    """One with marks around each parameter: its arguments grow with each that is certain to be whole."""

    def __init__(self, at: int, name: str, tools: Tools) -> None:
        self.at = at
        self._is_over = False
        self._looked = 0
        self._name = name
        self._expected = tools.expected(name)
        self._typed_calls = TypedCalls("", tools)
        self._arguments: dict[str, Any] = {}

    def so_far(self, text: str) -> tuple[str | None, Mapping[str, Any] | None]:
        """The name and the arguments, as far as they are certain."""
        while not self._is_over and (opening := opened_at(text, self.at)):
            edge = opening.ends.edge.search(text, max(opening.end, self._looked - _LONGEST_MARK))
            self._looked = 0 if edge else len(text)
            if edge is None:
                break
            behind = opening.goes_on_at(edge) if edge["closed"] else None
            if edge["closed"] and behind is None and len(text[edge.end() :].lstrip()) < _LONGEST_MARK:
                break
            is_whole = behind is not None and opening.is_certain(edge, behind)
            self._is_over = not (is_whole and may_be_named(opening.key, self._expected.names))
            self.at = edge.end() if behind is None else behind
            value = text[opening.end : edge.start()]
            if self._is_over or any(quote in value for quote in QUOTES):
                continue
            with suppress(LLMJsonParseError):  # the whole text will be refused
                found = readings(opening.parameter(value), types_of(self._expected, opening.key), self._typed_calls)
                if len(found) == 1:
                    self._arguments[opening.key] = found[0]
        return self._name, dict(self._arguments)
