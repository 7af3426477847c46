"""Reads the JSON of calls, and makes the calls of a text objects of their tools' types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from itertools import chain, compress, islice, pairwise, product
from math import isfinite
from typing import Any, TypeVar

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.edits import EditedText, counted
from src.shared.domain.exceptions import LLMJsonParseError, json_path
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.domain.reading.signs import CLOSERS, OPENERS, SPELLED_LITERALS
from src.shared.domain.rules import Normalizer
from src.shared.domain.strict_json import WrittenFloat, decode_at, with_numbers
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.domain.work import Work
from src.shared.infrastructure.events.library_log import log_coercions, log_repairs
from src.shared.infrastructure.parsing.decoded import grade_of
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected, type_of
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.leaked_rests import BESIDE, INSIDE, is_clean, notes_in, notes_of
from src.shared.infrastructure.parsing.plain import plain
from src.shared.infrastructure.parsing.rows import without_repeating
from src.shared.infrastructure.parsing.stages import search
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, Target
from src.shared.infrastructure.parsing.target_type import TargetType, target_type
from src.shared.infrastructure.tool_call_forms import words
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS, Parameter, RawCall, calls_in
from src.shared.infrastructure.tool_call_forms.marks import REST, plain_name

T = TypeVar("T")

MOST_READINGS = 16
"""Most combinations of the readings of a call's parameters that are compared."""
NO_ARGUMENTS = expression(r"\s*+" + repeated(r"null\s*+|\{\s*+\}\s*+", "?") + r"\Z")
"""What says that a call has no arguments, and what says nothing."""
EMPTY_TEXT = expression(r"\s*+\"\s*+\"\s*+\Z")
"""The same in a string, where arguments may be coerced."""
_BLANKS = expression(r"\s*+")
_SEPARATORS = expression(r"[\s,;]*+")
_LARGEST_EXACT = 2**53
_LONG_NUMBER = expression(r"\d[\d.]{15}")
"""What may be a number that a float does not hold."""


