"""Where a JSON value opens in a text, as against brackets of prose, and what may stand right before and behind it.

Every expression is linear: repetitions are possessive (`*+`, `++`) or bounded, and no two alternatives of a
repetition can start with the same character.
"""

from __future__ import annotations

import re
import sys

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.reading.signs import (
    ANY_QUOTE, BLANK, BRACKETS, CLOSE, CLOSING, CLOSING_QUOTES, COLON_LIKE, COLONS, COMMAS, FENCE, INVISIBLE,
    JSON_LITERAL, JSON_LITERALS, MARGIN, NAME_SIGN, NUMBER, OPEN, OPENERS, OPENING_QUOTES, QUOTES, STRING_PREFIX,
    W as JSON_GAP,
)  # fmt: skip

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
BARE_KEY = rf"(?=[\w$]){NAME_SIGN}{{1,{KEY_LIMIT}}}+"
COLON = rf"{W}[{COLONS}]"

# --- between the parts of a value, and behind it ---

GAP = expression(repeated(_GAP_PART))
_LEAD = expression(G)
KEY_AT = expression(rf"{QUOTED_KEY}{COLON}")
FIRST_KEY = expression(rf"[{{｛]{G}{QUOTED_KEY}{COLON}")
STRING = expression(r'"[^"\\]*+' + repeated(r'\\.[^"\\]*+') + '"?', re.DOTALL)
"""A string, or the rest of the text after a quote that nothing closes: so that no quote is tried twice."""
STRING_END = expression(rf"(?<=[\"]){G}[{COMMAS}{COLONS}{CLOSING}]")
QUOTE_OR_BRACKETS = expression(rf"\"|{OPEN}++|{CLOSE}++")
CLOSING_RUN = expression(W + repeated(CLOSE + "++" + W))
"""The closing brackets after a value, and the white space between them."""
OPEN_KEY = expression(
    rf"[\"'“](?P<key>[^{OPENING_QUOTES}{CLOSING_QUOTES}{COLONS}={COMMAS}\n{BRACKETS}]{{1,200}})"
    rf"[{OPENING_QUOTES}{CLOSING_QUOTES}]?(?:\s{{0,{MARGIN}}}[{COLONS}]|=)"
)
"""A key whose closing quote was forgotten, or is another one."""
OPEN_LAST_KEY = expression(
    rf"{OPEN_KEY.pattern}\s{{0,{MARGIN}}}+(?:{NUMBER}|{JSON_LITERAL})\s*+[}}\]][}}\]\s]*+(?:\Z|{FENCE})"
)
"""The same before the last value of a text."""
_UNCLOSED_KEY = rf"\"[\w$ \-]{{1,{KEY_LIMIT}}}+[{COLONS}]"
_COMMENT_MARKS = ("//", "/*", "#", "<!--")
_STRING_AND_CLOSE = expression(rf"{QUOTED_KEY}{W}{CLOSE}")
_NEXT_ELEMENT = expression(
    rf"{_UNCLOSED_KEY}|{BARE_KEY}{COLON}|{QUOTED_KEY}{W}{COLON_LIKE}|[\[［]{W}[\[［{{｛\"\d]"
    rf"|(?:\"[^\"\n]{{0,{ELEMENT_LIMIT}}}+\"|{NUMBER}|{JSON_LITERAL}){W}[{COMMAS}\]}}］｝]"
)


def is_more_after_root(text: str, at: int) -> bool:
    """Whether what stands behind the last bracket and the white space after it cannot be prose.

    That is a member, or a comma and a member or an element of something larger.
    """
    is_comma = text.startswith(tuple(COMMAS), at)
    if not (is_comma or text.startswith((*QUOTES, *_COMMENT_MARKS), at)) or text.startswith("```", at):
        return False
    behind = match_end(_LEAD, text, at + is_comma)
    if KEY_AT.match(text, behind) or _STRING_AND_CLOSE.match(text, behind):
        return True
    return is_comma and _NEXT_ELEMENT.match(text, behind) is not None


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
ESCAPED_LINES = repeated(rf"\\[nrt]{BLANK}*+", "+")
"""Line ends and indentation written as escapes."""
_LINE_MARK = (
    rf"{BLANK}*+\n{BLANK}*+(?:>>>|[>+|#]|//|\.\.\.|[\-*•·](?={BLANK})){BLANK}*+[\"'“`{{\[}}]|\s*+<br\s?/?>|"
    + ESCAPED_LINES
    + r"[\"'“{\[]"
)
_ENTITY_OR_TWICE = rf"&(?:quot|\#34|\#[xX]22);|\"\"(?!\s*+[{COLONS}=])[^\"\n]{{1,{KEY_LIMIT}}}+\"\"\s*+[:=]"
_OTHER_FORMAT = rf"{_LINE_MARK}|(?<=[{{\[])" + repeated(r"(?<=\[)\s*+\{", "?") + rf"\s*+(?:{_ENTITY_OR_TWICE})"
OTHER_FORMAT = expression(rf"[{{\[](?:{_OTHER_FORMAT}|(?<=['\"].))")
"""A bracket, and what HTML, a cell of CSV, or a mark before each line makes of what follows it; or behind a quote."""

# --- how a value begins ---

