"""Compares data with a schema one keyword after the other: says what is wrong with it, in two languages.

The validator's own errors are not taken. All of them are made before the first is seen, each with a copy of the value
it is about, and for alternatives inside alternatives they are as many as there are ways through them: 2 seconds for 14
levels that take 10 µs to refuse. This goes from the root down, only into what is refused, and of several alternatives
only into the one that the value was meant for.

A problem is called as Pydantic calls it, where it has one, and told by the keyword that refuses: what the schema asks
for, cut to a bound, and nothing of the data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import CHOICES, ROOT, Schema, pointer_to
from src.shared.infrastructure.json_schema.engine import Engine, TooManyPartsError
from src.shared.infrastructure.json_schema.references import References

Loc: TypeAlias = tuple[str | int, ...]

MAX_PROBLEMS = 200
"""Problems of one text that are counted."""
MAX_CHECKS = 20_000
"""Schemas that are compared with a value to find them."""
_MANY = 50
"""Names of keys, or items that are looked for, that count as one of these."""
STATED_LIMIT = 120
"""Characters of what a schema asks for that a problem shows."""
_CHOICES_SHOWN = 10

_TAGS = ("const", "enum")
_DISCRIMINATORS = ("type", *_TAGS)
_CONTAINS = ("contains", "minContains", "maxContains")
_UNEVALUATED = ("unevaluatedItems", "unevaluatedProperties")
"""Keywords that ask what others have let in: only the validator knows."""


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


class _Refusal(NamedTuple):
    """A schema that refuses a value, or a keyword of it that does.

    Attributes:
        place: where the schema stands, as a JSON pointer.
        value: the value.
        loc: where that stands in the data.
        keyword: the keyword, or several that are one; `false` where no value is allowed; empty if it is not known; None
            where it is to be looked for.
        stated: what the schema holds there, or what is to be told of it.
    """

    place: str
    value: Any
    loc: Loc = ()
    keyword: str | None = None
    stated: Any = None

    def at(self, *path: str | int) -> _Refusal:
        """The same value and a schema in this one."""
        return self._replace(place=pointer_to(self.place, path))

    def member(self, key: str | int, *path: str | int) -> _Refusal:
        """A member of the value and a schema in this one."""
        return _Refusal(pointer_to(self.place, path), self.value[key], (*self.loc, key))

    def by(self, keyword: str, stated: object = None, *inside: str) -> _Refusal:
        """A keyword of the schema that refuses the value, or one of its keys."""
        return self._replace(keyword=keyword, stated=stated, loc=(*self.loc, *inside))


class Comparison:
    """Compares values with the schemas in a schema.

    Args:
        references: the schema's.
        engine: says whether a schema accepts a value.
        places: the values of a text and the schemas that may be applied to each, inner values first, if the engine is
            not to be asked, which would take each way that leads to a schema. Each pair is compared once then. That is
            many times slower than the engine for a single value.
    """

    def __init__(
        self, references: References, engine: Engine, places: Iterable[tuple[Any, Iterable[str]]] | None = None
    ) -> None:
        self._schemas = references.places
        self._references = references
        self._ignored = references.dialect.ignored
        self._engine = engine
        self._known: dict[tuple[str, int], bool] | None = None if places is None else {}
        self._left = MAX_CHECKS
        for value, schemas in places or ():
            for place in schemas:
                self.accepts(place, value)

    @staticmethod
    def knows(references: References) -> bool:
        """Whether all keywords of a schema can be compared without the engine."""
        schemas = (schema for schema in references.places.values() if isinstance(schema, dict))
        return not any(keyword in schema for schema in schemas for keyword in _UNEVALUATED)

    def accepts(self, place: str, value: object) -> bool:
        """Whether a schema accepts a value, which lives as long as this object."""
        schema = self._schemas[place]
        if isinstance(schema, bool):
            return schema
        if self._known is None:
            return self._engine.accepts_at(place, value)
        key = place, id(value)
        if key not in self._known:
            self._known[key] = next(self._refusals(_Refusal(place, value)), None) is None
        return self._known[key]

    def problems(self, data: object) -> list[Problem]:
        """The problems of data that the schema refuses, in the order of their places; at least one."""
        self._left = MAX_CHECKS
        found: dict[Problem, None] = {}
        waiting = [_Refusal(ROOT, data)]
        while waiting and self._left > 0 and len(found) < MAX_PROBLEMS:
            visit = waiting.pop()
            inner: list[_Refusal] = []
            told: list[_Refusal] = []
            with suppress(TooManyPartsError):  # what is found out before that is told
                for one in map(self._nearest, islice(self._refusals(visit), MAX_PROBLEMS)):
                    (inner if one.keyword is None else told).append(one)
            told += [] if inner or told else [visit.by("")]
            found |= dict.fromkeys(map(self._problem, told[: MAX_PROBLEMS - len(found)]))
            waiting += reversed(inner)
        if not found:
            found[self._problem(visit.by(""))] = None
        return sorted(found, key=lambda problem: [(isinstance(step, str), step) for step in problem.loc])

    def _refused(self, visits: Iterable[_Refusal]) -> Iterator[_Refusal]:
        for visit in visits:
            if not self._spend():
                return
            if not self.accepts(visit.place, visit.value):
                yield visit

    def _spend(self, small: int = _MANY) -> bool:
        """Charge for so many small comparisons with the engine, by default as much as for one with a whole schema."""
        self._left -= small // _MANY
        return self._left > 0 or self._known is not None

    def _refusals(self, visit: _Refusal) -> Iterator[_Refusal]:
        """What a schema's own keywords refuse of a value, and its inner schemas that refuse it or a member of it."""
        schema = self._schemas[visit.place]
        if not isinstance(schema, dict):
            yield from () if schema else [visit.by("false")]
            return
        if not self._ignored.isdisjoint(schema):
            schema = {key: held for key, held in schema.items() if key not in self._ignored}
        yield from self._by_leaves(visit, schema)
        yield from self._by_schemas(visit, schema)
        if isinstance(visit.value, dict):
            yield from self._by_members(visit, schema)
        if isinstance(visit.value, list):
            yield from self._by_items(visit, schema)

    def _by_schemas(self, visit: _Refusal, schema: Schema) -> Iterator[_Refusal]:
        same = [visit._replace(place=self._references.target(schema))] if "$ref" in schema else []
        same += [visit.at("allOf", at) for at in range(len(schema.get("allOf", ())))]
        if "if" in schema:
            branch = "then" if self.accepts(visit.at("if").place, visit.value) else "else"
            same += [visit.at(branch)] if branch in schema else []
        yield from self._refused(same)
        for keyword in CHOICES:
            if keyword in schema and self._spend(_MANY * len(schema[keyword])):
                choices = (visit.at(keyword, at).place for at in range(len(schema[keyword])))
                fitting = sum(self.accepts(one, visit.value) for one in choices)
                if fitting == 0 or (fitting > 1 and keyword == "oneOf"):
                    yield visit.by(keyword, fitting)
        if "not" in schema and self.accepts(visit.at("not").place, visit.value):
            yield visit.by("not")

    def _by_leaves(self, visit: _Refusal, schema: Schema) -> Iterator[_Refusal]:
        for keyword in _LEAVES:
            if keyword not in schema:
                continue
            stated = schema[keyword]
            if self._engine.accepts_by(visit.place, keyword, stated, visit.value):
                continue
            if keyword == "required":
                missing = (key for key in stated if key not in visit.value)
                yield from (visit.by(keyword, None, key) for key in missing)
                continue
            yield visit.by(keyword, stated)
            if keyword == "type":
                return  # what else is asked of a value of that type says nothing more

    def _by_members(self, visit: _Refusal, schema: Schema) -> Iterator[_Refusal]:
        for keyword in ("dependentSchemas", "dependencies"):
            held = schema.get(keyword, {})
            for key in (key for key in visit.value if key in held):
                if not isinstance(held[key], list):
                    yield from self._refused([visit.at(keyword, key)])
                elif not visit.value.keys() >= {*held[key]}:
                    yield visit.by(keyword)
        fixed, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        others = schema.get("additionalProperties", True)
        for key in visit.value if self._spend(len(visit.value) * (1 + len(patterns))) else ():
            if "propertyNames" in schema and not self.accepts(visit.at("propertyNames").place, key):
                yield visit.by("propertyNames")
            matching = [one for one in patterns if self._engine.accepts_by(f"key {one}", "pattern", one, key)]
            inner = [visit.member(key, "patternProperties", one) for one in matching]
            inner += [visit.member(key, "properties", key)] if key in fixed else []
            yield from self._refused(inner)
            if not inner and others is False:
                yield visit.by("additionalProperties", None, key)
            elif not inner and others is not True:
                yield from self._refused([visit.member(key, "additionalProperties")])

    def _by_items(self, visit: _Refusal, schema: Schema) -> Iterator[_Refusal]:
        first, count = len(schema.get("prefixItems", ())), len(visit.value)
        yield from self._refused(visit.member(at, "prefixItems", at) for at in range(min(first, count)))
        if "items" in schema:
            yield from self._refused(visit.member(at, "items") for at in range(first, count))
        if "contains" in schema and self._spend(count):
            place = visit.at("contains").place
            held = sum(self.accepts(place, one) for one in visit.value)
            if not schema.get("minContains", 1) <= held <= schema.get("maxContains", held):
                yield visit.by(", ".join(one for one in _CONTAINS if one in schema))

    def _nearest(self, refusal: _Refusal) -> _Refusal:
        """Of alternatives that all refuse, the one that the value's type and its tags leave, or that knows most keys.

        What is no such refusal, or leaves several, is given back.
        """
        if refusal.keyword not in CHOICES or refusal.stated:
            return refusal
        value, choices = refusal.value, self._choices(refusal)
        left = {one: schema for one in choices if isinstance(schema := self._schemas[one], dict)}
        left = {one: schema for one, schema in left.items() if self._fits(one, schema, _DISCRIMINATORS, value)}
        if isinstance(value, dict) and len(left) > 1:
            left = {one: schema for one, schema in left.items() if self._has_its_tags(one, schema, value)} or left
            known = {one: len(value.keys() & schema.get("properties", {}).keys()) for one, schema in left.items()}
            left = {one: schema for one, schema in left.items() if known[one] == max(known.values())}
        return refusal._replace(place=next(iter(left)), keyword=None) if len(left) == 1 else refusal

    def _choices(self, refusal: _Refusal) -> list[str]:
        """The places of the alternatives of a keyword."""
        choices = range(len(self._schemas[refusal.place][refusal.keyword]))
        return [self._references.resolved(refusal.at(str(refusal.keyword), at).place) for at in choices]

    def _fits(self, pointer: str, schema: Schema, keywords: Iterable[str], value: object) -> bool:
        stated = [(keyword, schema[keyword]) for keyword in keywords if keyword in schema]
        return all(self._engine.accepts_by(pointer, *one, value) for one in stated)

    def _has_its_tags(self, pointer: str, schema: Schema, value: dict[str, Any]) -> bool:
        """Whether the keys whose value says which alternative it is have the value of this one."""
        members = schema.get("properties", {}).items()
        known = [(key, inner) for key, inner in members if key in value and isinstance(inner, dict)]
        return all(
            self._fits(pointer_to(pointer, ("properties", key)), inner, _TAGS, value[key]) for key, inner in known
        )

    def _problem(self, refusal: _Refusal) -> Problem:
        """A refusal in words."""
        keyword, stated, loc = str(refusal.keyword), refusal.stated, refusal.loc
        if keyword == "type":
            types = [stated] if isinstance(stated, str) else stated
            named = Phrase.joined("{one} or {other}", (_TYPES[name][1] for name in types))
            kind = _TYPES[types[0]][0] if len(types) == 1 else "type"
            return Problem(loc, kind, Phrase("should be {types}", types=named))
        if keyword in CHOICES:
            choices = [self._schemas[one] for one in self._choices(refusal)]
            count = len(choices)
            if stated:
                several = Phrase(
                    "fits {fitting} of the {count} alternatives, and should fit exactly one",
                    fitting=stated,
                    count=count,
                )
                return Problem(loc, "one_of", several)
            titles = [one["title"] for one in choices[:_CHOICES_SHOWN] if isinstance(one, dict) and "title" in one]
            listed = f" ({one_line(', '.join(titles), STATED_LIMIT)})" if titles else ""
            none = Phrase("fits none of the {count} alternatives{named}", count=count, named=listed)
            return Problem(loc, "any_of", none)
        if keyword in _WORDS:
            kind, told = _WORDS[keyword]
            return Problem(loc, kind, told(stated=_shown(keyword, stated)))
        said = keyword or ", ".join(one for one in _UNEVALUATED if one in self._schemas[refusal.place])
        return Problem(loc, "json_schema", Phrase("does not satisfy {said}", said=said or Phrase("the schema")))


