"""Says what is wrong with data that a schema refuses: each place, in two languages, without a value of the data.

The validator only answers yes or no here. Its own errors repeat the data, and for alternatives inside alternatives
they are as many as there are ways through them. This looks for the places itself: from the root down, only into what
is refused, and of several alternatives only into the one that the value was meant for.

A problem is called as Pydantic calls it, where it has one, and told by the keyword that is broken: what the schema asks
for, cut to a bound, and nothing of the data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.json_schema.drafts import ROOT, pointer_to
from src.shared.infrastructure.json_schema.engine import Engine, TooManyPartsError
from src.shared.infrastructure.json_schema.memoized import MemoizedEngine
from src.shared.infrastructure.json_schema.references import ALTERNATIVES, Place, References

STATED_LIMIT = 120
"""Characters of what a schema asks for that a problem shows."""
_CHOICES_SHOWN = 10

_TYPES = {
    "object": Phrase("an object"),
    "array": Phrase("an array"),
    "string": Phrase("a string"),
    "integer": Phrase("an integer"),
    "number": Phrase("a number"),
    "boolean": Phrase("a boolean"),
    "null": Phrase("null"),
}
_TYPE_KINDS = {"integer": "int_type", "number": "float_type", "boolean": "bool_type", "null": "none_required"}
_TYPE_KINDS |= {"object": "dict_type", "array": "list_type", "string": "string_type"}
Told = tuple[str, Message]
"""A problem's type and its message."""


_LEAVES: dict[str, tuple[str, Callable[..., Message]]] = {
    "minimum": ("greater_than_equal", partial(Phrase, "should be greater than or equal to {stated}")),
    "exclusiveMinimum": ("greater_than", partial(Phrase, "should be greater than {stated}")),
    "maximum": ("less_than_equal", partial(Phrase, "should be less than or equal to {stated}")),
    "exclusiveMaximum": ("less_than", partial(Phrase, "should be less than {stated}")),
    "multipleOf": ("multiple_of", partial(Phrase, "should be a multiple of {stated}")),
    "minLength": ("string_too_short", partial(Phrase, "should have at least {stated} characters")),
    "maxLength": ("string_too_long", partial(Phrase, "should have at most {stated} characters")),
    "pattern": ("string_pattern_mismatch", partial(Phrase, "should match the pattern {stated}")),
    "minItems": ("too_short", partial(Phrase, "should have at least {stated} items")),
    "maxItems": ("too_long", partial(Phrase, "should have at most {stated} items")),
    "uniqueItems": ("unique_items", partial(Phrase, "should have no item twice")),
    "minProperties": ("too_short", partial(Phrase, "should have at least {stated} keys")),
    "maxProperties": ("too_long", partial(Phrase, "should have at most {stated} keys")),
    "dependentRequired": ("missing_argument", partial(Phrase, "lacks keys that others ask for: {stated}")),
    "const": ("literal_error", partial(Phrase, "should be {stated}")),
}
"""How a keyword without schemas in it is told, with what the schema states, which may be words."""
LEAVES = ("type", "enum", "required", *_LEAVES)
"""Keywords that are checked by themselves."""


def _broken(keyword: str, stated: Any) -> Told:  # noqa: ANN401 - whatever the keyword holds
    """One of the `LEAVES` is not satisfied."""
    if keyword == "type":
        types = [stated] if isinstance(stated, str) else stated
        listed = Phrase.joined("{one} or {other}", (_TYPES[name] for name in types))
        return (_TYPE_KINDS[types[0]] if len(types) == 1 else "type"), Phrase("should be {types}", types=listed)
    if keyword == "enum":
        shown = _cut(", ".join(map(_json, stated[:_CHOICES_SHOWN])) + (", …" if len(stated) > _CHOICES_SHOWN else ""))
        return "enum", Phrase("should be one of {listed}", listed=shown)
    kind, told = _LEAVES[keyword]
    return kind, told(stated=_cut(stated if keyword == "pattern" else _json(stated)))


def _missing() -> Told:
    return "missing", Phrase("is missing")


def _unexpected() -> Told:
    return "extra_forbidden", Phrase("is not allowed here")


def _nothing_allowed() -> Told:
    return "extra_forbidden", Phrase("no value is allowed here")


