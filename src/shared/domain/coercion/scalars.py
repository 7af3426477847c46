"""Reads a word as a value of a type that is one value: a member, a number, a boolean, a date, null."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from src.shared.domain.coercion.coercion import CoercionKind, Doubt, Outcome, Read
from src.shared.domain.coercion.numbers import fold
from src.shared.domain.coercion.plan import choices_of, members_of
from src.shared.domain.coercion.words import BOOLEANS
from src.shared.domain.expression import expression
from src.shared.domain.reading.signs import SPELLED_LITERALS, literal_kind, respelled
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.type_shapes import CoreSchema, definitions_of

_NUMBERS = frozenset({"int", "float", "decimal"})
_DATES = frozenset({"date", "datetime"})
_WORD_LIMIT = 1_000
"""Most characters of a value that is no member of a type."""
_LITERALS: dict[str, bool | None] = {"true": True, "True": True, "false": False, "False": False}
_NULLS: dict[str, bool | None] = {"null": None, "None": None}
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


class Sureness(IntEnum):
    """How a word is read; less is surer."""

    AS_IT_STANDS = 0
    COERCED = 1
    DOUBTED = 2


class ScalarReading(NamedTuple):
    """What a word says as a value of a type.

    Attributes:
        data: as JSON has it; the word itself where validation is to coerce it.
        said: the value, to compare it with another one.
        kind: the repair, or the coercion, that reading it took; None where it is spelled as in JSON.
        put: what was read in place of the word.
        sureness: whether coercion is asked, and has a doubt.
    """

    data: Any
    said: Any
    kind: RepairKind | CoercionKind | None = None
    put: str = ""
    sureness: Sureness = Sureness.AS_IT_STANDS


class ScalarReader:
    """Reads words as the values of one type: members, numbers, booleans, dates, null."""

    def __init__(self, schema: CoreSchema, coerce: Callable[[object], Outcome] | None) -> None:
        """Take what the type may be, and what coerces its values, if they may be coerced."""
        choices = [*choices_of(schema, definitions_of(schema), None)]
        self._kinds = {choice.kind for choice in choices}
        self._coerce = coerce
        members = [one for choice in choices for one in members_of(choice)]
        self._texts = frozenset(one for one in members if isinstance(one, str))
        self._folded: dict[str, list[str]] = {}
        for text in sorted(self._texts):
            self._folded.setdefault(fold(text).casefold(), []).append(text)
        has_booleans = "bool" in self._kinds or any(isinstance(one, bool) for one in members)
        has_null = "none" in self._kinds or None in members
        self._literals = (_LITERALS if has_booleans else {}) | (_NULLS if has_null else {})
        self._has_numbers = bool(self._kinds & _NUMBERS) or any(type(one) in (int, float) for one in members)
        self._limit = max(_WORD_LIMIT, 2 * max(map(len, self._texts), default=0))

    def readings(self, word: str, *, as_written: bool = False) -> list[ScalarReading]:
        """What a word says: none, one, or several values; coercion is asked where it says none as it stands."""
        found = [*self._plain_readings(word, as_written=as_written)] if 0 < len(word) <= self._limit else []
        # no sign alone is coerced, and no second line
        if found or self._coerce is None or "\n" in word or not any(map(str.isalnum, word)):
            return found
        outcome = self._coerce(word)
        if isinstance(outcome, Doubt):
            return [ScalarReading(word, None, sureness=Sureness.DOUBTED)]
        return [ScalarReading(word, outcome.after, sureness=Sureness.COERCED)] if isinstance(outcome, Read) else []

    def _plain_readings(self, word: str, *, as_written: bool) -> Iterator[ScalarReading]:
        folded = () if "\n" in word else self._folded.get(fold(word).casefold(), ())
        for member in [word] if word in self._texts else folded:
            yield ScalarReading(member, member, None if member == word else CoercionKind.CHOICE_CASE, member)
        if word[:1] == '"' and "\\" in word:
            with suppress(ValueError):
                text, end, _ = decode_at(word, 0)
                yield from [ScalarReading(text, text)] if end == len(word) and text in self._texts else []
        if word in self._literals:
            value = self._literals[word]
            yield ScalarReading(value, value, literal_kind(word), SPELLED_LITERALS[word])
        plain, put = fold(word), respelled(word) if self._has_numbers and word[-1:] != "." else ""
        if self._kinds & _DATES and _ISO.fullmatch(plain):
            yield ScalarReading(plain, plain, None if plain == word else RepairKind.NUMBER_SPELLING, plain)
        with suppress(ValueError):
            number, _, edits = decode_at(put, 0, as_written=as_written)
            is_held = "decimal" in self._kinds or not edits  # no float holds `1e400`
            if is_held and (self._kinds & {"float", "decimal"} or not MAY_BE_THOUSANDS.fullmatch(put)):
                yield ScalarReading(number, number, None if put == word else RepairKind.NUMBER_SPELLING, put)

    def may_go_on(self, word: str) -> bool:
        """Whether a longer member begins with a word, or prose: `The answer is a` names no member `A`."""
        begin = fold(word).casefold()
        if word == "a" and word not in self._texts:
            return True
        return not begin.isdecimal() and any(one != begin and one.startswith(begin) for one in self._folded)

    @cached_property
    def _members(self) -> re.Pattern[str]:
        """Any member in a sentence, and not only as a part of a word; `strong buy` before `buy`."""
        texts = sorted(filter(None, self._folded), key=len, reverse=True)
        return expression(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, texts)) or '(?!)'})(?![a-z0-9])")

    def is_doubted(self, sentence: str, word: str, reading: ScalarReading) -> bool:
        """Whether a sentence that is not the value alone speaks of another one, or not plainly of this one."""
        said = fold(sentence).casefold()
        others, rest = {*self._members.findall(said)}, self._members.sub("\0", said)
        if True in self._literals.values():
            others.update(one for one in _WORDS.findall(said) if one in BOOLEANS)
        if (self._has_numbers or self._kinds & _DATES) and _DIGITS.search(rest):
            last = _LAST_NUMBER.search(rest)
            others.add(respelled(last["number"]) if last else rest)
        own = {word.casefold(), fold(str(reading.data)).casefold(), respelled(word)}
        return not others <= own or (bool(others) and is_doubtful(said))
