"""The signs of JSON and what models write in their place: the only file that knows how they look.

What is named in capitals and has no flags is a piece of an expression, or the characters of one sign. Every piece is
linear: its repetitions are possessive or bounded.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator

from src.shared.domain.expression import expression, repeated
from src.shared.domain.repair import RepairKind

# --- quotes ---

QUOTES = {
    '"': '"', "'": "'", "`": "`´", "“": '”“"', "”": '”“"', "„": "“”", "‟": "”", "‚": "‘’", "‘": "’‘", "’": "’",
    "＂": "＂", "＇": "＇", "「": "」", "『": "』", "«": "»",
}  # fmt: skip
"""Opening quote → the quotes that may close what it opens."""
OPENING_QUOTES = "".join(QUOTES)
CLOSING_QUOTES = "".join(dict.fromkeys("".join(QUOTES.values())))
"""Every quote that may open a string, and every one that may close it."""
ANY_QUOTE = f"[{OPENING_QUOTES}]"
"""An expression for any opening quote."""
_FINDERS = {quote: expression(rf"\\.|{quote}", re.DOTALL) for quote in ("'", '"')}
_OTHER_FINDER = expression(rf"\\.|[{re.escape(CLOSING_QUOTES)}]", re.DOTALL)
OTHER_ENDS = "”’'“‘`´＂"
"""Signs that are written for the double quote that ends a string."""
HALVES = {"“": "”", "‘": "’", "„": "“”", "(": ")", "（": "）", "「": "」", "『": "』", "«": "»", "[": "]", "{": "}"}
"""What opens an inner quotation or a bracket in a text, and what closes it."""


def closers_in(text: str, quote: str, start: int, end: int = sys.maxsize) -> Iterator[int]:
    """The quotes that may close what one opens, and the backslashes before what is escaped."""
    found, closers = map(re.Match.start, _FINDERS.get(quote, _OTHER_FINDER).finditer(text, start, end)), QUOTES[quote]
    return found if quote in _FINDERS else (at for at in found if text[at] in closers or text[at] == "\\")


# --- what stands between ---

COMMAS = ",，"
COLONS = ":："
SEPARATORS = ";；、｜|。"
"""What is written for a comma, where what follows shows that it is one."""
COLON_LIKE = rf"(?:[{COLONS}]=?|=>?|->|→|⇒)"
OPENERS = {"{": "{", "[": "[", "｛": "{", "［": "["}
CLOSERS = {"}": "}", "]": "]", "｝": "}", "］": "]"}
"""An opening or a closing bracket in either width → the plain one."""
OPENING, CLOSING = r"{\[｛［", r"}\]｝］"
OPEN, CLOSE = f"[{OPENING}]", f"[{CLOSING}]"
"""Any opening and any closing bracket, in a set and as an expression."""
BRACKETS = r"{}\[\]"
ALL_BRACKETS = BRACKETS + "｛｝［］"
"""The signs that are no part of a name or a text without quotes, for a set: those of JSON, and of both widths."""
ITEM_END = f"[{COMMAS}{CLOSING}]"
"""An expression for what may end an item: a comma or a closing bracket."""
CLOSER_OF = {"{": "}", "[": "]", "(": "]"}
"""The kind of a container → its closing bracket."""
FENCES = ("```", "~~~")
FENCE = "|".join(FENCES)
FENCE_SIGNS = frozenset("".join(FENCES))
JSON_BLANKS = " \t\n\r"
"""White space of JSON."""
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What an expression takes for white space."""
BLANK = r"[ \t]"
"""A blank on a line."""
INVISIBLE = "\x00\ufeff\u200b\u200c\u200d\u2060\u00a0\u202f\u2028\u2029\u3000\u00ad\x0b\x0c\x85"
"""Characters that show nothing, or a blank that JSON does not have."""
MARGIN = 40
"""Most white space, or separators, looked at between two parts of what may be structure inside a text."""

