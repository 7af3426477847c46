"""What one text has shown of itself, and the expressions that pass over what it writes in the same way.

A slip that a reading has met before is no slip any more but the way this text is written: its dialect. A spelling is a
row of `_SPELLINGS`; the habits of a reading choose the rows from which the expressions of its members are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.notation import CLOSERS, FOREIGN_LITERALS, OPENERS
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.reader.patterns import ESCAPE, SCALAR_TEXT
from src.shared.infrastructure.parsing.resolve.costs import DOUBT
from src.shared.infrastructure.parsing.resolve.doubts import doubted
from src.shared.infrastructure.parsing.resolve.states import Offsets, Place, State, Step, Text

_LINES = DOUBT
"""What a string on several lines costs; no more than that, in a dialect that has them."""
SPELLINGS: frozenset[K | str] = frozenset(
    {
        *("'", "“", K.UNQUOTED_KEY, K.PYTHON_LITERAL, K.FULL_WIDTH_PUNCTUATION, K.TRAILING_COMMA),
        *(K.UNESCAPED_QUOTE, K.CONTROL_CHARACTER),
    }
)
"""The habits that change an expression. What is written so once costs nothing when it is written so again."""
INNER_QUOTES = K.UNESCAPED_QUOTE
LINE_ENDS = K.CONTROL_CHARACTER
_ROLE = {"{": Place.VALUE, "[": Place.ELEMENT}
_GROUP = re.compile(r"\(\?P<(\w++)>")
_W = r"[ \t\n\r]*+"
_NO_KEY = r"(?![\w$\-]{1,200}+\s*+[:：])"
_GOES_ON = r"""[^\W_] | [ ][^\W\d_] | [.。!！?？、)）；;]"""
"""What comes after a quoted word inside a sentence, where no other string can begin and no value end."""


class Dialect(NamedTuple):
    """The expressions for one set of habits: a member, an element, the ends of containers, what follows a value."""

    member: re.Pattern[str]
    element: re.Pattern[str]
    object_end: re.Pattern[str]
    list_end: re.Pattern[str]
    after: re.Pattern[str]
    drops_commas: bool
    keys: tuple[str, ...]
    values: tuple[str, ...]


def _text(end: str, after_comma: str, *, lines: bool) -> str:
    """A text in double quotes with quoted words in it, each whole and in the middle or at the end of a sentence."""
    other = r'[^"\\]' if lines else r'[^"\\\x00-\x1f]'
    quoted = rf"""
        "(?=[^\W_]) [^",，:：{{}}\[\]｛｝［］\n\\]*+ (?<![\s'`])"
        (?= {_GOES_ON} | [,，][ ]?{after_comma}{_NO_KEY} | "{end} )
    """
    return f'"{other}*+' + repeated(rf"(?:{quoted}|{ESCAPE}){other}*+") + f'"{end}'


def _dialect(habits: frozenset[K | str]) -> Dialect:
    wide = K.FULL_WIDTH_PUNCTUATION in habits
    comma, colon = ("[,，]", "[:：]") if wide else (",", ":")
    opener, object_end, list_end = (r"[{\[｛［]", "[}｝]", r"[\]］]") if wide else (r"[{\[]", r"\}", r"\]")
    closer = rf"(?:{object_end}|{list_end})"
    keys, scalars = [r'"(?P<key>[^"\\\x00-\x1f]*+)"'], [SCALAR_TEXT]
    lines = LINE_ENDS in habits
    if "'" in habits:
        keys.append(r"""'(?P<single_key>[^'"\\\n]*+)'""")
        scalars.append(r"(?P<single>'[^'\\\n]*+" + repeated(r"""\\['"\\/nrt][^'\\\n]*+""") + "')")
    if "“" in habits:
        keys.append(r'“(?P<curly_key>[^“”"\\\n]*+)”')
        scalars.append(rf'(?P<curly>“[^“”"\\{"" if lines else chr(92) + "n"}]*+”)')
    if K.UNQUOTED_KEY in habits:
        keys.append(r"(?P<bare_key>[^\W\d][\w$]{0,60}+)")
    if K.PYTHON_LITERAL in habits:
        scalars.append(rf"(?P<literal>{'|'.join(FOREIGN_LITERALS)})\b")
    next_key = rf"""(?:["“'][^"“”'\n]{{1,200}}["”']|[^\W\d][\w$]{{0,60}}+){_W}{colon}"""
    member_end = rf"(?={_W}(?:{comma}{_W}(?:{next_key}|{closer})|{object_end}{_W}(?:{comma}|{closer}|\Z)))"
    next_element = rf"""(?:["“'\d\-tfnTFN]|{opener})"""
    element_end = rf"(?={_W}(?:{comma}{_W}(?:{next_element}|{closer})|{list_end}{_W}(?:{comma}|{closer}|\Z)))"
    member_text = element_text = ""
    if INNER_QUOTES in habits or lines:
        member_text = "|(?P<text>" + _text(member_end, r"(?=[^\W_])", lines=lines) + ")"
        element_text = "|(?P<text>" + _text(element_end, r"(?=[^\W\d_tfnTFNuI])", lines=lines) + ")"
    follow = rf"(?:{_W}(?P<comma>{comma})|(?={_W}{closer}))"
    scalar = "|".join(scalars)
    return Dialect(
        re.compile(
            rf"{_W}(?:{'|'.join(keys)}){_W}(?P<colon>{colon}){_W}(?:(?P<open>{opener})|(?:{scalar}{member_text}){follow})",
            re.VERBOSE,
        ),
        re.compile(rf"{_W}(?:(?P<open>{opener})|(?:{scalar}{element_text}){follow})", re.VERBOSE),
        re.compile(rf"{_W}(?P<close>{object_end})"),
        re.compile(rf"{_W}(?P<close>{list_end})"),
        re.compile(rf"{_W}(?:(?P<comma>{comma})|(?P<close>{closer}))"),
        K.TRAILING_COMMA in habits,
        tuple(_groups(keys)),
        tuple(_groups([*scalars, member_text])),
    )


def _groups(parts: list[str]) -> Iterator[str]:
    return (name for part in parts for name in _GROUP.findall(part))


@lru_cache(maxsize=64)
def _known(spellings: frozenset[K | str]) -> Dialect:
    return _dialect(spellings)


def dialect_of(habits: frozenset[K | str]) -> Dialect:
    """The dialect of a reading with these habits; those that are no spelling make no difference."""
    return _known(habits & SPELLINGS)


class Spoken(NamedTuple):
    """What a match in a dialect is: the steps of the reading behind it, its key, and where that begins."""

    steps: Step | None
    key: str = ""
    key_start: int = -1


_WIDE = {wide: put for wide, put in {**OPENERS, **CLOSERS, "，": ",", "：": ":"}.items() if wide != put}


def plain(steps: Step | None, at: int, sign: str) -> Step | None:
    """The steps of a reading, and one more where a sign has not the form that JSON has."""
    return Step(steps, Edit(at, 1, _WIDE[sign], K.FULL_WIDTH_PUNCTUATION)) if sign in _WIDE else steps


def spoken(
    raw: str, state: State, found: re.Match[str], keys: tuple[str, ...], values: tuple[str, ...]
) -> Spoken | None:
    """The reading behind a member or an element in its dialect; None where something is evidence against it.

    Args:
        raw: the text.
        state: the reading before it.
        found: the match.
        keys: the names of the groups of which one is its key; none in a list.
        values: the names of the groups of which one may be its value.
    """
    steps, key, key_start = state.steps, "", -1
    for name in keys:
        if found[name] is not None:
            key, key_start = found[name], found.start(name)
            steps, key_start = _key(raw, steps, name, key, key_start)
            steps = plain(steps, found.start("colon"), found["colon"])
            break
    for name in values:
        if found[name]:
            start, end = found.span(name)
            step = _literal(steps, found[name], start) if name == "literal" else _string(raw, state, steps, start, end)
            if step is None:
                return None
            steps = step
            break
    if found["comma"]:
        steps = plain(steps, found.start("comma"), found["comma"])
    return Spoken(steps, key, key_start)


def _key(raw: str, steps: Step | None, name: str, key: str, start: int) -> tuple[Step | None, int]:
    if name == "key":
        return steps, start - 1
    if name == "bare_key":
        return Step(steps, Edit(start, len(key), f'"{key}"', K.UNQUOTED_KEY)), start
    return Step(steps, text=Text(start - 1, raw[start - 1]), end=start + len(key), closing=1), start - 1


def _literal(steps: Step | None, word: str, start: int) -> Step:
    return Step(steps, Edit(start, len(word), FOREIGN_LITERALS[word], K.PYTHON_LITERAL))


def _string(raw: str, state: State, steps: Step | None, start: int, end: int) -> Step | None:
    """The steps behind a string, if that is as sure as an undamaged one."""
    end -= 1
    text = Text(start, raw[start])
    if raw[start] == '"':
        inner, count = None, 0
        at = raw.find('"', start + 1, end)
        while at >= 0:
            if raw[at - 1] != "\\":
                inner, count = Offsets(at, inner), count + 1
            at = raw.find('"', at + 1, end)
        text = Text(start, '"', inner, None, (count, 0))
    before = state.but(role=_ROLE[state.frame.kind])
    read = doubted(raw, before, text, end, mended=False, closed=True)
    if read.steps is not before.steps or read.cost - before.cost > _LINES * ("\n" in raw[start:end]):
        return None
    return Step(steps, text=text, end=end, closing=1)
