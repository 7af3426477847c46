"""The moves after a value: a comma, a closing bracket, or one of these that was forgotten."""

from __future__ import annotations

from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.reading.costs import DOUBT, EDIT, OTHER_SIGN
from src.shared.domain.reading.evidence import is_text_at_edge
from src.shared.domain.reading.lexicon import CLOSERS, COLONS, COMMAS, OPENERS, QUOTES
from src.shared.domain.reading.moves.brackets import TUPLE, close, close_all, close_at_end, close_before
from src.shared.domain.reading.moves.ends import ends_in_forgotten_quote
from src.shared.domain.reading.moves.gaps import is_over, not_understood, to_token
from src.shared.domain.reading.openings import KEY_AT, OPEN_KEY
from src.shared.domain.reading.reading import NO_COMMA
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import NEXT_PLACE, Place, State, last_step
from src.shared.domain.reading.tokens import BARE_KEY_AT, VALUE_AT
from src.shared.domain.repair import RepairKind as K

_SEPARATORS = frozenset(";；、。|｜")
_PLAIN = frozenset("\"'`")
_STRAY = frozenset("\"'”’`")
_AFTER_STRAY = expression(rf"\s{{0,40}}(?:[{COMMAS}}}\];；]|\Z)|[ \t]{{0,40}}\n\s{{0,40}}\"")
_NO_JSON = expression(rf"\s{{0,40}}+(?P<rest>[^\s{COMMAS}{COLONS}{{}}\[\]｛｝［］][^{{}}\[\]｛｝［］\"]{{0,400}}+)\Z")
"""The rest of the text, with nothing of JSON in it but perhaps a quote."""
_SIGNS_AND_FENCE = expression(r"\s{0,40}+[\"'`”’)*;.。]{1,10}?\s{0,40}+(?:```|~~~)")
_COMMA_INSIDE = tuple(f'{comma}"' for comma in COMMAS)


def after_value(s: Search, value: State) -> None:
    """What may come after the value that ends where the state is."""
    end = value.at
    if _may_be_over(s, value):  # a bracket may be missing here as well as anywhere before: the type may tell
        over = value.but(cost=value.cost + DOUBT * s.text.startswith('"', end))
        close_at_end(s, over if s.options.fits else over.guess(end, NO_COMMA))
    state, char = to_token(s, value)
    if not char:
        s.cut_off(state)
        if s.options.finished:
            close_all(s, state)
    elif char in COMMAS:
        _comma(s, state, char, end)
    elif char in CLOSERS or (char == ")" and state.frame.kind == TUPLE):
        close(s, state, char)
    elif is_over(s, state.at):
        close_all(s, state)
    else:
        _something_else(s, state, char, end)


def _comma(s: Search, state: State, char: str, end: int) -> None:
    """A comma; the closing bracket may have been forgotten before it."""
    plain = state if char == "," else state.edit(state.at, 1, ",", K.FULL_WIDTH_PUNCTUATION, OTHER_SIGN)
    s.push(plain.but(at=state.at + 1, place=NEXT_PLACE[state.frame.kind], comma=state.at))
    close_before(s, state, end)


def _something_else(s: Search, state: State, char: str, end: int) -> None:
    behind = state.but(at=state.at + 1, place=NEXT_PLACE[state.frame.kind])
    if char == "/":
        s.push(behind.guess(end, TWO_READINGS, state.at, cost=EDIT))
    if char in _SEPARATORS:
        s.push(behind.edit(state.at, 1, ",", K.MISSING_COMMA, EDIT + DOUBT).but(comma=state.at))
    if state.frame.kind == "{":
        _key_without_comma(s, state, char, end)
    else:
        _element_without_comma(s, state, char, end)
    if char in _STRAY and _AFTER_STRAY.match(s.text, state.at + 1):
        _stray_quote(s, state, char, end)
    not_understood(s, state, (Place.AFTER,), NO_COMMA)


def _may_be_over(s: Search, value: State) -> bool:
    """Whether the last value of the root is a container, and something that is not JSON follows to the end.

    With a type also that of a container inside: where the brackets are missing is for the type to tell.
    """
    if (value.frame.parent is not None and not s.options.fits) or s.text[value.at - 1] not in CLOSERS:
        return False
    if _SIGNS_AND_FENCE.match(s.text, value.at):
        return True
    found = _NO_JSON.match(s.text, value.at) if s.options.finished else None
    at = found.start("rest") if found else -1
    return at >= 0 and not (is_over(s, at) or BARE_KEY_AT.match(s.text, at) or KEY_AT.match(s.text, at))


def _key_without_comma(s: Search, state: State, char: str, end: int) -> None:
    """A key: the comma before it was forgotten, or stands inside the quotes of the value."""
    at, on_next_line = state.at, "\n" in s.text[end : state.at]
    key, bare = KEY_AT.match(s.text, at), BARE_KEY_AT.match(s.text, at)
    unclosed = char in QUOTES and OPEN_KEY.match(s.text, at) is not None
    if not (key or bare or unclosed):
        return
    cost = EDIT if key or on_next_line or not bare else EDIT + 2 * DOUBT
    if bare and bare["stray"] and on_next_line and ends_in_forgotten_quote(state):  # `",` and `"`: one slip
        cost = DOUBT
    s.push(state.edit(end, 0, ",", K.MISSING_COMMA, cost).but(place=Place.KEY))
    _comma_inside(s, state, end)


def _element_without_comma(s: Search, state: State, char: str, end: int) -> None:
    """An element: the comma before it was forgotten; a key: the list was to be closed before it."""
    at, on_next_line = state.at, "\n" in s.text[end : state.at]
    if char in QUOTES or char in OPENERS or (on_next_line and VALUE_AT.match(s.text, at)):
        missing = state.edit(end, 0, ",", K.MISSING_COMMA).but(place=Place.ELEMENT)
        run_together = char in _PLAIN and at == end and s.text[end - 1] == char
        s.push(missing.guess(at, TWO_READINGS) if run_together else missing)
        _comma_inside(s, state, end)
    if char in COLONS:
        s.push(state.guess(at, NO_COMMA, cost=EDIT).go(at + 1, Place.ELEMENT))
    if KEY_AT.match(s.text, at):
        close_before(s, state, end)


def _comma_inside(s: Search, state: State, end: int) -> None:
    """`"x," "b"`: the comma may separate the strings or belong to the first one."""
    if s.text[end - 2 : end] in _COMMA_INSIDE:
        s.push(state.guess(end - 2, TWO_READINGS, cost=EDIT).but(place=NEXT_PLACE[state.frame.kind]))


def _stray_quote(s: Search, state: State, char: str, end: int) -> None:
    """An extra quote: `"x""`, `42"`, unless it is the other half of a quotation, or means inches, and is text."""
    quoted = s.text[max(0, end - 30) : end]
    behind_digit = quoted[-1:] == '"' and quoted[-2:-1].isdigit()
    last = last_step(state)
    if char == quoted[-1:] == '"' and is_text_at_edge(s.text, last.text if last else None, end):
        return
    dropped = state.drop(K.STRAY_QUOTE)
    s.push(dropped.guess(state.at, TWO_READINGS) if behind_digit or quoted.endswith('""') else dropped)
