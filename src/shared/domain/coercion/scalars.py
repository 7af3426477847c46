"""Reads a word as a value of a type that is one value: a member, a number, a boolean, a date, null."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple

from src.shared.domain.coercion.coercion import CoercionKind, Outcome
from src.shared.domain.coercion.numbers import fold
from src.shared.domain.coercion.plan import choices_of
from src.shared.domain.coercion.words import BOOLEANS
from src.shared.domain.expression import expression
from src.shared.domain.reading.signs import literal_kind, respelled
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.type_shapes import CoreSchema, definitions_of

_NUMBERS = frozenset({"int", "float", "decimal"})
_DATES = frozenset({"date", "datetime"})
_WORD_LIMIT = 1_000
"""Most characters of a value that is no member of a type."""
_LITERALS: dict[str, bool | None] = {"true": True, "True": True, "false": False, "False": False}
_NULLS = ("null", "None")
_ISO = expression(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9}+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
MAY_BE_THOUSANDS = expression(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
"""A number whose point may part thousands."""
_DIGITS = expression(r"\d")
_LAST_NUMBER = expression(r"=[\s$*_`{\\a-z]{0,20}+(?P<number>[+\-−]?+[\d.．]{0,99}\d)[\s$*_`}]{0,9}+\Z")
_WORDS = expression(r"\w++")
_DOUBT = expression(
    r"\b(?:not?|never|neither|nor|or|maybe|perhaps|probably|possibly|likely|might|may|could|would|should|wrong|instead"
    r"|rather|unless|if|unsure|wait|doubt\w*+|den(?:y|ies)|disagree|reject\w*+|false|incorrect|whether|claim\w*+)\b|n['’]t\b|\?|[不非未没沒或？]|可能|也许|大概",
    re.IGNORECASE,
)
"""What takes something away from a sentence that names a value."""


def is_doubtful(sentence: str) -> bool:
    """Whether words of a sentence take something away from what it names."""
    return _DOUBT.search(sentence) is not None


class ScalarReading(NamedTuple):
    """What a word says as a value of a type.

    Attributes:
        data: as JSON has it.
        kind: the repair, or the coercion, that reading it took; None where it is spelled as in JSON.
        put: what was read in place of the word.
    """

    data: Any
    kind: RepairKind | CoercionKind | None = None
    put: str = ""


class ScalarReader:
    """Reads words as the values of one type: members, numbers, booleans, dates, null."""

    def __init__(self, schema: CoreSchema, coerce: Callable[[object], Outcome] | None) -> None:
        """Take what the type may be, and what coerces its values, if they may be coerced."""
        choices = [*choices_of(schema, definitions_of(schema), None)]
        self._kinds = {choice.kind for choice in choices}
        self._coerce = coerce
        named = (one.schema.get("members" if one.kind == "enum" else "expected", ()) for one in choices)
        members = [one.value if isinstance(one, Enum) else one for some in named for one in some]
        self.texts = frozenset(one for one in members if isinstance(one, str))
        self._folded: dict[str, list[str]] = {}
        for one in sorted(self.texts):
            self._folded.setdefault(fold(one).casefold(), []).append(one)
        self.has_numbers = not self._kinds.isdisjoint(_NUMBERS) or any(type(one) in (int, float) for one in members)
        self._are_whole = self._kinds.isdisjoint({"float", "decimal"})
        self._has_booleans = "bool" in self._kinds or any(isinstance(one, bool) for one in members)
        self._has_null = "none" in self._kinds or None in members
        self._limit = max(_WORD_LIMIT, 2 * max(map(len, self.texts), default=0))

    def read(self, word: str, *, as_written: bool) -> list[ScalarReading]:
        """All that a word says without coercion: none, one, or several values."""
        if not 0 < len(word) <= self._limit:
            return []
        found: list[ScalarReading] = []
        if word in self.texts:
            found.append(ScalarReading(word))
        else:
            folded = () if "\n" in word else self._folded.get(fold(word).casefold(), ())
            found += (ScalarReading(one, CoercionKind.CHOICE_CASE, one) for one in folded)
        if word[:1] == '"' and "\\" in word:
            with suppress(ValueError):
                text, end, _ = decode_at(word, 0)
                found += [ScalarReading(text)] if end == len(word) and text in self.texts else []
        if self._has_booleans and word in _LITERALS:
            found.append(ScalarReading(_LITERALS[word], literal_kind(word), word.lower()))
        if self._has_null and word in _NULLS:
            found.append(ScalarReading(None, literal_kind(word), _NULLS[0]))
        plain = fold(word)
        if not self._kinds.isdisjoint(_DATES) and _ISO.fullmatch(plain):
            found.append(ScalarReading(plain, None if plain == word else RepairKind.NUMBER_SPELLING, plain))
        put = respelled(word) if self.has_numbers and word[-1:] != "." else ""
        with suppress(ValueError):
            number, _, edits = decode_at(put, 0, as_written=as_written)
            is_plain = "decimal" in self._kinds or not edits  # no float holds `1e400`
            if is_plain and not (self._are_whole and MAY_BE_THOUSANDS.fullmatch(put)):
                found.append(ScalarReading(number, None if put == word else RepairKind.NUMBER_SPELLING, put))
        return found

    def coerced(self, word: str) -> Outcome:
        """What coercion makes of a word; None where nothing may be coerced, there is but a sign, or a second line."""
        is_word = "\n" not in word and any(map(str.isalnum, word))
        return self._coerce(word) if self._coerce and is_word else None

    def read_data(self, data: object) -> list[ScalarReading]:
        """The same of a value of JSON; of a text that coercion reads, or has a doubt of, the text itself."""
        if isinstance(data, str):
            return self.read(data, as_written=False) or ([ScalarReading(data)] if self.coerced(data) else [])
        if isinstance(data, bool):
            return [ScalarReading(data)] if self._has_booleans else []
        if data is None:
            return [ScalarReading(data)] if self._has_null else []
        return [ScalarReading(data)] if self.has_numbers else []

    def may_go_on(self, word: str) -> bool:
        """Whether a longer member begins with a word, or prose: `The answer is a` names no member `A`."""
        begin = fold(word).casefold()
        if word == "a" and word not in self.texts:
            return True
        return not begin.isdecimal() and any(one != begin and one.startswith(begin) for one in self._folded)

    def is_doubted(self, sentence: str, word: str, found: ScalarReading) -> bool:
        """Whether a sentence that is not the value alone speaks of another one, or not plainly of this one."""
        rest = said = fold(sentence).casefold()
        others = set[str]()
        for one in sorted(filter(None, self._folded), key=len, reverse=True):  # `strong buy` before `buy`
            if _stands_in(one, rest):
                others.add(one)
                rest = rest.replace(one, "\0")
        if self._has_booleans:
            others.update(one for one in _WORDS.findall(said) if one in BOOLEANS)
        if (self.has_numbers or not self._kinds.isdisjoint(_DATES)) and _DIGITS.search(rest):
            last = _LAST_NUMBER.search(rest)
            others.add(respelled(last["number"]) if last else rest)
        own = {word.casefold(), fold(str(found.data)).casefold(), respelled(word)}
        return not others <= own or (bool(others) and is_doubtful(said))


def _stands_in(word: str, said: str) -> bool:
    """Whether a word stands in a sentence, and not only as a part of another one."""
    around = ((before[-1:], behind[:1]) for before, behind in pairwise(said.split(word)))
    return any(not any(one.isascii() and one.isalnum() for one in pair) for pair in around)
