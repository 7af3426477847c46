"""Chooses the answer among several objects without guessing: the rest of the text has to be accounted for.

A text that is one value and nothing else needs no choice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from src.shared.domain.edits import Edit, blanked, kinds_of, span_around
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import (
    CUT_OFF,
    ECHO,
    NO_OBJECT,
    ONLY_ASIDE,
    PART_OF_MORE,
    RETRACTED,
    RIVAL,
    ROUND_BRACKETS,
    SEVERAL_OBJECTS,
    TWO_READINGS,
)
from src.shared.domain.reading.brackets import TUPLE
from src.shared.domain.reading.layers import bracket_of_escaped
from src.shared.domain.reading.openings import KEY_LIMIT, VALUE_BEGINS
from src.shared.domain.reading.reading import ELISION, PYTHON_SET, Value
from src.shared.domain.reading.signs import ANY_QUOTE, MARGIN, OPENERS
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.parse_errors import tell_problems
from src.shared.infrastructure.parsing.remarks import (
    Heading,
    goes_on,
    heading_of,
    is_taken_back,
    may_have_headings,
    place_of_heading,
)
from src.shared.infrastructure.parsing.rivals import first_rival, stretches
from src.shared.infrastructure.parsing.scan import MAX_CANDIDATES
from src.shared.infrastructure.parsing.state import PASSED_OVER, Note, ParseState, Span, changed
from src.shared.infrastructure.parsing.wholes import place_in_more

_CODE_BEFORE = frozenset("(=,")
_GIVES_DATA = expression(r"(?:\A|\n)[ \t]*+(?:JSON\.stringify|json\.dumps)?\(\Z")
"""Before an object in round brackets, or the argument of a call that only writes it as JSON."""
_BARE = frozenset({RepairKind.UNQUOTED_KEY, RepairKind.UNQUOTED_VALUE})


def could_answer(value: Value, roots: frozenset[Root]) -> bool:
    """Whether a value is an object, a list of objects, or damaged; another list counts where one is asked for."""
    if not isinstance(value.data, list) or "array" in roots:
        return True
    return any(isinstance(item, dict) for item in value.data)


def is_code(value: Value, text: str, code: Sequence[Span]) -> bool:
    """Whether what looks like a damaged object is code: in a block of it, or bare names as an argument."""
    if not value.damaged:
        return False
    before = text[max(0, value.start - MARGIN) : value.start]
    is_argument = before[-1:] in _CODE_BEFORE and any(edit.kind in _BARE for edit in value.edits)
    return (is_argument and not _GIVES_DATA.search(before)) or span_around(code, value.start) is not None


_WHITE_SPACE = " \t\n\r"
_OPENERS = frozenset((*OPENERS, TUPLE))
_SCALAR_STARTS = frozenset('"-0123456789tfnNI')


def sole_span(state: ParseState, *, is_rivalled: bool = False) -> Span | None:
    """The only span, without the white space around it; None if there are several, or something competes with it.

    `is_rivalled` lets a value outside compete.
    """
    if len(state.spans) != 1 or state.rival is not None or (state.outside and not is_rivalled):
        return None
    start, end = state.spans[0]
    text = state.text
    inside = text[start:end].lstrip(_WHITE_SPACE)
    return Span(end - len(inside), end - len(inside) + len(inside.rstrip(_WHITE_SPACE)))


def sole_value(state: ParseState) -> Value | None:
    """The undamaged JSON value that fills that span; None if it does not."""
    span = sole_span(state)
    if span is None:
        return None
    known = state.scanner.known
    if span not in known:
        known[span] = _filling(state, *span)
    value: Value | None = known[span]
    return value


def _filling(state: ParseState, start: int, end: int) -> Value | None:
    text = state.text
    if heading_of(text, start) is Heading.SHOWN:
        return None
    first, value = text[start : start + 1], None
    if first in {"{", "["}:
        value = state.scanner.strict_at(start)
    elif first in _SCALAR_STARTS and bracket_of_escaped(text, start) < 0:
        with suppress(ValueError):
            data, stop, _ = decode_at(text, start)
            value = Value(start, stop, data)
    if value is None or value.end != end or is_taken_back(text, end, value.data) or goes_on(text, end, value.data):
        return None
    return value


def whole_value(state: ParseState) -> Value | None:
    """What fills the only span otherwise: an object that is escaped, or lacks its first brace, or what has brackets."""
    span = sole_span(state, is_rivalled=True)
    if span is None:
        return None
    apart = None if state.outside else escaped_value(state, span) or _unopened_value(state, span)
    return apart or bracketed_value(state, span)


def escaped_value(state: ParseState, span: Span | None) -> Value | None:
    """The object whose text, written as the inside of a string, fills a part of the text; None if it does not."""
    bracket = bracket_of_escaped(state.text, span.start) if span else -1
    value = state.scanner.value_at(bracket) if bracket >= 0 else None
    return value if value and value.problem is None and (value.start, value.end) == span else None


def bracketed_value(state: ParseState, span: Span | None) -> Value | None:
    """The list, tuple or object that fills a part, or why it is none; None if the brackets are prose."""
    if span is None or state.text[span.start : span.start + 1] not in _OPENERS:
        return None
    value = state.scanner.whole_at(*span)
    if value is None or value.problem is None:
        bare = [edit for edit in value.edits if edit.kind is RepairKind.UNQUOTED_VALUE] if value else []
        # a bracket with words in it may be one of prose: some have blanks between them, or there is one
        has_blanks = any(state.text[one.offset : one.offset + one.length].split()[1:] for one in bare)
        return None if value is None or has_blanks or len(bare) == len(value.data) == 1 else value
    is_cut = value.problem.truncated and VALUE_BEGINS.match(state.text, value.start) is not None
    return value if is_cut or value.problem.reason is PYTHON_SET else None


MEMBER_FIRST = expression(rf'\s{{0,{MARGIN}}}+"[^"\\\n]{{1,{KEY_LIMIT}}}+"[ \t\n\r]{{0,{MARGIN}}}+:')


def _unopened_value(state: ParseState, span: Span) -> Value | None:
    """The object that fills a part of the text once its first brace is put there; None if it does not.

    Not where a part of it has the type's fields on its own: that may be the answer.
    """
    if not MEMBER_FIRST.match(state.text, span.start, span.end) or state.text[span.end - 1] != "}":
        return None
    if state.text[span.start : span.end] != state.raw[span.start : span.end]:
        return None  # a mark of reasoning was dropped, perhaps out of a string
    try:
        data, end, edits = decode_at("{" + state.text[span.start : span.end], 0)
    except (ValueError, RecursionError):
        return None
    inside = state.scanner.values(*span) if state.target.own_keys() else ()
    if end != span.end - span.start + 1 or any(
        one.problem is None and state.target.is_known(one.data) for one in inside
    ):
        return None
    moved = [edit._replace(offset=edit.offset + span.start - 1) for edit in edits]
    return Value(
        span.start, span.end, data, (Edit(span.start, 0, "{", RepairKind.MISSING_BRACKET), *moved), damaged=True
    )


_IN_ROUND_BRACKETS = expression(
    r"(?m)^[ \t]{0,9}(?P<at>\()\s{0,9}(?:[{\[]|([\"'])[^\"'\n]{0,200}+\2\s?[:,]|-?\d[\d.]{0,20}\s?,)"
)
"""At the beginning of a line; in the middle of one, prose counts and formulas have such, too."""
_NO_KEY = expression(r"[\\\"“”{}\[\]]")


_UNQUOTED = frozenset({RepairKind.UNQUOTED_VALUE, RepairKind.MISSING_QUOTE})
"""Repairs of a string of which something that was dropped may be a part."""


def choose(state: ParseState, stage: str) -> ParseState:
    """Take the answer out of the candidates.

    Raises:
        LLMJsonParseError: a candidate cannot be read, several different ones could be the answer, or a part of the
            text outside them all may be it.
    """
    for value in state.values:
        if value.problem:
            offset, other = value.problem.offset, value.problem.other
            among = () if other is None else sorted((offset, other))
            raise state.refused(value.problem.reason, stage, offset, among=among, truncated=value.problem.truncated)
    groups = _groups(state, [*state.values, *state.outside])
    live = _live(state, groups, stage)
    answer = live[-1].value
    state = _noting_choice(state, answer, groups, live, stage)
    if state.target.may_be_other_root(state.text, answer):
        raise state.refused(TWO_READINGS, stage, answer.start)
    spans = (note.span for note in state.notes if note.action == "dropped")
    dropped = next((span for span in spans if answer.start < span.start < answer.end), None)
    blanks = " " * (dropped.end - dropped.start) if dropped else ""  # which it left in a string
    bare = not _UNQUOTED.isdisjoint(kinds_of(answer.edits))
    if dropped and (bare or blanks in json.dumps(answer.data, ensure_ascii=False)):
        raise state.refused(TWO_READINGS, stage, dropped.start)
    if is_taken_back(state.text, answer.end, answer.data):
        raise state.refused(RETRACTED, stage, answer.end)
    if goes_on(state.text, answer.end, answer.data):
        if not state.target.salvage:
            raise state.refused(ELISION, stage, answer.end)
        answer = replace(answer, cut=True)
    span = next((span for span in state.spans if span.start <= answer.start < span.end), state.spans[0])
    state.scanner.work.spend(2 * (span.end - span.start))
    larger = place_in_more(state.text, span, answer, state.values) if state.target.accepts_root(answer.data) else None
    if larger is not None:
        raise state.refused(PART_OF_MORE, stage, larger, among=(answer.start, larger) if larger != answer.start else ())
    rival = _rival(state, answer)
    if rival is not None:
        raise state.refused(RIVAL, stage, rival, among=(answer.start, rival))
    return state.with_value(answer, stage)


class _Group(NamedTuple):
    """Equal values.

    Attributes:
        value: the last of them.
        is_known: whether they have some of the type's fields; not asked where there is nothing else.
        headings: what the headings say of them; None for one of which none says anything.
    """

    value: Value
    is_known: bool
    headings: frozenset[Heading | None]


def _noting_choice(
    state: ParseState, answer: Value, groups: Sequence[_Group], live: Sequence[_Group], stage: str
) -> ParseState:
    """The state with a note of how the answer was chosen among others, and of the one that was passed over."""
    span, notes = Span(answer.start, answer.end), [*state.notes]
    if len(live) > 1:
        notes.append(Note(stage, "took the last", span))
    if answer.passed_over:
        place, _, other = answer.passed_over
        notes.append(Note(stage, "took the reading that fits the type", span))
        notes.append(Note(stage, PASSED_OVER, Span(place, (place if other is None else other) + 1)))
    others = [group.value for group in (*groups, *live[:-1]) if group.value is not answer]
    if others:
        notes.append(Note(stage, PASSED_OVER, Span(others[-1].start, others[-1].end)))
    return changed(state, notes=tuple(notes))


def _live(state: ParseState, groups: list[_Group], stage: str) -> list[_Group]:
    """The values that could be the answer, which is the last of them: one, unless the caller takes the last of several.

    Where a value has fields of the type, those that have none are about something else. Whether a value satisfies the
    type does not make it the answer: the one that does not may be what the model meant.
    """
    values = [*state.values, *state.outside]
    if not any(state.target.accepts_root(value.data) for value in values):
        return groups[:1]
    telling = [group for group in groups if group.is_known] or groups
    first = min((group.value.start for group in telling if None in group.headings), default=len(state.text))
    live = [
        group
        for group in telling
        if None in group.headings or (Heading.CALLED in group.headings and group.value.start < first)
    ]
    live = live or [group for group in telling if Heading.GIVEN in group.headings]
    if not all(group.value.is_in_plain_sight for group in live):
        live = telling  # a heading over the others does not make words in braces, or a quoted text, the answer
    if not live:
        raise state.refused(ONLY_ASIDE, stage, telling[-1].value.start)
    takes_last = state.target.several == "last" and not state.target.is_template(live[-1].value.data)
    if len(values) > MAX_CANDIDATES or (len(live) > 1 and not takes_last):
        raise _several(state, live, stage)
    return live


def _groups(state: ParseState, values: Sequence[Value]) -> list[_Group]:
    """The different values, by the place where each stands last."""
    equal: dict[str, list[Value]] = {}
    for value in sorted(values, key=attrgetter("start")):
        equal.setdefault(_fingerprint(value.data) if len(values) > 1 else "", []).append(value)
    groups = []
    for same in equal.values():
        last = same[-1]
        is_known = len(equal) == 1 or state.target.is_known(last.data)
        if not is_known and last.damaged and isinstance(last.data, dict):
            is_known = any(map(_NO_KEY.search, last.data))  # with marks of JSON in its keys it was not understood
        groups.append(_Group(last, is_known, frozenset(heading_of(state.text, one.start) for one in same)))
    return sorted(groups, key=lambda group: group.value.start)


def _rival(state: ParseState, answer: Value) -> int | None:
    """The first place that no value accounts for and that looks like data."""
    if state.rival is not None:
        return state.rival
    code = () if span_around(state.code, answer.start) else state.code  # the answer may be in one of its blocks
    explained = [*((value.start, value.end) for value in state.values), *code]
    left = [part for start, end in state.spans for part in stretches(start, end, explained)]
    return first_rival(state.text, left, state.target.own_keys(), answer.data)


def without_shown(state: ParseState) -> ParseState | None:
    """The state without the values that cannot be read and are under a heading; None where none is, or no other."""
    unread: list[Value] = []
    first = len(state.text)
    for value in islice(state.scanner.outermost(), MAX_CANDIDATES):
        if value.problem is None:
            first = min(first, value.start)
        elif not unread and not may_have_headings(state.text):
            return None  # before what follows it is looked for: it may reach far
        else:
            unread.append(value)
    headings = ((value, heading_of(state.text, value.start)) for value in unread)
    shown = [value for value, one in headings if one and (one is not Heading.CALLED or value.start > first)]
    if not shown or first == len(state.text):
        return None
    spans = [Span(value.start, state.scanner.end_of_unreadable(value)) for value in shown]
    spans += [Span(*place_of_heading(state.text, span.start)) for span in spans]
    return state.without(sorted(spans), "extract")


_BEGINS_AS_ANSWER = expression(
    rf"""
      \{{\s*+ (?: "[^"]*+" | '[^']*+' | [^\s"'{{}}:：]++ ) \s*+[:：]\s*+
      (?: u?{ANY_QUOTE} | [\[{{0-9-] | (?:true|false|null|True|False|None)\b )
    """,
    re.VERBOSE,
)
"""How what a stream has to show as the answer begins, which is not taken back."""
_INSTRUCTION = "You MUST respond with valid JSON ONLY."
"""A line of the requirement that prompts state."""


def without_echoes(state: ParseState, refusing: str) -> ParseState | None:
    """The state without what repeats the type's template or description; None where nothing does.

    One that a sentence calls the format is left: what it leads to may be an example. So is a template that comes first
    and begins as an answer does, since a stream has shown it. `refusing` is the stage that refused the text.

    Raises:
        LLMJsonParseError: nothing else in the text may be an answer.
    """
    known = state.target.dto_type.templates if state.target.dto_type else None
    prompted, templates = known.echoes_in(state.text, state.scanner.work) if known else ([], [])
    echoes = sorted([*prompted, *templates])
    rest = blanked(state.text, echoes) if echoes else state.text
    if not any(bracket in rest for bracket in OPENERS) and (echoes or _INSTRUCTION in rest):
        raise state.refused(ECHO, refusing, echoes[0][0] if echoes else rest.index(_INSTRUCTION))
    repeated = [
        (start, end)
        for start, end in echoes
        if heading_of(state.text, start) is not Heading.CALLED
        and ((start, end) in prompted or "{" in rest[:start] or not _BEGINS_AS_ANSWER.match(state.text, start))
    ]
    return state.without(repeated, "extract").noting("extract", PASSED_OVER, *repeated) if repeated else None


def cut_off(state: ParseState) -> LLMJsonParseError:
    """The caller knows that the model was cut off, whatever the text looks like."""
    return state.refused(CUT_OFF, "repair", len(state.raw), truncated=True)


def no_object(state: ParseState) -> LLMJsonParseError:
    """There is nothing in the text that could be the answer."""
    found = _IN_ROUND_BRACKETS.search(state.text)
    reason, place = (ROUND_BRACKETS, found.start("at")) if found else (NO_OBJECT, 0)
    return state.refused(reason, "extract", place)


def _several(state: ParseState, groups: Sequence[_Group], stage: str) -> LLMJsonParseError:
    """The error for several possible answers; if one does not satisfy the type, it also says what is wrong there."""
    places = [group.value.start for group in groups]
    failed = next(filter(None, (state.target.problem(group.value.data) for group in groups)), None)
    error = state.refused(SEVERAL_OBJECTS, stage, places[0], among=places)
    return tell_problems(error, failed) if failed else error


def _fingerprint(data: object) -> str:
    """Text that is the same for the same JSON value and tells 1, 1.0 and true apart."""
    try:
        return json.dumps(data, sort_keys=True)
    except RecursionError:
        return str(id(data))
