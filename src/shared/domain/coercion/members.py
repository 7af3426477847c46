"""Reads a member of an enum or a literal by its case, its name, or beside a gloss."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from src.shared.domain.coercion.coercion import CoercionKind, Outcome, Read, two_readings
from src.shared.domain.coercion.folded import folded, is_short
from src.shared.domain.coercion.glosses import is_translation

_SEPARATORS = re.compile(r"[\s_-]++")
_GLOSSED = re.compile(r"(?P<one>[^()]++)\((?P<other>[^()]++)\)")


class MemberReader:
    """Reads the members of one enum or literal."""

    def __init__(self, members: Sequence[Any]) -> None:
        """Take the members: of an enum as its own objects, of a literal as its values."""
        members = [member for member in members if isinstance(_value(member), (str, int, float))]
        self._values = {_value(member) for member in members if isinstance(_value(member), str)}
        self._by_value = _grouped((_spelling_of(_value(one)), _value(one)) for one in members)
        self._by_name = _grouped(
            (_spelling(name), _value(one))
            for kind in {type(one) for one in members if isinstance(one, Enum)}
            for name, one in kind.__members__.items()
            if one in members
        )

    def takes(self, value: object) -> bool:
        """Whether a text is a member as it stands."""
        return isinstance(value, str) and value in self._values

    def read(self, value: object) -> Outcome:
        """The member that a text means; None for one that is a member already, or means none."""
        if not isinstance(value, str) or not is_short(value) or value in self._values:
            return None
        meant = self._meant(value)
        if meant:
            return _only(meant)
        glossed = _GLOSSED.fullmatch(folded(value))
        return self._glossed(*glossed.groups()) if glossed else None

    def _glossed(self, one: str, other: str) -> Outcome:
        """The member that one of two texts means, of which the other is the translation."""
        of_one, of_other = self._meant(one), self._meant(other)
        translation, of = (one, other) if of_other else (other, one)
        if not (of_one and of_other) and not is_translation(translation, of):
            return None
        return _only(dict.fromkeys([*of_one, *of_other], CoercionKind.CHOICE_GLOSS))

    def _meant(self, text: str) -> Mapping[Any, CoercionKind]:
        """The members that a text may mean, and how."""
        spelling, number = _spelling(text), folded(text).lower()
        by_name = dict.fromkeys(self._by_name.get(spelling, ()), CoercionKind.CHOICE_NAME)
        by_value = [*self._by_value.get(spelling, ()), *self._by_value.get((number,), ())]
        return by_name | dict.fromkeys(by_value, CoercionKind.CHOICE_CASE)


def _only(meant: Mapping[Any, CoercionKind]) -> Outcome:
    if len(meant) > 1:
        return two_readings(*list(meant)[:2])
    return next((Read(kind, member) for member, kind in meant.items()), None)


def _value(member: object) -> Any:  # noqa: ANN401 - what a member of an enum holds
    return member.value if isinstance(member, Enum) else member


def _spelling(text: str) -> str:
    """What is compared: no case, one sign for all that parts words."""
    return _SEPARATORS.sub("_", folded(text).casefold())


def _spelling_of(value: Any) -> Hashable:  # noqa: ANN401 - what a member holds
    """A text in its spelling; of a number its digits, whose sign is no sign between words."""
    return _spelling(value) if isinstance(value, str) else (str(value).lower(),)


def _grouped(pairs: Iterable[tuple[Hashable, Any]]) -> dict[Hashable, list[Any]]:
    groups: dict[Hashable, list[Any]] = {}
    for spelling, member in pairs:
        groups.setdefault(spelling, []).append(member)
    return groups