_TYPES = {
    "object": ("dict_type", Phrase("an object")),
    "array": ("list_type", Phrase("an array")),
    "string": ("string_type", Phrase("a string")),
    "integer": ("int_type", Phrase("an integer")),
    "number": ("float_type", Phrase("a number")),
    "boolean": ("bool_type", Phrase("a boolean")),
    "null": ("none_required", Phrase("null")),
}
_WORDS: dict[str, tuple[str, Callable[..., Message]]] = {
    "enum": ("enum", partial(Phrase, "should be one of {stated}")),
    "required": ("missing", partial(Phrase, "is missing")),
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
    "additionalProperties": ("extra_forbidden", partial(Phrase, "is not allowed here")),
    "false": ("extra_forbidden", partial(Phrase, "no value is allowed here")),
}
"""Of a keyword that refuses: its kind, and its words with what the schema asks for."""
_LEAVES = ("type", *(keyword for keyword in _WORDS if keyword not in ("additionalProperties", "false")))
_LEAVES += ("contentEncoding", "contentMediaType")
"""Keywords that are checked by themselves: none of them holds a schema."""


def _shown(keyword: str, stated: Any) -> str:  # noqa: ANN401 - whatever the keyword holds
    """What a schema asks for, on one line."""
    if keyword == "enum":
        more = [", …"] if len(stated) > _CHOICES_SHOWN else []
        listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in stated[:_CHOICES_SHOWN])
        return one_line("".join([listed, *more]), STATED_LIMIT)
    return one_line(stated if keyword == "pattern" else json.dumps(stated, ensure_ascii=False), STATED_LIMIT)