# --- values without quotes ---

JSON_LITERALS = ("true", "false", "null")
FOREIGN_LITERALS = {"True": "true", "False": "false", "None": "null"} | {
    spelling: word for word in JSON_LITERALS for spelling in (word.title(), word.upper())
}
"""A literal of Python, or in other letters → the literal of JSON."""
NON_FINITE = {"NaN": "NaN", "nan": "NaN"} | {
    f"{sign}{word}": f"{sign}Infinity" for sign in ("", "-") for word in ("Infinity", "inf")
}
"""What no JSON number is, in any spelling → as Python's decoder has it."""
SPELLED_LITERALS = FOREIGN_LITERALS | {"undefined": "null"} | {word: word for word in JSON_LITERALS}
"""A literal in any spelling → the literal of JSON."""
LITERALS = SPELLED_LITERALS | NON_FINITE
"""The same, and numbers that no JSON number is → as the decoder has it."""
JSON_LITERAL = "|".join(JSON_LITERALS)
LITERAL = rf"{JSON_LITERAL}|True|False|None"
"""Alternatives of an expression: the literals of JSON, and those of Python too."""


def literal_kind(spelling: str) -> RepairKind | None:
    """The repair that a literal takes; None for one of JSON's, and for one that the decoder itself notes."""
    if LITERALS[spelling] == spelling or spelling in NON_FINITE:
        return None
    return RepairKind.PYTHON_LITERAL if spelling in FOREIGN_LITERALS else RepairKind.JAVASCRIPT_LITERAL


_DIGIT_LIKE = {"．": ".", "－": "-", "−": "-", "＋": "+"}
"""A sign of a number in another width, or as typesetters have it → the plain one."""
_GROUPS = repeated(r"_\d++", "{0,40}")
_NUMBER_PARTS = expression(rf"""
      (?P<sign> [+-]?+ )
      (?P<whole> \d++ {_GROUPS} )?
      (?: (?P<point> \. ) (?P<fraction> \d*+ ) )?
      (?P<exponent> [eE][+-]?+\d++ )?
    \Z""", re.ASCII | re.VERBOSE)  # fmt: skip


def respelled(word: str) -> str:
    """A number as JSON spells it, or "" where it is none, or where its spelling has two readings (`007`, `1.5_6`).

    Digits of any script are the digits they stand for, full-width ones first of all: `１２．５` is 12.5.
    """
    plain = word if word.isascii() else "".join(map(_plain, word))
    found = _NUMBER_PARTS.match(plain)
    if found is None:
        return ""
    sign, whole, point, fraction, exponent = (part or "" for part in found.groups())
    whole = whole.replace("_", "")
    if not whole + fraction or (len(whole) > 1 and whole[0] == "0"):
        return ""
    return f"{sign.strip('+')}{whole or '0'}{point}{fraction or '0' * len(point)}{exponent}"


def _plain(char: str) -> str:
    return str(unicodedata.decimal(char)) if char.isdecimal() else _DIGIT_LIKE.get(char, char)


_EXPONENT_LIKE = repeated(r"[eE] \s? (?: [-+−] \s? \d*+ | \d++ (?:_\d*+)? )", "?")
_REMARK = repeated(r"\s? [（(] .*+", "?")
_FRACTION = repeated(r"\.\d++", "?")
NUMBER_LIKE = expression(
    rf"""
      [-+−–－]? \s? [.．]? \d [\d.,。、_]*+ {_EXPONENT_LIKE}
      [a-zA-Z.。．｡/／¦│❘‖·•､﹐،؛'’]? {_REMARK}                                    # a sign or a remark behind them
    | [-+−–]? \s? 0[xob][0-9a-fA-F]++                                              # hexadecimal, octal, binary
    | [-+−–]? \d{{1,3}} (?: [\s'’] \d{{3}} ){{1,12}} {_FRACTION}      # thousands apart
    | tru | truee | fal | fals | falsee | nul | nulll | none | nil""",  # a literal cut off, or of another language
    re.IGNORECASE | re.VERBOSE,
)
"""What is a number or a literal to some, and a text to others."""
VERSION = expression(r"(?!\d{1,3}\.\d{3}\.\d{3}\Z)\d++" + repeated(r"\.\d++", "{2,40}"))
"""Digits with two points or more, which are not millions: a text, since no number has them."""

