"""How often the schemas of a schema are applied to a text: the count that bounds what validating it costs.

A validator evaluates a schema anew for each way that leads to it. Where two alternatives hold the same key, what is
under it is validated twice, what is under that four times. Most schemas have no such ways on end: what they apply to
one value is bounded, whatever the text. Of the others each text is counted, in one walk along its values.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from src.shared.domain.schema_walk import ROOT, parts_of
from src.shared.domain.work import applied_left, spend_applied
from src.shared.infrastructure.json_schema.references import MAX_APPLIED, References

MAX_PAIRS = 50_000
"""Schemas and values that are compared one by one where the engine would apply too many: a third of a second."""
MAX_ANALYSED = 200_000
"""Steps to find out whether a text has to be counted; behind them, each is."""

_OF_ONE = ("properties", "prefixItems")
_OF_OTHERS = ("additionalProperties", "unevaluatedProperties")
_OF_KEYS = ("patternProperties", "propertyNames")
_OF_EACH_ITEM = ("items", "contains", "additionalItems", "unevaluatedItems")
_NO_KEY = "\0"
"""Stands for the keys that no schema names."""

_Schemas = Counter[str]
"""Schemas by their pointers, and how often each of them is applied."""


class _Together:
    """The schemas that are applied to one value together, each as often as it is.

    Attributes:
        times: how many there are.
        keys: the members of a value that something else is applied to than to the others; a number is an item's place.
    """

    def __init__(self, references: References, place: str) -> None:
        together = [*references.together(place)]
        self.times = max(1, len(together))
        self._others, self._items = _Schemas(), _Schemas()
        self._own: defaultdict[str | int, list[tuple[str, list[str]]]] = defaultdict(list)
        self._known: dict[str | int, _Schemas] = {}
        for one in together:
            parts = [*parts_of(references.places[one], one)]
            others = [part.pointer for part in parts if part.keyword in _OF_OTHERS and isinstance(part.schema, dict)]
            for part in parts:
                if part.key is not None and part.keyword in _OF_ONE:
                    self._own[part.key].append((part.pointer, others if isinstance(part.key, str) else []))
                elif part.pointer in others or part.keyword in _OF_KEYS:
                    self._others[part.pointer] += 1
                elif isinstance(part.schema, dict) and part.keyword in _OF_EACH_ITEM:
                    self._items[part.pointer] += 1
        self.keys: tuple[str | int, ...] = (*self._own, _NO_KEY, -1)

    def of_member(self, key: str | int) -> _Schemas:
        """What is applied to the member of a key, or to the item at a place."""
        each = self._others if isinstance(key, str) else self._items
        if key not in self._own:
            return each
        if key not in self._known:
            found = _Schemas(each)
            for own, others in self._own[key]:
                found[own] += 1
                found.subtract(others)
            self._known[key] = found
        return self._known[key]


class Applications:
    """Counts the schemas that are applied to data.

    Attributes:
        most: schemas that are applied to one value, at most; one more than `MAX_APPLIED` if that depends on the text,
            which has to be counted then.
    """

    def __init__(self, references: References) -> None:
        """Find out whether texts have to be counted."""
        self._references = references
        self._known: dict[str, _Together] = {}
        self._steps = 0
        self.most = self._most()

    def are_too_many(self, data: object) -> bool:
        """Whether the engine would apply more schemas to data than are left for their text."""
        return self.most > MAX_APPLIED and not spend_applied(self._excess(data, applied_left()))

    def places(self, data: object) -> list[tuple[Any, Iterable[str]]] | None:
        """Each value in data and the schemas that may be applied to it, inner values first; None if too many."""
        found: list[tuple[Any, Iterable[str]]] = [(data, (ROOT,))]
        pairs = 0
        for value, schemas in found:  # grows as it goes
            together = [self._together(one) for one in schemas]
            pairs += len(together)
            if pairs > MAX_PAIRS:
                return None
            for key, inner in _inside(value):
                found.append((inner, {schema for one in together for schema in one.of_member(key)}))
        return found[::-1]

    def _excess(self, data: object, most: int) -> int:
        """How many more schemas are applied to data than to such as need not be counted; not much above `most`."""
        excess = 0
        waiting: deque[tuple[Any, Mapping[str, int]]] = deque([(data, {ROOT: 1})])
        while waiting and excess <= most:
            value, schemas = waiting.popleft()
            applied = [(self._together(one), times) for one, times in schemas.items()]
            excess += sum(one.times * times for one, times in applied) - MAX_APPLIED
            for key, inner in _inside(value):
                below: dict[str, int] = {}
                for one, times in applied:
                    for schema, ways in one.of_member(key).items():
                        below[schema] = below.get(schema, 0) + ways * times
                waiting.append((inner, below))
        return max(0, excess)

    def _most(self) -> int:
        """What each schema leads to, those behind it first, again and again until that is as before or too much."""
        most: dict[str, int] = {}
        order: list[str] = []
        waiting = [(ROOT, False)]
        while waiting:
            pointer, is_behind = waiting.pop()
            if is_behind:
                order.append(pointer)
            elif pointer not in most:
                most[pointer] = self._together(pointer).times
                waiting.append((pointer, True))
                waiting += ((one, False) for part in self._members(pointer) for one in part)
        is_as_before = False
        while not is_as_before and max(most.values()) <= MAX_APPLIED and self._steps <= MAX_ANALYSED:
            is_as_before = True
            for pointer in order:
                below = max(sum(ways * most[one] for one, ways in part.items()) for part in self._members(pointer))
                if below > most[pointer]:
                    most[pointer], is_as_before = min(below, MAX_APPLIED + 1), False
        return MAX_APPLIED + 1 if self._steps > MAX_ANALYSED else min(max(most.values()), MAX_APPLIED + 1)

    def _members(self, pointer: str) -> list[_Schemas]:
        """What may be applied to the members of a value that a schema is applied to; nothing after too many steps."""
        together = self._together(pointer)
        self._steps += len(together.keys)
        parts = [together.of_member(key) for key in together.keys] if self._steps <= MAX_ANALYSED else []
        self._steps += sum(map(len, parts))
        return parts or [_Schemas()]

    def _together(self, pointer: str) -> _Together:
        if pointer not in self._known:
            self._known[pointer] = _Together(self._references, pointer)
        return self._known[pointer]


def _inside(value: object) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
