"""The reader's tables and regular expressions.

Every expression is linear: repetitions are possessive (`*+`, `++`) or bounded, and no two alternatives of a
repetition can start with the same character.
"""

from __future__ import annotations

import re

from src.shared.domain.engine.signs import NUMBER
from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.lexicon import (
    ANY_QUOTE,
    COLONS,
    COMMAS,
    FENCES,
    INVISIBLE,
    LITERALS,
    MARGIN,
    OTHER_ENDS,
    QUOTES,
    SEPARATORS,
)
from src.shared.domain.reading.openings import (
    BARE_KEY,
    CLOSE,
    COLON,
    COMMENT_TEXT,
    KEY_LIMIT,
    QUOTED_KEY,
    STARS,
    STRING_PREFIX,
    TAGS,
    G,
    W,
)

PLAIN_QUOTES = "'`"
CLOSER_OF = {"{": "}", "[": "]"}

KEY_WORDS = 5
"""Most words that a key without quotes has after its first, each of at most `KEY_LIMIT` characters."""
ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_STRING = r'"[^"\\\x00-\x1f]*+' + repeated(rf'{ESCAPE}[^"\\\x00-\x1f]*+') + '"'
_COMMA_LIKE = f"[{SEPARATORS}。｡،|｜·•]"
_NEXT_NUMBER = rf"{_COMMA_LIKE}?[\s\u00ad]++{NUMBER}"
NUMBERS = expression(
    rf"{NUMBER}(?:" + repeated(_NEXT_NUMBER) + rf"\s?{_COMMA_LIKE}\s?|" + repeated(_NEXT_NUMBER, "+") + r")\Z"
)
"""Numbers with blanks between them, or with a sign behind the last one that may be the comma."""
_SCALAR = rf"(?:{_STRING}|{NUMBER}|true|false|null)"
_PLAIN_SCALAR = rf'(?:"[^"\\\x00-\x1f]*+"|{NUMBER}|true|false|null)'


_BOLD_KEY = rf"(?P<bold>\*\*(?:\"[^\"\\\n*]{{1,{KEY_LIMIT}}}+\"|(?=[\w$])[\w$ \-]{{1,{KEY_LIMIT}}}+)\*\*)"
_VALUE_START = rf"(?:{ANY_QUOTE}|[{{\[｛［\d\-+.tfnTFNuI…])"

WHITESPACE = expression(r"[ \t\n\r]*+")
COMMENT = expression(COMMENT_TEXT)
COMMENT_BESIDE = expression(
    rf"""
      (?: {STARS} | {TAGS} ) (?= \s*+ [{COMMAS}{COLONS}}}\]｝］] | [ \t]*+ \n )
    | (?: // | \# ) [ \t] [^\"'“”‘’\n]*+ (?<! [{COMMAS}] )    # no quote in it, no comma at its end
      (?= \n \s*+ [{COMMAS}\"'“‘}}\]｝］] )
    """,
    re.VERBOSE,
)
"""A comment right behind the quote that ends a string, where what follows shows that it is no text of that string."""
CLEAN_STRING = expression(r'"[^"\\]*+' + repeated(rf'{ESCAPE}[^"\\]*+') + '"')
"""A string in which nothing has to be mended, raw control characters apart."""
ESCAPED_STRING = expression(r'\\"(?P<text>[^"\\]*+' + repeated(r'\\[^"][^"\\]*+') + r')\\""?')
_PATH_PART = r"\\[\w.$%~][^\s\\\"':]*+" + repeated(repeated(r" [A-Z(][^\s\\\"':]*+", "+") + r"(?=\\)", "?")
"""A name in a path; one with blanks is followed by another, and its words begin as those of `Program Files (x86)`."""
WINDOWS_PATH = expression(r"(?P<root>(?<![A-Za-z])[A-Za-z]:|(?<![\\\w:])\\\\\w[\w.$\-]*+)" + repeated(_PATH_PART, "+"))
r"""A drive or `\\server` and what follows with single backslashes, as a model writes it that forgot to escape them."""
BAD_ESCAPE = expression(r"\\(?:[^\"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))")
SCALAR = expression(_SCALAR)
_NEXT_OR_END = rf"[\n\r{COMMAS}}}\]｝］]|\Z|//|/\*|\#|\.\.\.|…|{QUOTED_KEY}{COLON}|```|~~~|</|<\||\[/"
SCALAR_FOLLOW = expression(rf"[ \t{INVISIBLE}]*+(?:{_NEXT_OR_END})")


KEY_INSIDE = expression(
    rf"(?:[,{{]\s{{0,{MARGIN}}}+|\n\s{{0,{MARGIN}}}+|:\s{{1,{MARGIN}}}+)[\"'][\w \-]{{1,{KEY_LIMIT}}}+[\"']{COLON}"
)
"""What looks like a key inside the text of a string."""
_WORDS = repeated(rf"[ .][\w$\-]{{1,{KEY_LIMIT}}}+", f"{{0,{KEY_WORDS}}}")
BARE_KEY_AT = expression(rf"(?P<key>{BARE_KEY}{_WORDS})(?P<stray>[\"'”’]?){W}[{COLONS}=]")
_ENDS_AT_ONCE = rf"\s{{0,{MARGIN}}}[\"']\s{{0,{MARGIN}}}[{COMMAS}}}\]｝］]"
PREFIX_AT = expression(rf"{STRING_PREFIX}(?!.[{COMMAS}{COLONS}}}\]｝］](?!{_ENDS_AT_ONCE}))", re.DOTALL)
"""The letter of a string that does not begin like the text after one: its letter would be a text without its quote."""
MEMBER_IN_QUOTES = expression(rf"(?:[\"“][^\"“”{COLONS}\n]{{1,60}}|'[^'{COLONS}\n]{{1,60}})[{COLONS}]")
"""A string that begins like a member whose quotes stand around its key and its value."""
BOLD_KEY_AT = expression(_BOLD_KEY + COLON)
COLON_NEXT = expression(COLON)
ESCAPE_OR_QUOTE = expression(r"\\(?:u[0-9a-fA-F]{4}|.)|\"|\\\Z", re.DOTALL)
WORD = expression(r"[+\-]?[\w.][\w.．+\-]*+")
BARE_TEXT = expression(
    rf"[^\s\"'`“”‘’{{}}\[\]｛｝［］{COMMAS}{COLONS};()=<>\\|&*!?][^\"`“”{{}}\[\]｛｝［］{COMMAS}\n;()=<>\\|&*]*+"
)
BARE_FOLLOW = expression(
    rf"(?:[{COMMAS}]{G}(?:(?:{QUOTED_KEY}|{BARE_KEY}){COLON}|{CLOSE})|{CLOSE}|\n{G}(?:{QUOTED_KEY}{COLON}|{CLOSE}))"
)
BARE_ELEMENT_FOLLOW = expression(rf"(?:[{COMMAS}]{G}(?:{_VALUE_START}|{CLOSE}|\w)|{CLOSE})")

CLOSING_RUN_AND_FENCE = expression(rf"(?<![\s}}\]｝］])(?P<run>\s*+{CLOSE}[\s}}\]｝］]*+(?={'|'.join(FENCES)}))")
"""The same, whose fence shows that it is the end."""
VALUE_AT = expression(_VALUE_START)
SCALAR_TEXT, PLAIN_SCALAR_TEXT, STRING_TEXT = _SCALAR, _PLAIN_SCALAR, _STRING
# What is certain of a text that is still written.
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
