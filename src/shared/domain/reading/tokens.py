"""The reader's tables and regular expressions.

Every expression is linear: repetitions are possessive (`*+`, `++`) or bounded, and no two alternatives of a
repetition can start with the same character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.lexicon import (
    ANY_QUOTE,
    CLOSING_QUOTES,
    COLONS,
    COMMAS,
    FENCES,
    INVISIBLE,
    LITERALS,
    MARGIN,
    OPENERS,
    OPENING_QUOTES,
    OTHER_ENDS,
    QUOTES,
    SEPARATORS,
)

PLAIN_QUOTES = "'`"
CLOSER_OF = {"{": "}", "[": "]"}

KEY_LIMIT = 200
"""Most characters of a key in a damaged text, quotes apart; a longer one is not seen as a key."""
KEY_WORDS = 5
"""Most words that a key without quotes has after its first, each of at most `KEY_LIMIT` characters."""
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

_W = rf"[\s{INVISIBLE}]*+"
COMMENT_MARK = r"//|/\*|\#|<!--"
_MORE = f"{{0,{COMMENT_MARKS}}}"
_SLASHES = r"//++[^/\n]*+" + repeated(r"/++[^/\n]*+", _MORE) + r"(?=\n|\Z)"
_HASHES = r"\#++[^\#\n]*+" + repeated(r"\#++[^\#\n]*+", _MORE) + r"(?=\n|\Z)"
_STARS = r"/\*[^*]*+\*++" + repeated(r"[^*/][^*]*+\*++", _MORE) + "/"
_TAGS = r"<!--[^-]*+" + repeated(r"-(?!->)[^-]*+", _MORE) + "-->"
_COMMENT = rf"(?<![\"'”’])(?:{_SLASHES}|{_STARS}|{_HASHES}|{_TAGS})"
_GAP_PART = rf"[\s{INVISIBLE}]++|{_COMMENT}"
_G = repeated(_GAP_PART, f"{{0,{GAP_PARTS}}}")
SURROGATES = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
"""Two escapes that are one character, behind the backslash of the first."""
ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_ANY_TEXT = r'"[^"\\]*+' + repeated(r'\\.[^"\\]*+') + '"?'
_STRING = r'"[^"\\\x00-\x1f]*+' + repeated(rf'{ESCAPE}[^"\\\x00-\x1f]*+') + '"'
NUMBER = r"-?(?:0|[1-9]\d*+)" + repeated(r"\.\d++", "?") + repeated(r"[eE][+-]?\d++", "?")
_COMMA_LIKE = f"[{SEPARATORS}。｡،|｜·•]"
_NEXT_NUMBER = rf"{_COMMA_LIKE}?[\s\u00ad]++{NUMBER}"
NUMBERS = expression(
    rf"{NUMBER}(?:" + repeated(_NEXT_NUMBER) + rf"\s?{_COMMA_LIKE}\s?|" + repeated(_NEXT_NUMBER, "+") + r")\Z"
)
"""Numbers with blanks between them, or with a sign behind the last one that may be the comma."""
_SCALAR = rf"(?:{_STRING}|{NUMBER}|true|false|null)"
_PLAIN_SCALAR = rf'(?:"[^"\\\x00-\x1f]*+"|{NUMBER}|true|false|null)'


def _quoted(opening: str, closing: str) -> str:
    """A key between two quotes; a plain one closes none that is not plain itself."""
    ends = closing if opening == '"' else closing.replace('"', "")
    return rf"{opening}[^{ends}\n]{{0,{KEY_LIMIT}}}+[{ends}]"


_QUOTED_KEY = f"(?:{'|'.join(_quoted(opening, closing) for opening, closing in QUOTES.items())})"
STRING_PREFIX = r"(?:[uU]|[rR][bBfF]?+|[bBfF][rR]?+)(?=[\"'])"
"""What Python writes before the quote of a string: bytes, raw, formatted, or of its second version."""
_BOLD_KEY = rf"(?P<bold>\*\*(?:\"[^\"\\\n*]{{1,{KEY_LIMIT}}}+\"|(?=[\w$])[\w$ \-]{{1,{KEY_LIMIT}}}+)\*\*)"
_BARE_KEY = rf"(?=[\w$])[\w$\-]{{1,{KEY_LIMIT}}}+"
_COLON = rf"{_W}[{COLONS}]"
_CLOSE = r"[}\]｝］]"
_VALUE_START = rf"(?:{ANY_QUOTE}|[{{\[｛［\d\-+.tfnTFNuI…])"

WHITESPACE = expression(r"[ \t\n\r]*+")
GAP = expression(repeated(_GAP_PART))
COMMENT = expression(_COMMENT)
COMMENT_BESIDE = expression(
    rf"""
      (?: {_STARS} | {_TAGS} ) (?= \s*+ [{COMMAS}{COLONS}}}\]｝］] | [ \t]*+ \n )
    | (?: // | \# ) [ \t] [^\"'“”‘’\n]*+ (?<! [{COMMAS}] )    # no quote in it, no comma at its end
      (?= \n \s*+ [{COMMAS}\"'“‘}}\]｝］] )
    """,
    re.VERBOSE,
)
"""A comment right behind the quote that ends a string, where what follows shows that it is no text of that string."""
STRING = expression(_ANY_TEXT, re.DOTALL)
"""A string, or the rest of the text after a quote that nothing closes: so that no quote is tried twice."""
CLEAN_STRING = expression(r'"[^"\\]*+' + repeated(rf'{ESCAPE}[^"\\]*+') + '"')
"""A string in which nothing has to be mended, raw control characters apart."""
TO_PLAIN_QUOTE = expression(r'[^"\\]*+' + repeated(r'\\.[^"\\]*+'), re.DOTALL)
"""To the next quote that no backslash escapes."""
ESCAPED_STRING = expression(r'\\"(?P<text>[^"\\]*+' + repeated(r'\\[^"][^"\\]*+') + r')\\""?')
_PATH_PART = r"\\[\w.$%~][^\s\\\"':]*+" + repeated(repeated(r" [A-Z(][^\s\\\"':]*+", "+") + r"(?=\\)", "?")
"""A name in a path; one with blanks is followed by another, and its words begin as those of `Program Files (x86)`."""
WINDOWS_PATH = expression(r"(?P<root>(?<![A-Za-z])[A-Za-z]:|(?<![\\\w:])\\\\\w[\w.$\-]*+)" + repeated(_PATH_PART, "+"))
r"""A drive or `\\server` and what follows with single backslashes, as a model writes it that forgot to escape them."""
BAD_ESCAPE = expression(r"\\(?:[^\"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))")
SCALAR = expression(_SCALAR)
_NEXT_OR_END = rf"[\n\r{COMMAS}}}\]｝］]|\Z|//|/\*|\#|\.\.\.|…|{_QUOTED_KEY}{_COLON}|```|~~~|</|<\||\[/"
SCALAR_FOLLOW = expression(rf"[ \t{INVISIBLE}]*+(?:{_NEXT_OR_END})")


KEY_INSIDE = expression(
    rf"(?:[,{{]\s{{0,{MARGIN}}}+|\n\s{{0,{MARGIN}}}+|:\s{{1,{MARGIN}}}+)[\"'][\w \-]{{1,{KEY_LIMIT}}}+[\"']{_COLON}"
)
"""What looks like a key inside the text of a string."""
KEY_AT = expression(rf"{_QUOTED_KEY}{_COLON}")
_WORDS = repeated(rf"[ .][\w$\-]{{1,{KEY_LIMIT}}}+", f"{{0,{KEY_WORDS}}}")
BARE_KEY_AT = expression(rf"(?P<key>{_BARE_KEY}{_WORDS})(?P<stray>[\"'”’]?){_W}[{COLONS}=]")
_ENDS_AT_ONCE = rf"\s{{0,{MARGIN}}}[\"']\s{{0,{MARGIN}}}[{COMMAS}}}\]｝］]"
PREFIX_AT = expression(rf"{STRING_PREFIX}(?!.[{COMMAS}{COLONS}}}\]｝］](?!{_ENDS_AT_ONCE}))", re.DOTALL)
"""The letter of a string that does not begin like the text after one: its letter would be a text without its quote."""
MEMBER_IN_QUOTES = expression(rf"(?:[\"“][^\"“”{COLONS}\n]{{1,60}}|'[^'{COLONS}\n]{{1,60}})[{COLONS}]")
"""A string that begins like a member whose quotes stand around its key and its value."""
BOLD_KEY_AT = expression(_BOLD_KEY + _COLON)
COLON_NEXT = expression(_COLON)
ESCAPE_OR_QUOTE = expression(r"\\(?:u[0-9a-fA-F]{4}|.)|\"|\\\Z", re.DOTALL)
WORD = expression(r"[+\-]?[\w.][\w.．+\-]*+")
BARE_TEXT = expression(
    rf"[^\s\"'`“”‘’{{}}\[\]｛｝［］{COMMAS}{COLONS};()=<>\\|&*!?][^\"`“”{{}}\[\]｛｝［］{COMMAS}\n;()=<>\\|&*]*+"
)
BARE_FOLLOW = expression(
    rf"(?:[{COMMAS}]{_G}(?:(?:{_QUOTED_KEY}|{_BARE_KEY}){_COLON}|{_CLOSE})|{_CLOSE}|\n{_G}(?:{_QUOTED_KEY}{_COLON}|{_CLOSE}))"
)
BARE_ELEMENT_FOLLOW = expression(rf"(?:[{COMMAS}]{_G}(?:{_VALUE_START}|{_CLOSE}|\w)|{_CLOSE})")

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
    r"[ \t]*+\n[ \t]*+(?:>>>|[>+|#]|//|\.\.\.|[\-*•·](?=[ \t]))[ \t]*+[\"'“{\[}]|\s*+<br\s?/?>|"
    + ESCAPED_LINES
    + r"[\"'“{\[]"
)
_ENTITY_OR_TWICE = rf"&(?:quot|\#34|\#[xX]22);|\"\"(?!\s*+[{COLONS}=])[^\"\n]{{1,{KEY_LIMIT}}}+\"\"\s*+[:=]"
_OTHER_FORMAT = rf"{_LINE_MARK}|(?<=[{{\[])" + repeated(r"(?<=\[)\s*+\{", "?") + rf"\s*+(?:{_ENTITY_OR_TWICE})"
OTHER_FORMAT = expression(rf"[{{\[](?:{_OTHER_FORMAT}|(?<=['\"].))")
"""A bracket, and what HTML, a cell of CSV, or a mark before each line makes of what follows it; or behind a quote."""

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
    quoted = after_gap(rf"(?:{STRING_PREFIX})?{_QUOTED_KEY}{_COLON}")
    bold = rf"\*\*[\"\w][^*\n]{{0,{KEY_LIMIT}}}+\*\*{_COLON}"
    bare = rf"{_BARE_KEY}(?:[\"'”’]?{_COLON}|{_W}=>?{_W}[{{\[\"'“])"
    key = after_gap(
        rf"{_QUOTED_KEY}|{bare}|{bold}|{ANY_QUOTE}|\Z|\\++\"|[}}｝]|[{COMMAS}]{after_gap(chr(34))}|{_elided(after_gap)}"
    )
    doubled = rf"[{{｛](?:{after_gap(ANY_QUOTE)}|{_W}{_BARE_KEY}{_COLON})"
    return rf"(?![{{｛]{{2}})(?<=[{{｛])(?:(?<!\\.){quoted}|(?<![\\\w^$].)(?:{doubled}|{key}))"


def _elided(after_gap: Callable[[str], str]) -> str:
    return rf"(?:\.\.\.|…){after_gap(_ELLIPSIS_FOLLOW)}"


_ARRAY = rf"(?<=[\[［]){_W}(?:[{{｛]|[\[［]{_W}[{{｛])"
_STRICT = r"(?<=\{)[ \t\n\r]*+[\"}]|(?<=\[)[ \t\n\r]*+[\"{\[]"
_DAMAGED = _object(lambda part: rf"{_G}(?:{part})")
LOOKS_DAMAGED = expression(rf"[{{｛\[［](?:{_DAMAGED}|{_ARRAY})")
"""A brace that opens an object, or a bracket that opens a list of objects, as against those in prose."""
STRICT_START = expression(rf"[{{\[](?:{_STRICT})")
"""What strict JSON has after an opening bracket, lists of numbers (`[1]` in prose) apart."""
_MAY_OPEN = _object(lambda part: rf"{_W}(?:{part}|{COMMENT_MARK})")
"""What may be one of both: comments, which may be long, are not looked through."""
_NO_RUN = r"(?<!<!\[)(?<!<!\[CDATA\[)(?!(?<=[{｛])\s*+[{｛]\s*+[{｛])"
"""Of many braces in a row only the last two can open anything; the brackets of a CDATA section open nothing."""
OPENING = expression(rf"[{{｛\[［]{_NO_RUN}(?:{_STRICT}|{_ESCAPED_START}|{_OTHER_FORMAT}|{_MAY_OPEN}|{_ARRAY})")
_STRICT_LIST = r"(?<=\[)[ \t\n\r]*+[\]\-\dtfn]"
_LIST = rf"(?<=[\[［]){_W}(?:{ANY_QUOTE}|[+\-]?[\d.]++{_W}[{COMMAS}])"


class Openings(NamedTuple):
    """What a value begins with: undamaged, damaged, either."""

    strict: re.Pattern[str]
    damaged: re.Pattern[str]
    either: re.Pattern[str]


OBJECTS = Openings(STRICT_START, LOOKS_DAMAGED, OPENING)
LISTS_TOO = Openings(
    expression(rf"[{{\[](?:{_STRICT}|{_STRICT_LIST})"),
    expression(rf"[{{｛\[［](?:{_DAMAGED}|{_ARRAY}|{_LIST})"),
    expression(
        rf"[{{｛\[［]{_NO_RUN}(?:{_STRICT}|{_STRICT_LIST}|{_ESCAPED_START}|{_OTHER_FORMAT}|{_MAY_OPEN}|{_ARRAY}|{_LIST})"
    ),
)
"""Where an array is asked for, a list of plain values counts too, which in prose is otherwise a remark."""
_UNCLOSED_KEY = rf"\"[\w$ \-]{{1,{KEY_LIMIT}}}+[{COLONS}]"
_COMMENT_MARKS = ("//", "/*", "#", "<!--")
_MAY_BE_MORE = frozenset((*COMMAS, *QUOTES))
CLOSING_RUN = expression(_W + repeated(_CLOSE + "++" + _W))
"""The closing brackets after a value, and the white space between them."""
CLOSING_RUN_AND_FENCE = expression(rf"(?<![\s}}\]｝］])(?P<run>\s*+{_CLOSE}[\s}}\]｝］]*+(?={'|'.join(FENCES)}))")
"""The same, whose fence shows that it is the end."""
_PLAIN_ELEMENT = rf"(?:\"[^\"\n]{{0,{ELEMENT_LIMIT}}}+\"|{NUMBER}|true|false|null){_W}[{COMMAS}\]}}］｝]"
_MORE_AFTER_ROOT = expression(
    rf"[{COMMAS}]?{_G}{_QUOTED_KEY}{_COLON}"
    rf"|[{COMMAS}]{_G}(?:{_UNCLOSED_KEY}|{_BARE_KEY}{_COLON}|{_PLAIN_ELEMENT}|[\[［]{_W}[\[［{{｛\"\d])"
)
"""What comes after the last bracket and cannot be prose: a comma, and a member or an element of something larger."""


def is_more_after_root(text: str, at: int) -> bool:
    """Whether that stands at a place behind the last bracket and the white space after it."""
    may_be = text[at : at + 1] in _MAY_BE_MORE and not text.startswith("```", at)
    return (may_be or text.startswith(_COMMENT_MARKS, at)) and _MORE_AFTER_ROOT.match(text, at) is not None


VALUE_AT = expression(_VALUE_START)
FIRST_KEY = expression(rf"[{{｛]{_G}{_QUOTED_KEY}{_COLON}")
STRING_END = expression(rf"(?<=[\"]){_G}[{COMMAS}{COLONS}}}\]｝］]")
QUOTE_OR_BRACKETS = expression(r"\"|[{\[｛［]++|[}\]｝］]++")
SCALAR_TEXT, PLAIN_SCALAR_TEXT, STRING_TEXT = _SCALAR, _PLAIN_SCALAR, _STRING
OPEN_KEY = expression(
    rf"[\"'“](?P<key>[^{OPENING_QUOTES}{CLOSING_QUOTES}{COLONS}={COMMAS}\n{{}}\[\]]{{1,200}})(?:\s{{0,40}}[{COLONS}]|=)"
)
"""A key whose closing quote was forgotten."""
OPEN_LAST_KEY = expression(
    rf"{OPEN_KEY.pattern}\s{{0,40}}+(?:{NUMBER}|true|false|null)\s*+[}}\]][}}\]\s]*+(?:\Z|```|~~~)"
)
"""The same before the last value of a text."""

# What is certain of a text that is still written.
BLANK_LIMIT = 400
"""Most white space between a bracket and what tells whether a value begins with it, or behind a fence on its line."""
_OPEN = re.escape("".join(OPENERS))
_NAME = rf"[\w$]{{0,{KEY_LIMIT}}}+"
_B = rf"\s{{0,{BLANK_LIMIT}}}+"
_TEXT_OF = {quote: rf'[^"{quote}{closing}\\\x00-\x1f]' for quote, closing in QUOTES.items()}
IN_STRING = {quote: expression(text + "++") for quote, text in _TEXT_OF.items()}
"""Opening quote → text up to a sign that ends it, may end it, or is not as JSON has it."""
WHOLE_KEY = expression(
    rf"""
      " (?P<plain> {repeated(f"{_TEXT_OF[chr(34)]}++ | {ESCAPE}")} ) "
    | ' (?P<single> {_TEXT_OF["'"]}*+ ) '
    | “ (?P<curly> {_TEXT_OF["“"]}*+ ) ”
    | (?P<bare> [A-Za-z_$][\w$]*+ ) (?= [^\w$] )
    """,
    re.VERBOSE,
)
"""A key as a text may write all of them."""
KEY_BEGINS = expression(r"[\"'“A-Za-z_$]")
VALUE_BEGINS = expression(
    rf"""
      [{_OPEN}] {_B} [\"'“\d\-{_OPEN}}}\]]
    | [{{｛] {_B} [A-Za-z_$] {_NAME} {_B} [{COLONS}]
    | [\[［] {_B} (?: {"|".join(LITERALS)} ) \b
    """,
    re.VERBOSE,
)
"""A bracket, and what shows that it is none of prose."""
VALUE_MAY_BEGIN = expression(rf"[{_OPEN}]{_B}" + repeated(_NAME + _B, "?") + r"\Z")
"""The same, as far as it is written."""
OTHER_END = expression(rf"(?P<sign>[{OTHER_ENDS}])\s{{0,{MARGIN}}}(?:[{COMMAS}]\s{{0,{MARGIN}}}[\"'“‘`]|[}}\]])")
"""What may end a string that began with a double quote, if its own end was mistaken for this sign."""
LAST_OF_END = expression(r"['“‘`}\]~]")
"""The last character of such an end, or of one that a fence shows: without any there is none to look for."""
ENDS_LINE = expression(rf"(?:[\"'“”{COMMAS}{{}}\[\]]|\A[ \t\r]{{{MARGIN}}})[ \t\r]*+\Z")
"""The end of a line that may be one of JSON, or that begins before what is looked at."""
BEGUN_SCALAR = expression(rf" ?(?:-?\d[\d.]{{0,20}}|{'|'.join(LITERALS)})\s{{0,{MARGIN}}}(?P<sign>[,}}\]])?")
"""A number or a literal, and what follows it in an object: the quote before it may be a slip."""
BEGUN_LITERALS = ("-", *LITERALS)
SENTENCE_SIGN = expression(rf"[\n\t{COMMAS}。;；!！?？…]")
"""What is in sentences and hardly in keys."""
