"""Calls that are JSON objects with a name and arguments, alone or in a list, in any of the usual spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.infrastructure.events.parse_log import log_coercions, log_repairs
from src.shared.infrastructure.parsing.fast.plain import plain
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.pipeline import search
from src.shared.infrastructure.parsing.reader.budget import Work
from src.shared.infrastructure.parsing.reader.edits import counted
from src.shared.infrastructure.parsing.scanner import Search, ValueScanner
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.tool_call_forms.words import BETWEEN, NOT_A_CALL, OTHER_MEMBERS, TOO_MANY, call_error

MAX_CALLS = 128
"""Most calls of one text."""
_NAMES = ("name", "tool_name")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_IDS = ("id", "tool_call_id", "call_id")
_BESIDE = frozenset({*_NAMES, *_ARGUMENTS, *_IDS, "type", "index"})
_MESSAGE = frozenset({"tool_calls", "role", "content"})
_SEPARATOR = re.compile(r"[\s,;]*+\Z")


class Envelope(NamedTuple):
    """A call that was an object: its name, its arguments (as JSON in a string where they were one), and its id."""

    name: str
    arguments: dict[str, Any] | str
    id: str | None


@dataclass(frozen=True, slots=True)
class _AsWritten(Target):
    """An object or an array whose numbers keep their digits; of two readings as near, the one that is a call counts.

    Attributes:
        is_call: whether decoded data is one, or several.
    """

    is_call: Callable[[object], bool] | None = None

    @property
    def reads_decimals(self) -> bool:
        return True

    def scanner(self, text: str, work: Work | None = None) -> ValueScanner:
        search = Search(self.finished, as_written=True, lists="array" in self.roots, fits=self.is_call)
        return ValueScanner(text, search, work)


Fits: TypeAlias = Callable[[str, dict[str, Any]], bool]
"""Whether there is a tool of this name that takes these arguments."""


class Json:
    """Reads the JSON of one text's calls, with one counter of work for all of them."""

    def __init__(self, raw: str, work: Work, fits: Fits, context_label: str) -> None:
        self._raw = raw
        self._work = work
        self._fits = fits
        self._context_label = context_label

    def of(self, text: str) -> Json:
        """What reads another form of the same text."""
        return Json(text, self._work, self._fits, self._context_label)

    def read(self, text: str, target: Target) -> ParseState:
        """The state in which the JSON of a text is read for a target.

        Raises:
            LLMJsonParseError: it has none, or none that can be read without guessing.
        """
        state = plain(ParseState.of(text, target))
        if not state.decoded:
            state.__dict__["scanner"] = target.scanner(text, self._work)  # with the work that is left
            state = search(state)
        if state.edits:
            log_repairs(partial(counted, state.edits), self._raw, self._context_label)
        state = finish(state)
        if state.coercions:
            log_coercions(state.coercions, self._context_label)
        return state

    def decoded(self, text: str, *, finished: bool | None, roots: Roots = "any") -> Any:  # noqa: ANN401 - decoded JSON
        """The object or array of a text, whose numbers keep their digits.

        Raises:
            LLMJsonParseError: as for `read`.
        """
        return self.read(text, _AsWritten(finished=finished, decoded_roots=ROOTS[roots], is_call=self._is_call)).data

    def _is_call(self, data: object) -> bool:
        try:
            calls = _calls_in(data, "", 0) or ()
        except LLMJsonParseError:
            return False
        return bool(calls) and all(
            isinstance(call.arguments, str) or self._fits(call.name, call.arguments) for call in calls
        )

    def envelopes(self, start: int, end: int, *, finished: bool | None) -> list[Envelope] | None:
        """The calls in a part of the text; None if what stands there is no call.

        Raises:
            LLMJsonParseError: it cannot be read, or not as a call.
        """
        text = self._raw[start:end]
        values = self._values(text)
        if len(values) < 2:  # noqa: PLR2004 - with one, what stands around it is for the parser to judge
            return _calls_in(self.decoded(text, finished=finished), self._raw, start)
        if len(values) > MAX_CALLS:
            raise call_error(TOO_MANY, self._raw, start)
        edges = [0, *(edge for value in values for edge in value), len(text)]
        if not all(_SEPARATOR.match(text, edges[at], edges[at + 1]) for at in range(2, len(edges) - 2, 2)):
            raise call_error(BETWEEN, self._raw, start)
        found: list[Envelope] = []
        for one in values:
            calls = _calls_in(self.decoded(text[slice(*one)], finished=None), self._raw, start + one[0])
            if calls is None:
                return None
            found += calls
        return found

    def is_cut(self, start: int) -> bool:
        """Whether the text ends before the value that opens at an offset."""
        value = self._scanner.value_at(start)
        return value is not None and value.problem is not None and value.problem.truncated

    @cached_property
    def _scanner(self) -> ValueScanner:
        return self._scanner_of(self._raw)

    def _scanner_of(self, text: str) -> ValueScanner:
        return _AsWritten(decoded_roots=ROOTS["any"]).scanner(text, self._work)

    def _values(self, text: str) -> list[tuple[int, int]]:
        """Where the outermost values of a text are."""
        scanner = self._scanner_of(text)
        return [(value.start, value.end) for value in islice(scanner.values(0, len(text)), MAX_CALLS + 1)]


def _calls_in(data: Any, raw: str, place: int) -> list[Envelope] | None:  # noqa: ANN401 - decoded JSON
    """The calls that decoded data is; None if it is none."""
    if isinstance(data, dict) and isinstance(data.get("tool_calls"), list) and data.keys() <= _MESSAGE:
        data = data["tool_calls"]
    elements = data if isinstance(data, list) else [data]
    if len(elements) > MAX_CALLS:
        raise call_error(TOO_MANY, raw, place)
    objects = [_inner(one) for one in elements]
    if not objects or not any(map(_is_call, objects)):
        return None
    return [_envelope(one, raw, place) for one in objects]


def _inner(one: object) -> Any:  # noqa: ANN401 - decoded JSON
    """The object with the name: of OpenAI's form the inner one, with the id of the outer."""
    if (
        isinstance(one, dict)
        and isinstance(one.get("function"), dict)
        and one.keys() <= {*_IDS, "type", "index", "function"}
    ):
        return {**one["function"], **{key: one[key] for key in _IDS if key in one}}
    return one


def _is_call(one: object) -> bool:
    return isinstance(one, dict) and any(isinstance(one.get(key), str) for key in _NAMES)


def _envelope(one: object, raw: str, place: int) -> Envelope:
    if not isinstance(one, dict):
        raise call_error(NOT_A_CALL, raw, place)
    names = [one[key] for key in _NAMES if key in one]
    given = [one[key] for key in _ARGUMENTS if key in one]
    if len(names) != 1 or not isinstance(names[0], str) or len(given) > 1:
        raise call_error(NOT_A_CALL, raw, place)
    if not one.keys() <= _BESIDE:
        raise call_error(OTHER_MEMBERS, raw, place)
    return Envelope(names[0], _arguments(given, raw, place), next(_ids(one), None))


def _ids(one: Mapping[str, object]) -> Iterator[str]:
    return (str(one[key]) for key in _IDS if isinstance(one.get(key), (str, int)))


def _arguments(given: list[Any], raw: str, place: int) -> dict[str, Any] | str:
    """The arguments: an object, or a string that holds the JSON of one."""
    if not given or given[0] is None or given[0] == "":
        return {}  # the object of the call is whole: it has none
    if not isinstance(given[0], (dict, str)):
        raise call_error(NOT_A_CALL, raw, place)
    return given[0]
