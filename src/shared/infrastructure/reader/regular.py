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
from src.shared.infrastructure.reader.budget import STEP, Work
from src.shared.infrastructure.reader.cursor import EDITS_FLOOR
from src.shared.infrastructure.reader.edits import PackedEdits, Rule
from src.shared.infrastructure.reader.patterns import (
    AFTER_CLOSER,
    CLEAN_TEXT,
    CLOSER_RUN,
    ESCAPE,
    ESCAPE_OR_QUOTE,
    KEY_LIMIT,
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
MOST_INNER_QUOTES = 100
"""Most quotes and escapes inside a string that counts as regular: each is looked at with what follows it."""
_TO_COLON = rf'[^"\n]{{0,{KEY_LIMIT}}}+"\s*+[:：]'


def _quoting(may_end: str) -> str:
    """A string with quotes in its text: each before a letter, or before nothing that may follow a string."""
    inner = rf'(?:{ESCAPE}|"(?!{_TO_COLON})(?:(?=[^\W\d_])|(?!{may_end})))[^"\\]*+'
    return rf'"(?!"")[^"\\]*+{repeated(inner, f"{{0,{MOST_INNER_QUOTES}}}")}"'


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
_RUN_LENGTH = 256
"""Most undamaged tokens that are stepped over at once: how far to read is asked in between."""
_TO_DAMAGE = re.compile(rf"{repeated(_UNDAMAGED, f'{{0,{_RUN_LENGTH}}}')}(?:{_DAMAGE})?")
_ASCII = {"，": ",", "：": ":", "｛": "{", "｝": "}", "［": "[", "］": "]"}
_EDIT_COST = STEP // 2
_CHARACTER_COST = 1
CHARACTERS_PER_REGULAR_EDIT = 7
"""Most regular damage: so many characters for each edit, beyond the first `EDITS_FLOOR`."""
_QUOTING_COST = MOST_INNER_QUOTES * STEP // 4
"""Units of work to see that the quotes inside a string are not regular."""


def _quoted(found: str) -> str:
    """A string in other quotes, in double ones."""
    body = found[1:-1]
    return '"' + (body.replace('"', '\\"') if '"' in body else body) + '"'


_RULE_OF: dict[str, Rule] = {
    "trailing_comma": (RepairKind.TRAILING_COMMA, lambda _: ""),
    "single_quote": (RepairKind.SINGLE_QUOTE, _quoted),
    "smart_quote": (RepairKind.SMART_QUOTE, _quoted),
    "full_width_punctuation": (RepairKind.FULL_WIDTH_PUNCTUATION, _ASCII.__getitem__),
    "literal": (RepairKind.PYTHON_LITERAL, lambda found: LITERALS[found][0]),
    "unquoted_key": (RepairKind.UNQUOTED_KEY, lambda found: f'"{found}"'),
}
_QUOTE_INSIDE: Rule = (RepairKind.UNESCAPED_QUOTE, lambda _: "\\")
_NUMBERS = {number: name for name, number in _TO_DAMAGE.groupindex.items()}
_RULES = [_QUOTE_INSIDE] + [_RULE_OF.get(_NUMBERS[number], _QUOTE_INSIDE) for number in sorted(_NUMBERS)]
"""The rule of each group of `_TO_DAMAGE`, by its number; a string with quotes in it has an edit for each of them."""
_QUOTING = frozenset(number for number, name in _NUMBERS.items() if name not in _RULE_OF)


class RegularDamage:
    """The regular damage of a text from one place on, read as far as it is wanted.

    Attributes:
        edits: what undoes the damage so far.
        reached: how far it was read; text from there on is not looked at, or is irregular.
        ended: whether something irregular stands there, or there is no work left.
    """

    def __init__(self, text: str, start: int, work: Work) -> None:
        self.edits = PackedEdits(text, start, _RULES)
        self.reached = start
        self.ended = False
        self._text = text
        self._work = work
        self._found = _TO_DAMAGE.finditer(text, start)

    def read_to(self, until: int) -> None:
        """Read on, up to `until` or somewhat beyond."""
        before, edits_before = self.reached, len(self.edits)
        self.reached, self.ended = self._read_to(until)
        if self.ended and self._text.startswith('"', self.reached):
            self._work.spend(_QUOTING_COST)
        cost = STEP + _CHARACTER_COST * (self.reached - before) + _EDIT_COST * (len(self.edits) - edits_before)
        self.ended = not self._work.spend(cost) or self.ended

    def _read_to(self, until: int) -> tuple[int, bool]:
        edits: list[tuple[int, int, int]] = []
        try:
            return self._collect(edits, until)
        finally:
            self.edits.extend(edits)

    def _collect(self, edits: list[tuple[int, int, int]], until: int) -> tuple[int, bool]:
        """Collect the edits up to `until` or somewhat beyond; where they end, and whether they go on."""
        most = EDITS_FLOOR - len(self.edits) - self.edits.start // CHARACTERS_PER_REGULAR_EDIT
        for found in self._found:
            number = found.lastindex
            begin, end = found.span(number or 0)
            if number is None:
                if begin == end:
                    return end, True
            elif number not in _QUOTING:
                edits.append((begin, end, number))
            elif not self._quotes(edits, begin, end):
                return begin, True
            if end >= until:
                return end, False
            if len(edits) > most and len(edits) > most + end // CHARACTERS_PER_REGULAR_EDIT:
                return end, True
        return self.reached, True  # pragma: no cover - the expression matches the empty text at the end, too

    def _quotes(self, edits: list[tuple[int, int, int]], begin: int, end: int) -> bool:
        """Note the quotes inside a string; False if they are not regular after all."""
        inner = _inner_quotes(self._text, begin + 1, end - 1)
        plain = bool(inner) and inner[0] > begin + 1 and len(inner) % 2 == 0 and _closes(self._text, end)
        if not plain or rival_end(self._text, begin, end - 1, inner) is not None:
            return False
        edits += [(at, at, 0) for at in inner]
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
