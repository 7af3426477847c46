"""The moves where a key, or the colon after it, is expected; also one with Markdown's bold around it."""

from __future__ import annotations

from itertools import islice

from src.shared.domain.engine.signs import NUMBER
from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import TWO_NUMBERS, TWO_READINGS
from src.shared.domain.reading.costs import DOUBT, EDIT, OTHER_SIGN, UNKNOWN
from src.shared.domain.reading.evidence import is_text_at_edge
from src.shared.domain.reading.lexicon import CLOSERS, COLONS, COMMAS, OPENERS, QUOTES
from src.shared.domain.reading.moves.brackets import (
    before_blanks,
    close_before,
    close_before_comma,
    drop_opener,
    open_other_kind,
)
from src.shared.domain.reading.moves.ends import ends_in_forgotten_quote
from src.shared.domain.reading.moves.gaps import complete, not_understood
from src.shared.domain.reading.openings import KEY_LIMIT, OPEN_KEY
from src.shared.domain.reading.reading import KEY_AGAIN, KEY_BRACKET, NO_KEY, NO_VALUE
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import UNCLOSED_KEY, Keys, Place, State, last_step, linked
from src.shared.domain.reading.tokens import BARE_KEY_AT, BOLD_KEY_AT, COLON_NEXT, PLAIN_QUOTES, VALUE_AT
from src.shared.domain.repair import RepairKind as K

INDENT_LIMIT = 200
"""Most characters before a key that are looked at for its indentation."""
KEYS_REMEMBERED = 50
"""Most keys of an object that are looked through for one that occurs twice."""
_ENDS_LIKE_TEXT = expression(
    rf"\s{{0,40}}(?:“|(?=[\d\[{{\\-]|true|false|null)(?:[^\"“”\n\\]|\\.){{1,200}})[\"”]\s{{0,40}}[{COMMAS}}}\]｝］]"
)
_QUOTE_OF_KEY = expression(r"[\"'”]\s?(?:null|true|false|-?\d[\d.]{0,20}(?:[eE][+-]?\d{1,4})?)\s{0,40}[,}\]]")
"""The quote behind the colon is that of the key, and what follows it a value."""
_ESCAPED_KEY = expression(r'(?P<open>\\++")(?P<key>[^"\\\n]{1,200})(?P<close>\\++")(?=\s{0,40}:)')
_UNKNOWN_KEY = expression(rf"[^\"{{}}\[\],\n{COLONS}]{{1,200}}[{COLONS}]")
_WORDS_TO_END = expression(rf"(?=[\w$])[\w$ \-]{{1,{KEY_LIMIT}}}+\Z")
_NEXT_LINE = expression(r"[ \t\r]*+\n(?P<indent>[ \t]*+)")
_DIGITS = expression(r"[\d.]++")
_DOUBLED_COLON = "|".join(colon * 2 for colon in COLONS)
_SIGNS = expression(rf"=>|->|[{COLONS}]=|{_DOUBLED_COLON}|: :|=")
_FIRST = Place.FIRST_KEY
BRACKET = expression(r"[{}\[\]｛｝［］]")
_PAIRS = (("{", "}"), ("[", "]"), ("｛", "｝"), ("［", "］"))


def keep_indent(s: Search, state: State) -> State:
    """Keys of one object stand at one distance from the start of their lines."""
    line = s.text.rfind("\n", max(0, state.at - INDENT_LIMIT), state.at) + 1
    if not line or s.text[line : state.at].strip(" \t"):
        return state
    indent, known = state.at - line, state.members.indent
    if known < 0:
        return state.but(members=state.members._replace(indent=indent))
    return state if known == indent else state.but(cost=state.cost + DOUBT)


def key_is_read(s: Search, state: State, name: str, *, bare: bool = False) -> None:
    """A key ends where the state is. One that occurs twice in its object is evidence against the reading."""
    if "\\_" in name:  # Markdown's escape: the member the type knows has no backslash
        state = state.guess(state.at, TWO_READINGS)
    if holds_bracket(name):
        state = state.guess(state.at, KEY_BRACKET)
    if any(key.text == name for key in islice(linked(state.members.keys), KEYS_REMEMBERED)):
        state = state.guess(state.at, KEY_AGAIN, cost=EDIT + DOUBT)
    members = state.members._replace(keys=Keys(name, state.members.keys, bare))
    s.push(state.but(place=Place.COLON, members=members, text=None))


def holds_bracket(name: str) -> bool:
    """Whether a key has a bracket without its pair, which may be one of the text's."""
    return BRACKET.search(name) is not None and any(name.count(one) != name.count(other) for one, other in _PAIRS)


