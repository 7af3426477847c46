"""A type as the parser needs it: which JSON root it is read from, its keys, and how to validate data."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError, from_json

from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of, name_of, per_type
from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.edits import kinds_of
from src.shared.domain.expression import expression
from src.shared.domain.language import Message, Phrase
from src.shared.domain.read_as import AS_JSON, ReadAs, read_as_of
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import (
    ROOTS,
    SCALAR,
    field_escapes,
    is_lenient,
    is_rewritten,
    reads_decimals,
    reads_integers,
    reads_signs,
    roots_of,
    rows_of,
    shapes_of,
)
from src.shared.infrastructure.parsing.as_json import validate_as_json
from src.shared.infrastructure.parsing.echoes import Templates, sight_of
from src.shared.infrastructure.parsing.parse_errors import (
    HANDED_BACK,
    NO_KNOWN_FIELD,
    NO_VALUES,
    SCHEMA_HANDED_BACK,
    TEMPLATE_HANDED_BACK,
    problem_of,
)

if TYPE_CHECKING:
    from src.shared.domain.coercion.plan import DoubtfulValue, Place
    from src.shared.domain.coercion.scalars import ScalarReader
    from src.shared.infrastructure.parsing.expected import Expected

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_KEYS_NAMED = 8
"""Most fields that an error names."""
MARKED_LIMIT = 200
"""Most characters of a key in which a field's name is looked for."""
_TAG_LIMIT = 100
_DECORATION = expression(
    rf"""
      </?+ [A-Za-z] [^<>]{{0,{_TAG_LIMIT}}}+ >                 # <b>score</b>
    | [\u2460-\u24ff\u2776-\u2793]                            # ① score
    | \A [\W_]*+ (?: \d{{1,3}} | [A-Za-z一二三四五六七八九十] ) (?: [.:] \s | [)、] )  # 1. score
    | (?<= \w ) \s*+ [(\[（【［] .*+                           # score (0-100)
    """,
    re.VERBOSE | re.DOTALL,
)
"""What models write around a key, other than signs."""


class ValidatorCrashError(Exception):
    """A type's own code raised what no validator may raise; `data` is what it was given."""

    def __init__(self, error: Exception, data: object) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.error = error
        self.data = data


class Validated(NamedTuple, Generic[T_co]):
    """A validated object, and what was coerced for it."""

    value: T_co
    coercions: tuple[Coercion, ...] = ()


