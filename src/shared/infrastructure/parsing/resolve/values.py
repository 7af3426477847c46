"""The moves where a value is expected: after a colon, or in a list."""

from __future__ import annotations

import re

from src.shared.domain.notation import COLONS
from src.shared.domain.parse_reasons import TRUNCATED, TWO_READINGS
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.patterns import BARE_KEY_AT, KEY_AT
from src.shared.infrastructure.parsing.resolve.brackets import (
    TUPLE,
    close,
    close_all,
    close_before,
    close_before_comma,
    drop_closer,
    drop_opener,
    drop_trailing_comma,
    open_container,
    open_forgotten,
    open_other_kind,
)
from src.shared.infrastructure.parsing.resolve.costs import EDIT
from src.shared.infrastructure.parsing.resolve.gaps import complete, elided, is_over, not_understood
from src.shared.infrastructure.parsing.resolve.keys import ELLIPSIS
from src.shared.infrastructure.parsing.resolve.reasons import ELISION, NO_VALUE
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.states import Place, State
from src.shared.infrastructure.parsing.resolve.strings import (
    behind_prefix,
    open_doubled,
    open_string,
    open_unquoted,
    two_single_quotes,
)
from src.shared.infrastructure.parsing.resolve.unquoted import bare_value
from src.shared.infrastructure.parsing.resolve.whole_strings import json_inside, triple_quotes

_QUOTE_BEFORE_WORD = re.compile(r"[\"'] ?(?:-?\d[\d.]{0,20}|true|false|null)(?=\s{0,40}[,}\]])")
_CLOSER_NEXT = re.compile(r"\s*+[}\]｝］]")
_CLOSING_TAG = re.compile(r"\[/\w{1,40}+\]")
_NOT_TWICE = frozenset("',:}] \n")
_AROUND_JSON = frozenset('"“')
_VALUE, _FIRST, _ELEMENT = Place.VALUE, Place.FIRST_ELEMENT, Place.ELEMENT


def opener(s: Search, state: State, char: str) -> bool:
    """An object or a list; in a list perhaps `[...]` for elements that were left out, or a bracket too many."""
    if state.place is not _VALUE and _CLOSING_TAG.match(s.text, state.at):
        state = state.guess(state.at, TWO_READINGS)
    open_container(s, state, char)
    if state.place is not _VALUE:
        _elided(s, state)
    if state.place is _FIRST:
        drop_opener(s, state)
    return True


def tuple_opener(s: Search, state: State, _: str) -> bool:
    """`(1, 2)`: a tuple of Python's."""
    open_container(s, state, TUPLE)
    return False


def tuple_closer(s: Search, state: State, char: str) -> bool:
    """`()`, or `(1,)`."""
    if state.frame.kind != TUPLE or state.place is _VALUE:
        return False
    if state.place is _FIRST:
        close(s, state, char)
    else:
        drop_trailing_comma(s, state, char)
    return True


def string(s: Search, state: State, char: str) -> bool:
    """A string in whatever quotes; or a key, where a bracket before it was forgotten."""
    state = state.but(role=_VALUE if state.place is _VALUE else _ELEMENT)
    not_understood(s, state, (Place.AFTER, *((_ELEMENT,) if state.place is _ELEMENT else ())), NO_VALUE)
    if state.place is not _VALUE:
        _elided(s, state)
    if KEY_AT.match(s.text, state.at):
        _key_for_a_value(s, state)
    triple_quotes(s, state, char)
    open_string(s, state, char)
    if char == "'" and s.text[state.at + 2 : state.at + 3] not in _NOT_TWICE:
        two_single_quotes(s, state)
    if char in _AROUND_JSON:
        json_inside(s, state, char)
    if char == '"':
        open_doubled(s, state)
    if _QUOTE_BEFORE_WORD.match(s.text, state.at):
        dropped = state.drop(K.STRAY_QUOTE)
        s.push(dropped if char == '"' else dropped.guess(state.at, TWO_READINGS))
    return True


