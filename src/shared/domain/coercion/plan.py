"""Works out of a type's core schema what may be coerced in its data, and where; one place for each part of the type.

A value is read as the one of its place's types that it can be. What may be an object or an array of several types is
coerced as the one that it plainly is of, or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.coercion.coercion import (
    TWO_READINGS,
    Coercion,
    CoercionKind,
    Doubt,
    Outcome,
    Read,
    Reader,
    not_exact,
    two_readings,
)
from src.shared.domain.coercion.dates import read_date
from src.shared.domain.coercion.keys import AS_WRITTEN, FieldKeys, Spellings
from src.shared.domain.coercion.lenient import Lenient
from src.shared.domain.coercion.numbers import NumberMeaning, is_json_number, number_reader
from src.shared.domain.coercion.words import MemberReader, is_absent, read_boolean
from src.shared.domain.coercion.wrapped_lists import MOST_KEYS, Inside, lists_in
from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import expression, repeated
from src.shared.domain.language import Phrase
from src.shared.domain.strict_json import Repeating
from src.shared.domain.type_shapes import (
    COERCIBLE,
    FIELDS,
    LENIENT,
    READ_AS,
    CoreSchema,
    Path,
    choices_of_union,
    definitions_of,
    fields_of,
    is_required,
    items_of,
    names_of,
    whole_keys,
)

EVERYTHING = Lenient(deep=True)
_OBJECTS = frozenset({"model", "model-fields", "typed-dict", "dataclass", "dict", "tagged-union"})
_LISTS = frozenset({"list", "set", "frozenset"})
_ARRAYS = _LISTS | {"tuple"}
_STRUCTURES = _OBJECTS | _ARRAYS
_NUMBERS = frozenset({"int", "float", "decimal"})
_MEMBERS = {"enum": "members", "literal": "expected"}
"""Kinds of schemas with members, and where these stand."""
_NO_TEXTS = _STRUCTURES | _NUMBERS | _MEMBERS.keys() | {"bool", "date", "datetime", "none"}
"""Kinds of schemas that take no text, or none but the texts that their readers know."""
_WRAPPERS = frozenset(
    {"default", "function-after", "model-field", "typed-dict-field", "dataclass-field", "definitions"}
)
_FIXED_KEYS = _OBJECTS - {"dict"}
_NO_OBJECTS = _NO_TEXTS - _OBJECTS | {"str", "bytes", "time", "timedelta", "uuid", "url", "multi-host-url", "tuple"}
"""Kinds of schemas that take no object."""
_NULL: Mapping[str, Any] = {"type": "none"}
ReadJson: TypeAlias = Callable[[str], Any]
"""The list or the object that a text is; anything else where it is none, or cannot be read without guessing."""


class DoubtfulValue(NamedTuple):
    """A value that could not be coerced, and why."""

    loc: Path
    doubt: Doubt
    value: Any


@dataclass
class Place:
    """What may be coerced at one place of a type.

    Attributes:
        read: reads the value itself; None where nothing may be coerced.
        as_list: reads an object that stands in place of a list, whose name is that of its field, if any.
        keys: how the keys of an object are to be read; None where each is what it is.
        parts: the places of its parts with their keys or indexes; None where there are none.
    """

    read: Reader | None = None
    as_list: Callable[[dict[str, Any], str | None], Outcome] | None = None
    keys: Callable[[dict[str, Any]], Spellings] | None = None
    parts: Callable[[Any], Iterable[tuple[Any, Place]]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything may be coerced here or inside."""
        return self.read is not None or self.keys is not None or self.parts is not None

    def coerce(self, data: Any, *, values: bool = True) -> tuple[Any, list[Coercion], list[DoubtfulValue]]:  # noqa: ANN401 - decoded JSON
        """Data as this place asks for them, with what was coerced in them and what could not be, in their order.

        The same object comes back where nothing was coerced. Data are nested deeper than Python's calls may be. Without
        `values` only keys are read, and objects in place of lists.
        """
        coercions: list[Coercion] = []
        doubts: list[DoubtfulValue] = []
        root = [data]
        waiting: list[tuple[Place, Any, Any, Path, bool]] = [(self, root, 0, (), False)]
        while waiting:
            place, outer, key, loc, is_new = waiting.pop()
            value = outer[key]
            if is_new and isinstance(value, Repeating):  # nobody has looked whether it is several rows
                doubts.append(DoubtfulValue(loc, _SEVERAL_ROWS, value))
            outcome: Outcome = None
            if place.as_list and isinstance(value, dict):
                outcome = place.as_list(value, next((step for step in reversed(loc) if isinstance(step, str)), None))
            elif place.read and values:
                outcome = place.read(value)
            if isinstance(outcome, Read):
                coercions.append(Coercion(outcome.kind, json_path((*loc, *outcome.inside)), value, outcome.after))
                value = outer[key] = outcome.after
                is_new = is_new or outcome.kind in {CoercionKind.WRAPPER, CoercionKind.LIST_OF_ONE}
            elif outcome is not None:
                doubts.append(DoubtfulValue(loc, outcome, value))
            if place.keys and isinstance(value, dict):
                spelled = place.keys(value)
                coercions += [
                    Coercion(CoercionKind.KEY_SPELLING, json_path((*loc, own)), written, own)
                    for written, own in spelled.renamed.items()
                ]
                doubts += [DoubtfulValue((*loc, one), doubt, value.get(one)) for one, doubt in spelled.doubts.items()]
                if spelled.renamed:
                    is_new, value = True, spelled.applied(value)
                    outer[key] = value
            parts = [one for one in place.parts(value) if one[1].is_open] if place.parts else []
            if parts:
                value = outer[key] = value.copy()
                waiting += [(part, value, inner, (*loc, inner), is_new) for inner, part in reversed(parts)]
        return root[0] if coercions else data, coercions, doubts


