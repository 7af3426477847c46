"""Which of several objects is the answer: the DTO decides, and where it does not, nobody guesses."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import CUT_OFF, NO_OBJECT, PART_OF_MORE, SEVERAL_OBJECTS
from src.shared.infrastructure.dto_keys import own_keys_of
from src.shared.infrastructure.errors import not_json
from src.shared.infrastructure.satisfaction import fit
from src.shared.infrastructure.scanner import Value
from src.shared.infrastructure.state import ParseState
from src.shared.infrastructure.surroundings import is_part_of_more

MAX_CANDIDATES = 256
"""More objects than this in one text are refused without looking at them."""


def choose(state: ParseState, stage: str) -> ParseState:
    """Take the answer out of the candidates.

    Raises:
        LLMJsonParseError: a candidate cannot be read, or several different ones could be the answer.
    """
    for value in state.values:
        if value.problem:
            raise _unreadable(state, value, stage)
    objects = _without_prose(state, [value for value in state.values if isinstance(value.data, dict)])
    if not objects:
        return state.with_value(state.values[0], stage)
    answer = _answer(state, objects, stage)
    span = next((span for span in state.spans if span.start <= answer.start < span.end), state.spans[0])
    state.scanner.work.spend(span.end - span.start)
    if is_part_of_more(state.text, span, answer, state.values):
        raise not_json(PART_OF_MORE, stage, state.raw, position=state.lines.position(answer.start))
    return state.with_value(answer, stage)


def _answer(state: ParseState, objects: list[Value], stage: str) -> Value:
    different = _different(objects)
    if len(state.values) > MAX_CANDIDATES:
        raise _several(state, different, stage)
    if state.target.dto_type is None:
        lists = [value for value in state.values if isinstance(value.data, list)]
        if len(different) > 1 or lists:
            raise _several(state, [*different, *lists], stage)
        return objects[-1]
    return _by_contract(state, state.target.dto_type, different, stage)


def _by_contract(state: ParseState, dto_type: type[BaseModel], objects: list[Value], stage: str) -> Value:
    """The one object that satisfies the DTO; if none does, the one that knows most of its fields, to be refused.

    Where an object knows a field, those that know none are not asked: a DTO of defaults takes anything.
    """
    if len(objects) == 1:
        return objects[0]
    fits = [(value, fit(value.data, dto_type, state.target.normalizers)) for value in objects]
    telling = [(value, found) for value, found in fits if found.known] or fits
    fitting = [value for value, found in telling if found.valid]
    if len(fitting) > 1:
        raise _several(state, fitting, stage)
    if not fitting:
        return max(reversed(telling), key=lambda pair: pair[1].known)[0]
    parts = [value for value, _ in telling if _are_parts(state, value, fitting[0])]
    if parts:
        raise _several(state, [*fitting, *parts], stage)
    return fitting[0]


def _are_parts(state: ParseState, one: Value, other: Value) -> bool:
    """Whether two objects have fields of the DTO and none in common: the answer may have been split over them."""
    fields, others = _fields(state, one), _fields(state, other)
    return bool(fields and others) and not fields & others


def _without_prose(state: ParseState, objects: list[Value]) -> list[Value]:
    """Leave out braces around bare words that are no field (`{Note: as asked}`) beside an object with quotes."""
    return [value for value in objects if not value.is_bare or _fields(state, value)] or objects


def _fields(state: ParseState, value: Value) -> frozenset[str]:
    """The fields of the DTO that an object has."""
    dto_type = state.target.dto_type
    return own_keys_of(dto_type).intersection(value.data) if dto_type else frozenset()


def cut_off(state: ParseState) -> LLMJsonParseError:
    """The caller knows that the model was cut off, whatever the text looks like."""
    end = state.lines.position(len(state.raw))
    return not_json(CUT_OFF, "repair", state.raw, position=end, truncated=True)


def no_object(state: ParseState) -> LLMJsonParseError:
    """There is nothing in the text that could be the answer."""
    return not_json(NO_OBJECT, "extract", state.raw, position=state.lines.position(0))


def _several(state: ParseState, values: Iterable[Value], stage: str) -> LLMJsonParseError:
    places = [state.lines.position(value.start) for value in values]
    return not_json(SEVERAL_OBJECTS, stage, state.raw, position=places[0], candidates=places)


def _unreadable(state: ParseState, value: Value, stage: str) -> LLMJsonParseError:
    problem = value.problem
    assert problem is not None  # noqa: S101 - the caller has looked
    places = [problem.offset] if problem.other is None else [problem.offset, problem.other]
    return not_json(
        problem.reason,
        stage,
        state.raw,
        position=state.lines.position(problem.offset),
        truncated=problem.truncated or None,
        candidates=[state.lines.position(place) for place in places] if len(places) > 1 else None,
    )


def _different(objects: list[Value]) -> list[Value]:
    return objects if len(objects) == 1 else list({_fingerprint(value.data): value for value in objects}.values())


def _fingerprint(data: object) -> str:
    """Text that is the same for the same JSON value and tells 1, 1.0 and true apart."""
    try:
        return json.dumps(data, sort_keys=True)
    except RecursionError:
        return str(id(data))
