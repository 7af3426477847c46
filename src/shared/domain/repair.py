"""What was repaired in a model's text: a closed vocabulary, and one record a repair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from src.shared.domain.grade import Grade
from src.shared.domain.language import Message, Phrase


class RepairKind(StrEnum):
    """Every way in which the reader may depart from strict JSON; there is no other.

    Attributes:
        grade: what it makes of a result.
        words: what reports call it.

    .. versionadded:: 0.1.0
    """

    grade: Grade
    words: Message

    def __new__(cls, value: str, *meaning: Grade | Message) -> Self:
        """A kind by its name, with its grade and its words."""
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.grade, kind.words = meaning  # type: ignore[assignment]  # in this order
        return kind

    CONTROL_CHARACTER = "control_character", Grade.LOSSLESS, Phrase("raw control character in a text")
    """A raw newline, tab or other control character inside a string."""
    SMART_QUOTE = "smart_quote", Grade.LOSSLESS, Phrase("typographic quote as a delimiter")
    """A typographic or full-width quote used as a delimiter: “ ” ‘ ’ ＂ 「 」."""
    FULL_WIDTH_PUNCTUATION = "full_width_punctuation", Grade.LOSSLESS, Phrase("full-width punctuation as structure")
    """Full-width ： ， ｛ ｝ ［ ］ used as structure."""
    SINGLE_QUOTE = "single_quote", Grade.LOSSLESS, Phrase("single quote")
    """A string delimited by ' or by a backtick."""
    UNQUOTED_KEY = "unquoted_key", Grade.LOSSLESS, Phrase("key without quotes")
    """A key without quotes."""
    UNQUOTED_VALUE = "unquoted_value", Grade.READ, Phrase("text without quotes")
    """A string value without quotes."""
    UNESCAPED_QUOTE = "unescaped_quote", Grade.LOSSLESS, Phrase("quote inside a text, not escaped")
    """A quote that belongs to the text of a string and was not escaped."""
    MISSING_QUOTE = "missing_quote", Grade.READ, Phrase("missing quote")
    """A string whose closing or opening quote was forgotten."""
    STRAY_QUOTE = "stray_quote", Grade.LOSSLESS, Phrase("stray quote")
    """A quote that delimits nothing."""
    BAD_ESCAPE = "bad_escape", Grade.READ, Phrase("backslash that is no escape")
    r"""A backslash that is no escape (`\s`, LaTeX, Windows paths) and is kept, or an escape that only Python has."""
    TRAILING_COMMA = "trailing_comma", Grade.LOSSLESS, Phrase("trailing comma")
    """A comma before a closing bracket."""
    MISSING_COMMA = "missing_comma", Grade.LOSSLESS, Phrase("missing comma")
    """Two members with no comma between them."""
    DOUBLED_COMMA = "doubled_comma", Grade.LOSSLESS, Phrase("doubled comma")
    """A comma too many between two members, or before the first."""
    MISSING_COLON = "missing_colon", Grade.LOSSLESS, Phrase("missing colon")
    """A key and its value with no colon (or with `=` or `=>`) between them."""
    COMMENT = "comment", Grade.READ, Phrase("comment")
    """A `//`, `/* */` or `#` comment between tokens."""
    PYTHON_LITERAL = "python_literal", Grade.READ, Phrase("Python's spelling")
    """`True`, `False` or `None` (or `TRUE`, `Null`, …), a string between triple quotes, or `b"x"`, `u"x"`, …"""
    JAVASCRIPT_LITERAL = "javascript_literal", Grade.READ, Phrase("JavaScript's spelling")
    """`undefined`."""
    NON_FINITE_NUMBER = "non_finite_number", Grade.READ, Phrase("number that is not finite")
    """`NaN`, `Infinity` or `-Infinity`, accepted as Python's `json` does, and `1e400`, which no float holds."""
    NUMBER_SPELLING = "number_spelling", Grade.READ, Phrase("spelling of a number")
    """A number JSON spells otherwise: `+1`, `.5`, `1.`, `1_000`, `１２３`."""
    ELLIPSIS = "ellipsis", Grade.CHOSEN, Phrase("ellipsis")
    """Salvage only: `...` or `…` standing for members that were not written out, and are lost."""
    MISSING_BRACKET = "missing_bracket", Grade.LOSSLESS, Phrase("missing bracket")
    """A bracket that was forgotten: a closing one, or the first brace."""
    SURPLUS_BRACKET = "surplus_bracket", Grade.LOSSLESS, Phrase("surplus bracket")
    """A bracket that opens or closes nothing."""
    STRING_CONCATENATION = "string_concatenation", Grade.READ, Phrase("texts joined by a plus")
    """`"a" + "b"`: two strings that are one."""
    INVISIBLE_CHARACTER = "invisible_character", Grade.LOSSLESS, Phrase("invisible character")
    """A BOM, zero-width or non-breaking space outside strings."""
    ESCAPED_JSON = "escaped_json", Grade.LOSSLESS, Phrase("object written as an escaped text")
    r"""The object was written as an escaped string, `{\"a\": 1}`, or escaped for HTML or a cell of CSV."""
    MARKUP = "markup", Grade.READ, Phrase("marks of Markdown or of a diff")
    """A mark of Markdown or of a diff before every line of the object, or around a key or a value."""
    REPEATED_KEY = "repeated_key", Grade.READ, Phrase("key written twice before its value")
    """A key written twice before its value: `"a": "a": 1`."""
    DUPLICATE_KEY = "duplicate_key", Grade.CHOSEN, Phrase("duplicate key")
    """The same key twice in one object; the last one stands, as in Python's `json`."""
    TRUNCATED_MEMBER = "truncated_member", Grade.CHOSEN, Phrase("member that was cut off")
    """Salvage only: the member that was cut off, and so dropped."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One departure from strict JSON, and where.

    Attributes:
        kind: which one.
        line: line in the raw text, from 1.
        column: character in that line, from 1.
        offset: character in the raw text, from 0.
        found: what stood there, cut to 40 characters; empty where something was missing.
        put: what was read instead, cut to 40 characters; empty where something was dropped.
        count: how many it stands for: all control characters of one string are one repair, at the first of them; and
            in a text of more than 10,000 repairs the last one of a kind counts those that follow.

    .. versionadded:: 0.1.0
    """

    kind: RepairKind
    line: int
    column: int
    offset: int
    found: str
    put: str
    count: int = 1


def how_often(repairs: Iterable[Repair]) -> Counter[RepairKind]:
    """How often each kind of repair was made."""
    kinds: Counter[RepairKind] = Counter()
    for repair in repairs:
        kinds[repair.kind] += repair.count
    return kinds