def _none_fits(choices: Sequence[Any]) -> Told:
    """No alternative fits, and it cannot be told which one was meant."""
    count = len(choices)
    titles = [choice["title"] for choice in choices[:_CHOICES_SHOWN] if isinstance(choice, dict) and "title" in choice]
    named = f" ({_cut(', '.join(titles))})" if titles else ""
    return "any_of", Phrase("fits none of the {count} alternatives{named}", count=count, named=named)


def _several_fit(fitting: int, count: int) -> Told:
    """Several of the alternatives of `oneOf` fit."""
    return "one_of", Phrase(
        "fits {fitting} of the {count} alternatives, and should fit exactly one", fitting=fitting, count=count
    )


def _other(schema: Any) -> Told:  # noqa: ANN401 - a schema may be true or false
    """Some other keyword refuses the value: it holds a schema that cannot be told in a line."""
    keywords = [keyword for keyword in _OPAQUE if keyword in schema]
    said = ", ".join(keywords) or Phrase("the schema")
    return "json_schema", Phrase("does not satisfy {said}", said=said)


_OPAQUE = (
    *("not", "contains", "minContains", "maxContains", "propertyNames", "dependentSchemas", "dependencies"),
    *("unevaluatedItems", "unevaluatedProperties", "contentEncoding", "contentMediaType"),
)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return one_line(text, STATED_LIMIT)


_SAYS_WHICH = ("const", "enum")
_AT_THE_DOOR = ("type", *_SAYS_WHICH)


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
        return pointer_to(self.pointer, path)


def problems_of(
    root: dict[str, Any], references: References, engine: Engine | MemoizedEngine, data: object
) -> list[Problem]:
    """The problems of data that the schema `root` refuses, in the order of their places; at least one."""
    return _Explanation(references, engine).of(_Visit(ROOT, root, data, ()))


class _Explanation:
    def __init__(self, references: References, engine: Engine | MemoizedEngine) -> None:
        self._references = references
        self._engine = engine
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
                self._add(visit.loc, *_other(visit.schema))
        if not self._found:
            self._add(visit.loc, *_other(visit.schema))
        return sorted(self._found, key=lambda problem: [(isinstance(step, str), step) for step in problem.loc])

    def _add(self, loc: Loc, kind: str, message: Message) -> None:
        self._found[Problem(loc, kind, message)] = None

    def _visited(self, visit: _Visit) -> Iterator[_Visit]:
        """What is refused inside; the problems of the schema's own keywords are noted."""
        schema = visit.schema
        if not isinstance(schema, dict):
            self._add(visit.loc, *_nothing_allowed())
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
        for keyword in LEAVES:
            if keyword not in visit.schema:
                continue
            stated = visit.schema[keyword]
            if self._engine.accepts_by(visit.pointer, keyword, stated, visit.value):
                continue
            if keyword == "required":
                for key in stated:
                    if key not in visit.value and len(self._found) < MAX_PROBLEMS:
                        self._add((*visit.loc, key), *_missing())
                continue
            self._add(visit.loc, *_broken(keyword, stated))
            if keyword == "type":
                return  # what else is asked of a value of that type says nothing more

    def _alternative(self, visit: _Visit, keyword: str) -> Iterator[_Visit]:
        """The alternative that the value was meant for, where none fits and that can be told."""
        places = [self._references.resolved(visit.at(keyword, at), one) for at, one in enumerate(visit.schema[keyword])]
        fitting = [place for place in places if self._engine.accepts_at(place.pointer, visit.value) and place.schema]
        if len(fitting) > 1 and keyword == "oneOf":
            self._add(visit.loc, *_several_fit(len(fitting), len(places)))
        if fitting:
            return
        self._checks -= len(places)
        meant = self._nearest(places, visit.value)
        if meant is None:
            self._add(visit.loc, *_none_fits([place.schema for place in places]))
        else:
            yield _Visit(meant.pointer, meant.schema, visit.value, visit.loc)

    def _nearest(self, places: Sequence[Place], value: object) -> Place | None:
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
            pointer = pointer_to(place.pointer, ("properties", key))
            tags = [one for one in _SAYS_WHICH if key in value and isinstance(inner, dict) and one in inner]
            if not all(self._engine.accepts_by(pointer, tag, inner[tag], value[key]) for tag in tags):
                return False
        return True

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
                self._add(loc, *_unexpected())
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
