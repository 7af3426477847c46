"""Keys in another spelling, and objects in place of lists, in every kind of type; `shapes.toml` has more texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from typing_extensions import TypedDict

from src.shared.domain.coercion.coercion import CoercionKind
from src.shared.domain.coercion.keys import KEY_LIMIT, words_of
from src.shared.domain.coercion.lenient import Lenient, OneOrMany, coercing
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import parse_tool_call, read_tool_calls


class Line(BaseModel):
    unit_price: float
    note_text: str = ""


class Forbidding(BaseModel):
    model_config = ConfigDict(extra="forbid")
    unit_price: float
    unit_count: int = 0


class Allowing(Forbidding):
    model_config = ConfigDict(extra="allow")


@dataclass
class Data:
    unit_price: float


class Typed(TypedDict):
    unit_price: float


class Named(BaseModel):
    rating_text: str = Field(validation_alias=AliasChoices("rating_text", "评级", "Final Grade"))


class Aliased(BaseModel):
    rating_text: str = Field(alias="ratingText")


class Apart(BaseModel):
    """The name of one field, which is read by its alias, is that of another in another spelling."""

    total: int = Field(0, alias="sum")
    other: int = Field(0, alias="Total")


class Inside(BaseModel):
    unit_price: float = Field(0, validation_alias=AliasPath("unit_data", "price"))
    unit: int = Field(0, alias="Unit Data")


class Cat(BaseModel):
    pet_kind: Literal["cat"]
    life_count: int


class Dog(BaseModel):
    pet_kind: Literal["dog"]
    life_count: int = 1
    walk_count: int = 0


Pet = Annotated[Cat | Dog, Field(discriminator="pet_kind")]


class Fish(BaseModel):
    fin_count: int


class Bird(BaseModel):
    wing_count: int


class Odd(BaseModel):
    lines_: list[Line]


class Holder(BaseModel):
    tags: list[str]


class First(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def see(cls, data: Any) -> Any:  # noqa: ANN401 - decoded JSON
        return {key.lower(): value for key, value in data.items()} if isinstance(data, dict) else data

    unitprice: float


def read(kind: Any, value: object, **options: Any) -> Any:  # noqa: ANN401 - any type
    return parse_llm_json_output(json.dumps(value), kind, coerce=True, **options)


def errors_of(kind: Any, value: object) -> list[tuple[Any, ...]]:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as caught:
        read(kind, value)
    assert caught.value.details["stage"] == "validate"
    return [(*one["loc"], one["type"]) for one in caught.value.details["validation_errors"]]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Forbidding, {"Unit Price": 1}, Forbidding(unit_price=1)),
        (Allowing, {"unit_price": 1, "unitPrice": 2}, Allowing.model_validate({"unit_price": 1, "unitPrice": 2})),
        (Data, {"UNIT_PRICE": 1}, Data(1)),
        (Typed, {"unit-price": 1}, {"unit_price": 1}),
        (dict[str, Line], {"Unit Price": {"Unit Price": 1}}, {"Unit Price": Line(unit_price=1)}),
        (Named, {"评级": "A"}, Named.model_validate({"评级": "A"})),
        (Named, {"finalGrade": "A"}, Named.model_validate({"评级": "A"})),
        (Named, {"Rating Text": "A"}, Named.model_validate({"评级": "A"})),
        (Aliased, {"rating_text": "A"}, Aliased.model_validate({"ratingText": "A"})),
        (Aliased, {"Rating Text": "A"}, Aliased.model_validate({"ratingText": "A"})),
        (Line | None, {"Unit Price": 1}, Line(unit_price=1)),
        (list[Line | None], [{"Unit Price": 1}, None], [Line(unit_price=1), None]),
        (tuple[Line, int], [{"Unit Price": 1}, 2], (Line(unit_price=1), 2)),
        (Pet, {"Pet Kind": "cat", "lifeCount": 9}, Cat(pet_kind="cat", life_count=9)),
        (Pet, {"pet_kind": "dog", "Walk Count": 2}, Dog(pet_kind="dog", walk_count=2)),
        (list[Pet], {"petKind": "cat", "lifeCount": 9}, [Cat(pet_kind="cat", life_count=9)]),
        (list[Pet], {"pets": [{"petKind": "cat", "lifeCount": 9}]}, [Cat(pet_kind="cat", life_count=9)]),
        (Fish | Bird, {"Wing Count": 2}, Bird(wing_count=2)),
        (Fish | Bird, {"fin_count": 2}, Fish(fin_count=2)),
        (First, {"UnitPrice": 1}, First(unitprice=1)),
        (Line | dict[str, float], {"Unit Price": 1}, {"Unit Price": 1.0}),
        (Line | list[Line], {"Unit Price": 1}, Line(unit_price=1)),
        (Annotated[list[Line], Lenient(deep=True)], {"lines": {"Unit Price": 1}}, [Line(unit_price=1)]),
        (set[str], {"items": ["a"]}, {"a"}),
        (Odd, {"lines_": {"lines": {"unit_price": 1}}}, Odd(lines_=[Line(unit_price=1)])),
        (list[Holder], {"tags": ["a"]}, [Holder(tags=["a"])]),
        (list[Fish | Bird], {"Wing Count": 2}, [Bird(wing_count=2)]),
    ],
)
def test_every_kind_of_type(kind: Any, value: object, expected: object) -> None:  # noqa: ANN401 - any type
    assert read(kind, value) == expected
    stream: LLMJsonStream[Any] = LLMJsonStream(coercing(kind))
    stream.feed(json.dumps(value))
    assert stream.close() == expected


@pytest.mark.parametrize(
    ("kind", "value", "problems"),
    [
        (Forbidding, {"unit_price": 1, "unitPrice": 1}, [("unitPrice", "extra_forbidden")]),
        (
            Forbidding,
            {"unit_price": 1, "unitPrice": 2},
            [("unit_price", "coercion_two_readings"), ("unitPrice", "extra_forbidden")],
        ),
        (Forbidding, {"unit_price": 1, "price": 2}, [("price", "extra_forbidden")]),
        (Line, {"unit_price": 1, "unitPrice": 2}, [("unit_price", "coercion_two_readings")]),
        (Allowing, {"unitPrice": 1}, [("unit_price", "missing")]),
        (Apart, {"total": 1}, [("total", "coercion_two_readings"), ("no_known_field",)]),
        (Inside, {"unit_data": 1}, [("unit_data", "coercion_two_readings"), ("no_known_field",)]),
        (Named, {"rating_text": "A", "Rating Text": "B"}, [("rating_text", "coercion_two_readings")]),
        (Pet, {"Kind": "cat", "lifeCount": 9}, [("union_tag_not_found",)]),
        (Pet, {"Pet Kind": "cat", "petKind": "dog", "lifeCount": 9}, [("union_tag_not_found",)]),
        (Pet, {"pet_kind": "cat", "petKind": "dog", "lifeCount": 9}, [("pet_kind", "coercion_two_readings")]),
        (Pet, {"Pet Kind": "bird", "lifeCount": 9}, [("union_tag_not_found",)]),
        (
            Fish | Bird,
            {"Fin Count": 1, "Wing Count": 2},
            [("Fish", "fin_count", "missing"), ("Bird", "wing_count", "missing")],
        ),
        (list[First], {"firsts": [{"UnitPrice": 1}]}, [("coercion_two_readings",)]),
        (Odd, {"lines_": {"line": {"unit_price": 1}, "more": 1}}, [("lines_", "coercion_two_readings")]),
        (list[list[int]], {"rows": [[1]]}, [("list_type",)]),
        (
            Pet | Line,
            {"Unit Price": 1},
            [("tagged-union[Cat,Dog]", "union_tag_not_found"), ("Line", "unit_price", "missing")],
        ),
    ],
)
def test_what_is_not_sure_is_refused(kind: Any, value: object, problems: list[tuple[Any, ...]]) -> None:  # noqa: ANN401 - any type
    assert errors_of(kind, value) == problems


def test_a_mark_of_one_field_renames_no_keys() -> None:
    class Order(BaseModel):
        lines: OneOrMany[Line]

    assert parse_llm_json_output('{"lines": {"unit_price": 1}}', Order).lines == [Line(unit_price=1)]
    for lines in ({"Unit Price": 1}, {"item": {"unit_price": 1}}):
        with pytest.raises(LLMJsonParseError, match=r"unit_price|数组"):
            parse_llm_json_output(json.dumps({"lines": lines}), Order)


def test_trace_has_the_path_and_both_keys() -> None:
    parsed = parse_llm_json_output_with_trace('{"Unit Price": 1}', Line, coerce=True)
    (one,) = parsed.decoded.coercions

    assert (one.kind, one.path, one.before, one.after) == (
        CoercionKind.KEY_SPELLING,
        "$.unit_price",
        "Unit Price",
        "unit_price",
    )
    assert parsed.decoded.data == {"Unit Price": 1}
    assert parsed.decoded.grade == "read"
    with pytest.raises(LLMJsonParseError, match="key_spelling"):
        parse_llm_json_output('{"Unit Price": 1}', Line, coerce=True, accept="lossless", language="en")


@pytest.mark.parametrize(
    ("kind", "text", "at"),
    [
        (Line, '{"Note Text": "", "Unit Price": "x"}', '"x"'),
        (list[Line], '{"lines": [{"unit_price": 1}, {"unitPrice": "x"}]}', '"x"'),
        (list[Line], '{"result": {"lines": [{"unitPrice": "x"}]}}', '"x"'),
        (list[Line], '{"line": {"unitPrice": "x"}}', '{"line"'),
        (dict[str, list[Line]], '{"a": {"item": [{"unitPrice": "x"}]}}', '"x"'),
        (Line, '{"Note Text": "", "unit_price": "x", "noteText": ""}', '"x"'),
    ],
)
def test_an_error_names_the_types_key_and_the_place_in_the_text(kind: Any, text: str, at: str) -> None:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text, kind, coerce=True)

    assert [place["offset"] for place in caught.value.details["validation_places"]] == [text.index(at)]
    assert "unit_price" in caught.value.feedback()


def test_good_elements_are_kept_whatever_their_list_is_called() -> None:
    text = '{"Price Lines": [{"unitPrice": 1}, {"unitPrice": "x"}]}'

    class Order(BaseModel):
        price_lines: list[Line]

    found = parse_llm_json_output(text, Order, coerce=True, keep="good")
    assert found.value == Order(price_lines=[Line(unit_price=1)])
    assert [(one.path, one.text) for one in found.problems] == [("$.price_lines[1]", '{"unitPrice": "x"}')]


SCHEMA = JsonSchema(
    {
        "type": "object",
        "properties": {
            "reasoning_text": {"type": "string"},
            "file_list": {"type": "array", "items": {"$ref": "#/$defs/File"}},
            "any_object": {"type": "object"},
            "main_file": {"anyOf": [{"$ref": "#/$defs/File"}, {"type": "null"}]},
            "size_of": {"enum": [1, 2]},
            "either_of": {"type": ["object", "null"], "properties": {"a_b": True}},
        },
        "required": ["reasoning_text"],
        "additionalProperties": False,
        "$defs": {
            "File": {
                "type": "object",
                "properties": {"file_path": {"type": "string"}, "sub_files": {"items": {"$ref": "#/$defs/File"}}},
                "required": ["file_path"],
            }
        },
    }
)


@pytest.mark.parametrize("kind", [SCHEMA, coercing(SCHEMA)])
def test_a_json_schema_says_which_keys_and_lists_there_are(kind: Any) -> None:  # noqa: ANN401 - either way of asking
    value = {
        "Reasoning Text": "a",
        "File List": {"item": {"filePath": "x", "subFiles": {"FilePath": "y"}}},
        "anyObject": {"Any Key": {"filePath": 1}},
        "main-file": {"FILE_PATH": "z"},
        "sizeOf": 1,
        "eitherOf": {"A B": 1},
    }
    files = [{"file_path": "x", "sub_files": [{"file_path": "y"}]}]
    assert parse_llm_json_output(json.dumps(value), kind, coerce=True) == {
        "reasoning_text": "a",
        "file_list": files,
        "any_object": {"Any Key": {"filePath": 1}},
        "main_file": {"file_path": "z"},
        "size_of": 1,
        "either_of": {"a_b": 1},
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a_b": True}, "required": ["a_b"], "patternProperties": {"^A": True}},
        {"properties": {"a_b": True}, "required": ["a_b"], "anyOf": [{"type": "object"}]},
        {"properties": {"a_b": True}, "required": ["a_b"], "$ref": "#/$defs/any", "$defs": {"any": True}},
        {"type": "object", "allOf": [{"properties": {"a_b": True}, "required": ["a_b"]}]},
        {"type": "object", "propertyNames": {"type": "string"}, "required": ["a_b"]},
        {"properties": {"a_b": True}, "required": ["a_b"], "dependentRequired": {"A B": ["c"]}},
        {"type": "object", "required": ["a_b"]},
        {"properties": {"a_b": True}, "required": ["a_b"], "additionalProperties": True},
    ],
)
def test_a_json_schema_that_says_more_than_keys_is_left_as_it_is(schema: dict[str, Any]) -> None:
    assert read(JsonSchema(schema), {"a_b": 1}) == {"a_b": 1}
    assert errors_of(JsonSchema(schema), {"A B": 1})


def test_a_key_that_a_schema_requires_is_no_other_spelling_of_a_property() -> None:
    schema = JsonSchema({"properties": {"a_b": True}, "required": ["aB"]})
    assert read(schema, {"aB": 1}) == {"aB": 1}


def test_values_of_a_json_schema_are_what_they_are() -> None:
    schema = JsonSchema({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}})

    assert read(schema, {"n": 1}) == [{"n": 1}]
    assert errors_of(schema, {"n": "1"}) == [(0, "n", "int_type")]
    prefixed = JsonSchema({"type": "array", "prefixItems": [{"type": "object", "properties": {"n": True}}]})
    with pytest.raises(LLMJsonParseError, match="array"):
        read(prefixed, {"n": 1})


# --- calls ---


class Look(BaseModel):
    day_count: int = 0
    topic: str = ""


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ('<function=look>{"day_count": 1}{"dayCount": 2, "day_count": 2}</function>', None),
        (
            '<function=look>{"day_count": 1} {"day_count": 2}</function>',
            ['<function=look>{"day_count": 1} ', '{"day_count": 2}</function>'],
        ),
        (
            '[TOOL_CALLS]look[ARGS]{"day_count": 1}{"day_count": 2}',
            ['[TOOL_CALLS]look[ARGS]{"day_count": 1}', '{"day_count": 2}'],
        ),
        ('<tool_call>{"name": "look", "arguments": "{\\"day_count\\": 1}{\\"day_count\\": 2}"}</tool_call>', None),
        (
            '<function=look>\n{"dayCount": 1}\n{"dayCount": 2}\n</function>',
            ['<function=look>\n{"dayCount": 1}\n', '{"dayCount": 2}\n</function>'],
        ),
    ],
)
def test_arguments_that_were_run_together_are_several_calls(text: str, spans: list[str] | None) -> None:
    calls = read_tool_calls(text, {"look": Look}, coerce=True)
    stream = ToolCallStream({"look": Look}, coerce=True)
    stream.feed(text)

    assert [call.arguments for call in calls] == [Look(day_count=1), Look(day_count=2)]
    assert spans is None or [text[slice(*call.span)] for call in calls] == spans
    assert stream.close() == calls
    with pytest.raises(LLMJsonParseError, match="several different objects"):
        read_tool_calls(text, {"look": Look})


@pytest.mark.parametrize(
    "arguments",
    [
        '{"day_count": 1}{"topic": "a"}',  # they may be the parts of one call
        '{"day_count": 1, "topic": "a"}{"day_count": 2}{"topic": "b"}',
        '{}{"day_count": 1}{"day_count": 2}',
        '{"day_count": 1}{"day_count": "x"}',
        '{"day_count": 1}{"day_count": 2',
        '{"day_count": 1}[{"day_count": 2}]',
        '{"day_count": 1}, {"day_count": 2}',
        '{"day_count": 1}{"day_count": 2,}',
        '{"day_count": 1}{"day_count": 2, "day_count": 3}',
    ],
)
def test_what_may_be_no_several_calls_is_refused(arguments: str) -> None:
    with pytest.raises(LLMJsonParseError, match="look"):
        read_tool_calls(f"<function=look>{arguments}</function>", {"look": Look}, coerce=True)


def test_more_calls_than_there_may_be_are_refused() -> None:
    arguments = '{"day_count": 1}{"day_count": 2}' * 100
    with pytest.raises(LLMJsonParseError, match="look"):
        read_tool_calls(f"<function=look>{arguments}</function>", {"look": Look}, coerce=True)


@pytest.mark.parametrize("arguments", ['""', "null", "{}", " ", ' " " '])
def test_empty_arguments_ask_for_the_defaults(arguments: str) -> None:
    text = f'<tool_call>{{"name": "look", "arguments": {json.dumps(arguments)}}}</tool_call>'

    assert parse_tool_call(arguments, Look, finished=True, coerce=True) == Look()
    assert [call.arguments for call in read_tool_calls(text, {"look": Look}, coerce=True)] == [Look()]
    with pytest.raises(LLMJsonParseError, match="unit_price"):
        parse_tool_call(arguments, Line, finished=True, coerce=True)


def test_a_list_is_no_type_of_arguments() -> None:
    with pytest.raises(TypeError, match="is no object"):
        parse_tool_call("{}", list[Line], coerce=True)


# --- what always holds ---


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("HTTPServerName", ("http", "server", "name")),
        ("userIDs", ("user", "ids")),
        ("line1", ("line", "1")),
        ("v1_1", ("v", "1", "1")),
        ("Prénom_Usuel", ("pr", "é", "nom", "usuel")),
        ("PRÉNOM", ("pr", "é", "nom")),
        ("公司 名称", ("公司", "名称")),
        ("a" * KEY_LIMIT, ("a" * KEY_LIMIT,)),
        ("a" * (KEY_LIMIT + 1), ()),
        ("a__b", ()),
        ("_a", ()),
        ("", ()),
    ],
)
def test_words_of_a_key(key: str, words: tuple[str, ...]) -> None:
    assert words_of(key) == words


WORDS = st.lists(st.text("abcxyz", min_size=2, max_size=6), min_size=1, max_size=4)


@given(WORDS)
def test_every_usual_spelling_has_the_same_words(words: list[str]) -> None:
    spellings = [
        *(sign.join(words) for sign in "_- "),
        *(sign.join(words).upper() for sign in "_- "),
        "".join(word.capitalize() for word in words),
        words[0] + "".join(word.capitalize() for word in words[1:]),
    ]
    single = [one for one in spellings if words_of(one) != tuple(words)]
    assert not single


class Deep(BaseModel):
    unit_price: int = 0
    note_text: str | None = None
    sub_part: "Deep | None" = None
    all_parts: list["Deep"] = []
    by_name: dict[str, "Deep"] = {}


KEYS = st.sampled_from(
    [
        *("unit_price", "Unit Price", "unitPrice", "unit_prices", "unitprice", "_unit_price", "note_text", "Note-Text"),
        *("sub_part", "SubPart", "subPart", "all_parts", "All Parts", "allPart", "by_name", "byName", "item", "Items"),
    ]
)
JSON_VALUES = st.recursive(
    st.integers() | st.text("ab", max_size=3) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def read_or_none(answer: dict[str, Any], *, coerce: bool = False) -> Deep | None:
    try:
        return parse_llm_json_output(json.dumps(answer), Deep, coerce=coerce)
    except LLMJsonParseError:
        return None


def leaves_of(value: Any, name: str = "") -> Iterator[tuple[str, object]]:  # noqa: ANN401 - decoded JSON
    """Each plain value, with the words of the key that it stands under."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves_of(inner, "".join(words_of(key)) or key)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves_of(inner, name)
    else:
        yield name, value


