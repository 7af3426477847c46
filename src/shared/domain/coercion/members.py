"""Reads a member of an enum or a literal by its case, its name, or beside a gloss."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from src.shared.domain.coercion.coercion import CoercionKind, Outcome, Read, two_readings
from src.shared.domain.coercion.folded import TEXT_LIMIT, folded

_SEPARATORS = re.compile(r"[\s_-]++")
_GLOSSED = re.compile(r"(?P<one>[^()]++)\((?P<other>[^()]++)\)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_DENIES = re.compile(r"\s*+(?:(?:not?|non|un)\b|[不非未没无反])", re.IGNORECASE)


class MemberReader:
    """Reads the members of one enum or literal."""

    def __init__(self, members: Sequence[Any]) -> None:
        """Take the members: of an enum as its own objects, of a literal as its values."""
        members = [member for member in members if isinstance(_value(member), (str, int, float))]
        self._values = {_value(member) for member in members if isinstance(_value(member), str)}
        self._by_value = _grouped((_spelling(str(_value(one))), _value(one)) for one in members)
        self._by_name = _grouped((_spelling(one.name), _value(one)) for one in members if isinstance(one, Enum))

    def takes(self, value: object) -> bool:
        """Whether a text is a member as it stands."""
        return isinstance(value, str) and value in self._values

    def read(self, value: object) -> Outcome:
        """The member that a text means; None for one that is a member already, or means none."""
        if not isinstance(value, str) or len(value) > TEXT_LIMIT or value in self._values:
            return None
        meant = self._meant(value)
        if meant:
            return _only(meant)
        glossed = _GLOSSED.fullmatch(folded(value))
        return self._glossed(*glossed.groups()) if glossed else None

    def _glossed(self, one: str, other: str) -> Outcome:
        """The member that one of two texts means, of which the other is the translation."""
        of_one, of_other = self._meant(one), self._meant(other)
        translation = one if of_other else other
        is_known = of_one and of_other
        if not is_known and (_DENIES.match(translation) or bool(_CHINESE.search(one)) is bool(_CHINESE.search(other))):
            return None
        return _only(dict.fromkeys([*of_one, *of_other], CoercionKind.CHOICE_GLOSS))

    def _meant(self, text: str) -> Mapping[Any, CoercionKind]:
        """The members that a text may mean, and how."""
        spelling = _spelling(text)
        by_name = dict.fromkeys(self._by_name.get(spelling, ()), CoercionKind.CHOICE_NAME)
        return by_name | dict.fromkeys(self._by_value.get(spelling, ()), CoercionKind.CHOICE_CASE)


def _only(meant: Mapping[Any, CoercionKind]) -> Outcome:
    if len(meant) > 1:
        return two_readings(*list(meant)[:2])
    return next((Read(kind, member) for member, kind in meant.items()), None)


def _value(member: object) -> Any:  # noqa: ANN401 - what a member of an enum holds
    return member.value if isinstance(member, Enum) else member


def _spelling(text: str) -> str:
    """What is compared: no case, one sign for all that parts words."""
    return _SEPARATORS.sub("_", folded(text).casefold())


def _grouped(pairs: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for spelling, member in pairs:
        groups.setdefault(spelling, []).append(member)
    return groups
