"""Chooses the answer among several objects without guessing: the rest of the text has to be accounted for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import (
    CUT_OFF,
    NO_OBJECT,
    ONLY_ASIDE,
    PART_OF_MORE,
    RIVAL,
    SEVERAL_OBJECTS,
    TWO_READINGS,
)
from src.shared.domain.reading.reading import Problem, Value
from src.shared.infrastructure.parsing.candidates.eligible import MAX_CANDIDATES
from src.shared.infrastructure.parsing.candidates.headings import Heading, heading_of
from src.shared.infrastructure.parsing.candidates.larger_whole import place_in_more
from src.shared.infrastructure.parsing.candidates.rivals import first_rival, stretches
from src.shared.infrastructure.parsing.notes import Note, Span
from src.shared.infrastructure.parsing.parse_errors import not_json, tell_problems
from src.shared.infrastructure.parsing.state import ParseState

_NO_KEY = re.compile(r"[\\\"“”{}\[\]]")


def choose(state: ParseState, stage: str) -> ParseState:
    """Take the answer out of the candidates.

    Raises:
        LLMJsonParseError: a candidate cannot be read, several different ones could be the answer, or a part of the
            text outside them all may be it.
    """
    for value in state.values:
        if value.problem:
            raise _unreadable(state, value.problem, stage)
    live = _live(state, stage)
    answer = live[-1].value
    if len(live) > 1:
        state = state.with_note(Note(stage, "took the last", Span(answer.start, answer.end)))
    if answer.by_type:
        state = state.with_note(Note(stage, "took the reading that fits the type", Span(answer.start, answer.end)))
    if state.target.may_be_other_root(state.text, answer):
        raise not_json(TWO_READINGS, stage, state.raw, position=state.lines.position(answer.start))
    span = next((span for span in state.spans if span.start <= answer.start < span.end), state.spans[0])
    state.scanner.work.spend(2 * (span.end - span.start))
    larger = place_in_more(state.text, span, answer, state.values) if state.target.accepts_root(answer.data) else None
    if larger is not None:
        places = [state.lines.position(place) for place in dict.fromkeys((answer.start, larger))]
        raise not_json(PART_OF_MORE, stage, state.raw, position=places[-1], candidates=places if places[1:] else None)
    rival = _rival(state, answer)
    if rival is not None:
        places = [state.lines.position(place) for place in (answer.start, rival)]
        raise not_json(RIVAL, stage, state.raw, position=places[1], candidates=places)
    return state.with_value(answer, stage)


class _Group(NamedTuple):
    """Equal values.

    Attributes:
        value: the last of them.
        known: how many of the type's fields they have.
        headings: what the headings say of them; None for one of which none says anything.
    """

    value: Value
    known: int
    headings: frozenset[Heading | None]


def _live(state: ParseState, stage: str) -> list[_Group]:
    """The values that could be the answer, which is the last of them: one, unless the caller takes the last of several.

    Where a value has fields of the type, those that have none are about something else. Whether a value satisfies the
    type does not make it the answer: the one that does not may be what the model meant.
    """
    values = [*state.values, *state.outside]
    groups = _groups(state, values)
    if not any(state.target.accepts_root(value.data) for value in values):
        return groups[:1]
    telling = [group for group in groups if group.known] or groups
    live = [group for group in telling if None in group.headings] or [
        group for group in telling if Heading.GIVEN in group.headings
    ]
    if not all(group.value.is_in_plain_sight for group in live):
        live = telling  # a heading over the others does not make words in braces, or a quoted text, the answer
    if not live:
        raise not_json(ONLY_ASIDE, stage, state.raw, position=state.lines.position(telling[-1].value.start))
    if len(values) > MAX_CANDIDATES:
        raise _several(state, live, stage)
    if len(live) == 1 or state.target.several == "last":
        return live
    raise _several(state, live, stage)


def _groups(state: ParseState, values: Sequence[Value]) -> list[_Group]:
    """The different values, by the place where each stands last."""
    if len(values) == 1:
        return [_Group(values[0], 1, frozenset({heading_of(state.text, values[0].start)}))]
    equal: dict[str, list[Value]] = {}
    for value in sorted(values, key=attrgetter("start")):
        equal.setdefault(_fingerprint(value.data), []).append(value)
    groups = []
    for same in equal.values():
        known = _known(state, same[-1]) if len(equal) > 1 else 1
        groups.append(_Group(same[-1], known, frozenset(heading_of(state.text, one.start) for one in same)))
    return sorted(groups, key=lambda group: group.value.start)


def _known(state: ParseState, value: Value) -> int:
    """How many of the type's fields a value has; a damaged one with marks of JSON in its keys was not understood."""
    known = state.target.known(value.data)
    if known == 0 and value.damaged and isinstance(value.data, dict):
        return int(any(_NO_KEY.search(key) for key in value.data))
    return known


def _rival(state: ParseState, answer: Value) -> int | None:
    """The first place that no value accounts for and that looks like data."""
    if state.rival is not None:
        return state.rival
    explained = [*((value.start, value.end) for value in state.values), *_code_without(state, answer)]
    left = [part for start, end in state.spans for part in stretches(start, end, explained)]
    return first_rival(state.text, left, state.target.own_keys(), answer.data)


def _code_without(state: ParseState, answer: Value) -> Iterator[Span]:
    """The blocks of code, if the answer is in none of them."""
    inside = any(start <= answer.start < end for start, end in state.code)
    return iter(()) if inside else iter(state.code)


def cut_off(state: ParseState) -> LLMJsonParseError:
    """The caller knows that the model was cut off, whatever the text looks like."""
    end = state.lines.position(len(state.raw))
    return not_json(CUT_OFF, "repair", state.raw, position=end, truncated=True)


def no_object(state: ParseState) -> LLMJsonParseError:
    """There is nothing in the text that could be the answer."""
    return not_json(NO_OBJECT, "extract", state.raw, position=state.lines.position(0))


def _several(state: ParseState, groups: Sequence[_Group], stage: str) -> LLMJsonParseError:
    """The error for several possible answers; if one does not satisfy the type, it also says what is wrong there."""
    places = [state.lines.position(group.value.start) for group in groups]
    failed = next(filter(None, (state.target.problem(group.value.data) for group in groups)), None)
    error = not_json(SEVERAL_OBJECTS, stage, state.raw, position=places[0], candidates=places)
    return tell_problems(error, failed) if failed else error


def _unreadable(state: ParseState, problem: Problem, stage: str) -> LLMJsonParseError:
    places = [problem.offset] if problem.other is None else [problem.offset, problem.other]
    return not_json(
        problem.reason,
        stage,
        state.raw,
        position=state.lines.position(problem.offset),
        truncated=problem.truncated or None,
        candidates=[state.lines.position(place) for place in places] if len(places) > 1 else None,
    )


def _fingerprint(data: object) -> str:
    """Text that is the same for the same JSON value and tells 1, 1.0 and true apart."""
    try:
        return json.dumps(data, sort_keys=True)
    except RecursionError:
        return str(id(data))
