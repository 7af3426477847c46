"""What the readers of all notations know of a type, and how a text becomes the value of one of its fields."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeAlias

from src.shared.domain.expression import expression, repeated
from src.shared.domain.one_line import one_line
from src.shared.domain.parse_reasons import NUMBER_TOO_LONG, Reason
from src.shared.domain.strict_json import decode_at

Shape: TypeAlias = Any
"""What a type says of one value: an `Expected` of the parser, which these readers stand below."""
MOST_DEPTH = 64
"""Most elements, or lists and mappings, inside each other."""
LABEL_LIMIT = 80
"""Most characters of a label, or of the head of a column."""
JSON_NUMBER = expression("-?(?:0|[1-9][0-9]*+)" + repeated("[.][0-9]++", "?") + repeated("[eE][-+]?[0-9]++", "?"))
_LITERALS = {"true": "boolean", "false": "boolean", "null": "null"}
EMPHASIS = ("**", "__", "*", "_")
FAREWELL = expression(
    r"""
    (?<= [\s.!。！] )
    (?: (?:I[ ])? hope[ ] (?:this|that|it) [ ] helps | I[ ]hope[ ]it[ ]is[ ]correct
      | let[ ]me[ ]know[ ]if[ ]you[ ] (?:have[ ]any|need) [ ] (?:other[ ]|further[ ]|more[ ])?
        (?:questions|help|information|details)
      | 希望 (?:这|以上|我的回答)? 对[你您]有(?:所)?帮助 ) [.!。！]?+ \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A sentence that ends a letter, not an answer."""
_BETWEEN = expression(r"[\s_\-]++")
_TEXT_OR_OTHER = Reason("this may be a text, or the number or the word that it looks like")
_NOT_FLAT = Reason("this notation has no place for what is inside a field; ask for JSON")


class NotationError(Exception):
    """A text cannot be read in a notation: why, and at which of its characters."""

    def __init__(self, reason: Reason, offset: int = 0) -> None:
        super().__init__(reason.en)
        self.reason = reason
        self.offset = offset


def unknown(name: str, offset: int) -> NotationError:
    """The error of a name that no field has."""
    return NotationError(Reason("{name} is no field of the type", name=one_line(name, LABEL_LIMIT)), offset)


def given_twice(name: str, offset: int) -> NotationError:
    """The error of a field that has two values."""
    return NotationError(Reason("{name} is given twice", name=one_line(name, LABEL_LIMIT)), offset)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer is read for.

    Attributes:
        shape: what the type says of it: an object, or an array of objects.
        row: what it says of the object, or of each in the array.
        labels: what the fields of these objects are called, with the keys that the type reads.
        folded: the same without case and separators.
        as_written: whether numbers keep their digits.
        has_foreign: whether the answer may have keys that are no fields: its marks show that it is all of it.
    """

    shape: Shape
    row: Shape
    labels: Mapping[str, AbstractSet[str]]
    folded: Mapping[str, AbstractSet[str]]
    as_written: bool = False
    has_foreign: bool = False

    def field_of(self, label: str) -> str | None:
        """The field that a label names: as the type writes it, or but for its case and separators; None for none."""
        found = self.labels.get(label) or self.folded.get(folded(label), frozenset())
        return next(iter(found)) if len(found) == 1 else None

    def flat(self, members: Iterable[tuple[str, str | list[str], int]]) -> dict[str, Any]:
        """The object of labels with their texts, or lists of texts, and their places.

        Without a text a field is null if it is required and may be, else it is missing.

        Raises:
            NotationError: a label is no field, or is given twice, or the value is an object, or as for `typed`.
        """
        data: dict[str, Any] = {}
        seen = set[str]()
        for label, said, at in members:
            name = self.field_of(label)
            if name is None or name in seen:
                raise (given_twice if name else unknown)(label, at)
            seen.add(name)
            shape = self.row.member(name)
            is_member = any(said in one.get("enum", (one.get("const"),)) for one in shape.said)
            if isinstance(said, list):
                data[name] = [self.typed(item, shape.element(number), at) for number, item in enumerate(said)]
            elif text := said if shape.is_prose or is_member else without_emphasis(said):
                if shape.objects and "string" not in shape.types:
                    raise NotationError(_NOT_FLAT, at)
                data[name] = self.typed(text, shape, at)
            elif name in self.row.required and "null" in shape.types:
                data[name] = None
        return data

    def typed(self, text: str, shape: Shape, offset: int) -> Any:  # noqa: ANN401 - a value of JSON
        """The value that a text is for a field: a number, a boolean or null as JSON writes it, or else the text.

        Raises:
            NotationError: the field takes texts and something else that this may be, or a number is too long.
        """
        bare = text.strip()
        if shape.is_decimal:
            return bare
        if ("number" if JSON_NUMBER.fullmatch(bare) else _LITERALS.get(bare, "")) not in shape.types:
            return text
        if "string" in shape.types:
            raise NotationError(_TEXT_OR_OTHER, offset)
        return self.decoded(bare, offset)

    def decoded(self, text: str, offset: int) -> Any:  # noqa: ANN401 - a plain value of JSON
        """A number or a literal as JSON writes it.

        Raises:
            NotationError: it has too many digits.
        """
        try:
            return decode_at(text, 0, as_written=self.as_written)[0]
        except ValueError:
            raise NotationError(NUMBER_TOO_LONG, offset) from None


def without_emphasis(text: str) -> str:
    """A text without the marks of bold or italics that are around all of it."""
    mark = next(filter(text.startswith, EMPHASIS), "")
    inner = text[len(mark) : -len(mark)] if mark and text.endswith(mark) else ""
    return inner if inner.strip("*_ ") == inner and inner else text


def folded(label: str) -> str:
    """A label without its case and its separators."""
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", label)).casefold()