def unclosed_key(s: Search, state: State, char: str) -> None:
    """`"a: 1`: a key without its closing quote."""
    found = OPEN_KEY.match(s.text, state.at)
    if found:
        end = found.end()
        if _ENDS_LIKE_TEXT.match(s.text, end) or _QUOTE_OF_KEY.match(s.text, end):  # the key may end behind it
            state = state.guess(state.at, TWO_READINGS)
        opened = state if char == '"' else state.edit(state.at, 1, '"', K.SMART_QUOTE, cost=0)
        end = found.end("key")
        closed = opened.again(UNCLOSED_KEY, EDIT).edit(end, 0, '"', K.MISSING_QUOTE, cost=0)
        key_is_read(s, closed.but(at=end), found["key"])


def bare_key(s: Search, state: State, _: str) -> bool:
    """`a: 1`, or `a": 1`: a key without quotes, or without the first one."""
    found = BARE_KEY_AT.match(s.text, state.at)
    if found is None:
        return False
    state = keep_indent(s, state).but(role=Place.KEY)
    start, end = found.span("key")
    name = s.text[start:end]
    cost = EDIT + DOUBT * (" " in name)
    if found["stray"]:
        if ends_in_forgotten_quote(state):  # the same slip: `",` and the next quote, at the end of a line
            cost = DOUBT
        if s.text.startswith('"', start - 1):  # the string before it may have swallowed the key's first quote
            state = state.guess(start, TWO_READINGS, start - 1)
        read = state.edit(start, 0, '"', K.MISSING_QUOTE, cost).edit(end, 1, '"', None, cost=0)
    else:
        read = state.edit(start, end - start, f'"{name}"', K.UNQUOTED_KEY, cost)
    key_is_read(s, read.but(at=found.end("stray")), name, bare=not found["stray"])
    return True


