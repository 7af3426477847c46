"""Compares data with a schema one keyword after the other: says what is wrong with it, in two languages.

The validator's own errors are not taken. All of them are made before the first is seen, each with a copy of the value
it is about, and for alternatives inside alternatives they are as many as there are ways through them: 2 seconds for 14
levels that take 10 µs to refuse. This goes from the root down, only into what is refused, and of several alternatives
only into the one that the value was meant for.

A problem is called as Pydantic calls it, where it has one, and told by the keyword that is broken: what the schema asks
for, cut to a bound, and nothing of the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import CHOICES, ROOT, Schema, pointer_to
from src.shared.infrastructure.json_schema.engine import Engine, TooManyPartsError
from src.shared.infrastructure.json_schema.references import References

Loc: TypeAlias = tuple[str | int, ...]

MAX_PROBLEMS = 200
"""Problems of one text that are counted."""
MAX_CHECKS = 20_000
"""Schemas that are compared with a value to find them."""
STATED_LIMIT = 120
"""Characters of what a schema asks for that a problem shows."""
_CHOICES_SHOWN = 10

_SAYS_WHICH = ("const", "enum")
_AT_THE_DOOR = ("type", *_SAYS_WHICH)
_CONTAINS = ("contains", "minContains", "maxContains")
_LET_IN = ("unevaluatedItems", "unevaluatedProperties")
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


class _Visit(NamedTuple):
    """A schema, by its pointer, and a value that is compared with it."""

    pointer: str
    value: Any
    loc: Loc = ()

    def at(self, *path: str | int) -> _Visit:
        """The same value and a schema in this one."""
        return self._replace(pointer=pointer_to(self.pointer, path))

    def member(self, key: str | int, *path: str | int) -> _Visit:
        """A member of the value and a schema in this one."""
        return _Visit(pointer_to(self.pointer, path), self.value[key], (*self.loc, key))


class _Broken(NamedTuple):
    """A keyword of a schema that a value does not satisfy.

    Attributes:
        visit: the schema and the value.
        keyword: the keyword, or several that are one; `false` where no value is allowed; empty if it is not known.
        stated: what the schema holds there, or what is to be told of it.
    """

    visit: _Visit
    keyword: str
    stated: Any = None


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
        for value, pointers in places or ():
            for pointer in pointers:
                self.accepts(pointer, value)

    @staticmethod
    def knows(references: References) -> bool:
        """Whether all keywords of a schema can be compared without the engine."""
        schemas = (schema for schema in references.places.values() if isinstance(schema, dict))
        return not any(keyword in schema for schema in schemas for keyword in _LET_IN)

    def accepts(self, pointer: str, value: object) -> bool:
        """Whether a schema accepts a value, which lives as long as this object."""
        schema = self._schemas[pointer]
        if isinstance(schema, bool):
            return schema
        if self._known is None:
            return self._engine.accepts_at(pointer, value)
        key = pointer, id(value)
        if key not in self._known:
            self._known[key] = next(self._broken(_Visit(pointer, value)), None) is None
        return self._known[key]

    def problems(self, data: object) -> list[Problem]:
        """The problems of data that the schema refuses, in the order of their places; at least one."""
        self._left = MAX_CHECKS
        found: dict[Problem, None] = {}
        waiting = [_Visit(ROOT, data)]
        while waiting and self._left > 0 and len(found) < MAX_PROBLEMS:
            visit = waiting.pop()
            inner: list[_Visit] = []
            is_told = False
            try:
                for one in islice(self._broken(visit), MAX_PROBLEMS):
                    meant = self._nearest(one) if isinstance(one, _Broken) else one
                    if meant is not None:
                        inner.append(meant)
                    elif isinstance(one, _Broken) and len(found) < MAX_PROBLEMS:
                        found[self._told(one)] = None
                        is_told = True
            except TooManyPartsError:
                inner = []
            waiting += reversed(inner)
            if not inner and not is_told:
                found[self._told(_Broken(visit, ""))] = None
        if not found:
            found[self._told(_Broken(visit, ""))] = None
        return sorted(found, key=lambda problem: [(isinstance(step, str), step) for step in problem.loc])

    def _refused(self, visits: Iterable[_Visit]) -> Iterator[_Visit]:
        for visit in visits:
            self._left -= 1
            if self._known is None and self._left <= 0:
                return
            if not self.accepts(visit.pointer, visit.value):
                yield visit

    def _broken(self, visit: _Visit) -> Iterator[_Broken | _Visit]:
        """What a schema's own keywords refuse of a value, and its inner schemas that refuse it or a member of it."""
        schema = self._schemas[visit.pointer]
        if not isinstance(schema, dict):
            yield from () if schema else [_Broken(visit, "false")]
            return
        if not self._ignored.isdisjoint(schema):
            schema = {key: held for key, held in schema.items() if key not in self._ignored}
        yield from self._broken_leaves(visit, schema)
        yield from self._broken_together(visit, schema)
        if isinstance(visit.value, dict):
            yield from self._broken_members(visit, schema)
        if isinstance(visit.value, list):
            yield from self._broken_items(visit, schema)

    def _broken_together(self, visit: _Visit, schema: Schema) -> Iterator[_Broken | _Visit]:
        same = [visit._replace(pointer=self._references.target(schema).pointer)] if "$ref" in schema else []
        same += [visit.at("allOf", at) for at in range(len(schema.get("allOf", ())))]
        if "if" in schema:
            branch = "then" if self.accepts(visit.at("if").pointer, visit.value) else "else"
            same += [visit.at(branch)] if branch in schema else []
        yield from self._refused(same)
        for keyword in CHOICES:
            if keyword in schema:
                choices = (visit.at(keyword, at).pointer for at in range(len(schema[keyword])))
                fitting = sum(self.accepts(one, visit.value) for one in choices)
                if fitting == 0 or (fitting > 1 and keyword == "oneOf"):
                    yield _Broken(visit, keyword, fitting)
        if "not" in schema and self.accepts(visit.at("not").pointer, visit.value):
            yield _Broken(visit, "not")

    def _broken_leaves(self, visit: _Visit, schema: Schema) -> Iterator[_Broken]:
        for keyword in _LEAVES:
            if keyword not in schema:
                continue
            stated = schema[keyword]
            if self._engine.accepts_by(visit.pointer, keyword, stated, visit.value):
                continue
            if keyword == "required":
                missing = (key for key in stated if key not in visit.value)
                yield from (_Broken(visit._replace(loc=(*visit.loc, key)), keyword) for key in missing)
                continue
            yield _Broken(visit, keyword, stated)
            if keyword == "type":
                return  # what else is asked of a value of that type says nothing more

    def _broken_members(self, visit: _Visit, schema: Schema) -> Iterator[_Broken | _Visit]:
        for keyword in ("dependentSchemas", "dependencies"):
            for key in visit.value.keys() & schema.get(keyword, {}).keys():
                if not isinstance(schema[keyword][key], list):
                    yield from self._refused([visit.at(keyword, key)])
                elif not visit.value.keys() >= {*schema[keyword][key]}:
                    yield _Broken(visit, keyword)
        fixed, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        others = schema.get("additionalProperties", True)
        for key in visit.value:
            if "propertyNames" in schema and not self.accepts(visit.at("propertyNames").pointer, key):
                yield _Broken(visit, "propertyNames")
            matching = [one for one in patterns if self._engine.accepts_by(f"key {one}", "pattern", one, key)]
            inner = [visit.member(key, "patternProperties", one) for one in matching]
            inner += [visit.member(key, "properties", key)] if key in fixed else []
            yield from self._refused(inner)
            if not inner and others is False:
                yield _Broken(visit._replace(loc=(*visit.loc, key)), "additionalProperties")
            elif not inner and others is not True:
                yield from self._refused([visit.member(key, "additionalProperties")])

    def _broken_items(self, visit: _Visit, schema: Schema) -> Iterator[_Broken | _Visit]:
        first, count = len(schema.get("prefixItems", ())), len(visit.value)
        yield from self._refused(visit.member(at, "prefixItems", at) for at in range(min(first, count)))
        if "items" in schema:
            yield from self._refused(visit.member(at, "items") for at in range(first, count))
        if "contains" in schema:
            place = visit.at("contains").pointer
            held = sum(self.accepts(place, one) for one in visit.value)
            if not schema.get("minContains", 1) <= held <= schema.get("maxContains", held):
                yield _Broken(visit, ", ".join(one for one in _CONTAINS if one in schema))

    def _nearest(self, broken: _Broken) -> _Visit | None:
        """The one alternative that the value's type and its tags leave, or that knows most of its keys; else None."""
        visit, keyword = broken.visit, broken.keyword
        if keyword not in CHOICES or broken.stated:
            return None
        choices = range(len(self._schemas[visit.pointer][keyword]))
        self._left -= len(choices)
        resolved = (self._references.resolved(visit.at(keyword, at).pointer) for at in choices)
        left = [place for place in resolved if isinstance(place.schema, dict)]
        left = [place for place in left if self._fits(place.pointer, place.schema, _AT_THE_DOOR, visit.value)]
        if isinstance(visit.value, dict) and len(left) > 1:
            left = [place for place in left if self._has_its_tags(place.pointer, place.schema, visit.value)] or left
            known = [len(visit.value.keys() & place.schema.get("properties", {}).keys()) for place in left]
            left = [place for place, count in zip(left, known, strict=True) if count == max(known)]
        return visit._replace(pointer=left[0].pointer) if len(left) == 1 else None

    def _fits(self, pointer: str, schema: Schema, keywords: Iterable[str], value: object) -> bool:
        stated = [(keyword, schema[keyword]) for keyword in keywords if keyword in schema]
        return all(self._engine.accepts_by(pointer, *one, value) for one in stated)

    def _has_its_tags(self, pointer: str, schema: Schema, value: dict[str, Any]) -> bool:
        """Whether the keys whose value says which alternative it is have the value of this one."""
        members = schema.get("properties", {}).items()
        known = [(key, inner) for key, inner in members if key in value and isinstance(inner, dict)]
        return all(
            self._fits(pointer_to(pointer, ("properties", key)), inner, _SAYS_WHICH, value[key]) for key, inner in known
        )

    def _told(self, broken: _Broken) -> Problem:
        """A broken keyword in words."""
        keyword, stated, loc = broken.keyword, broken.stated, broken.visit.loc
        schema = self._schemas[broken.visit.pointer]
        if keyword == "type":
            types = [stated] if isinstance(stated, str) else stated
            zh, en = (sign.join(_TYPES[name][at] for name in types) for at, sign in ((1, "或"), (2, " or ")))
            kind = _TYPES[types[0]][0] if len(types) == 1 else "type"
            return Problem(loc, kind, Message(f"须是{zh}", f"should be {en}"))
        if keyword in CHOICES and not stated:
            choices = schema[keyword]
            resolved = [self._references.resolved(broken.visit.at(keyword, at).pointer) for at in range(len(choices))]
            shown = [one.schema for one in resolved[:_CHOICES_SHOWN]]
            titles = [one["title"] for one in shown if isinstance(one, dict) and "title" in one]
            named = f" ({one_line(', '.join(titles), STATED_LIMIT)})" if titles else ""
            zh, en = f"不符合 {len(choices)} 种形式中的任何一种{named}", f"fits none of the {len(choices)} alternatives"
            return Problem(loc, "any_of", Message.glossed(zh, f"{en}{named}", en))
        if keyword == "oneOf":
            zh = f"同时符合 {len(schema[keyword])} 种形式中的 {stated} 种，须恰好符合一种"
            en = f"fits {stated} of the {len(schema[keyword])} alternatives, and should fit exactly one"
            return Problem(loc, "one_of", Message(zh, en))
        if keyword in _SAID:
            kind, zh, en, gloss = _SAID[keyword]
            shown_text = _shown(keyword, stated)
            zh, en = zh.replace("{}", shown_text), en.replace("{}", shown_text)
            return Problem(loc, kind, Message.glossed(zh, en, gloss) if gloss else Message(zh, en))
        said = keyword or ", ".join(one for one in _LET_IN if one in schema)
        zh, en = f"不符合 {said or 'Schema'}", f"does not satisfy {said or 'the schema'}"
        return Problem(loc, "json_schema", Message(zh, en))


