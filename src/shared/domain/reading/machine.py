"""Reads a damaged container: returns the nearest reading if it is the only one, or the only one that fits the type.

Every reading is followed, the cheapest first. A repair has competitors: a quote may end a string or belong to its text,
a bracket may belong one place earlier. So no rule decides by itself. The table of moves says what a reading may try at
each place of the grammar, by the character found there. If a rule returns True, it is complete, and the rules after it
are not tried. If two readings with different values cost the same, the text is refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from heapq import merge
from itertools import chain, islice, zip_longest
from operator import itemgetter
from typing import NamedTuple

from src.shared.domain.edits import Edit, EditedText, Edits, LazyEdits, counted
from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.parse_reasons import NUMBER_TOO_LONG, TOO_DAMAGED, TOO_DEEP, TRUNCATED, TWO_READINGS
from src.shared.domain.reading.dialect import SPELLINGS, dialect_of
from src.shared.domain.reading.lexicon import CLOSERS, COMMAS, OPENERS, QUOTES
from src.shared.domain.reading.moves import brackets, gaps, keys, values
from src.shared.domain.reading.moves.after import after_value
from src.shared.domain.reading.moves.strings import (
    at_quote,
    behind_prefix,
    escaped_string,
    open_doubled,
    open_string,
    two_single_quotes,
)
from src.shared.domain.reading.passage import STRUCTURAL, edits_of_run, pass_undamaged
from src.shared.domain.reading.reading import ELISION, NO_KEY, UNREAD, Problem, UnreadableError, Value, is_of_structure
from src.shared.domain.reading.search import ReadingOptions, Search, Whole, ways
from src.shared.domain.reading.states import FIRST_PLACE, Place, Run, State, Step, linked
from src.shared.domain.reading.sweep import edits_of_string, sweep
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import STEP, Work

_CLOSERS, _OPENERS, _QUOTES = frozenset(CLOSERS), frozenset(OPENERS), frozenset(QUOTES)
_COMMAS, _PREFIXES = frozenset(COMMAS), frozenset("bBfFrRuU")


class Rule(NamedTuple):
    """What is tried: at one of these characters, or at any where there are none."""

    signs: frozenset[str] | None
    move: Callable[[Search, State, str], bool]


def _quoted_key(s: Search, state: State, char: str) -> bool:
    """A key in quotes of whatever kind, or with one of them only."""
    state = keys.keep_indent(s, state).but(role=Place.KEY)
    open_string(s, state, char)
    gaps.not_understood(s, state, (state.place,), NO_KEY)
    two_single_quotes(s, state)
    open_doubled(s, state)
    keys.unclosed_key(s, state, char)
    return True


def _prefixed_key(s: Search, state: State, _: str) -> bool:
    """`u"a": 1`: a key as Python 2 writes it."""
    opened = behind_prefix(s, state)
    return opened is not None and _quoted_key(s, opened, s.text[opened.at])


_KEY_RULES = (
    Rule(frozenset('".…['), gaps.ellipsis),
    Rule(_CLOSERS, brackets.closer),
    Rule(_COMMAS, keys.comma_for_a_key),
    Rule(_OPENERS, keys.opener_for_a_key),
    Rule(None, brackets.end),
    Rule(_QUOTES, _quoted_key),
    Rule(frozenset("*"), keys.bold_key),
    Rule(None, keys.value_for_a_key),
    Rule(frozenset("\\"), keys.escaped_key),
    Rule(frozenset("0123456789"), keys.digits_after_a_comma),
    Rule(_PREFIXES, _prefixed_key),
    Rule(None, keys.bare_key),
    Rule(None, keys.no_key),
)
_COLON_RULES = (
    Rule(None, keys.colon),
    Rule(_COMMAS, keys.comma_for_a_colon),
    Rule(None, brackets.end),
    Rule(frozenset("\"'"), keys.quote_before_a_colon),
    Rule(None, keys.forgotten_colon),
    Rule(None, keys.no_colon),
)
_VALUE_RULES = (
    Rule(frozenset("("), values.tuple_opener),
    Rule(frozenset(")"), values.tuple_closer),
    Rule(_OPENERS, values.opener),
    Rule(None, brackets.end),
    Rule(_QUOTES, values.string),
    Rule(frozenset("\\"), escaped_string),
    Rule(frozenset("*_"), keys.bold_value),
    Rule(_CLOSERS, brackets.closer),
    Rule(_COMMAS, values.comma),
    Rule(None, values.colon_again),
    Rule(frozenset(".…"), gaps.ellipsis),
    Rule(_PREFIXES, values.prefixed),
    Rule(None, values.word),
)
RULES: dict[Place, tuple[Rule, ...]] = {
    Place.FIRST_KEY: _KEY_RULES,
    Place.KEY: _KEY_RULES,
    Place.COLON: _COLON_RULES,
    Place.VALUE: _VALUE_RULES,
    Place.FIRST_ELEMENT: _VALUE_RULES,
    Place.ELEMENT: _VALUE_RULES,
}


def follow(s: Search, state: State) -> None:
    """Let a reading go on in every way there is."""
    if state.place in STRUCTURAL and state.at > state.passes_from:
        passes_from = pass_undamaged(s, state)
        if passes_from is None:
            return
        state = passes_from
    if state.text is not None:
        at_quote(s, state, state.text)
    elif state.place is Place.AFTER:
        after_value(s, state)
    else:
        _apply(s, state)


def _apply(s: Search, state: State) -> None:
    state, char = gaps.to_token(s, state)
    if not char:
        s.cut_off(state)
        return
    any(move(s, state, char) for signs, move in RULES[state.place] if signs is None or char in signs)


_BRACKETS = frozenset({RepairKind.MISSING_BRACKET, RepairKind.SURPLUS_BRACKET})
_NO_STRUCTURE = frozenset(
    {
        *(RepairKind.COMMENT, RepairKind.INVISIBLE_CHARACTER, RepairKind.TRAILING_COMMA, RepairKind.NUMBER_SPELLING),
        *(RepairKind.PYTHON_LITERAL, RepairKind.JAVASCRIPT_LITERAL, RepairKind.FULL_WIDTH_PUNCTUATION),
        *(RepairKind.UNQUOTED_KEY, RepairKind.MISSING_COMMA),
    }
)
KEPT = 1 << 18
"""Characters in a dialect from which on their edits are worked out each time they are looked at."""
MOST_READINGS = 64
"""Most readings of the same cost whose values are compared."""
MOST_FITTED = 8
"""Most different values of which it is asked which one the type fits."""
EDIT_COST = 4 * STEP
"""Units of work to look at a backslash or a quote in a string that was mended, and to undo it."""


@lru_cache(maxsize=4)
def _holds_commands(text: str) -> bool:
    """Whether a text may hold commands that look like escapes; of one text, many values are asked for."""
    return "\\" in text and ANY_COMMAND.search(text) is not None


def read(
    text: str,
    start: int,
    *,
    finished: bool | None = None,
    fits: Callable[[object], bool] | None = None,
    salvage: bool = False,
    work: Work | None = None,
) -> Value:
    """Read the container that opens at `start`.

    Without a problem, its part of the text with the edits applied is strict JSON, raw control characters apart.

    Args:
        text: the text it stands in.
        start: offset of its opening bracket.
        finished: whether the model stopped by itself, or was cut off; None if unknown.
        fits: whether a value is one of the type that is asked for; None without a type.
        salvage: where the text was cut off, keep the members that were complete.
        work: what reading it may cost.
    """
    work = work or Work(len(text))
    options = ReadingOptions(finished, fits, salvage, latex=_holds_commands(text))
    swept = _swept(text, start, work, options)
    if swept:
        return swept
    search = Search(text, start, work, options, settles=True)
    _run(search)
    settled = _settled(search)
    if settled:
        return settled
    if search.is_narrowed:
        search = Search(text, start, work, options)
        _run(search)
    if any(_mends_brackets(whole) for whole in search.nearest()):
        search = Search(text, start, work, options, bound=search.bound)
        _run(search)
    failure = search.failure
    if failure.reason is TOO_DEEP or search.is_exhausted:
        reason = TOO_DEEP if failure.reason is TOO_DEEP else TOO_DAMAGED
        return _refused(start, Problem(failure.offset, reason))
    nearest = search.nearest()
    if search.is_cut and search.cut and options.salvage:
        steps = brackets.salvaged(text, search.cut[1])
        nearest = [Whole(0, len(text), steps)] if steps else []
    if nearest:
        return _agreed(search, nearest)
    return _refused(start, failure._replace(reason=TRUNCATED) if search.is_cut else failure)


def _swept(text: str, start: int, work: Work, options: ReadingOptions) -> Value | None:
    """The reading of a text that is written in one dialect, whichever that is, without a slip."""
    if options.latex or start < work.swept:
        return None
    search = Search(text, start, work, options)
    state = _beginning(search).but(habits=SPELLINGS)
    if not sweep(search, state, dialect_of(SPELLINGS)):
        work.swept = search.swept
        return None
    work.swept = search.swept
    whole, value = search.whole[0], None
    with suppress(UnreadableError):  # backslashes that have to be weighed: the search does
        value = Value(start, whole.end, edits=_edits(search, next(ways(whole.steps))), damaged=True)
    return value


def _settled(search: Search) -> Value | None:
    """The reading whose damage was settled place by place; None if brackets or the end are in doubt."""
    if search.hopeless and search.failure.reason is not TOO_DEEP:
        return _refused(search.start, search.hopeless)
    nearest = search.nearest()
    if not nearest or search.is_exhausted or search.is_cut or any(map(_mends_brackets, nearest)):
        return None
    reading = _agreed(search, nearest)
    return reading if reading.problem is None or reading.problem.reason is TWO_READINGS else None


def _run(search: Search) -> None:
    search.push(_beginning(search))
    search.run(follow)


def _beginning(search: Search) -> State:
    """The reading behind the opening bracket."""
    text, start = search.text, search.start
    kind = OPENERS[text[start]]
    state = State(start, FIRST_PLACE[kind], search.outermost(kind))
    plain = state if text[start] == kind else state.edit(start, 1, kind, RepairKind.FULL_WIDTH_PUNCTUATION, cost=0)
    return plain.but(at=start + 1)


def _mends_brackets(whole: Whole) -> bool:
    """Whether a bracket was put or dropped: then others may be as near, however far away."""
    return whole.has_rest or any(step.edit and step.edit.kind in _BRACKETS for step in linked(whole.steps))


def _refused(start: int, problem: Problem, end: int = 0) -> Value:
    return Value(start, max(end, problem.offset), problem=problem, damaged=True)


def _agreed(search: Search, nearest: list[Whole]) -> Value:
    """The reading, if all that cost least have the same value."""
    start = search.start
    found: list[Value] = []
    try:
        for value in chain.from_iterable(_values(search, whole) for whole in nearest):
            found.append(value)
            if len(found) > MOST_READINGS:
                return _refused(start, _between(found[0], value), value.end)
    except UnreadableError as error:
        return _refused(start, error.problem, nearest[0].end)
    if not found:
        return _refused(start, Problem(start, TWO_READINGS, nearest[0].end), nearest[0].end)
    different = {json.dumps(value.data): value for value in reversed(found)} if found[1:] else {"": found[0]}
    fitting = [found[0]] if len(different) == 1 else _fitting(search, list(different.values()))
    if len(fitting) != 1:
        return _refused(start, _between(*islice(different.values(), 2)), found[0].end)
    taken = fitting[0]
    others = (_between(taken, other) for other in different.values() if other is not taken)
    return replace(taken, data=UNREAD, cut=search.is_cut or taken.cut, passed_over=next(others, None))


def _between(one: Value, other: Value) -> Problem:
    """The first places where two readings differ."""
    pairs = zip_longest(one.edits, other.edits)
    first, second = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
    places = sorted({edit.offset for edit in (first, second) if edit} or {one.end})
    return Problem(places[0], TWO_READINGS, places[1] if places[1:] else None)


def _fitting(search: Search, values: list[Value]) -> list[Value]:
    """Those of a few different values that the type fits."""
    fits = search.options.fits
    if fits is None or len(values) > MOST_FITTED:
        return []
    return [value for value in values if fits(value.data)]


def _values(search: Search, whole: Whole) -> Iterator[Value]:
    """The values that a reading comes to.

    Raises:
        UnreadableError: something in it is a guess, or its backslashes can be read in two ways.
    """
    for steps in ways(whole.steps):
        failures = [step.failure for step in steps if step.failure]
        if all(map(_keeps_structure, steps)):
            failures = [failure for failure in failures if not is_of_structure(failure.reason)]
        forgiven = search.options.salvage and all(failure.reason is ELISION for failure in failures)
        if failures and not forgiven and not _is_json(search.text, search.start, whole.end):
            raise UnreadableError(*next((one for one in failures if one.other is not None), failures[0]))
        most = (_edits_most(search.text, step) for step in steps)
        search.spend(EDIT_COST * sum(most))
        if search.is_exhausted:
            raise UnreadableError(search.start, TOO_DAMAGED)
        edits = _edits(search, steps)
        try:
            data = decode_at(EditedText(search.text, search.start, whole.end, edits).text, 0).data
        except (ValueError, RecursionError) as error:
            if not hasattr(error, "pos"):  # the decoder read it, and Python refuses to make the number
                raise UnreadableError(search.start, NUMBER_TOO_LONG) from error
            continue
        yield Value(search.start, whole.end, data, edits, cut=bool(failures), damaged=True)


def _keeps_structure(step: Step) -> bool:
    """Whether a step puts and drops neither a bracket nor a quote."""
    is_kept = step.edit is None or step.edit.kind in _NO_STRUCTURE
    return (
        is_kept
        and not (step.run and step.run.is_quoting)
        and (step.text is None or (step.text.inner is None and step.closing == 1))
    )


def _is_json(text: str, start: int, end: int) -> bool:
    """Whether a value is JSON as it stands: then nothing in it is a guess."""
    try:
        return decode_at(text, start).end == end
    except (ValueError, RecursionError):
        return False


def _edits_most(raw: str, step: Step) -> int:
    """How many edits a string, or a run, may take."""
    if step.run:
        start, end = step.run.begun.at, step.run.end
    elif step.text:
        start, end = step.text.first, step.end
    else:
        return 0
    return raw.count("\\", start, end) + raw.count('"', start, end)


def _edits(search: Search, steps: list[Step]) -> Edits:
    """The edits of a reading; of very many only the places are kept."""
    raw, latex = search.text, search.options.latex
    python = any(step.text and (step.text.quote == "'" or step.closing < 0) for step in steps)
    slips: list[Edit] = []
    for step in steps:
        slips += [step.edit] if step.edit else []
        if step.text:
            slips += edits_of_string(raw, step, step.text, latex=latex, python=python)
    slips.sort(key=itemgetter(0, 1))
    runs = [step.run for step in steps if step.run]
    made = partial(_in_order, search, slips, runs)
    if sum(run.end - run.begun.at for run in runs) < KEPT:
        return list(made())
    kinds = counted(made())
    return LazyEdits(kinds, made, lambda: Counter(kinds))


def _in_order(search: Search, slips: list[Edit], runs: list[Run]) -> Iterator[Edit]:
    """The edits of slips and of runs; a comma that was made plain and then dropped is dropped."""
    in_runs = chain.from_iterable(edits_of_run(search, run) for run in runs)
    last: Edit | None = None
    for edit in merge(slips, in_runs, key=itemgetter(0, 1)):
        if last is not None and (edit.kind is not RepairKind.TRAILING_COMMA or edit.offset != last.offset):
            yield last
        last = edit
    if last is not None:
        yield last
