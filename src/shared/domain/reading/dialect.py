"""What one text has shown of itself, and the expressions that pass over what it writes in the same way.

A slip that a reading has met before is no slip any more but the way this text is written: its dialect. The habits of a
reading that are `SPELLINGS` choose of what its expressions are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from src.shared.domain.engine.signs import NUMBER
from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.lexicon import CLOSERS, COLONS, COMMAS, FOREIGN_LITERALS, OPENERS
from src.shared.domain.reading.tokens import ESCAPE, PLAIN_SCALAR_TEXT, SCALAR_TEXT, STRING_TEXT
from src.shared.domain.repair import RepairKind as K

SPELLINGS: frozenset[K | str] = frozenset(
    {
        *("'", "“", K.UNQUOTED_KEY, K.PYTHON_LITERAL, K.FULL_WIDTH_PUNCTUATION, K.TRAILING_COMMA),
        *(K.UNESCAPED_QUOTE, K.CONTROL_CHARACTER, K.COMMENT),
    }
)
"""The habits that change an expression. What is written so once costs nothing when it is written so again."""
INNER_QUOTES = K.UNESCAPED_QUOTE
LINE_ENDS = K.CONTROL_CHARACTER
_GROUP = expression(r"\(\?P<\w++>")
_W = r"[ \t\n\r]*+"
_NO_KEY = rf"(?![\w$\-]{{1,200}}+\s*+[{COLONS}])"
_QUOTED_IN_CURLY = rf'"(?=[^\W_])[^"“”{COMMAS}{COLONS}{{}}\[\]\\\n]*+"'
_PYTHON = "|".join(word for word in FOREIGN_LITERALS if word != "undefined")
_COMMENT = r"(?://|\#)(?=\s)[^\"{}\[\]｛｝［］…\\\n]*+(?=\n|\Z)|/\*(?=\s)[^\"{}\[\]｛｝［］…\\*]*+\*/"
_GOES_ON = r"""[^\W_] | [ ][^\W\d_] | [.。!！?？、)）；;]"""
"""What comes after a quoted word inside a sentence, where no other string can begin and no value end."""
_PUT = {**OPENERS, **CLOSERS, **dict.fromkeys(COMMAS, ","), **dict.fromkeys(COLONS, ":")}
WIDE = {wide: put for wide, put in _PUT.items() if wide != put}
"""A full-width sign → that of JSON."""
MEMBER = ("lead", "key", "single_key", "curly_key", "bare_key", "colon", "open")
"""The groups of a member's expression in front of its value."""
VALUE = ("single", "curly", "literal", "text")
"""The groups of a scalar that is not as JSON has it."""


_LETTER = "a"
"""Stands for any letter among the signs."""


class Dialect(NamedTuple):
    """The expressions for one set of habits.

    Attributes:
        member: a member, and what follows it.
        element: an element, and what follows it.
        object_end: the end of an object.
        list_end: the end of a list.
        after: what follows a container.
        plain: over what is as JSON has it to the next sign that is not.
        signs: what may stand there, by its first character; `_LETTER` for a letter. Each group is one of the spellings.
        drops_commas: whether a comma before a closing bracket is one of them.
    """

    member: re.Pattern[str]
    element: re.Pattern[str]
    object_end: re.Pattern[str]
    list_end: re.Pattern[str]
    after: re.Pattern[str]
    plain: re.Pattern[str]
    signs: Mapping[str, Sequence[re.Pattern[str]]]
    drops_commas: bool

    def at_sign(self, text: str, at: int) -> re.Match[str] | None:
        """What of this dialect stands at a sign that is not as JSON has it."""
        char = text[at : at + 1]
        for sign in self.signs.get(_LETTER if char.isalnum() or char == "_" else char, ()):
            found = sign.match(text, at)
            if found:
                return found
        return None


def _single(no_line: str) -> str:
    """A string in single quotes."""
    return rf"'[^'\\{no_line}]*+" + repeated(rf"""\\['"\\/nrt][^'\\{no_line}]*+""") + "'"


def _curly(no_line: str, *, quoting: bool) -> str:
    """A string in typographic quotes, perhaps with quoted words in it."""
    other = rf'[^“”"\\{no_line}]*+'
    return "“" + other + (repeated(_QUOTED_IN_CURLY + other) if quoting else "") + "”"