_NOWHERE = Place()


@dataclass(frozen=True, eq=False)
class Choice:
    """One type that a value may have.

    Attributes:
        schema: its core schema: no union, nothing that only wraps another.
        leave: what may be coerced; None for nothing.
    """

    schema: CoreSchema
    leave: Lenient | None

    @property
    def inside(self) -> Lenient | None:
        """What may be coerced in its parts, where they do not say so themselves."""
        return EVERYTHING if self.leave and self.leave.deep else None

    @property
    def kind(self) -> str:
        """The kind of its schema, such as `float`."""
        return str(self.schema["type"])

    @cached_property
    def _layers(self) -> list[CoreSchema]:
        """The schemas around its fields and the one that has them; none where its own validator comes first."""
        layers = [self.schema]
        while layers[-1]["type"] not in FIELDS:
            if layers[-1]["type"] not in ("model", "dataclass", "function-after"):
                return []
            layers.append(layers[-1]["schema"])
        return layers

    def _is_configured(self, **settings: object) -> bool:
        """Whether its configuration has one of these settings."""
        configs = [layer.get("config", {}) for layer in self._layers]
        return any(config.get(key) == value for config in configs for key, value in settings.items())

    @cached_property
    def fields(self) -> list[tuple[str, frozenset[str], CoreSchema]]:
        """Its fields by their names, with the keys that hold their whole values."""
        by_name = self._is_configured(populate_by_name=True, validate_by_name=True)
        fields = []
        for name, field in fields_of(self._layers[-1]) if self._layers else ():
            has_name = by_name or "validation_alias" not in field
            keys = frozenset([*whole_keys(field.get("validation_alias", ())), *[name] * has_name])
            fields.append((name, keys, field))
        return fields

    @cached_property
    def field_keys(self) -> FieldKeys | None:
        """What reads its keys in another spelling; None where none may be, or others than its fields' may be meant."""
        has_others = self._is_configured(extra_fields_behavior="allow")
        if not (self.leave and self.leave.deep and self.fields) or has_others:
            return None
        return FieldKeys([(keys, frozenset(names_of(name, field))) for name, keys, field in self.fields])

    def spellings_of(self, value: Mapping[str, Any]) -> Spellings:
        """How the keys of an object of this type are to be read."""
        return self.field_keys.read(value) if self.field_keys else AS_WRITTEN

    @cached_property
    def known_keys(self) -> frozenset[str]:
        """The keys of all its fields; none where they are free or not known."""
        return frozenset[str]().union(*(keys for _, keys, _ in self.fields))

    @cached_property
    def tag_keys(self) -> frozenset[str]:
        """The keys that tell the types of a union apart; none where code does."""
        discriminator = self.schema["discriminator"]
        return frozenset[str]() if callable(discriminator) else frozenset(whole_keys(discriminator))

    def tag_of(self, value: Mapping[str, Any]) -> object:
        """What an object says it is, of a union told apart by a key; None where it says nothing."""
        if self.leave and self.leave.deep and self.tag_keys.isdisjoint(value):
            value = FieldKeys([(self.tag_keys, self.tag_keys)]).read(value).applied(value)
        return next((value[key] for key in self.tag_keys if key in value), None)

    def has_exactly(self, value: Mapping[str, Any]) -> bool:
        """Whether an object has all required fields and no unknown keys."""
        required = (keys for _, keys, field in self.fields if is_required(field))
        return self.known_keys >= value.keys() and all(not keys.isdisjoint(value) for keys in required)

    def is_one(self, value: Mapping[str, Any]) -> bool:
        """Whether an object is plainly one of the type, and not what only holds one, or several.

        `{"items": [...]}` satisfies a type whose keys are free, and one all of whose fields have defaults.
        """
        if self.kind == "tagged-union":
            return self.tag_of(value) is not None
        if known := self.known_keys:
            return not known.isdisjoint(value) or bool(self.spellings_of(value).renamed)
        return bool(value) and not any(isinstance(part, (dict, list)) for part in value.values())


