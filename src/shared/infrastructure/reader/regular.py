"""Damage that needs no decision: the same slip at every place, seen and undone by one expression.

A model that writes single quotes writes them everywhere; a trailing comma, an unquoted key, a full-width colon or a
pair of quotes around a word inside a string is plain to see where it stands. This lexer steps over what is undamaged
at the speed of the regular expression engine and stops only at damage. It knows no grammar: the strict decoder
checks the edited text, and where that fails, or anything else turns up, the grammar-driven reader starts over.
"""

from __future__ import annotations

import re

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.edits import Edit
from src.shared.infrastructure.reader.patterns import ESCAPE_OR_QUOTE
from src.shared.infrastructure.reader.words import LITERALS

_FOLLOW = r"(?=[ \t\n\r]*+[,:}\]，：｝］])"
_ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_UNDAMAGED = (
    r"[ \t\n\r{}\[\]:]++"
    rf'|"(?:[^"\\]++|{_ESCAPE})*+"{_FOLLOW}'
    r"|-?(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][+-]?\d++)?+(?![\w.])"
    r"|(?:true|false|null)(?!\w)"
    r"|,(?![ \t\n\r]*+[}\]｝］])"
)
_DAMAGE = (
    r"(?P<trailing_comma>,)"
    rf"|(?P<single_quote>'[^'\\\n]*+'){_FOLLOW}"
    rf"|(?P<smart_quote>“[^“”\\\n]*+”){_FOLLOW}"
    r"|(?P<full_width_punctuation>[，：｛｝［］])"
    r"|(?P<literal>True|False|None)(?!\w)"
    r"|(?P<unquoted_key>[A-Za-z_$][\w$]*+)(?=[ \t\n\r]*+[:：])"
    rf'|(?P<unescaped_quote>"(?:[^"\\]++|{_ESCAPE}|"(?![ \t\n\r]*+[,:}}\]，：｝］+]))*+"){_FOLLOW}'
)
_TO_DAMAGE = re.compile(rf"(?:{_UNDAMAGED})*+(?:{_DAMAGE})?")
_QUOTE_KINDS = {"single_quote": RepairKind.SINGLE_QUOTE, "smart_quote": RepairKind.SMART_QUOTE}
_ASCII = {"，": ",", "：": ":", "｛": "{", "｝": "}", "［": "[", "］": "]"}


def regular_edits(text: str, start: int) -> tuple[list[Edit], int]:
    """The edits of all regular damage from `start` on, and the place where something irregular stands."""
    edits: list[Edit] = []
    at = start
    while True:
        found = _TO_DAMAGE.match(text, at)
        kind = found.lastgroup if found else None
        if found is None or kind is None:
            return edits, found.end() if found else at
        begin, at = found.span(kind)
        if not _note(edits, text, begin, at, kind):
            return edits, begin


def _note(edits: list[Edit], text: str, begin: int, end: int, kind: str) -> bool:
    """Note the edits of one damage; False if it is not regular after all."""
    if kind in _QUOTE_KINDS:
        edits.append(Edit(begin, 1, '"', _QUOTE_KINDS[kind]))
        if '"' in text[begin:end]:
            edits += (Edit(m.start(), 0, "\\", None) for m in ESCAPE_OR_QUOTE.finditer(text, begin + 1, end - 1))
        edits.append(Edit(end - 1, 1, '"', None))
    elif kind == "unquoted_key":
        edits.append(Edit(begin, 0, '"', RepairKind.UNQUOTED_KEY))
        edits.append(Edit(end, 0, '"', None))
    elif kind == "unescaped_quote":
        inner = [m.start() for m in ESCAPE_OR_QUOTE.finditer(text, begin + 1, end - 1) if m.group() == '"']
        edits += (Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE) for at in inner)
        return len(inner) % 2 == 0
    elif kind == "trailing_comma":
        edits.append(Edit(begin, 1, "", RepairKind.TRAILING_COMMA))
    elif kind == "literal":
        put, repair = LITERALS[text[begin:end]]
        edits.append(Edit(begin, end - begin, put, repair))
    else:
        edits.append(Edit(begin, 1, _ASCII[text[begin]], RepairKind.FULL_WIDTH_PUNCTUATION))
    return True