class TargetType(Generic[T]):
    """What is known of a type; worked out once.

    Attributes:
        adapter: validates.
        name: the type's name, for messages.
        roots: which JSON it is read from; an object, too, where a list may be coerced from one.
        own_roots: which JSON it is read from as it stands.
        is_object: whether an object is among them.
        own_keys: the fields' names and aliases; those of the items for an array, of every choice for a union.
        reads_decimals: whether there is a `Decimal` in it, whose digits must be kept.
        reads_integers: whether there may be a whole number in it that no float is.
        reads_signs: whether the sign of a zero makes a difference in it.
        coerces: whether values may be coerced.
        rows: the objects that are elements of its lists.
        row_starts: their first keys in quotes, and behind what stands before a key that is not the first.
        read_as: what it says of how its text is read.
        is_like_schemas: whether a JSON Schema may satisfy it: keywords are all the fields that it requires.
        templates: what is known of its templates.
        is_answer: whether what was made of a text is no template at first sight; None where a template never satisfies
            the type. It may raise anything at what a validator made.
        may_lack_fields: whether an object with none of its fields may satisfy it.
        needs_a_look: whether a clean text that satisfies it may still be something else, templates apart.
        is_direct: whether what Pydantic makes of a clean text is the object.
        field_escapes: the ways of reading escapes that its fields ask for, besides.
    """

    def __init__(self, dto_type: AnswerType[T], *, coerces_all: bool = False) -> None:
        """Collect what the parser needs to know about a type.

        Args:
            dto_type: the type.
            coerces_all: whether all its values may be coerced, and not only those that are marked as `Lenient`.

        Raises:
            TypeError: its JSON is neither an object nor an array, or it is no type.
            pydantic.errors.PydanticUserError: the type itself is wrong.
        """
        self._given = dto_type
        self.adapter = adapter_of(dto_type)
        self.name = name_of(dto_type)
        schema = self.adapter.core_schema
        self._shapes = shapes_of(schema)
        self.roots = self.own_roots = roots_of(schema)
        self.is_object = "object" in self.roots
        self.own_keys = frozenset[str]().union(*(shape.keys for shape in self._shapes))
        self._plain_keys = frozenset(map(_plain, self.own_keys)) - {""}
        self.reads_decimals = reads_decimals(schema)
        self.reads_integers = reads_integers(schema)
        self.reads_signs = reads_signs(schema)
        self.rows = rows_of(schema) or None
        starts = [f'"{key}"' for key in self.rows.starts] if self.rows else []
        self.row_starts = tuple((key, "," + key, " " + key) for key in starts)
        self.read_as = read_as_of(schema)
        self.field_escapes = field_escapes(schema) - {self.read_as.escapes}
        self.coerces = coerces_all or is_lenient(schema)
        self.is_direct = self.is_read_directly(self.read_as)
        fields = _fields_of(dto_type)
        required = {name for name, field in fields.items() if field.is_required()}
        self.is_like_schemas = bool(self.own_keys) and required <= KEYWORDS | _AROUND
        self.templates = Templates(dto_type, has_fields=bool(self.own_keys))
        self._is_rewritten = is_rewritten(schema)
        texts = {name: field for name, field in fields.items() if field.annotation is str or not self._is_rewritten}
        self.is_answer = sight_of(dto_type, texts) if self.own_keys else None
        self.may_lack_fields = any(shape.keys and shape.optional for shape in self._shapes)
        self.needs_a_look = bool(self.reads_decimals or self.reads_integers or self.reads_signs or self.rows) or (
            self.is_like_schemas or self.may_lack_fields
        )
        self._plan: Place | None = None
        if self.coerces:
            from src.shared.domain.coercion.plan import plan_of  # noqa: PLC0415 - for types that ask for it

            read_json = partial(_read_json, as_written=self.reads_decimals)
            self._plan = plan_of(schema, read_json, everything=coerces_all)
            if self._plan.as_list:
                self.roots = ROOTS["any"]

    @property
    def is_list_of_object(self) -> bool:
        """Whether it is a list that may be coerced from an object."""
        return self.roots != self.own_roots

    def shaped(self, data: Any) -> tuple[Any, list[Coercion]]:  # noqa: ANN401 - decoded JSON
        """The data with the keys of the type's fields, and lists where objects stand for them; the rest as it was."""
        return self._plan.coerce(data, values=False)[:2] if self._plan else (data, [])

    def coercing(self) -> TargetType[T]:
        """The same type with all its values coerced, for texts that say nothing of types; a JSON Schema as it is."""
        return self if isinstance(self._given, SchemaType) else _coercing(self._given)

    def is_read_directly(self, read_as: ReadAs) -> bool:
        """Whether what Pydantic makes of a clean text is the object, where the text is read so."""
        is_plain = not read_as.unwrap and read_as.escapes == AS_JSON.escapes and self.roots != SCALAR
        return is_plain and not self.coerces and not self.field_escapes

    @cached_property
    def scalars(self) -> ScalarReader:
        """What reads a word of a text as one of its values, if it is read so."""
        from src.shared.domain.coercion.scalars import ScalarReader  # noqa: PLC0415 - for callers that ask for it

        return ScalarReader(self.adapter.core_schema, self._plan.read if self._plan else None)

    @cached_property
    def expected(self) -> Expected:
        """What it says of the values inside it."""
        from src.shared.infrastructure.parsing.expected import expected_of  # noqa: PLC0415 - hardly a text needs it

        return expected_of(self._given)

    def may_be_of_template(self, value: Any) -> bool:  # noqa: ANN401 - what was made of a text
        """Whether a value that `is_answer` does not tell may be of a template, or a list with one at an end."""
        ends = (value[0], value[-1]) if type(value) is list and value else (value,)
        return self._is_rewritten or any(map(self.templates.may_be_one, ends))

    def is_template(self, text: str) -> bool:
        """Whether a valid text is a template, or a list with one at an end."""
        return self._echoed(from_json(text)) is not None

    def known_keys(self, data: object) -> frozenset[str]:
        """The type's own keys that an object has, or any of the objects in an array."""
        return self.own_keys.intersection(frozenset().union(*objects_of(data)))

    def marked_keys(self, data: object) -> frozenset[str]:
        """The keys of an object, or of any in an array, that are the type's own but for marks: `**score**`, `Score`."""
        keys = frozenset[str]().union(*objects_of(data))
        return frozenset(key for key in keys if len(key) <= MARKED_LIMIT and _plain(key) in self._plain_keys)

    def read(self, data: Any, *, hooked: bool = False) -> Validated[T]:  # noqa: ANN401 - decoded JSON
        """The object made of decoded data, after what is coerced in them, which is validated as its JSON would be.

        Where a normalizer has put Python objects in (`hooked`) that JSON has no form for, all of it is validated as
        Python objects are.

        Raises:
            ValidationError: it does not satisfy the type, or has none of its fields, or is a JSON Schema, or a value
                that may be coerced has no exact reading, or two.
            ValidatorCrashError: the type's own code failed.
            pydantic.errors.PydanticUserError: the type itself is wrong.
        """
        if self._plan is None:
            return Validated(self._validated(data, hooked=hooked))
        coerced, coercions, doubts = self._plan.coerce(data)
        if doubts:
            raise self._doubtful(doubts, coerced, hooked=hooked)
        return Validated(self._validated(coerced, hooked=hooked), tuple(coercions))

    def _validated(self, data: Any, *, hooked: bool) -> T:  # noqa: ANN401 - decoded JSON
        if handed_back := self.handed_back(data):
            raise handed_back
        if echo := self._echoed(data):
            raise echo
        try:
            result = validate_as_json(self.adapter, data, hooked=hooked, decimals=self.reads_decimals)
        except PydanticUserError:
            raise
        except ValidationError:
            if isinstance(data, dict) and self._fills_properties(data):
                raise self._problems(data, [()], HANDED_BACK, SCHEMA_HANDED_BACK) from None
            raise
        except Exception as error:  # a validator is the caller's code
            raise ValidatorCrashError(error, data) from error
        places = self.foreign_objects(data, result) if self.may_lack_fields else []
        if places:
            named = ", ".join(sorted(self.own_keys)[:_KEYS_NAMED]) + ", …" * (len(self.own_keys) > _KEYS_NAMED)
            message = Phrase("none of the fields is there: {fields}", fields=named)
            raise self._problems(data, places, NO_KNOWN_FIELD, message, fields=named)
        return result

    def foreign_objects(self, data: object, result: object) -> list[tuple[int, ...]]:
        """The places of objects with none of the fields, in data that satisfies the type: they gave but defaults."""
        shapes = [shape for shape in self._shapes if shape.root == ("object" if isinstance(data, dict) else "array")]
        are_fixed = all(shape.keys and not shape.reshaped for shape in shapes)
        if not isinstance(data, list):
            return [()] if self._is_foreign(data, result, are_fixed=are_fixed) else []
        made = zip_longest(data, result if isinstance(result, list) else ())
        return [(at,) for at, pair in enumerate(made) if self._is_foreign(*pair, are_fixed=are_fixed)]

    def may_be_foreign(self, key: str, result: object) -> bool:
        """Whether an object of which one key is known may have given nothing but defaults."""
        return key not in self.own_keys or (isinstance(result, BaseModel) and _is_all_defaults(result))

    def _is_foreign(self, one: object, made: object, *, are_fixed: bool) -> bool:
        """Whether none of the fields of what was made was set: a model knows, and the keys tell of other types.

        The keys do not tell where they are free, or where a validator may have put others in place.
        """
        if isinstance(made, BaseModel) and _is_all_defaults(made):
            return True
        return are_fixed and isinstance(one, dict) and not self.own_keys & one.keys()

    def handed_back(self, data: object) -> ValidationError | None:
        """What is wrong with data that are a JSON Schema, or a list with some, in place of an answer."""
        if not self.own_keys:
            return None
        elements = [((at,), one) for at, one in enumerate(data)] if isinstance(data, list) else [((), data)]
        places = [place for place, one in elements if is_schema(one, self.own_keys)]
        return self._problems(data, places, HANDED_BACK, SCHEMA_HANDED_BACK) if places else None

    def _echoed(self, data: object) -> ValidationError | None:
        """What is wrong with data that are a template of the type, or a list that begins or ends with one."""
        elements: list[tuple[tuple[int, ...], Any]] = [((), data)]
        if isinstance(data, list):
            elements = [((at,), data[at : at + 1]) for at in sorted({0, len(data) - 1})] if data else []
        places = [place for place, one in elements if self.templates.is_one(one)]
        return self._problems(data, places, TEMPLATE_HANDED_BACK, NO_VALUES) if places else None

    def _fills_properties(self, data: Mapping[str, Any]) -> bool:
        """Whether the fields stand inside of `properties`, as in a schema, and there alone."""
        inside = data.get("properties")
        is_field = "properties" in self.own_keys or not self.own_keys.isdisjoint(data)
        return not is_field and isinstance(inside, dict) and not self.own_keys.isdisjoint(inside)

    def may_be_schema(self, text: str, value: object) -> bool:
        """Whether a valid text of a type that is like schemas may be one: it sets no field that no schema has."""
        first = value[0] if isinstance(value, list) and value else value
        fields = first.model_fields_set if isinstance(first, BaseModel) else frozenset[str]()
        fields = self.own_keys & first.keys() if isinstance(first, dict) else fields
        return (fields <= KEYWORDS or fields <= _AROUND) and any(f'"{sign}"' in text for sign in _SIGNS)

    def _problems(
        self, data: object, places: Sequence[tuple[int, ...]], kind: str, message: Message, **facts: str
    ) -> ValidationError:
        """The same problem in some places, told in the language that is asked for."""
        problems = [problem_of(kind, message, place, data, **facts) for place in places]
        return ValidationError.from_exception_data(self.name, problems)

    def _doubtful(self, doubts: list[DoubtfulValue], data: Any, *, hooked: bool) -> ValidationError:  # noqa: ANN401 - decoded JSON
        """The doubts, and what is wrong elsewhere in the data."""
        problems = [problem_of(one.doubt.kind, one.doubt.message, one.loc, one.value) for one in doubts]
        places = {one.loc for one in doubts}
        try:
            self._validated(data, hooked=hooked)
        except ValidationError as error:
            for other in error.errors(include_url=False):
                loc, told = other["loc"], PydanticCustomError(other["type"], "{said}", {"said": other["msg"]})
                if places.isdisjoint(loc[:length] for length in range(len(loc) + 1)):
                    problems.append(InitErrorDetails(type=told, loc=loc, input=other["input"]))
        return ValidationError.from_exception_data(self.name, problems)