def _text(end: str, after_comma: str, *, lines: bool) -> str:
    """A text in double quotes with quoted words in it, each whole and in the middle or at the end of a sentence."""
    other = r'[^"\\]' if lines else r'[^"\\\x00-\x1f]'
    quoted = rf"""
        "(?=[^\W_]) [^"{COMMAS}{COLONS}{{}}\[\]｛｝［］\n\\]*+ (?<![\s'`])"
        (?= {_GOES_ON} | [{COMMAS}][ ]?{after_comma}{_NO_KEY} | "{end} )
    """
    return f'"{other}*+' + repeated(rf"(?:{quoted}|{ESCAPE}){other}*+") + f'"{end}'


def _dialect(habits: frozenset[K | str], *, latex: bool) -> Dialect:
    wide = K.FULL_WIDTH_PUNCTUATION in habits
    comma, colon = (f"[{COMMAS}]", f"[{COLONS}]") if wide else (",", ":")
    opener, object_end, list_end = (r"[{\[｛［]", "[}｝]", r"[\]］]") if wide else (r"[{\[]", r"\}", r"\]")
    closer = rf"(?:{object_end}|{list_end})"
    lines = LINE_ENDS in habits
    no_line = "" if lines else r"\n"
    keys = {
        "key": r'"(?P<key>[^"\\\x00-\x1f]*+)"',
        "'": r"""'(?P<single_key>[^'"\\\n]*+)'""",
        "“": r'“(?P<curly_key>[^“”"\\\n]*+)”',
        K.UNQUOTED_KEY: r"(?P<bare_key>[^\W\d][\w$]{0,60}+)",
    }
    scalars = {
        "'": f"(?P<single>{_single(no_line)})",
        "“": f"(?P<curly>{_curly(no_line, quoting=INNER_QUOTES in habits)})",
        K.PYTHON_LITERAL: rf"(?P<literal>{_PYTHON})\b",
    }
    next_key = rf"""(?:["“'][^"“”'\n]{{1,200}}["”']|[^\W\d][\w$]{{0,60}}+){_W}{colon}"""
    member_end = rf"(?={_W}(?:{comma}{_W}(?:{next_key}|{closer})|{object_end}{_W}(?:{comma}|{closer}|\Z)))"
    next_element = rf"""(?:["“'\d\-tfnTFN]|{opener})"""
    element_end = rf"(?={_W}(?:{comma}{_W}(?:{next_element}|{closer})|{list_end}{_W}(?:{comma}|{closer}|\Z)))"
    member_text = element_text = "(?!)"
    texts: tuple[str, ...] = ()
    if INNER_QUOTES in habits or lines:
        member_text = _text(member_end, r"(?=[^\W_])", lines=lines)
        element_text = _text(element_end, r"(?=[^\W\d_tfnTFNuI])", lines=lines)
        in_object = rf"(?={_W}(?:{comma}{_W}(?:{next_key}|{object_end})|{object_end}{_W}(?:{comma}|{closer}|\Z)))"
        texts = _text(in_object, r"(?=[^\W_])", lines=lines), element_text
    follow = rf"(?:{_W}(?P<comma>{comma})|(?={_W}{closer}))"
    key = "|".join(_spelled(keys, habits | {"key"}))
    scalar = "|".join([PLAIN_SCALAR_TEXT if latex else SCALAR_TEXT, *_spelled(scalars, habits)])
    member = rf"(?P<lead>{_W})(?:{key}){_W}(?P<colon>{colon}){_W}"
    return Dialect(
        expression(rf"{member}(?:(?P<open>{opener})|(?:{scalar}|(?P<text>{member_text})){follow})", re.VERBOSE),
        expression(rf"{_W}(?:(?P<open>{opener})|(?:{scalar}|(?P<text>{element_text})){follow})", re.VERBOSE),
        expression(rf"{_W}{object_end}"),
        expression(rf"{_W}{list_end}"),
        expression(rf"{_W}(?:(?P<comma>{comma})|(?P<close>{closer}))"),
        *_to_spelled(habits, texts, wide=wide),
        drops_commas=K.TRAILING_COMMA in habits,
    )


