"""Which of several alternatives a value was meant for: its errors are the ones worth telling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from src.shared.infrastructure.json_schema.engine import Engine
from src.shared.infrastructure.json_schema.limits import step_of
from src.shared.infrastructure.json_schema.references import Place, References

_SAYS_WHICH = ("const", "enum")
_AT_THE_DOOR = ("type", *_SAYS_WHICH)


class Nearest:
    """Chooses among alternatives, none of which fits."""

    def __init__(self, references: References, engine: Engine) -> None:
        self._references = references
        self._engine = engine

    def of(self, places: Sequence[Place], value: object) -> Place | None:
        """The one alternative that the value's type and its tags leave, or that knows most of its keys; else None."""
        left = [place for place in places if isinstance(place.schema, dict) and self._is_let_in(place, value)]
        if isinstance(value, dict) and len(left) > 1:
            left = [place for place in left if self._has_its_tags(place, value)] or left
            known = [len(value.keys() & place.schema.get("properties", {}).keys()) for place in left]
            left = [place for place, count in zip(left, known, strict=True) if count == max(known)]
        return left[0] if len(left) == 1 else None

    def _is_let_in(self, place: Place, value: object) -> bool:
        return all(
            self._engine.accepts_by(place.pointer, keyword, place.schema[keyword], value)
            for keyword in _AT_THE_DOOR
            if keyword in place.schema
        )

    def _has_its_tags(self, place: Place, value: dict[str, Any]) -> bool:
        """Whether the keys whose value says which alternative it is have the value of this one."""
        for key, inner in place.schema.get("properties", {}).items():
            pointer = step_of(step_of(place.pointer, "properties"), key)
            tags = [one for one in _SAYS_WHICH if key in value and isinstance(inner, dict) and one in inner]
            if not all(self._engine.accepts_by(pointer, tag, inner[tag], value[key]) for tag in tags):
                return False
        return True
