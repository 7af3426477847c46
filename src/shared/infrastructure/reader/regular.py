"""Damage that needs no decision: the same slip at every place, seen and undone by one expression.

A model that writes single quotes writes them everywhere; a trailing comma, an unquoted key, a full-width colon or a
pair of quotes around a word inside a string is plain to see where it stands. This lexer steps over what is undamaged
at the speed of the regular expression engine and stops only at damage. It knows no grammar: the strict decoder
checks the edited text, and where that fails, or anything else turns up, the grammar-driven reader starts over.
"""

from __future__ import annotations

import re

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.possessive import repeated
from src.shared.infrastructure.reader.edits import Edit
from src.shared.infrastructure.reader.patterns import (
    AFTER_CLOSER,
    CLEAN_TEXT,
    CLOSER_RUN,
    ESCAPE,
    ESCAPE_OR_QUOTE,
    MEMBER_MAY_END,
    NUMBER,
    STRING_MAY_END,
)
from src.shared.infrastructure.reader.quotations import rival_end
from src.shared.infrastructure.reader.words import LITERALS

_FOLLOW = r"(?=[,:}\]，：｝］]|[ \t\n\r]++[,:}\]，：｝］])"
_UNDAMAGED = (
    rf"{CLEAN_TEXT}{_FOLLOW}"
    r"|[ \t\n\r{}\[\]:]++"
    r"|,[ \t\n\r]*+(?![}\]｝］])"
    rf"|{NUMBER}(?![\w.])"
    r"|(?:true|false|null)(?!\w)"
)
_TO_COLON = r'[^"\n]{0,100}+"\s*+[:：]'


def _quoting(may_end: str) -> str:
    """A string with quotes in its text: each before a letter, or before nothing that may follow a string."""
    inner = rf'(?:{ESCAPE}|"(?!{_TO_COLON})(?:(?=[^\W\d_])|(?!{may_end})))[^"\\]*+'
    return rf'"(?!"")[^"\\]*+{repeated(inner)}"'


_DAMAGE = (
    r"(?P<trailing_comma>,)"
    rf"|(?P<single_quote>'[^'\\\n]*+'){_FOLLOW}"
    rf"|(?P<smart_quote>“[^“”\\\n]*+”){_FOLLOW}"
    r"|(?P<full_width_punctuation>[，：｛｝［］])"
    r"|(?P<literal>True|False|None)(?!\w)"
    r"|(?P<unquoted_key>[A-Za-z_$][\w$]*+)(?=[ \t\n\r]*+[:：])"
    rf"|(?P<quotes_in_member>(?:(?<=:)|(?<=: )){_quoting(MEMBER_MAY_END)}){_FOLLOW}"
    rf"|(?P<quotes>{_quoting(STRING_MAY_END)}){_FOLLOW}"
)
_TO_DAMAGE = re.compile(rf"{repeated(_UNDAMAGED)}(?:{_DAMAGE})?")
_QUOTE_KINDS = {"single_quote": RepairKind.SINGLE_QUOTE, "smart_quote": RepairKind.SMART_QUOTE}
_EDITS_FLOOR = 10_000
_CHARACTERS_PER_EDIT = 8
"""One edit more for so many characters of text: a long text of nothing but damage is given up early."""
_ASCII = {"，": ",", "：": ":", "｛": "{", "｝": "}", "［": "[", "］": "]"}


def regular_edits(text: str, start: int) -> tuple[list[Edit], int]:
    """The edits of all regular damage from `start` on, and the place where something irregular stands."""
    edits: list[Edit] = []
    limit = _EDITS_FLOOR + (len(text) - start) // _CHARACTERS_PER_EDIT
    match, quotes, at = _TO_DAMAGE.match, _QUOTE_KINDS, start
    while found := match(text, at):
        kind = found.lastgroup
        if kind is None or len(edits) > limit:
            return edits, found.end()
        begin, at = found.span(kind)
        if kind in quotes:
            body = text[begin + 1 : at - 1]
            if body[:1] == '"' == body[-1:]:
                return edits, begin  # a key in two sorts of quotes has two readings: for the reader
            if '"' in body:
                body = body.replace('"', '\\"')
            edits.append(Edit(begin, at - begin, f'"{body}"', quotes[kind]))
        elif kind == "unquoted_key":
            edits.append(Edit(begin, at - begin, f'"{text[begin:at]}"', RepairKind.UNQUOTED_KEY))
        elif not _note(edits, text, begin, at, kind):
            return edits, begin
    return edits, at  # pragma: no cover - the expression matches the empty text too


def _note(edits: list[Edit], text: str, begin: int, end: int, kind: str) -> bool:
    """Note the edits of one damage; False if it is not regular after all."""
    if kind.startswith("quotes"):
        inner = _inner_quotes(text, begin + 1, end - 1)
        edits += [Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE) for at in inner]
        plain = bool(inner) and inner[0] > begin + 1 and len(inner) % 2 == 0 and _closes(text, end)
        return plain and rival_end(text, begin, end - 1, inner) is None
    if kind == "trailing_comma":
        edits.append(Edit(begin, 1, "", RepairKind.TRAILING_COMMA))
    elif kind == "literal":
        edits.append(Edit(begin, end - begin, *LITERALS[text[begin:end]]))
    else:
        edits.append(Edit(begin, 1, _ASCII[text[begin]], RepairKind.FULL_WIDTH_PUNCTUATION))
    return True


def _inner_quotes(text: str, start: int, end: int) -> list[int]:
    """Where quotes stand in the text of a string that are not escaped."""
    if text.find("\\", start, end) >= 0:
        return [found.start() for found in ESCAPE_OR_QUOTE.finditer(text, start, end) if found.group() == '"']
    inner = []
    at = text.find('"', start, end)
    while at >= 0:
        inner.append(at)
        at = text.find('"', at + 1, end)
    return inner


def _closes(text: str, after: int) -> bool:
    """Whether brackets that follow the end of a string are plainly structure; no bracket is."""
    if text.startswith(",", after):
        return True
    run = CLOSER_RUN.match(text, after)
    return run is None or AFTER_CLOSER.match(text, run.end()) is not None