def plan_of(schema: CoreSchema, read_json: ReadJson, *, everything: bool) -> Place:
    """What coerces the data of a type.

    Args:
        schema: the type's core schema.
        read_json: reads a list or an object that was written as a string.
        everything: whether any field may be coerced, not only those that are marked as `Lenient`.
    """
    return _Planner(definitions_of(schema), read_json).place(schema, EVERYTHING if everything else None)


class _Planner:
    def __init__(self, definitions: Mapping[str, CoreSchema], read_json: ReadJson) -> None:
        self._definitions = definitions
        self._read_json = read_json
        self._known: dict[tuple[int, Lenient | None], Place] = {}

    def place(self, schema: CoreSchema, leave: Lenient | None) -> Place:
        """What coerces the values of one place; a type may be inside itself."""
        known = (id(schema), leave)
        if known not in self._known:
            made = self._known[known] = Place()
            choices = list(choices_of(schema, self._definitions, leave))
            items = self._items(choices)
            made.read = _value_reader(choices, items, self._read_json)
            made.as_list = _list_reader(choices, items)
            made.keys = self._keys(choices)
            made.parts = self._parts(choices)
        return self._known[known]

    def _items(self, choices: Sequence[Choice]) -> list[Choice]:
        """The types of the elements, where one of the types is a list."""
        lists = (one for one in choices if one.kind in _LISTS and "items_schema" in one.schema)
        return [item for one in lists for item in choices_of(one.schema["items_schema"], self._definitions, one.inside)]

    def _parts(self, choices: Sequence[Choice]) -> Callable[[Any], Iterable[tuple[Any, Place]]] | None:
        """The places inside an object or an array, where it is plain of which type they are."""
        objects = [(choice, self._object(choice)) for choice in choices if choice.kind in _OBJECTS]
        arrays = [choice for choice in choices if choice.kind in _ARRAYS]
        array = self._array(arrays[0]) if len(arrays) == 1 else None
        if not objects and array is None:
            return None

        def parts(value: Any) -> Iterable[tuple[Any, Place]]:  # noqa: ANN401 - decoded JSON
            if isinstance(value, list) and array is not None:
                return array(value)
            if not isinstance(value, dict):
                return ()
            fitting = objects if len(objects) == 1 else [one for one in objects if one[0].has_exactly(value)]
            return fitting[0][1](value) if len(fitting) == 1 else ()

        return parts

    def _keys(self, choices: Sequence[Choice]) -> Callable[[dict[str, Any]], Spellings] | None:
        """How the keys of an object are to be read, where it is plain of which type it is."""
        objects = [choice for choice in choices if choice.kind in _OBJECTS]
        if not objects or any(one.kind not in _NO_OBJECTS | _FIXED_KEYS for one in choices):
            return None
        if len(objects) == 1:
            (choice,) = objects
            if choice.kind == "tagged-union":
                place_of = self._tagged(choice)
                return lambda value: keys(value) if (keys := place_of(value).keys) else AS_WRITTEN
            return choice.spellings_of if choice.field_keys else None
        if any(one.field_keys is None for one in objects):
            return None

        def read(value: dict[str, Any]) -> Spellings:
            if any(one.has_exactly(value) for one in objects):
                return AS_WRITTEN
            found = [(one, one.spellings_of(value)) for one in objects]
            fitting = [spelled for one, spelled in found if one.has_exactly(spelled.applied(value))]
            return fitting[0] if len(fitting) == 1 else AS_WRITTEN

        return read

    def _tagged(self, choice: Choice) -> Callable[[dict[str, Any]], Place]:
        """What gives the place of an object's type in a union that a key tells apart; that key is read first."""
        places = {
            tag.value if isinstance(tag, Enum) else tag: self.place(one, choice.leave)
            for tag, one in choice.schema["choices"].items()
        }

        def place_of(value: dict[str, Any]) -> Place:
            tag = choice.tag_of(value)
            return places.get(tag, _NOWHERE) if isinstance(tag, (str, int)) else _NOWHERE

        return place_of

    def _array(self, choice: Choice) -> Callable[[list[Any]], Iterable[tuple[int, Place]]] | None:
        places = [self.place(item, choice.inside) for item in items_of(choice.schema)]
        if not places or (len(places) > 1 and "variadic_item_index" in choice.schema):
            return None
        if choice.kind in _LISTS or "variadic_item_index" in choice.schema:
            return lambda value: ((at, places[0]) for at in range(len(value)))
        return lambda value: zip(range(len(value)), places, strict=False)

    def _object(self, choice: Choice) -> Callable[[dict[str, Any]], Iterable[tuple[str, Place]]]:
        schema = choice.schema
        if choice.kind == "dict":
            free = self.place(schema["values_schema"], choice.inside) if "values_schema" in schema else Place()
            return lambda value: ((key, free) for key in value)
        if choice.kind == "tagged-union":
            place_of = self._tagged(choice)
            return lambda value: parts(value) if (parts := place_of(value).parts) else ()
        fixed = {key: self.place(field["schema"], choice.inside) for _, keys, field in choice.fields for key in keys}
        return lambda value: ((key, fixed[key]) for key in value if key in fixed)


