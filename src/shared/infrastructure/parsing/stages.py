"""The stages that look for the object, and the loop that runs them until one has decoded it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from src.shared.domain.edits import blanked, kinds_of, span_around
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import HOLDS_CALL, ONLY_THINK, TOO_DAMAGED, UNCLOSED_THINK
from src.shared.domain.reading.reading import Value
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import ROOTS
from src.shared.infrastructure.parsing.answer import (
    bracketed_value,
    choose,
    could_answer,
    cut_off,
    escaped_value,
    is_code,
    no_object,
    sole_span,
    sole_value,
    whole_value,
    without_echoes,
    without_shown,
)
from src.shared.infrastructure.parsing.leaked_calls import (
    is_to_a_tool,
    parameter_values,
    refuse_call,
    shows_only_lists,
)
from src.shared.infrastructure.parsing.parse_errors import EMPTY, not_json, parse_error
from src.shared.infrastructure.parsing.rivals import first_rival, has_fields, stretches
from src.shared.infrastructure.parsing.rows import in_a_row, with_list_brackets
from src.shared.infrastructure.parsing.scan import CHANNEL_MARK, MAX_CANDIDATES, OPENER
from src.shared.infrastructure.parsing.state import (
    ParseState,
    Span,
    Stage,
    Target,
    changed,
    run_stage,
)

_NOTHING = " \t\n\r\v\f\u00a0\u2028\u2029\u3000\ufeff\u200b\u200c\u200d\u2060\x00"
SCANS = 8
"""So many times the text outside of fenced blocks is looked at, apart from what reading its values takes."""
CODE_LIMIT = 500
"""Most characters of code that a sentence mentions."""
_MENTIONED = expression(
    rf"` (?<= \w [ ] ` ) (?: [^`\n]{{1,{CODE_LIMIT}}}+ ` (?= [ ,;]{{1,3}}+ \w ) | \{{ \s? \}} ` )", re.VERBOSE
)
"""Code in a sentence that continues after it, or an empty object: a mention, not an answer."""


def empty(state: ParseState) -> ParseState:
    """Refuse a text of white space, invisible characters and NULs only."""
    if not state.raw.strip(_NOTHING) or state.raw.isspace():
        raise parse_error(EMPTY, "empty", state.raw, json_error="empty")
    return state


# --- think ---


def think(state: ParseState) -> ParseState:
    """Drop reasoning, so that no draft in it is taken for the answer: blank it out.

    A mark inside a JSON string is data. A block that is never closed is an error, because nothing in it is an answer.
    In harmony's channels only the final one counts.
    """
    rest, error = without_reasoning(state)
    if error:
        raise error
    return rest


def without_reasoning(state: ParseState) -> tuple[ParseState, LLMJsonParseError | None]:
    """The state with its reasoning blanked out, and why nothing of the rest can be the answer, if so."""
    if (not state.scanner.drafts and CHANNEL_MARK not in state.text) or escaped_value(state, sole_span(state)):
        return state, None
    error, channels = None, state.scanner.channels(is_to_a_tool)
    if channels:
        if channels.called is not None:
            error = state.refused(HOLDS_CALL, "tool_call", channels.called)
        elif not channels.answers:
            error = state.refused(ONLY_THINK, "think", channels.last)
        state = state.without(channels.beside, "think")
    dropped, is_closed = state.scanner.reasoning(parameter_values)
    if not dropped or state.scanner.work.refused:
        return state, error
    state = state.without(dropped, "think")
    if not is_closed:
        error = state.refused(UNCLOSED_THINK, "think", dropped[-1][0])
    elif not state.text.strip():
        error = state.refused(ONLY_THINK, "think", dropped[-1][1])
    return state, error


# --- fence ---


def fence(state: ParseState) -> ParseState:
    """Narrow the search to the fenced blocks whose content opens with a bracket, and account for the text outside.

    Neither the language tag nor an unclosed last fence matters: the block ends where its JSON ends. A block of code in
    another language is remembered, because braces in it are not damaged JSON. A block whose tag means reasoning is
    dropped like any other reasoning.
    """
    if not state.scanner.has_fences or escaped_value(state, sole_span(state)):
        return state
    found = state.scanner.fences
    if found.reasoning:
        state = state.without(found.reasoning, "fence")
    rival = found.unread[0][0] if found.unread else None
    state = changed(state, code=tuple(Span(*block) for block in found.code), rival=rival)
    if found.json:
        return _narrowed(state, found.json)
    scalar = _narrowed(changed(state, rival=None), found.text) if len(found.text) == 1 else state
    return scalar if sole_value(scalar) or bracketed_value(scalar, sole_span(scalar)) else state


def _narrowed(state: ParseState, blocks: Sequence[tuple[int, int]]) -> ParseState:
    """The state of these blocks, with the values outside that could be the answer, and the first place not readable.

    Code of another language, and code in the middle of a sentence, is about something else, unless it has the type's
    own fields.
    """
    state = changed(state.noting("fence", "recognised", *blocks), spans=tuple(Span(*block) for block in blocks))
    fields = state.target.own_keys()
    code = [span for span in state.code if not has_fields(state.text, *span, fields)]
    text = blanked(state.text, sorted([*state.spans, *code]))
    work = state.scanner.work
    work.spend(SCANS * len(text))
    values: list[Value] = []
    if OPENER.search(text):
        found = state.target.scanner(text, work).values(0, len(text))
        values = list(islice((value for value in found if not is_code(value, text, ())), MAX_CANDIDATES + 1))
    # what is in a value's strings is no code, so values are made one word
    words = (
        blanked(text, [(value.start, value.end) for value in values if value.data != {}], "x") if "`" in text else ""
    )
    mentions = [one.span() for one in _MENTIONED.finditer(words) if not has_fields(text, *one.span(), fields)]
    values = [value for value in values if not span_around(mentions, value.start)]
    readable = [value for value in values if value.problem is None]
    left = stretches(0, len(text), [*mentions, *((value.start, value.end) for value in readable)])
    unread = (value.start for value in values if value.problem)
    only = state.scanner.value_at(state.spans[0].start) if len(state.spans) == 1 else None
    rival = first_rival(text, left, fields, only.data if only else None)
    places = [place for place in (state.rival, rival, *unread) if place is not None]
    outside = tuple(value for value in readable if could_answer(value, state.target.roots))
    return changed(state, outside=outside, rival=min(places, default=None))


# --- control_chars, strict, extract, repair ---


def _has_control_characters(value: Value) -> bool:
    return RepairKind.CONTROL_CHARACTER in kinds_of(value.edits)


def control_chars(state: ParseState) -> ParseState:
    """Decode the one text that is left if all that keeps it from being JSON is control characters inside strings."""
    value = sole_value(state)
    return state.with_value(value, "control_chars") if value and _has_control_characters(value) else state


def strict(state: ParseState) -> ParseState:
    """Decode the one text that is left if it is one JSON value and nothing else."""
    value = sole_value(state)
    return state.with_value(value, "strict") if value and not _has_control_characters(value) else state


def extract(state: ParseState) -> ParseState:
    """Find the candidates, and choose among them unless one is damaged: that is the next stage's.

    Where one scalar is looked for, that is the whole text, or what it names at its end.
    """
    if state.target.is_scalar:
        from src.shared.infrastructure.parsing.scalar import read_scalar  # noqa: PLC0415 - for callers that ask for it

        refuse_call(state, listed=False)
        return read_scalar(state, search)
    whole = whole_value(state)
    is_only = whole and whole.problem is None and (whole.damaged or not state.outside)
    values = (whole,) if whole and is_only and state.target.accepts_root(whole.data) else ()
    if values or not (found := _candidates(state)):
        if whole is None:
            raise no_object(state)
        return changed(state.noting("extract", "recognised", (whole.start, whole.end)), values=(whole,))
    rival = state.rival
    if rival is None and state.spans != (Span(0, len(state.text)),):  # a block in which nothing could be recognised
        scanner = state.scanner
        unread = (span for span in state.spans if not (scanner.strict_at(span.start) or any(scanner.values(*span))))
        rival = next((span.start for span in unread), None)
    places = ((value.start, value.end) for value in found)
    state = changed(state.noting("extract", "recognised", *places), values=found, rival=rival)
    return state if any(value.damaged for value in found) else choose(state, "extract")


def _candidates(state: ParseState) -> tuple[Value, ...]:
    """The values that could be the answer, up to the first that cannot be read: whatever follows it is an error."""
    is_narrowed, roots = state.spans != (Span(0, len(state.text)),), state.target.roots
    inside = (value for span in state.spans for value in state.scanner.values(*span))
    found = inside if is_narrowed else state.scanner.outermost()
    candidates: Iterator[Value] = (
        value for value in found if could_answer(value, roots) and not is_code(value, state.text, state.code)
    )
    if state.target.own_roots == ROOTS["array"]:
        candidates = in_a_row(state, candidates)
    values = list[Value]()
    for value in islice(candidates, MAX_CANDIDATES + 1):
        values.append(value)
        if value.problem:
            break
    return (with_list_brackets(state, values[0]),) if len(values) == 1 else tuple(values)


def repair(state: ParseState) -> ParseState:
    """Choose among all candidates, the damaged ones too."""
    return choose(state, "repair")


# --- all of them ---

SEARCHING: tuple[Stage, ...] = (think, fence, control_chars, strict, extract, repair)
"""The stages that look for the object; once it is decoded the rest of them have nothing to do."""
_SEARCHING_SCALAR: tuple[Stage, ...] = (think, extract)
"""Those that a scalar needs: what is around it is no part of it, and its spelling is no damage."""
BEFORE_TOOL_CALL = fence
"""Behind this stage a text that holds the call of a tool is refused, as stage `tool_call`."""


def search(state: ParseState, *, in_call: bool = False) -> ParseState:
    """The state in which the object of a text is decoded that the plain way did not read."""
    *_, last = searching(state, in_call=in_call)
    return last


def searching(state: ParseState, *, in_call: bool = False) -> Iterator[ParseState]:
    """Run the stages that look for the object, and where the caller allows other notations, read those.

    Raises:
        LLMJsonParseError: as `_searching`.
    """
    steps = _searching(state, in_call=in_call)
    if in_call or len(state.target.read_as.notations) == 1:
        return steps
    from src.shared.infrastructure.parsing.notated import with_notations  # noqa: PLC0415 - for callers that ask for it

    return with_notations(steps)


def _searching(state: ParseState, *, in_call: bool) -> Iterator[ParseState]:
    """Run the stages that look for the object, one by one, until it is decoded.

    A text that is known to be cut off is refused before any of them looks at it. Once reasoning is dropped, one that
    holds the call of a tool is, too, unless it is itself a part of one (`in_call`).

    `strict` gets a first try on the whole text: valid JSON needs no other stage, and that is what makes a tag, a
    fence or a brace inside its strings safe. A text that is refused gets a second try without what a heading calls an
    example, if that cannot be read: it is often a template. So does one that repeats what the prompt says of the type.

    Raises:
        LLMJsonParseError: from the stage that could not go on; the last one chooses an object or fails.
    """
    empty(state)
    if state.target.is_cut_off:
        raise cut_off(state)
    is_scalar = state.target.is_scalar
    state = whole = state if is_scalar else strict(state)
    yield state
    for stage in _SEARCHING_SCALAR if is_scalar else SEARCHING:
        if state.decoded:
            return
        try:
            state = run_stage(stage, state)
        except LLMJsonParseError as error:
            if not in_call:
                refuse_call(state, listed=True)
            rest = None if stage is think or is_scalar else without_shown(whole)
            if rest is None:
                yield from _beside_echoes(whole, stage, error, in_call=in_call)
                return
            try:
                yield from _searching(rest, in_call=in_call)
            except LLMJsonParseError:
                raise error from None
            return
        whole = state if stage is think else whole
        if state.scanner.work.refused:  # it has not looked at everything
            raise not_json(TOO_DAMAGED, stage.__name__, state.raw)
        if not in_call:
            _refuse_calls(state, stage)
        yield state


def _beside_echoes(whole: ParseState, stage: Stage, error: LLMJsonParseError, *, in_call: bool) -> Iterator[ParseState]:
    """Run the stages on the rest of a text that was refused, and repeats what the prompt says of the type."""
    rest = None if stage is think else without_echoes(whole, error.details["stage"])
    if rest is None:
        raise error
    yield from searching(rest, in_call=in_call)


def _refuse_calls(state: ParseState, stage: Stage) -> None:
    is_list = stage is think and shows_only_lists(state.scanner) and not state.scanner.has_reasoning_block()
    if state.decoded or is_list:
        refuse_call(state, listed=True)  # before anything is read of it: braces in its arguments take long
    elif stage is BEFORE_TOOL_CALL:
        refuse_call(state, listed=False)


def dropped_and_fenced(raw: str) -> ParseState:
    """The state in which a text is JSON as it stands, or reasoning is dropped and fenced blocks are known.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = strict(ParseState.of(raw, Target(decoded_roots=ROOTS["any"])))
    return state if state.decoded else fence(think(state))
