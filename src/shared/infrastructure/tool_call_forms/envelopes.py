"""Reads the JSON of calls: their arguments, and objects that are a call with its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, TypeAlias

from src.shared.domain.edits import counted
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.domain.work import Work
from src.shared.infrastructure.events.library_log import log_coercions, log_repairs
from src.shared.infrastructure.parsing.decoded import grade_of
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.plain import plain
from src.shared.infrastructure.parsing.searching import search
from src.shared.infrastructure.parsing.state import ParseState, Span, Target
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS, RawCall, calls_in
from src.shared.infrastructure.tool_call_forms.words import BETWEEN, TOO_MANY, call_error

_SEPARATOR = expression(r"[\s,;]*+\Z")
_SIGNS = expression(r"[\s,;]*+")


Fits: TypeAlias = Callable[[str, dict[str, Any]], bool]
"""Whether there is a tool of this name that takes these arguments."""


class Json:
    """Reads the JSON of one text's calls, with one counter of work for all of them."""

    def __init__(self, raw: str, work: Work, fits: Fits, names: frozenset[str], context_label: str) -> None:
        self.names = names
        self._raw = raw
        self._work = work
        self._fits = fits
        self._context_label = context_label
        self._target = Target(
            decoded_roots=ROOTS["any"], as_written=True, is_likely=self._is_call, keeps_repeating=True
        )  # rows are told apart once the type is known

    def of(self, text: str) -> Json:
        """What reads another form of the same text."""
        return Json(text, self._work, self._fits, self.names, self._context_label)

    def read(self, text: str, target: Target) -> ParseState:
        """The state in which the JSON of a text is read for a target.

        Raises:
            LLMJsonParseError: it has none, or none that can be read without guessing.
        """
        state = plain(ParseState.of(text, target))
        if not state.decoded:
            state.__dict__["scanner"] = target.scanner(text, self._work)  # with the work that is left
            state = search(state, in_call=True)
        if state.edits:
            log_repairs(partial(counted, state.edits), partial(grade_of, state), self._raw, self._context_label)
        state = finish(state)
        if state.coercions:
            log_coercions(state.coercions, self._context_label)
        return state

    def decoded(self, text: str, *, finished: bool | None, roots: Roots = "any") -> Any:  # noqa: ANN401 - decoded JSON
        """The object or array of a text, whose numbers keep their digits.

        Raises:
            LLMJsonParseError: as for `read`.
        """
        return self.read(text, replace(self._target, finished=finished, decoded_roots=ROOTS[roots])).data

    def _is_call(self, data: object) -> bool:
        try:
            calls = calls_in(data, "", 0, self.names) or ()
        except LLMJsonParseError:
            return False
        return bool(calls) and all(call.data is None or self._fits(call.name, call.data) for call in calls)

    def envelopes(self, start: int, end: int, *, finished: bool | None) -> list[RawCall]:
        """The calls in a part of the text; none if what stands there is no call.

        Raises:
            LLMJsonParseError: it cannot be read, or not as a call.
        """
        text = self._raw[start:end]
        outermost = islice(self._scanner_of(text).values(0, len(text)), MAX_CALLS + 1)
        values = [(value.start, value.end) for value in outermost]
        if len(values) < 2:  # noqa: PLR2004 - with one, what stands around it is for the parser to judge
            return self._calls(self.decoded(text, finished=finished), Span(start, end), start)
        if len(values) > MAX_CALLS:
            raise call_error(TOO_MANY, self._raw, start)
        edges = [0, *(edge for value in values for edge in value), len(text)]
        for at in range(2, len(edges) - 2, 2):
            if not _SEPARATOR.match(text, edges[at], edges[at + 1]):
                raise call_error(BETWEEN, self._raw, start + match_end(_SIGNS, text, edges[at]))
        found: list[RawCall] = []
        for one in values:
            calls = self._calls(self.decoded(text[slice(*one)], finished=None), Span(start, end), start + one[0])
            if not calls:
                return []
            found += calls
        return found

    def _calls(self, data: object, span: Span, place: int) -> list[RawCall]:
        return [one._replace(span=span) for one in calls_in(data, self._raw, place, self.names) or ()]

    def is_cut(self, start: int) -> bool:
        """Whether the text ends before the value that opens at an offset."""
        value = self._scanner.value_at(start)
        return value is not None and value.problem is not None and value.problem.truncated

    @cached_property
    def _scanner(self) -> ValueScanner:
        return self._scanner_of(self._raw)

    def _scanner_of(self, text: str) -> ValueScanner:
        return replace(self._target, is_likely=None).scanner(text, self._work)
