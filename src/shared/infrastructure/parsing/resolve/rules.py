"""The table of moves: what is tried at each place of the grammar, by the character found there.

If a rule returns True, it is complete, and the rules after it are not tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from src.shared.domain.notation import CLOSERS, COMMAS, OPENERS, QUOTES
from src.shared.infrastructure.parsing.resolve import bold, keys, values
from src.shared.infrastructure.parsing.resolve.after import after_value
from src.shared.infrastructure.parsing.resolve.gaps import not_understood, to_token
from src.shared.infrastructure.parsing.resolve.reasons import NO_KEY
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.states import Place, State
from src.shared.infrastructure.parsing.resolve.strings import (
    at_quote,
    behind_prefix,
    open_doubled,
    open_string,
    two_single_quotes,
)
from src.shared.infrastructure.parsing.resolve.undamaged import STRUCTURAL, skim
from src.shared.infrastructure.parsing.resolve.whole_strings import escaped_string

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
    not_understood(s, state, (state.place,), NO_KEY)
    two_single_quotes(s, state)
    open_doubled(s, state)
    keys.unclosed_key(s, state, char)
    return True


def _prefixed_key(s: Search, state: State, _: str) -> bool:
    """`u"a": 1`: a key as Python 2 writes it."""
    opened = behind_prefix(s, state)
    return opened is not None and _quoted_key(s, opened, s.text[opened.at])


def _bare_key(s: Search, state: State, char: str) -> bool:
    return keys.bare_key(s, keys.keep_indent(s, state).but(role=Place.KEY), char)


_KEY_RULES = (
    Rule(frozenset('".…['), keys.elided_key),
    Rule(_CLOSERS, keys.closer_for_a_key),
    Rule(_COMMAS, keys.comma_for_a_key),
    Rule(_OPENERS, keys.opener_for_a_key),
    Rule(None, keys.end_for_a_key),
    Rule(_QUOTES, _quoted_key),
    Rule(frozenset("*"), bold.bold_key),
    Rule(None, keys.value_for_a_key),
    Rule(frozenset("\\"), keys.escaped_key),
    Rule(frozenset("0123456789"), keys.digits_after_a_comma),
    Rule(_PREFIXES, _prefixed_key),
    Rule(None, _bare_key),
    Rule(None, keys.no_key),
)
_COLON_RULES = (
    Rule(None, keys.colon),
    Rule(_COMMAS, keys.comma_for_a_colon),
    Rule(None, keys.end_for_a_colon),
    Rule(frozenset("\"'"), keys.quote_before_a_colon),
    Rule(None, keys.forgotten_colon),
    Rule(None, keys.no_colon),
)
_VALUE_RULES = (
    Rule(frozenset("("), values.tuple_opener),
    Rule(frozenset(")"), values.tuple_closer),
    Rule(_OPENERS, values.opener),
    Rule(None, values.end),
    Rule(_QUOTES, values.string),
    Rule(frozenset("\\"), escaped_string),
    Rule(frozenset("*_"), bold.bold_value),
    Rule(_CLOSERS, values.closer),
    Rule(_COMMAS, values.comma),
    Rule(None, values.colon_again),
    Rule(frozenset(".…"), values.ellipsis),
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
    if state.place in STRUCTURAL and state.at > state.armed:
        armed = skim(s, state)
        if armed is None:
            return
        state = armed
    if state.text is not None:
        at_quote(s, state, state.text)
    elif state.place is Place.AFTER:
        after_value(s, state)
    else:
        _apply(s, state)


def _apply(s: Search, state: State) -> None:
    state, char = to_token(s, state)
    if not char:
        s.cut_off(state)
        return
    any(move(s, state, char) for signs, move in RULES[state.place] if signs is None or char in signs)
