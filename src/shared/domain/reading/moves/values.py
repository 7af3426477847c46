"""The moves where a value is expected: after a colon, or in a list; numbers, literals and text without quotes."""

from __future__ import annotations

import json
import re

from src.shared.domain.engine.signs import NUMBER
from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import NUMBER_OR_TEXT, TWO_READINGS, Reason
from src.shared.domain.reading.costs import DOUBT, EDIT, OTHER_SIGN
from src.shared.domain.reading.lexicon import (
    CLOSING_QUOTES,
    COLONS,
    COMMAS,
    FOREIGN_LITERALS,
    MARGIN,
    QUOTES,
    respell_number,
)
from src.shared.domain.reading.moves.brackets import (
    TUPLE,
    close,
    close_before,
    close_before_comma,
    drop_opener,
    drop_trailing_comma,
    open_container,
    open_forgotten,
    open_other_kind,
)
from src.shared.domain.reading.moves.gaps import complete, ellipsis, not_understood
from src.shared.domain.reading.moves.strings import (
    behind_prefix,
    json_inside,
    open_doubled,
    open_string,
    open_unquoted,
    triple_quotes,
    two_single_quotes,
)
from src.shared.domain.reading.openings import FIRST_KEY, KEY_AT, KEY_LIMIT, LINE_LIMIT
from src.shared.domain.reading.reading import ELISION, NO_KEY, NO_VALUE
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import Place, State
from src.shared.domain.reading.tokens import (
    BARE_ELEMENT_FOLLOW,
    BARE_FOLLOW,
    BARE_KEY_AT,
    BARE_TEXT,
    NUMBERS,
    SCALAR,
    SCALAR_FOLLOW,
    WORD,
)
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair import RepairKind as K

LITERALS: dict[str, tuple[str, RepairKind | None]] = {
    spelling: (word, RepairKind.JAVASCRIPT_LITERAL if spelling == "undefined" else RepairKind.PYTHON_LITERAL)
    for spelling, word in FOREIGN_LITERALS.items()
}
LITERALS |= {
    "nan": ("NaN", None),  # the decoder names these
    "inf": ("Infinity", None),
    "-inf": ("-Infinity", None),
}
ACCEPTED_BY_THE_DECODER = frozenset({"NaN", "Infinity", "-Infinity"})
BEGINNINGS = tuple({"true", "false", "null", *LITERALS, *ACCEPTED_BY_THE_DECODER})
THOUSANDS = expression(r"0\d\d" + repeated(r"\.\d++", "?"))
CUT_SCALAR = expression(
    r"[-+]?[\d.][\d.,_]*+\s++(?!(?!true|false|null|none)[^\W\d_][^\d]*+\Z|[%°€$¥£])"
    r"|(?:true|false|null|none|nan|undefined)\b",
    re.IGNORECASE,
)
"""A bare text that starts as a number or a literal and does not go on with a unit: two values, or none."""