STRICT_START = expression(rf"\{{{JSON_GAP}[\"}}]|\[{JSON_GAP}[\"{{\[]")
"""What strict JSON has after an opening bracket, lists of numbers (`[1]` in prose) apart."""
_BRACES, _LATEX = ("{", "｛"), ("_", "^", "$")
_KEYED = expression(rf"(?:{STRING_PREFIX})?{QUOTED_KEY}{COLON}")
_BEGUN = expression(
    rf"{ANY_QUOTE}|{BARE_KEY}(?:[\"'”’]?{COLON}|{W}=>?{W}[{{\[\"'“])"
    rf"|\*\*[\"\w][^*\n]{{0,{KEY_LIMIT}}}+\*\*{COLON}|\Z|\\++\"|[}}｝]"
)
_LEFT_OUT = expression(rf"(?P<comma>[{COMMAS}])|\.\.\.|…")
_BARE = expression(rf"{W}{BARE_KEY}{COLON}")
_QUOTE = expression(ANY_QUOTE)
_OBJECTS_IN_LIST = expression(rf"[\[［]{W}(?:[{{｛]|[\[［]{W}[{{｛])")
_PLAIN_LIST = expression(rf"[\[［]{W}(?:{ANY_QUOTE}|[+\-]?[\d.]++{W}[{COMMAS}])")
_CDATA = ("<![", "<![CDATA[")
_KEY_BEGINS = rf"[\w$] {NAME_SIGN}{{0,{KEY_LIMIT}}}+ (?: {ANY_QUOTE} | {W} [{COLONS}=] )"
_ON_NEXT_LINE = r"[ \t]*+ \n [ \t]*+ [>+|\#/\-*•·.]"
_BEHIND_QUOTE = rf"(?<= [\"'] . ) {W} (?: [^\w\s$] | \Z | {_KEY_BEGINS} )"
_MAY_OPEN_OBJECT = rf"""
    [{{｛] (?! (?: \s*+ [{{｛] ){{2}} ) (?=  # of many in a row only the last two can open anything
        {_BEHIND_QUOTE} | {_ON_NEXT_LINE} | \s*+ <br
      | {W} (?: {ANY_QUOTE} | [}}｝{{｛\\&] | \*\* | {COMMENT_MARK} | \Z | {_KEY_BEGINS}
              | (?: [{COMMAS}…] | \.\.\. ) {W} (?: " | [{COMMAS}] | {COMMENT_MARK} ) ) )"""
"""What stands behind a brace that is worth a closer look: hardly one of a formula or of code is."""
_MAY_OPEN_LIST = rf"[\[［] (?= {_BEHIND_QUOTE} | {W} [\"{{｛\[［\\&] | {_ON_NEXT_LINE} | \s*+ <br )"


class Openings:
    """Where a value may open. A list of plain values counts where an array is asked for; else it is a remark."""

    def __init__(self, strict: re.Pattern[str], candidates: re.Pattern[str], *, lists: bool) -> None:
        """Take what undamaged values begin with, and the brackets that are worth a closer look."""
        self.strict = strict
        self._candidates = candidates
        self._lists = lists

    def search(self, text: str, start: int, end: int = sys.maxsize) -> int:
        """Where the next value may open between two offsets; -1 where none does."""
        for found in self._candidates.finditer(text, start, end):
            at = found.start()
            if STRICT_START.match(text, at, end) or self._opens(text, at, end):
                return at
        return -1

    def _opens(self, text: str, at: int, end: int) -> bool:
        if any(text.endswith(mark, 0, at + 1) for mark in _CDATA):
            return False
        others = (self.strict, ESCAPED_START, OTHER_FORMAT)
        return any(one.match(text, at, end) for one in others) or self.is_damaged(text, at, end)

    def is_damaged(self, text: str, at: int, end: int = sys.maxsize) -> bool:
        """Whether a brace opens a damaged object, or a bracket a list, as against those in prose."""
        if text.startswith(_BRACES, at):
            return _begins_object(text, at, end)
        is_list = self._lists and _PLAIN_LIST.match(text, at, end)
        return bool(is_list or _OBJECTS_IN_LIST.match(text, at, end))


def _begins_object(text: str, at: int, end: int) -> bool:
    before, is_doubled = text[at - 1 : at], text.startswith(_BRACES, at + 1)
    if before == "\\" or (is_doubled and text.startswith(_BRACES, at + 2)):
        return False
    behind = match_end(_LEAD, text, at + 1, end)
    if _KEYED.match(text, behind, end):
        return True
    if before.isalnum() or before in _LATEX:
        return False
    if is_doubled:
        return bool(_BARE.match(text, at + 2, end) or _QUOTE.match(text, match_end(_LEAD, text, at + 2, end), end))
    left = _LEFT_OUT.match(text, behind, end)
    if left:
        return text.startswith('"' if left["comma"] else ('"', *COMMAS), match_end(_LEAD, text, left.end(), end))
    return _BEGUN.match(text, behind, end) is not None


OBJECTS = Openings(
    STRICT_START,
    expression(rf"{_MAY_OPEN_OBJECT} | {_MAY_OPEN_LIST}", re.VERBOSE),
    lists=False,
)
LISTS_TOO = Openings(
    expression(rf"{STRICT_START.pattern}|\[{JSON_GAP}[\]\-\dtfn]"),
    expression(rf"{_MAY_OPEN_OBJECT} | [\[［]", re.VERBOSE),
    lists=True,
)

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
