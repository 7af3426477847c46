"""Where a JSON value opens in a text, as against brackets of prose, and what may stand right before and behind it.

Every expression is linear: repetitions are possessive (`*+`, `++`) or bounded, and no two alternatives of a
repetition can start with the same character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.signs import (
    ANY_QUOTE,
    CLOSING_QUOTES,
    COLONS,
    COMMAS,
    INVISIBLE,
    JSON_LITERALS,
    NUMBER,
    OPENERS,
    OPENING_QUOTES,
    QUOTES,
)

KEY_LIMIT = 200
"""Most characters of a key in a damaged text, quotes apart; a longer one is not seen as a key."""
COMMENT_MARKS = 20
"""Most further marks (`#`, slashes, stars, hyphens) in a comment; its length has no bound.

A comment is looked for after every quote, so that a line of `"#"#"#` would cost its square: with this bound no
character is looked at in more than so many comments.
"""
GAP_PARTS = 100
"""Most comments and stretches of white space in a row that are looked past, for the same reason."""
LINE_LIMIT = 200
"""Characters after a closing bracket searched for quotes."""
ELEMENT_LIMIT = 200
"""Most characters of a string after the last bracket that is taken for an element of something larger."""
BLANK_LIMIT = 400
"""Most white space between a bracket and what tells whether a value begins with it, or behind a fence on its line."""

# --- pieces of expressions ---

W = rf"[\s{INVISIBLE}]*+"
COMMENT_MARK = r"//|/\*|\#|<!--"
_MORE = f"{{0,{COMMENT_MARKS}}}"
SLASHES = r"//++[^/\n]*+" + repeated(r"/++[^/\n]*+", _MORE) + r"(?=\n|\Z)"
HASHES = r"\#++[^\#\n]*+" + repeated(r"\#++[^\#\n]*+", _MORE) + r"(?=\n|\Z)"
STARS = r"/\*[^*]*+\*++" + repeated(r"[^*/][^*]*+\*++", _MORE) + "/"
TAGS = r"<!--[^-]*+" + repeated(r"-(?!->)[^-]*+", _MORE) + "-->"
COMMENT_TEXT = rf"(?<![\"'”’])(?:{SLASHES}|{STARS}|{HASHES}|{TAGS})"
_GAP_PART = rf"[\s{INVISIBLE}]++|{COMMENT_TEXT}"
G = repeated(_GAP_PART, f"{{0,{GAP_PARTS}}}")


def _quoted(opening: str, closing: str) -> str:
    """A key between two quotes; a plain one closes none that is not plain itself."""
    ends = closing if opening == '"' else closing.replace('"', "")
    return rf"{opening}[^{ends}\n]{{0,{KEY_LIMIT}}}+[{ends}]"


QUOTED_KEY = f"(?:{'|'.join(_quoted(opening, closing) for opening, closing in QUOTES.items())})"
BARE_KEY = rf"(?=[\w$])[\w$\-]{{1,{KEY_LIMIT}}}+"
STRING_PREFIX = r"(?:[uU]|[rR][bBfF]?+|[bBfF][rR]?+)(?=[\"'])"
"""What Python writes before the quote of a string: bytes, raw, formatted, or of its second version."""
COLON = rf"{W}[{COLONS}]"
CLOSE = r"[}\]｝］]"

# --- between the parts of a value, and behind it ---

GAP = expression(repeated(_GAP_PART))
KEY_AT = expression(rf"{QUOTED_KEY}{COLON}")
FIRST_KEY = expression(rf"[{{｛]{G}{QUOTED_KEY}{COLON}")
STRING = expression(r'"[^"\\]*+' + repeated(r'\\.[^"\\]*+') + '"?', re.DOTALL)
"""A string, or the rest of the text after a quote that nothing closes: so that no quote is tried twice."""
STRING_END = expression(rf"(?<=[\"]){G}[{COMMAS}{COLONS}}}\]｝］]")
QUOTE_OR_BRACKETS = expression(r"\"|[{\[｛［]++|[}\]｝］]++")
CLOSING_RUN = expression(W + repeated(CLOSE + "++" + W))
"""The closing brackets after a value, and the white space between them."""
OPEN_KEY = expression(
    rf"[\"'“](?P<key>[^{OPENING_QUOTES}{CLOSING_QUOTES}{COLONS}={COMMAS}\n{{}}\[\]]{{1,200}})"
    rf"[{OPENING_QUOTES}{CLOSING_QUOTES}]?(?:\s{{0,40}}[{COLONS}]|=)"
)
"""A key whose closing quote was forgotten, or is another one."""
OPEN_LAST_KEY = expression(
    rf"{OPEN_KEY.pattern}\s{{0,40}}+(?:{NUMBER}|true|false|null)\s*+[}}\]][}}\]\s]*+(?:\Z|```|~~~)"
)
"""The same before the last value of a text."""
_UNCLOSED_KEY = rf"\"[\w$ \-]{{1,{KEY_LIMIT}}}+[{COLONS}]"
_COMMENT_MARKS = ("//", "/*", "#", "<!--")
_MAY_BE_MORE = frozenset((*COMMAS, *QUOTES))
_PLAIN_ELEMENT = rf"(?:\"[^\"\n]{{0,{ELEMENT_LIMIT}}}+\"|{NUMBER}|true|false|null){W}[{COMMAS}\]}}］｝]"
_MORE_AFTER_ROOT = expression(
    rf"[{COMMAS}]?{G}{QUOTED_KEY}{COLON}"
    rf"|[{COMMAS}]{G}(?:{_UNCLOSED_KEY}|{BARE_KEY}{COLON}|{_PLAIN_ELEMENT}|[\[［]{W}[\[［{{｛\"\d])"
)
"""What comes after the last bracket and cannot be prose: a comma, and a member or an element of something larger."""


def is_more_after_root(text: str, at: int) -> bool:
    """Whether that stands at a place behind the last bracket and the white space after it."""
    may_be = text[at : at + 1] in _MAY_BE_MORE and not text.startswith("```", at)
    return (may_be or text.startswith(_COMMENT_MARKS, at)) and _MORE_AFTER_ROOT.match(text, at) is not None


# --- a value that was written as a string, or for another format ---

ESCAPED_MARGIN = r"\s*+" + repeated(r"\\++[nrt]\s*+")
"""White space, also escaped, as often as may be."""
_ESCAPED_QUOTE = r"\\" + repeated(r"\\\\") + '"'
_ESCAPED_KEY = rf"{_ESCAPED_QUOTE}[^\"\\]*+" + repeated(r"\\++[^\"\\][^\"\\]*+") + rf"{_ESCAPED_QUOTE}{ESCAPED_MARGIN}:"
_ESCAPED_START = (
    rf"(?<=\[){ESCAPED_MARGIN}\{{{ESCAPED_MARGIN}{_ESCAPED_QUOTE}|(?<=\{{)(?:{ESCAPED_MARGIN}{_ESCAPED_KEY}"
    rf"|(?:(?<=\\[nrt]\{{)|(?<![\w\\^$]\{{)){ESCAPED_MARGIN}{_ESCAPED_QUOTE}(?!\{{?\\?[A-Za-z]\}}))"
)
ESCAPED_START = expression(rf"[{{\[](?:{_ESCAPED_START})")
r"""A bracket and a quote that is escaped, as opposed to the `{\"o}` of a name in LaTeX."""
ESCAPED_LINES = repeated(r"\\[nrt][ \t]*+", "+")
"""Line ends and indentation written as escapes."""
_LINE_MARK = (
    r"[ \t]*+\n[ \t]*+(?:>>>|[>+|#]|//|\.\.\.|[\-*•·](?=[ \t]))[ \t]*+[\"'“`{\[}]|\s*+<br\s?/?>|"
    + ESCAPED_LINES
    + r"[\"'“{\[]"
)
_ENTITY_OR_TWICE = rf"&(?:quot|\#34|\#[xX]22);|\"\"(?!\s*+[{COLONS}=])[^\"\n]{{1,{KEY_LIMIT}}}+\"\"\s*+[:=]"
_OTHER_FORMAT = rf"{_LINE_MARK}|(?<=[{{\[])" + repeated(r"(?<=\[)\s*+\{", "?") + rf"\s*+(?:{_ENTITY_OR_TWICE})"
OTHER_FORMAT = expression(rf"[{{\[](?:{_OTHER_FORMAT}|(?<=['\"].))")
"""A bracket, and what HTML, a cell of CSV, or a mark before each line makes of what follows it; or behind a quote."""

# --- how a value begins ---

BRACKET = expression(r"[{｛\[［]")
USUAL_START = expression(
    rf"""
    [{{｛] (?<! [\\'"] . ) \s*+ (?:
        (?: "[^"\n]{{0,{KEY_LIMIT}}}+" | '[^'\n]{{0,{KEY_LIMIT}}}+' | “[^“”\n]{{0,{KEY_LIMIT}}}+[“”] ) \s*+ [{COLONS}]
      | (?<= [{{｛] ) (?<! [\w^$] . ) [\w$] [\w$\-]{{0,{KEY_LIMIT - 1}}}+ \s*+ [{COLONS}]
    )
    """,
    re.VERBOSE,
)
"""A brace and a key, as most damaged objects begin; each of those below matches there too, and is far longer."""

# Each of these starts with a set of characters, so that a search skips the rest of a text at full speed.
_ELLIPSIS_FOLLOW = rf"[{COMMAS}\"]"


def _object(after_gap: Callable[[str], str]) -> str:
    """The text after the brace of an object; `after_gap` says what may stand before a part of it."""
    quoted = after_gap(rf"(?:{STRING_PREFIX})?{QUOTED_KEY}{COLON}")
    bold = rf"\*\*[\"\w][^*\n]{{0,{KEY_LIMIT}}}+\*\*{COLON}"
    bare = rf"{BARE_KEY}(?:[\"'”’]?{COLON}|{W}=>?{W}[{{\[\"'“])"
    key = after_gap(
        rf"{QUOTED_KEY}|{bare}|{bold}|{ANY_QUOTE}|\Z|\\++\"|[}}｝]|[{COMMAS}]{after_gap(chr(34))}|{_elided(after_gap)}"
    )
    doubled = rf"[{{｛](?:{after_gap(ANY_QUOTE)}|{W}{BARE_KEY}{COLON})"
    return rf"(?![{{｛]{{2}})(?<=[{{｛])(?:(?<!\\.){quoted}|(?<![\\\w^$].)(?:{doubled}|{key}))"


def _elided(after_gap: Callable[[str], str]) -> str:
    return rf"(?:\.\.\.|…){after_gap(_ELLIPSIS_FOLLOW)}"


_ARRAY = rf"(?<=[\[［]){W}(?:[{{｛]|[\[［]{W}[{{｛])"
_STRICT = r"(?<=\{)[ \t\n\r]*+[\"}]|(?<=\[)[ \t\n\r]*+[\"{\[]"
_DAMAGED = _object(lambda part: rf"{G}(?:{part})")
_LOOKS_DAMAGED = expression(rf"[{{｛\[［](?:{_DAMAGED}|{_ARRAY})")
"""A brace that opens an object, or a bracket that opens a list of objects, as against those in prose."""
STRICT_START = expression(rf"[{{\[](?:{_STRICT})")
"""What strict JSON has after an opening bracket, lists of numbers (`[1]` in prose) apart."""
_MAY_OPEN = _object(lambda part: rf"{W}(?:{part}|{COMMENT_MARK})")
"""What may be one of both: comments, which may be long, are not looked through."""
_NO_RUN = r"(?<!<!\[)(?<!<!\[CDATA\[)(?!(?<=[{｛])\s*+[{｛]\s*+[{｛])"
"""Of many braces in a row only the last two can open anything; the brackets of a CDATA section open nothing."""
_OPENING = expression(rf"[{{｛\[［]{_NO_RUN}(?:{_STRICT}|{_ESCAPED_START}|{_OTHER_FORMAT}|{_MAY_OPEN}|{_ARRAY})")
_STRICT_LIST = r"(?<=\[)[ \t\n\r]*+[\]\-\dtfn]"
_LIST = rf"(?<=[\[［]){W}(?:{ANY_QUOTE}|[+\-]?[\d.]++{W}[{COMMAS}])"


class Openings(NamedTuple):
    """What a value begins with: undamaged, damaged, either."""

    strict: re.Pattern[str]
    damaged: re.Pattern[str]
    either: re.Pattern[str]


OBJECTS = Openings(STRICT_START, _LOOKS_DAMAGED, _OPENING)
LISTS_TOO = Openings(
    expression(rf"[{{\[](?:{_STRICT}|{_STRICT_LIST})"),
    expression(rf"[{{｛\[［](?:{_DAMAGED}|{_ARRAY}|{_LIST})"),
    expression(
        rf"[{{｛\[［]{_NO_RUN}(?:{_STRICT}|{_STRICT_LIST}|{_ESCAPED_START}|{_OTHER_FORMAT}|{_MAY_OPEN}|{_ARRAY}|{_LIST})"
    ),
)
"""Where an array is asked for, a list of plain values counts too, which in prose is otherwise a remark."""

# --- the beginning of a value in a text that is still written ---

_OPEN = re.escape("".join(OPENERS))
_NAME = rf"[\w$]{{0,{KEY_LIMIT}}}+"
_B = rf"\s{{0,{BLANK_LIMIT}}}+"
VALUE_BEGINS = expression(
    rf"""
      [{_OPEN}] {_B} [\"'“\d\-{_OPEN}}}\]]
    | [{{｛] {_B} [A-Za-z_$] {_NAME} {_B} [{COLONS}]
    | [\[［] {_B} (?: {"|".join(JSON_LITERALS)} ) \b
    """,
    re.VERBOSE,
)
"""A bracket, and what shows that it is none of prose."""
VALUE_MAY_BEGIN = expression(rf"[{_OPEN}]{_B}" + repeated(_NAME + _B, "?") + r"\Z")
"""The same, as far as it is written."""
