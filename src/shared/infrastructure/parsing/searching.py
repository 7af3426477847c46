"""The stages that look for the object, and the loop that runs them until one has decoded it.

`think` and `fence` have files of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TOO_DAMAGED
from src.shared.domain.reading.reading import Value
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import ROOTS
from src.shared.infrastructure.parsing.answer import (
    MAX_CANDIDATES,
    bracketed_value,
    choose,
    could_answer,
    cut_off,
    escaped_sole_value,
    is_code,
    no_object,
    sole_value,
    unopened_sole_value,
    without_shown,
)
from src.shared.infrastructure.parsing.fence import fence, has_reasoning_block
from src.shared.infrastructure.parsing.leaked_calls import refuse_call, refuse_list, shows_only_lists
from src.shared.infrastructure.parsing.parse_errors import EMPTY, not_json, parse_error
from src.shared.infrastructure.parsing.rows import in_a_row, with_list_brackets
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, Stage, Target, changed, run_stage
from src.shared.infrastructure.parsing.think import think

_NOTHING = " \t\n\r\v\f\u00a0\u2028\u2029\u3000\ufeff\u200b\u200c\u200d\u2060\x00"


def empty(state: ParseState) -> ParseState:
    """Refuse a text of white space, invisible characters and NULs only."""
    if not state.raw.strip(_NOTHING) or state.raw.isspace():
        raise parse_error(EMPTY, "empty", state.raw, json_error="empty")
    return state


def control_chars(state: ParseState) -> ParseState:
    """Decode the one text that is left if all that keeps it from being JSON is control characters inside strings."""
    value = sole_value(state)
    if value and any(edit.kind is RepairKind.CONTROL_CHARACTER for edit in value.edits):
        return state.with_value(value, "control_chars")
    return state


def strict(state: ParseState) -> ParseState:
    """Decode the one text that is left if it is one JSON value and nothing else."""
    value = sole_value(state)
    if value is None or any(edit.kind is RepairKind.CONTROL_CHARACTER for edit in value.edits):
        return state
    return state.with_value(value, "strict")


def extract(state: ParseState) -> ParseState:
    """Find the candidates, and choose among them unless one is damaged: that is the next stage's."""
    whole = escaped_sole_value(state) or unopened_sole_value(state) or bracketed_value(state)
    is_only = whole and whole.problem is None and (whole.damaged or not state.outside)
    if whole and is_only and state.target.accepts_root(whole.data):
        return changed(state, values=(whole,), notes=(*state.notes, _note(whole)))
    found = (value for span in state.spans for value in state.scanner.values(*span))
    roots = state.target.roots
    candidates: Iterator[Value] = (
        value for value in found if could_answer(value, roots) and not is_code(value, state.text, state.code)
    )
    if roots == ROOTS["array"]:
        candidates = in_a_row(state, candidates)
    values = tuple(islice(_to_unreadable(candidates), MAX_CANDIDATES + 1))
    if len(values) == 1:
        values = (with_list_brackets(state, values[0]),)
    if not values:
        if whole is None:
            raise no_object(state)
        return changed(state, values=(whole,), notes=(*state.notes, _note(whole)))
    notes = (*state.notes, *(_note(value) for value in values))
    state = changed(
        state, values=values, notes=notes, rival=_unread_block(state) if state.rival is None else state.rival
    )
    if any(value.damaged for value in values):
        return state
    return choose(state, "extract")


def _unread_block(state: ParseState) -> int | None:
    """Where a fenced block opens in which nothing could be recognised."""
    if state.spans == (Span(0, len(state.text)),):
        return None
    scanner = state.scanner
    unread = (span for span in state.spans if not (scanner.strict_at(span.start) or any(scanner.values(*span))))
    return next((span.start for span in unread), None)


def _to_unreadable(values: Iterable[Value]) -> Iterator[Value]:
    """The values up to the first that cannot be read: whatever comes after it, that is an error."""
    for value in values:
        yield value
        if value.problem:
            return


def _note(value: Value) -> Note:
    return Note("extract", "recognised", Span(value.start, value.end))


def repair(state: ParseState) -> ParseState:
    """Choose among all candidates, the damaged ones too."""
    return choose(state, "repair")


SEARCHING: tuple[Stage, ...] = (think, fence, control_chars, strict, extract, repair)
"""The stages that look for the object; once it is decoded the rest of them have nothing to do."""
BEFORE_TOOL_CALL = fence
"""Behind this stage a text that holds the call of a tool is refused, as stage `tool_call`."""


def search(state: ParseState, *, in_call: bool = False) -> ParseState:
    """The state in which the object of a text is decoded that the plain way did not read."""
    *_, last = searching(state, in_call=in_call)
    return last


def without_reasoning(raw: str) -> ParseState:
    """The state in which a text is JSON as it stands, or reasoning is dropped and fenced blocks are known.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = strict(ParseState.of(raw, Target(decoded_roots=ROOTS["any"])))
    return state if state.decoded else fence(think(state))


def searching(state: ParseState, *, in_call: bool = False) -> Iterator[ParseState]:
    """Run the stages that look for the object, one by one, until it is decoded.

    A text that is known to be cut off is refused before any of them looks at it. Once reasoning is dropped, one that
    holds the call of a tool is, too, unless it is itself a part of one (`in_call`).

    `strict` gets a first try on the whole text: valid JSON needs no other stage, and that is what makes a tag, a
    fence or a brace inside its strings safe. A text that is refused gets a second try without what a heading calls an
    example, if that cannot be read: it is often a template.

    Raises:
        LLMJsonParseError: from the stage that could not go on; the last one chooses an object or fails.
    """
    empty(state)
    if state.target.is_cut_off:
        raise cut_off(state)
    state = whole = strict(state)
    yield state
    for stage in SEARCHING:
        if state.decoded:
            return
        try:
            state = run_stage(stage, state)
        except LLMJsonParseError as error:
            if not in_call:
                refuse_list(state)
            rest = None if stage is think else without_shown(whole)
            if rest is None:
                raise
            try:
                yield from searching(rest, in_call=in_call)
            except LLMJsonParseError:
                raise error from None
            return
        whole = state if stage is think else whole
        if state.scanner.work.refused:  # it has not looked at everything
            raise not_json(TOO_DAMAGED, stage.__name__, state.raw)
        if not in_call:
            _refuse_calls(state, stage)
        yield state


def _refuse_calls(state: ParseState, stage: Stage) -> None:
    if state.decoded or (stage is think and shows_only_lists(state.text) and not has_reasoning_block(state.text)):
        refuse_list(state)  # before anything is read of it: braces in its arguments take long
    elif stage is BEFORE_TOOL_CALL:
        refuse_call(state)