def whole(number: WrittenFloat) -> float | int:
    """A whole number that a float cannot hold as what it is: `9007199254740993.0`, `9.007199254740993e15`."""
    if not isfinite(number) or abs(number) < _LARGEST_EXACT:
        return number
    written = Decimal(number.written)
    return int(written) if written == written.to_integral_value() else number


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that a model made.

    Attributes:
        name: the tool, as the caller names it.
        arguments: the object of the tool's type.
        id: what the model calls the call, if it names it.
        span: where it stands in the text; in that of its arguments, if a provider told it apart.
        notes: rests of a format: a mark such as `<|call|>` or `</arg_value>`, beside the arguments, where it is left
            out, or in a string of them, which is never changed; and escapes that may be doubled.

    .. versionadded:: 0.1.0
    """

    name: str
    arguments: Any
    id: str | None
    span: Span
    notes: tuple[Note, ...] = ()


def place_in_original(call: ToolCall, text: EditedText, offset: int = 0) -> ToolCall:
    """The call with its places in the text that was edited, which begins at an offset of a longer one."""

    def original(span: Span) -> Span:
        start, end = map(text.begin_origin, span)
        return Span(offset + start, offset + end)

    notes = tuple(replace(note, span=original(note.span)) for note in call.notes)
    return replace(call, span=original(call.span), notes=notes)


class Tools:
    """The tools that may be called, by their names.

    Attributes:
        types: the type of the arguments of each.
        names: of all.
        context_label: the caller's name for the log.
        coerces: whether arguments may be coerced.
    """

    def __init__(
        self,
        types: Mapping[str, AnswerType[Any]],
        normalizers: Mapping[str, Sequence[Normalizer]] | None = None,
        context_label: str = "",
        *,
        coerce: bool = False,
    ) -> None:
        """Look at the types.

        Raises:
            TypeError: one is not read from an object.
        """
        self._known = {name: arguments_type(dto_type, coerce=coerce) for name, dto_type in types.items()}
        self._normalizers = normalizers or {}
        self.coerces = coerce
        self.types = types
        self.names = frozenset(types)
        self.context_label = context_label

    @cached_property
    def keys(self) -> frozenset[str]:
        """The names of the parameters of all, as far as their types tell."""
        return frozenset(key for known in self._known.values() for key in known.expected.names)

    def plain(self, name: str) -> str:
        """The name of a tool without what a notation puts around it."""
        return plain_name(name, self.types)

    def expected(self, name: str) -> Expected:
        """What is known of the parameters of a tool; of one that there is not, anything may be one."""
        known = self._known.get(self.plain(name))
        return known.expected if known else ANYTHING

    def target(self, name: str, *, finished: bool | None = None) -> Target:
        """What the arguments of a tool are read for."""
        wanted = self._known[name]
        normalizers = tuple(self._normalizers.get(name, ()))
        return Target(wanted, normalizers, finished=finished, read_as=wanted.read_as)


class TypedCalls:
    """Reads the JSON of one text's calls and turns them into objects, with one counter of work for all of them.

    Attributes:
        tools: those that may be called.
        work: that may be done for the text.
        reached: the end of the last call that was found.
    """

    def __init__(self, raw: str, tools: Tools, work: Work | None = None) -> None:
        self.tools = tools
        self.work = work or Work(len(raw))
        self.reached = 0
        self._raw = raw
        self._has_long_number = _LONG_NUMBER.search(raw) is not None
        self._may_have_rests = not is_clean(raw)
        # rows are told apart once the type is known
        self._any = Target(decoded_roots=ROOTS["any"], as_written=True, keeps_repeating=True)

    def calls(self, raw_call: RawCall) -> list[ToolCall]:
        """The call as an object; as several where the arguments of several stand together, and may be coerced.

        Raises:
            LLMJsonParseError: as for `call`.
        """
        try:
            return [self.call(raw_call)]
        except LLMJsonParseError:
            several = self._run_together(raw_call) if self.tools.coerces else []
            if not several:
                raise
        with suppress(LLMJsonParseError):
            return [self.call(one) for one in several]
        return [self.call(raw_call)]  # which fails again

    def _run_together(self, raw_call: RawCall) -> list[RawCall]:
        """The calls whose arguments were run together, `{…}{…}`; none where they may be the parts of one call.

        They are not where all have one key in common.
        """
        text, at, starts = raw_call.text.strip(), 0, list[int]()
        lead, common = len(raw_call.text) - len(raw_call.text.lstrip()), frozenset[str]()
        while at < len(text) and len(starts) < MAX_CALLS:
            try:
                data, end, edits = decode_at(text, at)
            except (ValueError, RecursionError):
                return []
            keys = frozenset(data if isinstance(data, dict) else ())
            common = common & keys if starts else keys
            if edits or not common:
                return []
            starts.append(at)
            at = match_end(_BLANKS, text, end)
        if at < len(text) or len(starts) <= 1:
            return []
        ends = [*starts[1:], len(text)]
        texts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
        if raw_call.offset is None:
            return [raw_call._replace(text=one, id=None) for one in texts]
        first = raw_call.offset + lead
        bounds = [raw_call.span.start, *(first + start for start in starts[1:]), raw_call.span.end]
        return [
            raw_call._replace(text=one, id=None, offset=first + start, span=Span(*span))
            for one, start, span in zip(texts, starts, pairwise(bounds), strict=True)
        ]

    def call(self, raw_call: RawCall) -> ToolCall:
        """The call as an object.

        Raises:
            LLMJsonParseError: there is no such tool, or the arguments do not satisfy its type.
        """
        name = self.tools.plain(raw_call.name)
        if name not in self.tools.types:
            raise words.unknown_tool(name, self.tools.types, self._raw, raw_call.span.start)
        try:
            arguments, notes = self._arguments(name, raw_call)
        except LLMJsonParseError as error:
            told = words.add_tool(error, name, self._raw, raw_call.offset)
            raise words.add_notation(told, raw_call.row, name, self.tools.expected(name).names) from error.__cause__
        self.reached = raw_call.span.end
        beside = (Note("tool_call", BESIDE, span) for span in raw_call.rests)
        found = (*notes, *beside) if self._may_have_rests else ()
        return ToolCall(name, arguments, raw_call.id, raw_call.span, found)

    def _arguments(self, name: str, raw_call: RawCall) -> tuple[Any, Iterable[Note]]:
        """The object of the tool's type, and the rests beside it and in it."""
        if raw_call.parameters is not None:
            notes = chain.from_iterable(map(_notes_in_parameter, raw_call.parameters))
            return self._of_parameters(name, raw_call.parameters), notes
        if raw_call.data is not None:
            return self._typed(raw_call.data, name), notes_in(raw_call.data, self._raw, raw_call.span)
        if NO_ARGUMENTS.match(raw_call.text) or (self.tools.coerces and EMPTY_TEXT.match(raw_call.text)):
            return self._typed({}, name), ()
        if self._has_long_number:
            state = self._read_any(raw_call.text, finished=raw_call.finished)
            if isinstance(state.data, dict):
                return self._typed(state.data, name), self._notes(state, raw_call)
        state = self.read(raw_call.text, self.tools.target(name, finished=raw_call.finished))
        return state.result, self._notes(state, raw_call)

    @staticmethod
    def _notes(state: ParseState, raw_call: RawCall) -> Iterator[Note]:
        """The rests of a call's JSON; where that was in a string, each has the place of the call."""
        at = raw_call.offset
        for note in notes_of(state):
            span = raw_call.span if at is None else Span(at + note.span.start, at + note.span.end)
            yield replace(note, span=span)

    def _typed(self, data: dict[str, Any], name: str) -> Any:  # noqa: ANN401 - an object of the tool's type
        target = self.tools.target(name)
        data = with_numbers(data, whole) if self._has_long_number and not target.reads_decimals else data
        return validate_arguments(data, target, self.tools.context_label)

    def _of_parameters(self, name: str, parameters: Sequence[Parameter]) -> Any:  # noqa: ANN401 - as above
        """The object that some of the readings of the parameters give, if there is just one."""
        expected = self.tools.expected(name)
        read = [readings(one, types_of(expected, one.key), self) for one in parameters]
        several = [*islice(product(*read), MOST_READINGS + 1)]
        if len(several) > MOST_READINGS:
            raise self._two_values(name, parameters, (len(found) > 1 for found in read))
        objects: list[tuple[Any, tuple[Any, ...]]] = []
        errors: list[LLMJsonParseError] = []
        for values in several:
            try:
                value = self._typed({one.key: said for one, said in zip(parameters, values, strict=True)}, name)
            except LLMJsonParseError as error:
                errors.append(error)
                continue
            if not any(one == value and repr(one) == repr(value) for one, _ in objects):
                objects.append((value, values))
        if not objects:
            raise errors[0]
        if len(objects) > 1:
            said = zip(*(values for _, values in objects), strict=True)
            raise self._two_values(name, parameters, (len(set(map(repr, one))) > 1 for one in said))
        return objects[0][0]

    def _two_values(self, name: str, parameters: Sequence[Parameter], are_several: Iterable[bool]) -> LLMJsonParseError:
        """The error of the first parameter that says several things."""
        first = next(compress(parameters, are_several))
        return words.call_error(words.two_values(first.key, name), self._raw, first.place)

    # --- JSON ---

    def read(self, text: str, target: Target, *, in_call: bool = True) -> ParseState:
        """The state in which the JSON of a text is read for a target; one that is no part of a call may hold none.

        Raises:
            LLMJsonParseError: it has none, or none that can be read without guessing.
        """
        state = plain(ParseState.of(text, target))
        if not state.decoded:
            state.__dict__["scanner"] = target.scanner(text, self.work)  # with the work that is left
            state = search(state, in_call=in_call)
        if state.edits:
            log_repairs(partial(counted, state.edits), partial(grade_of, state), self._raw, self.tools.context_label)
        state = finish(state)
        if state.coercions:
            log_coercions(state.coercions, self.tools.context_label)
        return state

    def decoded(self, text: str, *, finished: bool | None, roots: Roots = "any") -> Any:  # noqa: ANN401 - decoded JSON
        """The object or array of a text, whose numbers keep their digits.

        Raises:
            LLMJsonParseError: as for `read`.
        """
        return self._read_any(text, finished=finished, roots=roots).data

    def _read_any(self, text: str, *, finished: bool | None, roots: Roots = "any") -> ParseState:
        target = replace(self._any, finished=finished, decoded_roots=ROOTS[roots], is_likely=self._is_call)
        return self.read(text, target)

    def _is_call(self, data: object) -> bool:
        try:
            calls = calls_in(data, "", 0, self.tools.names) or ()
        except LLMJsonParseError:
            return False
        types = self.tools.types
        return bool(calls) and all(
            call.data is None or (call.name in types and self.tools.target(call.name).fits(call.data)) for call in calls
        )

    def envelopes(self, start: int, end: int, *, finished: bool | None) -> list[RawCall]:
        """The calls in a part of the text; none if what stands there is no call.

        Raises:
            LLMJsonParseError: it cannot be read, or not as a call.
        """
        text = self._raw[start:end]
        values = [*islice(self._any.scanner(text, self.work).values(0, len(text)), MAX_CALLS + 1)]
        if len(values) > MAX_CALLS:
            raise words.call_error(words.TOO_MANY, self._raw, start)
        for one, following in pairwise(values):
            separated = match_end(_SEPARATORS, text, one.end)
            if separated < following.start:
                raise words.call_error(words.BETWEEN, self._raw, start + separated)
        parts = [(one.start, one.end) for one in values]
        if len(parts) <= 1:  # what stands around it is for the parser to judge
            parts = [(0, len(text))]
        found: list[RawCall] = []
        for first, last in parts:
            data = self.decoded(text[first:last], finished=finished if len(parts) == 1 else None)
            calls = calls_in(data, self._raw, start + first, self.tools.names)
            if calls is None:
                return []
            found += calls
        return [one._replace(span=Span(start, end)) for one in found]

    def is_cut(self, start: int) -> bool:
        """Whether the text ends before the value that opens at an offset."""
        value = self._scanner.value_at(start)
        return value is not None and value.problem is not None and value.problem.truncated

    @cached_property
    def _scanner(self) -> ValueScanner:
        return self._any.scanner(self._raw, self.work)