def _read_json(text: str, *, as_written: bool) -> Any:  # noqa: ANN401 - decoded JSON
    """The list or the object that a text is; None where it is none, or damaged beyond repair, or has a key twice."""
    from src.shared.domain.reading.scanner import ScanOptions, ValueScanner  # noqa: PLC0415 - with all of the reader

    text = text.strip()
    scanner = ValueScanner(text, ScanOptions(as_written=as_written, lists=True))
    value = scanner.value_at(0)
    if value is None or value.problem or value.end != len(text):
        return None
    return None if RepairKind.DUPLICATE_KEY in kinds_of(value.edits) else value.data


def target_type(dto_type: AnswerType[T], *, coerce: bool = False) -> TargetType[T]:
    """What is known of a type; kept for the next text of that type.

    Args:
        dto_type: the type.
        coerce: whether all its values may be coerced; those that are marked as `Lenient` always may.

    Raises:
        TypeError: its JSON is neither an object nor an array, or it is no type.
        pydantic.errors.PydanticUserError: the type itself is wrong.
    """
    return (_coercing if coerce else known_type)(dto_type)


known_type = per_type(TargetType)
"""The same of a type of which only what is marked as `Lenient` may be coerced; each text asks for it."""
_coercing = per_type(partial(TargetType, coerces_all=True))