def choices_of(schema: CoreSchema, definitions: Mapping[str, CoreSchema], leave: Lenient | None) -> Iterator[Choice]:
    """All types of one place. What a validator of the program's own sees first is its own: a choice of that kind."""
    waiting, seen = [(schema, leave)], set[tuple[int, Lenient | None]]()
    while waiting:
        part, leave = waiting.pop()
        if (id(part), leave) in seen:  # a type may be one of its own choices
            continue
        seen.add((id(part), leave))
        kind, metadata = part["type"], part.get("metadata") or {}
        if LENIENT in metadata:
            mark = metadata[LENIENT]
            waiting.append((part["steps"][0], replace(mark, deep=mark.deep or (leave is not None and leave.deep))))
        elif COERCIBLE in metadata:
            waiting.append((metadata[COERCIBLE](), leave))
        elif kind == "chain" and READ_AS in metadata:
            waiting.append((part["steps"][0], leave))
        elif kind in _WRAPPERS or (kind == "model" and part.get("root_model")):
            waiting.append((part["schema"], leave))
        elif kind == "nullable":
            yield Choice(_NULL, leave)
            waiting.append((part["schema"], leave))
        elif kind == "union":
            waiting += [(choice, leave) for choice in reversed([*choices_of_union(part)])]
        elif kind == "definition-ref":
            waiting.append((definitions[part["schema_ref"]], leave))
        else:
            yield Choice(part, leave)