@given(st.dictionaries(KEYS, JSON_VALUES, min_size=1, max_size=5))
def test_nothing_is_invented(answer: dict[str, Any]) -> None:
    """Each value of the result stands in the answer, under a key that spells the field."""
    found = read_or_none(answer, coerce=True)
    if found is None:
        return
    given = list(leaves_of(answer))
    for name, value in leaves_of(TypeAdapter(Deep).dump_python(found, exclude_unset=True)):
        assert any(one == name and str(other) == str(value) for one, other in given), (name, value)


@given(st.dictionaries(KEYS, JSON_VALUES, min_size=1, max_size=5))
def test_what_is_read_without_coercion_is_read_the_same_or_refused(answer: dict[str, Any]) -> None:
    plain, coerced = read_or_none(answer), read_or_none(answer, coerce=True)
    if plain is None or coerced is None:
        return
    for key in answer.keys() & {"unit_price", "note_text"}:
        assert getattr(coerced, key) == getattr(plain, key)


def test_many_rows_under_keys_of_another_spelling_take_linear_time() -> None:
    rows = [{"Unit Price": "x", "noteText": str(number)} for number in range(5_000)]
    junk = {f"key {number}": number for number in range(5_000)}
    with pytest.raises(LLMJsonParseError) as caught:
        read(dict[str, list[Line]], {"a": rows})
    assert caught.value.details["validation_error_count"] == 5_000

    class Order(BaseModel):
        price_lines: list[Line]

    with pytest.raises(LLMJsonParseError) as caught:
        read(Order, {**junk, "Price Lines": rows})
    assert caught.value.details["validation_error_count"] == 5_000