def _plain(key: str) -> str:
    """The letters and digits of a key, in small letters and usual width, without what is written around it."""
    if key.isascii() and key.isidentifier():
        return key.replace("_", "").casefold()
    name = unicodedata.normalize("NFKC", _DECORATION.sub("", html.unescape(key)))
    return "".join(filter(str.isalnum, name)).casefold()


def _fields_of(dto_type: object) -> Mapping[str, FieldInfo]:
    """The fields of a model, or of that in a list; none of any other type."""
    item = get_args(dto_type)[0] if get_origin(dto_type) is list else dto_type
    return item.model_fields if isinstance(item, type) and issubclass(item, BaseModel) else {}


def _is_all_defaults(model: BaseModel) -> bool:
    fields = type(model).model_fields
    return bool(fields) and fields.keys().isdisjoint(model.model_fields_set)


def objects_of(data: object) -> list[dict[str, Any]]:
    """The objects that data is, or that are the items of an array."""
    return [one for one in (data if isinstance(data, list) else [data]) if isinstance(one, dict)]


# --- a schema that was handed back ---

KEYWORDS = frozenset(
    """
    $anchor $comment $id $ref allOf anyOf const default description enum example examples format items maximum minimum
    oneOf pattern required title type
    """.split()
)
"""Keys of a schema that fields are called, too.

`{"properties": {…}, "title": "Task", "type": "object"}` has the field `title` of a task, and says nothing of any. It
counts as a schema only where every field of the type that it has is also a keyword, and `properties`, or what else
makes it a schema, is no field: a type may ask for a schema.
"""
_AROUND = frozenset("description id name strict type".split())
"""The same of what wraps a schema in a request."""
_WRAPPING = ("schema", "json_schema", "input_schema", "inputSchema", "parameters", "function")
"""Keys under which a request to a model has the schema."""
_SIGNS = ("properties", "$ref", "items", "enum", "anyOf", "oneOf", "allOf")
_PART_SIGNS = frozenset({"type", *_SIGNS, "const"})
_TYPES = frozenset("object array string number integer boolean null".split())