def _key_for_a_value(s: Search, state: State) -> None:
    """A key for a value: the brace before it was forgotten, or is of the other kind, or the key occurs twice."""
    keys = state.members.keys
    if state.place is not _VALUE:
        open_forgotten(s, state, "{")
        if state.place is _FIRST:
            open_other_kind(s, state, "{")
        else:
            close_before_comma(s, state)
        return
    if keys is None or not keys.bare:
        open_forgotten(s, state, "{")
    found = KEY_AT.match(s.text, state.at)
    if found and keys and found.group().rstrip(":： \t\n")[1:-1] == keys.text:
        s.push(state.edit(state.at, len(found.group().rstrip()), "", K.REPEATED_KEY).but(at=found.end()))


def closer(s: Search, state: State, char: str) -> bool:
    """The end of a list; after a colon a value that was left out."""
    if state.place is _FIRST:
        close(s, state, char)
    elif state.place is _ELEMENT:
        drop_trailing_comma(s, state, char)
        drop_closer(s, state)
    else:
        complete(s, state.guess(state.at, NO_VALUE, cost=EDIT))
    return True


def comma(s: Search, state: State, _: str) -> bool:
    """An extra comma in a list; after a colon a value that was left out."""
    if state.place is _VALUE:
        complete(s, state.guess(state.at, NO_VALUE, cost=EDIT))
        return True
    first = state.place is _FIRST
    alone = first and _CLOSER_NEXT.match(s.text, state.at + 1) is not None
    s.push(state.drop(K.TRAILING_COMMA if alone else K.DOUBLED_COMMA, 2 * EDIT if first else EDIT))
    if first:
        close_before(s, state, state.at)
    return True


def colon_again(s: Search, state: State, char: str) -> bool:
    """`"a": : 1`."""
    if state.place is not _VALUE or char not in COLONS:
        return False
    s.push(state.drop(K.MISSING_COLON))
    return True


def ellipsis(s: Search, state: State, _: str) -> bool:
    """`...` for a value, or for elements that were left out."""
    found = ELLIPSIS.match(s.text, state.at)
    if found is None:
        return False
    if state.place is _VALUE:
        complete(s, state.guess(state.at, ELISION, cost=EDIT).but(at=found.start("comma")))
    else:
        elided(s, state, found.start("comma"), found.end())
    return True


def _elided(s: Search, state: State) -> None:
    found = ELLIPSIS.match(s.text, state.at)
    if found:
        elided(s, state, found.start("comma"), found.end())


def end(s: Search, state: State, _: str) -> bool:
    """The text ends where a value is expected."""
    if not is_over(s, state.at):
        return False
    if state.place is _ELEMENT:
        drop_trailing_comma(s, state, "")
    else:
        close_all(s, state.guess(state.at, TRUNCATED))
    return True


def prefixed(s: Search, state: State, _: str) -> bool:
    """`b"x"`: a string of Python's with a letter before it."""
    opened = behind_prefix(s, state)
    if opened:
        string(s, opened, s.text[opened.at])
    return False


def word(s: Search, state: State, char: str) -> bool:
    """A value without quotes, or without the first one; or the inside of a container whose bracket was forgotten."""
    keys = state.members.keys
    if state.place is _VALUE:
        key = BARE_KEY_AT.match(s.text, state.at)
        if key and s.text[key.end() - 1] in COLONS and (keys is None or not keys.bare):
            open_forgotten(s, state, "{")
        if char.isdigit() or char in "-tfn":
            open_forgotten(s, state, "[")
    bare_value(s, state)
    open_unquoted(s, state.but(role=_VALUE if state.place is _VALUE else _ELEMENT), char)
    not_understood(s, state, (Place.AFTER, *((_ELEMENT,) if state.place is _ELEMENT else ())), NO_VALUE)
    return True