# --- pieces of expressions ---

W = r"[ \t\n\r]*+"
NUMBER = r"-?(?:0|[1-9]\d*+)" + repeated(r"\.\d++", "?") + repeated(r"[eE][+-]?\d++", "?")
SCALARS = rf"(?:{NUMBER}|{LITERAL})"
STRING = '"' + r'[^"\\]*+' + repeated(r'\\.[^"\\]*+') + '"'
"""A string of JSON; `DOTALL` is needed."""
ONE_LINE_STRING = '"' + r'[^"\\\n]*+' + repeated(r'\\.[^"\\\n]*+') + '"'
"""The same on one line."""
SINGLE_STRING = "'" + r"[^'\"\\\n]*+" + repeated(r"\\.[^'\"\\\n]*+") + "'"
CURLY_STRING = r"“[^“”\"\n]*+”"
"""A string between other quotes, on one line and with neither them nor double ones in it."""
NAME_SIGN = r"[\w$\-]"
"""A sign of a key without quotes."""
HEX = "[0-9a-fA-F]"
CODE_UNIT = rf"u{HEX}{{4}}"
SURROGATES = rf"u[dD][89abAB]{HEX}{{2}}\\u[dD][c-fC-F]{HEX}{{2}}"
"""An escape for a character behind its backslash, and two that are one character."""
JSON_ESCAPE = rf'\\(?:{SURROGATES}|{CODE_UNIT}|["\\/bfnrt])'
STRING_PREFIX = r"(?:[uU]|[rR][bBfF]?|[bBfF][rR]?)(?=[\"'])"
"""What Python writes before the quote of a string: bytes, raw, formatted, or of its second version."""
BARE_NAME = r"[^\W\d][\w$]{0,60}+"
FOREIGN_WORDS = r"(?:True|False|None|TRUE|FALSE|NULL|Null)\b"
KEY_LIMIT = 120
"""Most characters of a quoted key that is looked at from afar."""
QUOTED = "|".join(rf"{one}[^{other}\n]{{0,{KEY_LIMIT}}}+[{other}]" for one, other in QUOTES.items())
"""A string between any quotes, as a key may be."""
_IN_BLOCK, _IN_MARKUP = repeated(r"[^*/][^*]*+\*++"), repeated(r"-(?!->)[^-]*+")
COMMENT = rf"(?://[^\n]*+|/\*[^*]*+\*++{_IN_BLOCK}/|\#[^\n]*+|<!--[^-]*+{_IN_MARKUP}-->)"
GAP = rf"(?:[\s{INVISIBLE}]++|{COMMENT})"
"""White space, invisible signs, or one comment: what may stand between any two tokens."""
GAPS = repeated(GAP)
_FEW, _NEAR = "{0,20}", "{0,2000}+"
_NEAR_BLOCK, _NEAR_MARKUP = repeated(rf"[^*/][^*]{_NEAR}\*++", _FEW), repeated(rf"-(?!->)[^-]{_NEAR}", _FEW)
_NEAR_COMMENT = rf"(?://[^\n]{_NEAR}|/\*[^*]{_NEAR}\*++{_NEAR_BLOCK}/|\#[^\n]{_NEAR}|<!--[^-]{_NEAR}{_NEAR_MARKUP}-->)"
NEAR_GAPS = repeated(rf"[\s{INVISIBLE}]++|{_NEAR_COMMENT}", _FEW)
"""The same with few comments, none of them long: where it is looked at behind each of many quotes."""