def _to_spelled(
    habits: frozenset[K | str], texts: Sequence[str], *, wide: bool
) -> tuple[re.Pattern[str], Mapping[str, Sequence[re.Pattern[str]]]]:
    """Over what is as JSON has it to the next sign that is not, and what may stand there."""
    closers, commas, colons = (r"}\]｝］", COMMAS, COLONS) if wide else (r"}\]", ",", ":")
    comments = K.COMMENT in habits
    comment_next = r"|[ \t\n\r]++(?:/[/*]|\#)" if comments else ""
    closer_next = _W + (repeated(rf"(?:{_COMMENT}){_W}", "{0,3}") if comments else "") + f"[{closers}]"
    behind_value, behind_key = rf"(?={_W}[{commas}{closers}]{comment_next})", f"(?={_W}[{colons}])"
    behind_string = f"(?={_W}[{commas}{colons}{closers}]{comment_next})"
    no_line = "" if LINE_ENDS in habits else r"\n"
    opener_next = rf"{_W}[{{\[{'｛［' if wide else ''}]"
    plain = "|".join(
        (
            r"[ \t\n\r:{\[]++",
            rf"[}}\]](?!{opener_next})",  # behind the end of a value no other begins
            f",(?!{closer_next})" if K.TRAILING_COMMA in habits else ",",
            f"{STRING_TEXT}{behind_string}",
            rf"(?:{NUMBER}|true|false|null){behind_value}",
        )
    )
    dropped = f"(?P<dropped>[{commas}])(?={closer_next})"
    curly = _curly(no_line, quoting=INNER_QUOTES in habits)
    rows: tuple[tuple[K | str, Iterable[str], str], ...] = (
        *(("", '"', f"(?P<text>{text})") for text in texts),
        (K.UNQUOTED_KEY, _LETTER, rf"(?P<bare_key>[^\W\d][\w$]{{0,60}}+){behind_key}"),
        ("'", "'", rf"""(?P<single>'[^'"\\\n]*+'){behind_key}"""),
        ("'", "'", f"(?P<single_value>{_single(no_line)}){behind_value}"),
        ("“", "“", f"(?P<curly>{curly}){behind_string}"),
        (K.PYTHON_LITERAL, _LETTER, rf"(?P<literal>{_PYTHON})\b{behind_value}"),
        (K.TRAILING_COMMA, COMMAS, dropped),
        (K.FULL_WIDTH_PUNCTUATION, [wide for wide in WIDE if wide not in CLOSERS], "(?P<wide>.)"),
        (K.FULL_WIDTH_PUNCTUATION, "｝］", f"(?P<wide>.)(?!{opener_next})"),
        (K.FULL_WIDTH_PUNCTUATION, "｝］", "(?P<last>.)"),
        (K.COMMENT, "/#", f"(?P<comment>{_COMMENT})"),
        ("", "}]", "(?P<last>.)"),
    )
    signs: dict[str, list[re.Pattern[str]]] = {}
    for habit, beginnings, pattern in rows:
        if not habit or habit in habits:
            spelled = expression(pattern, re.VERBOSE)
            for sign in beginnings:
                signs.setdefault(sign, []).append(spelled)
    return expression(repeated(plain), re.VERBOSE), signs


def _spelled(spellings: Mapping[K | str, str], habits: frozenset[K | str]) -> Iterator[str]:
    """The expressions of the spellings that are habits; the groups of the others match nothing."""
    for habit, pattern in spellings.items():
        yield pattern if habit in habits else f"{_GROUP.search(pattern)[0]}(?!))"  # type: ignore[index]  # each has one


@lru_cache(maxsize=64)
def _known(spellings: frozenset[K | str], latex: bool) -> Dialect:  # noqa: FBT001 - a cache's key
    return _dialect(spellings, latex=latex)


def dialect_of(habits: frozenset[K | str], *, latex: bool = False) -> Dialect:
    """The dialect of a reading with these habits; those that are no spelling make no difference.

    With `latex`, a scalar with a backslash is none of it.
    """
    return _known(habits & SPELLINGS, latex)