OTHER_SPELLING = expression(
    r"""
    [-+−–]? \s? (?:
        0 (?: [xob] [0-9a-f]{1,40} | [\d.]{1,40} )              # 0x2a, 007
      | \d{1,40} (?: \.\d{1,40} )? ['’nfdl]                    # 10n, 1.5f, 12'
      | \d{1,3} (?: [\s'’\u00a0\u202f] \d{3} ){1,12} (?: \.\d{1,40} )?   # 1 650
      )
    | [−–-] \s? \d{1,40} (?: \.\d{1,40} )?                     # a minus of typography
    | tru | fal | fals | nul | none | nil
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What is a number or a literal to some languages, and a text to others."""
ELIDED = frozenset({"...", "…", "etc", "etc.", "and so on", "and more", "more", "等", "等等", "省略", "略"})
"""Bare words that stand for what was left out."""

_KEY_IN_TEXT = rf"\s{{0,{MARGIN}}}[\w$\-]{{1,{KEY_LIMIT}}}\s{{0,{MARGIN}}}[{COLONS}]"
_MEMBER_IN_TEXT = rf"[{COLONS}](?:\s|\Z)|[;；、](?:{_KEY_IN_TEXT}|\s{{0,{MARGIN}}}\Z)|\s(?://|\#)"
HOLDS_MEMBER = expression(_MEMBER_IN_TEXT)
"""A bare text with a key or a comment in it: two members without a comma between them."""
HOLDS_MORE = expression(rf"{_MEMBER_IN_TEXT}|[;；、]|\d[{COLONS}][+\-]\d|[\d\s][｜／│·•،](?=[\d\s+-])|｜\s")
"""The same in a list, where a separator stands between two elements."""


_END_OF_TUPLE = expression(r"\s{0,40}\)")
_MAY_FOLLOW = frozenset('";；、。|｜')
"""Signs after a number or a literal that stand for others, or are stray."""
_SEPARATORS = _MAY_FOLLOW - {'"'}
_LOOKED_AT = 2
"""Units of work to look at a character of a text without quotes."""
_LIKE_NUMBER = expression(
    r"[-+−–]?\s?[.．]?\d[\d.,。、]*+(?:[eE]\s?[-+−]?\s?\d++)?[a-zA-Z.。．｡/／¦│❘‖·•､﹐،؛'’]?(?:\s?[（(].*+)?"
)
"""With a letter, a sign that divides or an apostrophe behind it, or with a remark."""
_ENUMERATED = expression(NUMBER + repeated(rf"\s?、\s?{NUMBER}", "+"))
"""Elements of a list, with the comma that Chinese puts between them."""
_VERSION = expression(r"\d++" + repeated(r"\.\d++", "{2,}"))
_ENDS_VALUE = expression(rf"[ \t]*+[{COMMAS}}}\]｝］]|\s*+[}}\]｝］]")
_SENTENCE_ENDS = frozenset(".!。！")


def bare_value(s: Search, state: State) -> None:
    """A number, a literal in any spelling, or a text without quotes."""
    if not _scalar(s, state) and not _other_word(s, state):
        _bare_text(s, state)


def _scalar(s: Search, state: State) -> bool:
    """What strict JSON has; True if it cannot be anything else."""
    scalar = SCALAR.match(s.text, state.at)
    if scalar is None:
        return False
    end = scalar.end()
    follows = SCALAR_FOLLOW.match(s.text, end) is not None
    if end == len(s.text):
        s.cut_off(state)
    in_tuple = state.frame.kind == TUPLE and _END_OF_TUPLE.match(s.text, end) is not None
    if follows or in_tuple or s.text[end : end + 1] in _MAY_FOLLOW:
        complete(s, state.but(at=end))
    return follows or in_tuple


def _other_word(s: Search, state: State) -> bool:
    """A literal or a number in another spelling; True if it is one, or may be the beginning of one."""
    found = WORD.match(s.text, state.at)
    if found is None:
        return False
    name, end = found.group(), found.end()
    is_known = name in LITERALS or name in ACCEPTED_BY_THE_DECODER
    if not SCALAR_FOLLOW.match(s.text, end) and not (is_known and s.text[end] in _SEPARATORS):
        return False
    if name in ACCEPTED_BY_THE_DECODER:
        complete(s, state.but(at=end))
    elif name in LITERALS:
        put, kind = LITERALS[name]
        read = state.edit(state.at, len(name), put, kind, OTHER_SIGN)
        complete(s, read.but(at=end))
    elif end == len(s.text):
        if not any(known.startswith(name) for known in BEGINNINGS) and name[-1] not in ".eE+-":
            return False
        s.cut_off(state)
    else:
        return _respelled(s, state, name)
    return True


def _respelled(s: Search, state: State, name: str) -> bool:
    number = respell_number(name)
    end = state.at + len(name)
    if number and name[-1] == "." and not _ENDS_VALUE.match(s.text, end):
        state = state.guess(state.at, NUMBER_OR_TEXT)  # the full stop may stand for a comma
    if number:
        complete(s, state.edit(state.at, len(name), number, K.NUMBER_SPELLING).but(at=end))
    return bool(number)


def _bare_text(s: Search, state: State) -> None:
    """A text without quotes, up to the comma, bracket or line end that must follow a value."""
    bare = BARE_TEXT.match(s.text, state.at)
    if bare is None or s.text[state.at] < " ":
        return
    if bare.end() == len(s.text):
        s.cut_off(state)
        return
    text, member = bare.group().rstrip(), state.place is Place.VALUE
    s.spend(_LOOKED_AT * len(text))
    if not member and _ENUMERATED.fullmatch(text):
        return
    follows = (BARE_FOLLOW if member else BARE_ELEMENT_FOLLOW).match(s.text, bare.end()) is not None
    reason = _no_text(text, member=member, follows=follows)
    end = state.at + len(text)
    if reason:
        complete(s, state.guess(state.at, reason, cost=EDIT).but(at=end))
    elif follows:
        if member and _is_line_of_prose(s, state):
            state = state.guess(state.at, NO_KEY)
        if not member and _is_first_clause(s, state, end):
            state = state.guess(state.at, TWO_READINGS, end)
        cost = EDIT + DOUBT // 2 + DOUBT * (text[-1] in _SENTENCE_ENDS)
        put = json.dumps(text, ensure_ascii=False)
        complete(s, state.edit(state.at, len(text), put, K.UNQUOTED_VALUE, cost).but(at=end))


def _no_text(text: str, *, member: bool, follows: bool) -> Reason | None:
    """Why a text without quotes may be something else."""
    if text[:KEY_LIMIT].lower() in ELIDED:
        return ELISION
    if not member and THOUSANDS.fullmatch(text):
        return NO_VALUE
    like_number = OTHER_SPELLING.fullmatch(text) or (_LIKE_NUMBER.fullmatch(text) and not _VERSION.fullmatch(text))
    if (follows and like_number) or NUMBERS.fullmatch(text):
        return NUMBER_OR_TEXT
    if text.lstrip("_*~").startswith(tuple(QUOTES)) or _ends_string(text):
        return TWO_READINGS
    if "~~~" in text or (follows and text[-1] == "｜"):  # a fence, or a bar for a comma
        return NO_VALUE
    holds_more = (HOLDS_MEMBER if member else HOLDS_MORE).search(text)
    return NO_VALUE if CUT_SCALAR.match(text) or holds_more else None


def _ends_string(text: str) -> bool:
    """Whether a text without quotes ends in one of a string that began there, or somewhere before."""
    last = text[-1]
    if last in QUOTES or last not in CLOSING_QUOTES:
        return last in QUOTES
    return not any(last in closing and text.count(opening) == text.count(last) for opening, closing in QUOTES.items())


def _is_first_clause(s: Search, state: State, end: int) -> bool:
    """`[结论：买入，目标价：86,` ends at a full-width comma, and other commas of its list are ASCII ones."""
    rest = s.text[max(state.frame.opened, end - LINE_LIMIT) : end + LINE_LIMIT].partition("]")[0]
    return s.text.startswith(tuple(COMMAS[1:]), end) and "," in rest


def _is_line_of_prose(s: Search, state: State) -> bool:
    """`Note: this is important.` among members whose keys have quotes."""
    keys = state.members.keys
    return keys is not None and keys.bare and FIRST_KEY.match(s.text, state.frame.opened) is not None


_QUOTE_BEFORE_WORD = expression(r"[\"'] ?(?:-?\d[\d.]{0,20}(?:[eE][+-]?\d{1,4})?|true|false|null)(?=\s{0,40}[,}\]])")
_CLOSER_NEXT = expression(r"\s*+[}\]｝］]")
_CLOSING_TAG = expression(r"\[/\w{1,40}+\]")
_NOT_TWICE = frozenset("',:}] \n")
_AROUND_JSON = frozenset('"“')
_VALUE, _FIRST, _ELEMENT = Place.VALUE, Place.FIRST_ELEMENT, Place.ELEMENT


def opener(s: Search, state: State, char: str) -> bool:
    """An object or a list; in a list perhaps `[...]` for elements that were left out, or a bracket too many."""
    if state.place is not _VALUE and _CLOSING_TAG.match(s.text, state.at):
        state = state.guess(state.at, TWO_READINGS)
    open_container(s, state, char)
    if state.place is not _VALUE:
        ellipsis(s, state, char)
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
        ellipsis(s, state, char)
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
    if found and keys and found.group().rstrip(f"{COLONS} \t\n")[1:-1] == keys.text:
        s.push(state.edit(state.at, len(found.group().rstrip()), "", K.REPEATED_KEY).but(at=found.end()))


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