_NUMBER_KINDS = (
    CoercionKind.NUMBER_TEXT,
    CoercionKind.SEPARATORS,
    CoercionKind.MAGNITUDE,
    CoercionKind.UNIT,
    CoercionKind.PERCENT,
)
_CODES = r"\A[A-Z0-9.]++" + repeated(r"\s++[A-Z0-9.]++", "+") + r"\Z"
"""As in `AAPL MSFT`."""
_PARTED = expression(
    rf"""
    [,，、;；|\n\t/•·①-⑳]              # signs between several, or before each of several
    | (?:\A|\s)(?:[-*]|\(?+[0-9]++[.)、）])\s  # the marks of a list
    | {_CODES}
    """,
    re.VERBOSE,
)
_NO_JSON = not_exact(Phrase("is no whole JSON value; write the object or the array itself"))
_SEVERAL_ROWS = Doubt(TWO_READINGS, Phrase("has a key twice, and may be several; write each as an object of its own"))
_ONE_OR_SEVERAL = Doubt(TWO_READINGS, Phrase("may be one value or several; write an array"))


def _value_reader(choices: Sequence[Choice], items: Sequence[Choice], read_json: ReadJson) -> Reader | None:
    """What reads a value that may have one of several types; None where nothing may be coerced.

    Args:
        choices: the types.
        items: those of the elements, where one of `choices` is a list.
        read_json: reads a list or an object that was written as a string.
    """
    leaves = [choice.leave for choice in choices if choice.leave]
    if not leaves:
        return None
    kinds = {choice.kind for choice in choices}
    if kinds <= _STRUCTURES | {"none"} and kinds != {"none"}:
        return partial(_read_structure, kinds=kinds, items=items, read_json=read_json)
    if not kinds <= _NO_TEXTS:
        return _read_absent if any(leave.absent for leave in leaves) and "none" in kinds else None
    of_choices = [(_choice_reader(choice), choice.leave) for choice in choices]
    readers = [reader for reader, leave in of_choices if reader and leave] + [_read_absent] * ("none" in kinds)
    members = frozenset(one for choice in choices for one in members_of(choice) if isinstance(one, str))
    takes_numbers = any(leave.meaning is NumberMeaning.PERCENT_OR_RATIO for leave in leaves)

    def read(value: object) -> Outcome:
        if isinstance(value, str):
            is_json = "decimal" in kinds and not takes_numbers and is_json_number(value)  # what a `Decimal` is in JSON
            if is_json or value in members:
                return None
        elif not takes_numbers:  # only that meaning has a reading of a number
            return None
        return _agreed([reader(value) for reader in readers])

    return read if readers else None


def _choice_reader(choice: Choice) -> Reader | None:
    """What reads the values of one type; None of a type with nothing to read."""
    if choice.kind in _MEMBERS:
        return MemberReader(choice.schema[_MEMBERS[choice.kind]]).read
    if choice.kind in _NUMBERS:
        return number_reader(choice.schema, (choice.leave or EVERYTHING).meaning)
    return _FIXED.get(choice.kind)


def members_of(choice: Choice) -> Iterator[Any]:
    """The values of the members of an enum or a literal."""
    for one in choice.schema[_MEMBERS[choice.kind]] if choice.kind in _MEMBERS else ():
        yield one.value if isinstance(one, Enum) else one


_FIXED: dict[str, Reader] = {
    "bool": read_boolean,
    "date": partial(read_date, takes_time=False),
    "datetime": partial(read_date, takes_time=True),
}


