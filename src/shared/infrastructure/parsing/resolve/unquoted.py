"""The moves at values without quotes: numbers, literals, bare text."""

from __future__ import annotations

import json
import re

from src.shared.domain.notation import QUOTES, respell_number
from src.shared.domain.parse_reasons import NUMBER_OR_TEXT, TWO_READINGS, Reason
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.patterns import (
    BARE_ELEMENT_FOLLOW,
    BARE_FOLLOW,
    BARE_TEXT,
    FIRST_KEY,
    KEY_LIMIT,
    NUMBER,
    SCALAR,
    SCALAR_FOLLOW,
    WORD,
)
from src.shared.infrastructure.parsing.resolve.brackets import TUPLE
from src.shared.infrastructure.parsing.resolve.costs import DOUBT, EDIT, OTHER_SIGN
from src.shared.infrastructure.parsing.resolve.gaps import complete
from src.shared.infrastructure.parsing.resolve.reasons import ELISION, NO_KEY, NO_VALUE
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.spellings import (
    ACCEPTED_BY_THE_DECODER,
    BEGINNINGS,
    CUT_SCALAR,
    ELIDED,
    HOLDS_MEMBER,
    HOLDS_MORE,
    LITERALS,
    OTHER_SPELLING,
    THOUSANDS,
)
from src.shared.infrastructure.parsing.resolve.states import Place, State

_END_OF_TUPLE = re.compile(r"\s{0,40}\)")
_MAY_FOLLOW = frozenset('";；、。|｜')
"""Signs after a number or a literal that stand for others, or are stray."""
_SEPARATORS = _MAY_FOLLOW - {'"'}
_LOOKED_AT = 2
"""Units of work to look at a character of a text without quotes."""
_LIKE_NUMBER = re.compile(
    r"[-+−–]?\s?\d[\d.,。、]*+(?:[eE]\s?[-+−]?\s?\d++)?[a-zA-Z.。．｡/／¦│❘‖·•､﹐،؛'’]?(?:\s?[（(].*+)?"
)
"""With a letter, a sign that divides or an apostrophe behind it, or with a remark."""
_ENUMERATED = re.compile(NUMBER + repeated(rf"\s?、\s?{NUMBER}", "+"))
"""Elements of a list, with the comma that Chinese puts between them."""
_VERSION = re.compile(r"\d++" + repeated(r"\.\d++", "{2,}"))
_ENDS_VALUE = re.compile(r"[ \t]*+[,，}\]｝］]|\s*+[}\]｝］]")
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
    if follows and like_number:
        return NUMBER_OR_TEXT
    if text[-1] in QUOTES:  # of a string that began there, or somewhere before
        return TWO_READINGS
    if "~~~" in text or (follows and text[-1] == "｜"):  # a fence, or a bar for a comma
        return NO_VALUE
    holds_more = (HOLDS_MEMBER if member else HOLDS_MORE).search(text)
    return NO_VALUE if CUT_SCALAR.match(text) or holds_more else None


def _is_line_of_prose(s: Search, state: State) -> bool:
    """`Note: this is important.` among members whose keys have quotes."""
    keys = state.members.keys
    return keys is not None and keys.bare and FIRST_KEY.match(s.text, state.frame.opened) is not None