def arguments_type(dto_type: AnswerType[T], *, coerce: bool) -> TargetType[T]:
    """What is known of the type of a tool's arguments.

    Raises:
        TypeError: it is not read from an object.
    """
    wanted = target_type(dto_type, coerce=coerce)
    if "object" not in wanted.own_roots:
        message = f"the JSON of {wanted.name} is no object, as the arguments of a tool are"
        raise TypeError(message)
    return wanted


def validate_arguments(data: dict[str, Any], target: Target, context_label: str) -> Any:  # noqa: ANN401 - an object of the target's type
    """The object made of decoded arguments.

    Raises:
        LLMJsonParseError: they do not satisfy the type.
    """
    if not data and target.dto_type:  # that is how a model asks for the defaults
        lacking = copy(target.dto_type)
        lacking.may_lack_fields = False
        target = replace(target, dto_type=lacking)
    state = ParseState.of_data(data, target)
    if target.dto_type and target.dto_type.rows:
        state = without_repeating(state)
    state = finish(state)
    if state.coercions:
        log_coercions(state.coercions, context_label)
    return state.result


# --- texts between tags ---

_STRING = frozenset({"string"})
_BRACKETS = frozenset(OPENERS) | frozenset(CLOSERS)
_BEFORE, _AFTER = (repeated(rf"(?P<{name}>\r?\n)", "?") for name in ("before", "after"))
_BOTH = 2
_PADDED = expression(_BEFORE + "(?P<text>" + repeated(r"(?!\r?\n\Z).") + ")" + _AFTER + r"\Z", re.DOTALL)
MAY_BE_JSON = expression(r"[-+.\d\[{\"]|(?i:true|false|null|none)\s*+\Z")


