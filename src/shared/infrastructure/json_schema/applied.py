"""How often the schemas of a schema are applied to a text: the count that bounds what validating it costs.

A validator evaluates a schema anew for each way that leads to it: in a chain of thirty definitions that each refer
twice to the next, a billion times for one value. So what is applied to one value is bounded when the schema is taken.
Where two alternatives hold the same key, what is under it is validated twice, what is under that four times. Most
schemas have no such ways on end, whatever the text. Of the others each text is counted, in one walk along its values.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from src.shared.domain.language import Phrase
from src.shared.domain.schema_walk import ROOT, Part, parts_of
from src.shared.domain.work import applied_left, spend_applied
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError, too_large
from src.shared.infrastructure.json_schema.references import References

MAX_APPLIED = 500
"""Schemas that are applied to one value: through references, `allOf`, `anyOf` and the like, each as often as it is."""
MAX_CHAIN = 50
"""Of them, those that follow from each other."""
MAX_PAIRS = 50_000
"""Schemas and values that are compared one by one where the engine would apply too many: a third of a second."""
MAX_ANALYSED = 200_000
"""Steps to find out whether a text has to be counted; behind them, each is."""

_OF_ONE = ("properties", "prefixItems")
_OF_OTHERS = ("additionalProperties", "unevaluatedProperties")
_OF_KEYS = ("patternProperties", "propertyNames")
_OF_EACH_ITEM = ("items", "contains", "additionalItems", "unevaluatedItems")
_AGAIN = ("unevaluatedProperties", "unevaluatedItems")
"""Keywords for which the validator evaluates the others again, to know what they let in."""
_TIMES_AGAIN = 3
"""How often it does so in all, at most, as measured."""
_NO_KEY = "\0"
"""Stands for the keys that no schema names."""

_Schemas = Counter[str]
"""Schemas by their pointers, and how often each of them is applied."""


class _Together:
    """The schemas that are applied to one value together, each as often as it is.

    Attributes:
        times: how many there are.
        chain: how many of them follow from each other.
        keys: the members of a value that something else is applied to than to the others; a number is an item's place.
    """

    times: int
    chain: int

    def __init__(self, parts: Sequence[Part], inner: Sequence[_Together]) -> None:
        """Put together a schema with such parts, and what it applies to its own value."""
        self.times = 1 + sum(one.times for one in inner)
        self.chain = 1 + max((one.chain for one in inner), default=0)
        self.others, self.items = _Schemas(), _Schemas()
        self.own: defaultdict[str | int, list[tuple[str, list[str]]]] = defaultdict(list)
        others = [part.pointer for part in parts if part.keyword in _OF_OTHERS and isinstance(part.schema, dict)]
        for part in parts:
            if part.key is not None and part.keyword in _OF_ONE:
                self.own[part.key].append((part.pointer, others if isinstance(part.key, str) else []))
            elif part.pointer in others or part.keyword in _OF_KEYS:
                self.others[part.pointer] += 1
            elif isinstance(part.schema, dict) and part.keyword in _OF_EACH_ITEM:
                self.items[part.pointer] += 1
        for one in inner:
            self.others.update(one.others)
            self.items.update(one.items)
            for key, own in one.own.items():
                self.own[key] += own
        self.keys: tuple[str | int, ...] = (*self.own, _NO_KEY, -1)
        self._known: dict[str | int, _Schemas] = {}

    def with_one_more(self) -> _Together:
        """The same, applied with one schema more that says nothing of members."""
        more = copy(self)
        more.times, more.chain = self.times + 1, self.chain + 1
        return more

    def of_member(self, key: str | int) -> _Schemas:
        """What is applied to the member of a key, or to the item at a place."""
        each = self.others if isinstance(key, str) else self.items
        if key not in self.own:
            return each
        if key not in self._known:
            found = _Schemas(each)
            for own, others in self.own[key]:
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
        """Check what is applied to one value, and find out whether texts have to be counted.

        Raises:
            JsonSchemaError: it is too much, or a reference leads back to itself.
        """
        self._references = references
        self._known: dict[str, _Together] = {}
        self._steps = 0
        for place in references.places:
            self._together(place)
        self.most = self._most()

    def are_too_many(self, data: object) -> bool:
        """Whether the engine would apply more schemas to data than are left for their text."""
        excess, most = 0, applied_left()
        waiting: deque[tuple[Any, Mapping[str, int]]] = deque([(data, {ROOT: 1})] if self.most > MAX_APPLIED else [])
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
        return self.most > MAX_APPLIED and not spend_applied(max(0, excess))

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

    def _together(self, place: str, outer: tuple[str, ...] = ()) -> _Together:
        if place in self._known:
            return self._known[place]
        if place in outer:
            raise JsonSchemaError(place, Phrase("a $ref leads back to itself without end"))
        schema = self._references.places[place]
        schema = schema if isinstance(schema, dict) else {}
        parts = [*parts_of(schema, place)]
        same = [part.pointer for part in parts if part.same_value]
        same += [self._references.target(schema)] if "$ref" in schema else []
        same *= _TIMES_AGAIN if any(keyword in schema for keyword in _AGAIN) else 1
        inner = [self._together(one, (*outer, place)) for one in same] if len(outer) < MAX_CHAIN else []
        if sum(one.times for one in inner) >= MAX_APPLIED:
            raise too_large(place, MAX_APPLIED, Phrase("schemas that are applied to one value"))
        if max([len(outer), *(one.chain for one in inner)]) >= MAX_CHAIN:
            raise too_large(place, MAX_CHAIN, Phrase("schemas that follow from each other for one value"))
        is_a_link = len(same) == 1 and all(part.same_value for part in parts)
        self._known[place] = inner[0].with_one_more() if is_a_link else _Together(parts, inner)
        return self._known[place]


def _inside(value: object) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
