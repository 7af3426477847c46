"""The signs of JSON's notation and what models write in their place: brackets, quotes, commas, colons, literals."""

from __future__ import annotations

import re
import unicodedata

from src.shared.domain.expression import expression

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`´",
    "“": '”“"',
    "”": '”“"',
    "„": "“”",
    "‟": "”",
    "‚": "‘’",
    "‘": "’‘",
    "’": "’",
    "＂": "＂",
    "＇": "＇",
    "「": "」",
    "『": "』",
}
"""Opening quote → the quotes that may close what it opens."""
OPENING_QUOTES = "".join(QUOTES)
CLOSING_QUOTES = "".join(dict.fromkeys("".join(QUOTES.values())))
"""Every quote that may open a string, and every one that may close it."""
ANY_QUOTE = f"[{OPENING_QUOTES}]"
"""An expression for any opening quote."""
OTHER_ENDS = "”’'“‘`´＂"
"""Signs that are written for the double quote that ends a string."""

MARGIN = 40
"""Most white space, or separators, looked at between two parts of what may be structure inside a text."""
COMMAS = ",，"
SEPARATORS = COMMAS + "、;；"
"""What stands between two members or items; an enumeration comma or a semicolon is damage, but says the same."""
COLONS = ":："
OPENERS = {"{": "{", "[": "[", "｛": "{", "［": "["}
CLOSERS = {"}": "}", "]": "]", "｝": "}", "］": "]"}
FENCES = ("```", "~~~")
JSON_BLANKS = " \t\n\r"
"""White space of JSON."""
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What an expression takes for white space."""
STRUCTURE = "".join((JSON_BLANKS, COMMAS, COLONS, ";；", *OPENERS, *CLOSERS, '"', OTHER_ENDS, "~"))
"""What a string may have taken up from behind it, if its closing quote was forgotten."""
INVISIBLE = "\x00\ufeff\u200b\u200c\u200d\u2060\u00a0\u202f\u2028\u2029\u3000\u00ad"
"""Characters that show nothing, or a blank."""
LITERALS = ("true", "false", "null")
FOREIGN_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"} | {
    spelling: word for word in LITERALS for spelling in (word.title(), word.upper())
}
"""A literal of Python or JavaScript, or in other letters → the literal of JSON."""
SPELLED_LITERALS = FOREIGN_LITERALS | {word: word for word in LITERALS}
"""A literal in any spelling → the literal of JSON."""
_TYPOGRAPHIC = expression("[„“”«»「」『』]")
_HALVES = (("«", "»"), ("「", "」"), ("『", "』"))
"""Signs that open an inner quotation, and those that close it."""
_WIDE_POINT = {"．": "."}
_NUMBER = expression(r"([+-]?)(\d++(?>(?:_[0-9]++)*))?(?:(\.)(\d*+))?([eE][+-]?\d++)?\Z", re.ASCII)


def respell_number(word: str) -> str:
    """A number as JSON spells it, or "" where it is none, or where its spelling has two readings (`007`).

    Digits of any script are the digits they stand for, full-width ones first of all: `１２．５` is 12.5.
    """
    plain = word if word.isascii() else word.translate({ord(char): _plain_digit(char) for char in set(word)})
    match = _NUMBER.match(plain)
    if match is None:
        return ""
    sign, whole, point, fraction, exponent = (part or "" for part in match.groups())
    whole = whole.replace("_", "")
    if not whole + fraction or (len(whole) > 1 and whole[0] == "0"):
        return ""
    return f"{sign.strip('+')}{whole or '0'}{point}{fraction or '0' * len(point)}{exponent}"


def _plain_digit(char: str) -> str:
    return str(unicodedata.decimal(char)) if char.isdecimal() else _WIDE_POINT.get(char, char)


def half_open(raw: str, start: int, end: int) -> bool:
    """Whether a text has half of a typographic quotation: a plain quote is the other."""
    if not _TYPOGRAPHIC.search(raw, start, end):
        return False
    if "„" in raw[start:end]:
        halves = raw.count("„", start, end) != raw.count("“", start, end) + raw.count("”", start, end)
    else:
        halves = raw.count("“", start, end) != raw.count("”", start, end)
    return halves or any(raw.count(one, start, end) != raw.count(other, start, end) for one, other in _HALVES)
