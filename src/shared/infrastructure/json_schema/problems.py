"""Says what is wrong with data that a schema refuses: each place, in two languages, without a value of the data.

The validator only answers yes or no here. Its own errors repeat the data, and for alternatives inside alternatives
they are as many as there are ways through them. This looks for the places itself: from the root down, only into what
is refused, and of several alternatives only into the one that the value was meant for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.language import Message
from src.shared.infrastructure.json_schema import problem_messages as said
from src.shared.infrastructure.json_schema.drafts import ROOT, step_of
from src.shared.infrastructure.json_schema.engine import Engine, TooManyPartsError
from src.shared.infrastructure.json_schema.references import ALTERNATIVES, Place, References

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


Loc: TypeAlias = tuple[str | int, ...]

MAX_PROBLEMS = 200
"""Problems of one text that are counted."""
MAX_CHECKS = 20_000
"""Schemas that are compared with a value to find them."""


class Problem(NamedTuple):
    """One problem.

    Attributes:
        loc: the place in the data; of a missing key its own.
        kind: Pydantic's name for such a problem where it has one.
        message: what is wrong.
    """

    loc: Loc
    kind: str
    message: Message


class _Visit(NamedTuple):
    """A schema that refuses a value."""

    pointer: str
    schema: Any
    value: Any
    loc: Loc

    def at(self, *path: str | int) -> str:
        """The pointer of a schema in this one."""
        pointer = self.pointer
        for step in path:
            pointer = step_of(pointer, step)
        return pointer


class Explainer:
    """Explains what one schema refuses."""

    def __init__(self, root: dict[str, Any], references: References, engine: Engine) -> None:
        self._root = root
        self._references = references
        self._engine = engine
        self._nearest = Nearest(references, engine)

    def problems(self, data: Any) -> list[Problem]:  # noqa: ANN401 - decoded JSON
        """The problems of data that the schema refuses, in the order of their places; at least one."""
        return _Explanation(self._references, self._engine, self._nearest).of(_Visit(ROOT, self._root, data, ()))


class _Explanation:
    def __init__(self, references: References, engine: Engine, nearest: Nearest) -> None:
        self._references = references
        self._engine = engine
        self._nearest = nearest
        self._checks = MAX_CHECKS
        self._found: dict[Problem, None] = {}

    def of(self, first: _Visit) -> list[Problem]:
        waiting = [first]
        while waiting and self._checks > 0 and len(self._found) < MAX_PROBLEMS:
            visit = waiting.pop()
            before = len(self._found)
            try:
                inner = [*islice(self._visited(visit), MAX_PROBLEMS)]
            except TooManyPartsError:
                inner = []
            waiting += reversed(inner)
            if not inner and len(self._found) == before:
                self._add(visit.loc, *said.other(visit.schema))
        if not self._found:
            self._add(visit.loc, *said.other(visit.schema))
        return sorted(self._found, key=lambda problem: [(isinstance(step, str), step) for step in problem.loc])

    def _add(self, loc: Loc, kind: str, message: Message) -> None:
        self._found[Problem(loc, kind, message)] = None

    def _visited(self, visit: _Visit) -> Iterator[_Visit]:
        """What is refused inside; the problems of the schema's own keywords are noted."""
        schema = visit.schema
        if not isinstance(schema, dict):
            self._add(visit.loc, *said.nothing_allowed())
            return
        self._own_keywords(visit)
        if "$ref" in schema:
            pointer, target = self._references.target(schema)
            yield from self._refused([_Visit(pointer, target, visit.value, visit.loc)])
        yield from self._refused(
            visit._replace(pointer=visit.at("allOf", at), schema=part)
            for at, part in enumerate(schema.get("allOf", ()))
        )
        for keyword in ALTERNATIVES:
            if keyword in schema:
                yield from self._alternative(visit, keyword)
        if "if" in schema:
            held = self._engine.accepts_at(visit.at("if"), visit.value)
            branch = "then" if held else "else"
            if branch in schema:
                yield from self._refused([visit._replace(pointer=visit.at(branch), schema=schema[branch])])
        yield from self._refused(self._members(visit))

    def _refused(self, visits: Iterable[_Visit]) -> Iterator[_Visit]:
        for visit in visits:
            self._checks -= 1
            if self._checks <= 0:
                return
            if visit.schema is False or (
                visit.schema is not True and not self._engine.accepts_at(visit.pointer, visit.value)
            ):
                yield visit

    def _own_keywords(self, visit: _Visit) -> None:
        for keyword in said.LEAVES:
            if keyword not in visit.schema:
                continue
            stated = visit.schema[keyword]
            if self._engine.accepts_by(visit.pointer, keyword, stated, visit.value):
                continue
            if keyword == "required":
                for key in stated:
                    if key not in visit.value and len(self._found) < MAX_PROBLEMS:
                        self._add((*visit.loc, key), *said.missing())
                continue
            self._add(visit.loc, *said.broken(keyword, stated))
            if keyword == "type":
                return  # what else is asked of a value of that type says nothing more

    def _alternative(self, visit: _Visit, keyword: str) -> Iterator[_Visit]:
        """The alternative that the value was meant for, where none fits and that can be told."""
        places = [self._references.resolved(visit.at(keyword, at), one) for at, one in enumerate(visit.schema[keyword])]
        fitting = [place for place in places if self._engine.accepts_at(place.pointer, visit.value) and place.schema]
        if len(fitting) > 1 and keyword == "oneOf":
            self._add(visit.loc, *said.several_fit(len(fitting), len(places)))
        if fitting:
            return
        self._checks -= len(places)
        meant = self._nearest.of(places, visit.value)
        if meant is None:
            self._add(visit.loc, *said.none_fits([place.schema for place in places]))
        else:
            yield _Visit(meant.pointer, meant.schema, visit.value, visit.loc)

    def _members(self, visit: _Visit) -> Iterator[_Visit]:
        if isinstance(visit.value, dict):
            return self._of_object(visit)
        return self._of_array(visit) if isinstance(visit.value, list) else iter(())

    def _of_object(self, visit: _Visit) -> Iterator[_Visit]:
        fixed, patterns = visit.schema.get("properties", {}), visit.schema.get("patternProperties", {})
        others = visit.schema.get("additionalProperties", True)
        for key, value in visit.value.items():
            loc = (*visit.loc, key)
            if key in fixed:
                yield _Visit(visit.at("properties", key), fixed[key], value, loc)
            matching = [one for one in patterns if self._engine.accepts_by(f"pattern {one}", "pattern", one, key)]
            for pattern in matching:
                yield _Visit(visit.at("patternProperties", pattern), patterns[pattern], value, loc)
            if key in fixed or matching:
                continue
            if others is False:
                self._add(loc, *said.unexpected())
            else:
                yield _Visit(visit.at("additionalProperties"), others, value, loc)

    def _of_array(self, visit: _Visit) -> Iterator[_Visit]:
        first = visit.schema.get("prefixItems", ())
        for at, value in enumerate(visit.value):
            loc = (*visit.loc, at)
            if at < len(first):
                yield _Visit(visit.at("prefixItems", at), first[at], value, loc)
            elif "items" in visit.schema:
                yield _Visit(visit.at("items"), visit.schema["items"], value, loc)
            else:
                return