_TYPES = {
    "object": ("dict_type", "对象", "an object"),
    "array": ("list_type", "数组", "an array"),
    "string": ("string_type", "字符串", "a string"),
    "integer": ("int_type", "整数", "an integer"),
    "number": ("float_type", "数字", "a number"),
    "boolean": ("bool_type", "布尔值", "a boolean"),
    "null": ("none_required", "null", "null"),
}
_NO_KEYS = "lacks keys that others ask for"
_SAID = {
    "enum": ("enum", "须是其中之一：{}", "should be one of {}", "should be one of these"),
    "required": ("missing", "缺少该字段", "is missing", ""),
    "minimum": ("greater_than_equal", "须大于或等于 {}", "should be greater than or equal to {}", ""),
    "exclusiveMinimum": ("greater_than", "须大于 {}", "should be greater than {}", ""),
    "maximum": ("less_than_equal", "须小于或等于 {}", "should be less than or equal to {}", ""),
    "exclusiveMaximum": ("less_than", "须小于 {}", "should be less than {}", ""),
    "multipleOf": ("multiple_of", "须是 {} 的倍数", "should be a multiple of {}", ""),
    "minLength": ("string_too_short", "至少须有 {} 个字符", "should have at least {} characters", ""),
    "maxLength": ("string_too_long", "最多可有 {} 个字符", "should have at most {} characters", ""),
    "pattern": ("string_pattern_mismatch", "须匹配 {}", "should match the pattern {}", "should match this pattern"),
    "minItems": ("too_short", "至少须有 {} 项", "should have at least {} items", ""),
    "maxItems": ("too_long", "最多可有 {} 项", "should have at most {} items", ""),
    "uniqueItems": ("unique_items", "各项不得重复", "should have no item twice", ""),
    "minProperties": ("too_short", "至少须有 {} 个键", "should have at least {} keys", ""),
    "maxProperties": ("too_long", "最多可有 {} 个键", "should have at most {} keys", ""),
    "dependentRequired": ("missing_argument", "缺少与其他键一同出现的键：{}", f"{_NO_KEYS}: {{}}", _NO_KEYS),
    "const": ("literal_error", "须是 {}", "should be {}", "should be this value"),
    "additionalProperties": ("extra_forbidden", "不允许的字段", "is not allowed here", ""),
    "false": ("extra_forbidden", "此处不得有值", "no value is allowed here", ""),
}
"""What is said of a broken keyword: its kind, the words, and those beside the Chinese; `{}` is what the schema asks."""
_LEAVES = ("type", *(keyword for keyword in _SAID if keyword not in ("additionalProperties", "false")))
_LEAVES += ("contentEncoding", "contentMediaType")
"""Keywords that are checked by themselves: none of them holds a schema."""


def _shown(keyword: str, stated: Any) -> str:  # noqa: ANN401 - whatever the keyword holds
    """What a schema asks for, on one line."""
    if keyword == "enum":
        more = [", …"] if len(stated) > _CHOICES_SHOWN else []
        listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in stated[:_CHOICES_SHOWN])
        return one_line("".join([listed, *more]), STATED_LIMIT)
    return one_line(stated if keyword == "pattern" else json.dumps(stated, ensure_ascii=False), STATED_LIMIT)