def _notes_in_parameter(parameter: Parameter) -> Iterator[Note]:
    """The rests in the text of a parameter, which stands there as it is."""
    path = json_path((parameter.key,))
    for rest in REST.finditer(parameter.text):
        start, end = (parameter.place + at for at in rest.span())
        yield Note("strict", INSIDE, Span(start, end), path=path)


def types_of(expected: Expected, key: str) -> frozenset[str]:
    """The types of JSON that a parameter may have; those of text for one that is not known, and is not read."""
    return expected.member(key).types if key in expected.names or expected.others else _STRING


def readings(parameter: Parameter, types: frozenset[str], typed_calls: TypedCalls) -> list[Any]:
    """What the text of a parameter may say; several values where nothing but the type can tell.

    A text stands there as it is, without the line breaks that the template puts around it. Anything else is JSON.

    Raises:
        LLMJsonParseError: it has to be JSON and is none.
    """
    if parameter.is_text is not None:
        types = _STRING if parameter.is_text else types - _STRING
    written = parameter.text.strip()
    if parameter.is_text is False and written[:1] in OPENERS:
        return [typed_calls.decoded(written, finished=None)]
    if "string" not in types:
        return [_json(written, typed_calls)]
    padded = _PADDED.match(parameter.text) if parameter.is_padded else None
    breaks = sum(padded[name] is not None for name in ("before", "after")) if padded else 0
    found: list[Any] = [parameter.text] if breaks < _BOTH else []
    found += [padded["text"]] if padded and breaks else []  # both, if there is only one of the two line breaks
    is_quoted = written[:1] == '"' == written[-1:]
    if parameter.is_json_first and is_quoted:
        with suppress(ValueError):
            return [json.loads(written)]
    if MAY_BE_JSON.match(written) and (is_quoted or types != _STRING) and parameter.is_text is None:
        with suppress(LLMJsonParseError):  # it is a text
            value = _json(written, typed_calls)
            if value != written and type_of(value) in types:
                found.append(value)
    return found[-1:] if parameter.is_json_first else found


def _json(written: str, typed_calls: TypedCalls) -> Any:  # noqa: ANN401 - decoded JSON
    """The JSON value that a text is; a text that is none, for the type to refuse, unless it begins with a bracket.

    Raises:
        LLMJsonParseError: it is an object or an array that cannot be read.
    """
    if written[:1] in OPENERS:
        return typed_calls.decoded(written, finished=None) if written[-1:] in CLOSERS else written
    if not _BRACKETS.isdisjoint(written):
        return written
    try:
        values = typed_calls.decoded(f"[{SPELLED_LITERALS.get(written, written)}]", finished=None, roots="array")
    except LLMJsonParseError:
        return written
    return values[0] if len(values) == 1 else written