def is_schema(data: object, own: AbstractSet[str] = frozenset(), *, layers: int = 2) -> bool:
    """Whether an object is a schema, perhaps with data in its `properties`, or wraps one that has a field of the type.

    Args:
        data: any JSON value.
        own: the type's fields.
        layers: most keys around a schema.
    """
    if not isinstance(data, dict):
        return False
    foreign = {key: value for key, value in data.items() if key not in own}
    fields = own & data.keys()
    if layers and fields <= _AROUND:
        wrapped = [foreign[key] for key in _WRAPPING if is_schema(foreign.get(key), layers=layers - 1)]
        if wrapped and (not own or not own.isdisjoint(_described_by(wrapped[0], layers))):
            return True
    return fields <= KEYWORDS and _is_schema(data, foreign)


def _described_by(data: Mapping[str, Any], layers: int) -> AbstractSet[str]:
    """The names that a schema, or one that it wraps, has in its `properties`."""
    inner = [data[key] for key in _WRAPPING if isinstance(data.get(key), dict)] if layers else []
    properties = data.get("properties")
    if isinstance(properties, dict) or not inner:
        return properties.keys() if isinstance(properties, dict) else frozenset()
    return _described_by(inner[0], layers - 1)


def _is_schema(data: Mapping[str, object], foreign: Mapping[str, object]) -> bool:
    """Whether an object is a schema itself, for its keys that are no fields."""
    properties = foreign.get("properties")
    if isinstance(properties, dict):
        is_told = _names(data.get("type")) or any(key in data for key in ("required", "$defs", "additionalProperties"))
        return is_told or (bool(properties) and all(map(_is_part, properties.values())))
    choices = (foreign.get(key) for key in ("anyOf", "oneOf", "allOf"))
    return (
        (_names(data.get("type"), "array") and _is_part(foreign.get("items")))
        or (_names(data.get("type"), *_TYPES) and isinstance(foreign.get("enum"), list))
        or (isinstance(foreign.get("$ref"), str) and isinstance(foreign.get("$defs"), dict))
        or any(isinstance(choice, list) and choice and all(map(_is_part, choice)) for choice in choices)
    )


def is_filled_schema(data: object) -> bool:
    """Whether an object is a schema with data in its `properties`, and not their schemas."""
    if not is_schema(data) or not isinstance(data, dict):
        return False
    properties = data.get("properties")
    return isinstance(properties, dict) and not any(map(_is_part, properties.values()))


def _names(said: object, *names: str) -> bool:
    """Whether the `type` of a schema is one of these: an object's where none is named."""
    types = said if isinstance(said, list) else [said]
    return any(isinstance(one, str) and one.lower() in (names or ("object",)) for one in types)


def _is_part(data: object) -> bool:
    """Whether something looks like the schema of one value."""
    return isinstance(data, Mapping) and not _PART_SIGNS.isdisjoint(data)