def _read_absent(value: object) -> Outcome:
    return Read(CoercionKind.ABSENT_WORD, None) if is_absent(value) else None


def _agreed(outcomes: Sequence[Outcome]) -> Outcome:
    """The one reading of several readers; a doubt where they disagree, or where one has two readings."""
    doubts = [outcome for outcome in outcomes if isinstance(outcome, Doubt)]
    reads = [outcome for outcome in outcomes if isinstance(outcome, Read)]
    if not reads or any(doubt.kind == TWO_READINGS for doubt in doubts):
        return next(iter(doubts), None)
    different = dict.fromkeys(map(_compared, reads))
    if len(different) > 1:
        return two_readings(*list(different)[:2])
    return min(reads, key=lambda read: isinstance(read.after, float))  # a float holds fewer digits


def _compared(read: Read) -> str:
    """What readings have in common: numbers as the nearest float."""
    is_number = read.kind in _NUMBER_KINDS or type(read.after) in (int, float)
    return str(float(Decimal(read.after))) if is_number else json.dumps(read.after, ensure_ascii=False)


def _read_structure(value: object, kinds: AbstractSet[str], items: Sequence[Choice], read_json: ReadJson) -> Outcome:
    """A list or an object in a string, one value for a list of one, and a word for null."""
    if "none" in kinds and is_absent(value):
        return _read_absent(value)
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        read = read_json(value)
        if isinstance(read, (dict, list)) and kinds & (_ARRAYS if isinstance(read, list) else _OBJECTS):
            return Read(CoercionKind.JSON_TEXT, read)
        return _NO_JSON if {choice.kind for choice in items} <= _STRUCTURES else _ONE_OR_SEVERAL
    if isinstance(value, (dict, list)) or value is None or not kinds <= _LISTS | {"none"}:
        return None
    return _read_as_list(value, items)


def _list_reader(
    choices: Sequence[Choice], items: Sequence[Choice]
) -> Callable[[dict[str, Any], str | None], Outcome] | None:
    """What reads an object in place of a list; None where an object is something else, or nothing may be coerced."""
    kinds, inside = {choice.kind for choice in choices}, {choice.kind for choice in items}
    leaves = [choice.leave for choice in choices if choice.leave]
    if not leaves or kinds == {"none"} or not kinds <= _LISTS | {"none"}:
        return None
    objects = [choice for choice in items if choice.kind in _OBJECTS]
    types = [one.schema["cls"].__name__ for one in objects if "cls" in one.schema]
    is_told = bool(items) and all(
        one.known_keys or one.kind in {"tagged-union"} | _NO_OBJECTS - _ARRAYS for one in items
    )

    def is_element(value: Mapping[str, Any]) -> bool:
        return any(choice.is_one(value) for choice in objects)

    def read(value: dict[str, Any], name: str | None) -> Outcome:
        if is_told and leaves[0].deep:
            names = types if name is None else [name, *types]
            found = lists_in(value, is_element if objects else None, names, MOST_KEYS if name is None else 1)
        else:
            found = [Inside([value], ())] if is_element(value) else []
        if len(found) != 1:
            return _ONE_OR_SEVERAL if found or inside & _OBJECTS else None
        kind = CoercionKind.WRAPPER if found[0].keys else CoercionKind.LIST_OF_ONE
        return Read(kind, found[0].elements, found[0].keys)

    return read


def _read_as_list(value: object, items: Sequence[Choice]) -> Outcome:
    """A list of one plain value; a text that may be several, or none, is no such value."""
    kinds = {choice.kind for choice in items}
    if kinds <= _OBJECTS | _LISTS:
        return None
    if is_absent(value):
        return two_readings("[]", json.dumps([value], ensure_ascii=False))
    if isinstance(value, str) and may_be_several(value):
        return _ONE_OR_SEVERAL
    return Read(CoercionKind.LIST_OF_ONE, [value])


def may_be_several(text: str) -> bool:
    """Whether a text that stands for a list may be several values, or none."""
    return is_absent(text) or _PARTED.search(text.strip()) is not None