def digits_after_a_comma(s: Search, state: State, _: str) -> bool:
    """`1,000`: the comma may separate thousands."""
    before, digits = s.text[state.at - 2 : state.at], _DIGITS.match(s.text, state.at)
    if digits and state.place is not _FIRST and before[:1].isdigit() and before[1:] in COMMAS:
        s.push(state.guess(state.at, TWO_NUMBERS, cost=DOUBT // 2).go(digits.end(), Place.AFTER))
    return False


def escaped_key(s: Search, state: State, _: str) -> bool:
    r"""`\"a\": 1` among other members."""
    found = _ESCAPED_KEY.match(s.text, state.at)
    if found is None:
        return False
    if state.place is _FIRST and state.frame.parent is not None:  # all of it may be a text without its quotes
        state = state.guess(state.at, TWO_READINGS)
    read = state.edit(state.at, len(found["open"]), '"', K.ESCAPED_JSON)
    read = read.edit(found.end("key"), len(found["close"]), '"', None, cost=0)
    key_is_read(s, read.but(at=found.end()), found["key"])
    return True


def comma_for_a_key(s: Search, state: State, _: str) -> bool:
    """An extra comma; right after the opening bracket the closing one may be missing."""
    first = state.place is _FIRST
    if not (first and _steps_back(s.text, state)):
        s.push(state.drop(K.DOUBLED_COMMA, EDIT + DOUBT * first))
    if first:
        close_before(s, state, state.at)
    return True


def _steps_back(raw: str, state: State) -> bool:
    """Whether what follows the comma is a line as far in as the members around the object, which then has none."""
    line, outer = _NEXT_LINE.match(raw, state.at + 1), state.members.outer
    return line is not None and outer is not None and 0 < len(line["indent"]) == outer.indent


def opener_for_a_key(s: Search, state: State, char: str) -> bool:
    """An extra brace, or one before; after a comma a closing bracket that is missing."""
    if state.place is not _FIRST:
        close_before_comma(s, state)
        return True
    open_other_kind(s, state, "[", EDIT + DOUBT)
    if OPENERS[char] == "{":
        s.push(state.drop(K.SURPLUS_BRACKET))
    else:
        drop_opener(s, state)
    not_understood(s, state, (_FIRST,), NO_KEY)
    return True


def no_key(s: Search, state: State, _: str) -> bool:
    """What is no key: passed over, with its colon or as a member of its own."""
    places = (state.place,) if state.place is _FIRST else (state.place, Place.AFTER)
    not_understood(s, state, places, NO_KEY)
    if _WORDS_TO_END.match(s.text, state.at):
        s.cut_off(state)
    found = _UNKNOWN_KEY.match(s.text, state.at)
    if found:
        s.push(state.guess(state.at, NO_KEY, cost=UNKNOWN).go(found.end(), Place.VALUE))
    return True


def value_for_a_key(s: Search, state: State, _: str) -> bool:
    """A value after a comma: the object may have been meant to close before it."""
    if state.place is not _FIRST and VALUE_AT.match(s.text, state.at):
        close_before_comma(s, state)
    return False


# --- the colon ------------------------------------------------------------------------------------------------


def colon(s: Search, state: State, char: str) -> bool:
    """`:`, full-width `：`, and what other notations have for it."""
    at = state.at
    signs = _SIGNS.match(s.text, at)
    if signs:
        put = state.edit(at, len(signs.group()), ":", K.MISSING_COLON)
        s.push(put.go(signs.end(), Place.VALUE))
    elif char in COLONS:
        plain = state if char == ":" else state.edit(at, 1, ":", K.FULL_WIDTH_PUNCTUATION, OTHER_SIGN)
        s.push(plain.go(at + 1, Place.VALUE))
    return signs is not None or char in COLONS


def comma_for_a_colon(s: Search, state: State, _: str) -> bool:
    """`{"a", "b"}` is a set, or a key and its value."""
    unsure = state.guess(state.at, NO_VALUE, cost=EDIT)
    s.push(unsure.go(state.at + 1, Place.VALUE))
    complete(s, unsure)
    return True


def quote_before_a_colon(s: Search, state: State, _: str) -> bool:
    """`"a"": 1`: the closing quote twice."""
    key = last_step(state)
    if not COLON_NEXT.match(s.text, state.at + 1):
        return False
    if not is_text_at_edge(s.text, key.text if key else None, state.at):
        s.push(state.drop(K.STRAY_QUOTE))
    return True


def _may_be_text(s: Search, state: State) -> bool:
    """Whether a key without its colon may be one text with the string before it, whose comma is missing, or an element.

    It may be an element where it is a key only because a bracket was put before it.
    """
    key = last_step(state)
    before = last_step(state.but(steps=key.before)) if key and key.text else None
    put = before.edit if before else None
    if put is None or put.length:
        return False
    return put.put in CLOSERS or (put.put == "," and s.text[put.offset - 1] in QUOTES)


def forgotten_colon(s: Search, state: State, char: str) -> bool:
    """`"a" 1`; or `"a:" 1`, where the colon stands inside the quotes."""
    if not VALUE_AT.match(s.text, state.at):
        return False
    name = state.members.keys.text if state.members.keys else ""
    end = before_blanks(s.text, state.at)
    run_together = end == state.at and s.text[end - 1] == char and char in PLAIN_QUOTES
    if run_together or _may_be_text(s, state):
        state = state.guess(state.at, TWO_READINGS)
    ends_in_colon = name.rstrip().endswith(tuple(COLONS))
    if not name or name[-1].isspace():  # the key may go on: `"a "1"": 2`
        state = state.but(cost=state.cost + EDIT + DOUBT)
    s.push(state.edit(end, 0, ":", K.MISSING_COLON, EDIT * (1 + ends_in_colon)).go(state.at, Place.VALUE))
    if s.text[end - 2 : end] in (':"', ":'") and name.endswith(":"):
        moved = state.edit(end - 2, 1, "", K.MISSING_COLON).edit(end, 0, ":", None, cost=0)
        s.push(moved.go(state.at, Place.VALUE))
    return True


def no_colon(s: Search, state: State, _: str) -> bool:
    """What is neither a colon nor a value."""
    not_understood(s, state, (Place.COLON,), NO_VALUE)
    return True


_TEXT = repeated(r"""[^\"\\\x00-\x1f*]++|\\[\"\\/nrt]""")
_BOLD_VALUE = expression(rf"(?P<mark>\*\*|__)\"{_TEXT}\"(?P=mark)|\*\*(?:{NUMBER}|true|false|null)\*\*(?=\s*+[,}}\]])")


def bold_key(s: Search, state: State, _: str) -> bool:
    """`**"a"**: 1`, `**a**: 1`."""
    found = BOLD_KEY_AT.match(s.text, state.at)
    if found is None:
        return False
    end = found.end("bold")
    name = s.text[state.at + 2 : end - 2]
    bare = not name.startswith('"')
    read = state.edit(state.at, 2, '"' * bare, K.MARKUP).edit(end - 2, 2, '"' * bare, None, cost=0)
    key_is_read(s, read.but(at=end), name.strip('"'), bare=bare)
    return True


def bold_value(s: Search, state: State, _: str) -> bool:
    """`**"x"**`, `**1**`."""
    found = _BOLD_VALUE.match(s.text, state.at)
    if found is None or (s.options.latex and "\\" in found.group()):
        return False
    complete(s, state.edit(state.at, 2, "", K.MARKUP).edit(found.end() - 2, 2, "", None, cost=0).but(at=found.end()))
    return True
