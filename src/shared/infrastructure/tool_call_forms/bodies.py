"""What stands behind a mark: one call or several, in whichever form it begins with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_call_forms.call_objects import Envelope
from src.shared.infrastructure.tool_call_forms.envelopes import Json
from src.shared.infrastructure.tool_call_forms.marks import (
    DEEPSEEK_HEADER,
    KIMI_HEADER,
    LISTED,
    MARK,
    NAMED,
    PYTHONIC,
    RECIPIENT,
)
from src.shared.infrastructure.tool_call_forms.parameters import read_parameters
from src.shared.infrastructure.tool_call_forms.pythonic import read_python_calls
from src.shared.infrastructure.tool_call_forms.raw_call import RawCall
from src.shared.infrastructure.tool_call_forms.words import CUT, NO_CALL, NOT_LITERAL, call_error, of_tool

_TAG = expression(r"\s*+<(?:function=|(?:｜DSML｜)?invoke )")
_FENCES = ("```", "~~~")
_OBJECT = expression(r"\s*+[{`~]")
_BEGINS_ARGUMENTS = expression(r"\s*+(?:[{｛`~\"\\]|null\b|\Z)")
_BLANK = expression(r"\s*+" + repeated(r"(?:```|~~~)[ \t]*+(?:\n\s*+|\Z)", "?"))
"""White space, and the end of a fence."""


class Read(NamedTuple):
    """The calls behind a mark, and the offset behind them."""

    calls: list[RawCall]
    end: int


class _Part(NamedTuple):
    """A part of the text up to the next mark: where it ends, where to go on, and whether a mark shows its end.

    The end of the text shows nothing, whatever is known of the model: servers say `stop` of calls that were cut off.
    """

    end: int
    next: int
    finished: bool | None


class Bodies:
    """Reads the calls of one text."""

    def __init__(
        self,
        text: str,
        json: Json,
        in_json: Callable[[int, int], int | None],
    ) -> None:
        self._text = text
        self._json = json
        self._in_json = in_json

    def is_tag(self, at: int) -> bool:
        """Whether a tag with the name of a tool follows, which is a mark of its own."""
        return _TAG.match(self._text, at) is not None

    def read(self, start: int, at: int, mark: re.Match[str] | None) -> Read:
        """The calls behind a mark.

        Args:
            start: where the mark is.
            at: where it ends.
            mark: the mark, if it has the name of the tool in it, or behind it.

        Raises:
            LLMJsonParseError: what stands there cannot be read as a call.
        """
        if mark is not None:
            return self._read_named(start, at, mark)
        if named := NAMED.match(self._text, at):
            return self._arguments(named["name"], start, named.end(), named["id"])
        if listed := LISTED.match(self._text, at):
            return self._parameters(listed["name"], start, listed.end())
        if PYTHONIC.match(self._text, at):
            return self._python(at, is_bare=at == start)
        return self._envelopes(start, at)

    def _read_named(self, start: int, at: int, mark: re.Match[str]) -> Read:
        name = mark["function_name"] or mark["invoke_name"]
        if name:
            if _OBJECT.match(self._text, at):
                return self._arguments(name, start, at)
            return self._parameters(name, start, at)
        if mark["begin"]:
            if header := DEEPSEEK_HEADER.match(self._text, at):
                return self._arguments(header["name"] or header["short"], start, header.end())
            if header := KIMI_HEADER.match(self._text, at):
                return self._arguments(header["id"], start, header.end(), header["id"])
        elif mark["message"]:
            recipient = RECIPIENT.search(mark.group())
            return self._arguments(recipient["name"] if recipient else "", start, at)
        raise self._nothing(start, at)

    def _nothing(self, start: int, at: int) -> LLMJsonParseError:
        is_cut = MARK.search(self._text, at) is None
        return call_error(CUT if is_cut else NO_CALL, self._text, start, truncated=is_cut or None)

    def _part(self, at: int) -> _Part:
        """The part that begins at an offset and ends before the next mark that is not in a string."""
        place = at
        while mark := MARK.search(self._text, place):
            covered = self._in_json(at, mark.start())
            if covered is None:
                is_end = bool(mark["end"] or mark["turn_end"])
                shows_end = is_end or mark["section_end"] is not None
                return _Part(mark.start(), mark.end() if is_end else mark.start(), shows_end or None)
            place = at = covered
        return _Part(len(self._text), len(self._text), None)

    def _arguments(self, name: str, start: int, at: int, id_: str | None = None) -> Read:
        part = self._part(at)
        if not self._text[at : part.end].strip() and not part.finished:
            raise call_error(CUT, self._text, at, truncated=True)
        text = self._text[at : part.end]
        if not _BEGINS_ARGUMENTS.match(text):
            raise call_error(NO_CALL, self._text, start)
        return Read([RawCall(name, Span(start, part.next), text, at, part.finished, id=id_)], part.next)

    def _parameters(self, name: str, start: int, at: int) -> Read:
        found = read_parameters(self._text, at)
        end = self._behind_end(found.end)
        if end is None:
            is_cut = not self._text[found.end :].strip()
            raise call_error(CUT if is_cut else NO_CALL, self._text, found.end, truncated=is_cut or None)
        return Read([RawCall(name, Span(start, end), parameters=found.parameters)], end)

    def _behind_end(self, at: int) -> int | None:
        """The offset behind the mark that ends a call, if it comes next."""
        mark = MARK.match(self._text, _BLANK.match(self._text, at).end())  # type: ignore[union-attr]  # it matches anything
        return mark.end() if mark is not None and (mark["end"] or mark["turn_end"]) else None

    def _python(self, at: int, *, is_bare: bool) -> Read:
        calls, behind = self.python(self._text, at)
        end = self._behind_end(behind)
        if end is None and not is_bare and _BLANK.fullmatch(self._text, behind) is None:
            raise call_error(NOT_LITERAL, self._text, behind)
        return Read(calls, end or behind)

    def python(self, text: str, at: int = 0) -> Read:
        """The calls that a text has from an offset on, as Python writes them.

        Raises:
            LLMJsonParseError: they cannot be read.
        """
        found = read_python_calls(text, at)
        calls = []
        for one in found.calls:
            try:
                data = self._json.decoded(one.arguments, finished=None)
            except LLMJsonParseError as error:
                raise of_tool(error, one.name, text, None) from error
            calls.append(RawCall(one.name, Span(one.start, one.end), data=data))
        return Read(calls, found.end)

    def _envelopes(self, start: int, at: int) -> Read:
        part = self._part(at)
        if not self._text[at : part.end].strip():
            raise self._nothing(start, at)
        begin = start if self._text.startswith(_FENCES, start) else at
        found = self.envelopes(self._json, begin, part.end, finished=part.finished)
        if not found:
            raise call_error(NO_CALL, self._text, start)
        return Read([call._replace(span=Span(start, part.next)) for call in found], part.next)

    def envelopes(self, json: Json, start: int, end: int, *, finished: bool | None) -> list[RawCall]:
        """The calls that a part of the text consists of; empty if it is none."""
        try:
            found = json.envelopes(start, end, finished=finished)
        except LLMJsonParseError as error:
            raise of_tool(error, "", self._text, start) from error
        return [_raw_call(one, Span(start, end)) for one in found or ()]


def _raw_call(envelope: Envelope, span: Span) -> RawCall:
    if isinstance(envelope.arguments, str):
        return RawCall(envelope.name, span, envelope.arguments, id=envelope.id)
    return RawCall(envelope.name, span, data=envelope.arguments, id=envelope.id)
