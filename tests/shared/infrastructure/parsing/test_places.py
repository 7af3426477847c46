"""Where a value comes from: the slice of the text that it was read from, or no place at all."""

from __future__ import annotations

import json
import tomllib
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import assume, given
from pydantic import BaseModel

from src.shared.domain.coercion.lenient import Lenient, LenientDate
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.read_as import ReadAs
from src.shared.infrastructure.llm_json import (
    DecodedJson,
    ParsedOutput,
    decode_llm_json,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.parsing import places
from src.shared.infrastructure.parsing.paths import path_of, places_in, value_at
from src.shared.infrastructure.parsing.state import Span
from tests.properties.damaged_texts import broken_json, styled_json
from tests.properties.json_texts import json_texts

ROWS = tomllib.loads(Path(__file__).with_name("places.toml").read_text(encoding="utf-8"))["row"]


def slice_of(text: str, read: DecodedJson[Any] | ParsedOutput[Any], path: str) -> str:
    """What stands at the place of a value; empty without a place."""
    span = read.span(path)
    return text[span.start : span.end] if span else ""


def read_alone(part: str) -> Any:  # noqa: ANN401 - decoded JSON
    """The value of a part of a text, read by itself."""
    return decode_llm_json(f"[{part}]", root="array", finished=True).data[0]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_value_is_found_in_the_text(row: dict[str, Any]) -> None:
    decoded = decode_llm_json(row["text"])
    found = {path: slice_of(row["text"], decoded, path) for path in row["slices"]}

    assert found == row["slices"]
    assert found.keys() & decoded.spans().keys() == {path for path, part in found.items() if part}
    if row.get("is_alone", True):
        alone = {path: read_alone(part) for path, part in found.items() if part}
        assert alone == {path: value_at(decoded.data, path) for path in alone}
    for path in row.get("missing", []):
        with pytest.raises(KeyError, match="there is no value at"):
            decoded.span(path)


@given(json_texts())
def test_slice_of_a_clean_text_is_the_value(text: str) -> None:
    decoded = decode_llm_json(text)
    spans = decoded.spans()

    assert [*spans] == [path_of(place) for place in places_in(decoded.data)]
    for path, (start, end) in spans.items():
        assert repr(json.loads(text[start:end])) == repr(value_at(decoded.data, path))
        assert decoded.span(path) == (start, end)


@given(styled_json() | broken_json)
def test_slice_of_a_damaged_text_gives_the_value_alone_if_it_can_be_read(text: str) -> None:
    try:
        decoded = decode_llm_json(text, finished=True)
    except LLMJsonParseError:
        assume(False)  # noqa: FBT003 - Hypothesis' own
    for path, (start, end) in decoded.spans().items():
        value = value_at(decoded.data, path)
        if isinstance(value, dict | list):
            assert text[start:end].strip() == text[start:end] != ""
            continue
        try:
            alone = read_alone(text[start:end])
        except LLMJsonParseError:
            continue  # one of its quotes is missing
        assert repr(alone) == repr(value)


# --- with a type ---


class Row(BaseModel):
    name: str
    count: int = 0


class Order(BaseModel):
    rows: list[Row] = []
    price: Annotated[float, Lenient()] = 0
    due: LenientDate | None = None
    tags: list[str] = []
    note: Annotated[str, ReadAs(escapes="latex")] = ""


def read(text: str, dto_type: Any = Order, **options: Any) -> ParsedOutput[Any]:  # noqa: ANN401 - any type
    return parse_llm_json_output_with_trace(text, dto_type, **options)


def test_coerced_value_stands_where_its_text_does() -> None:
    text = '{"price": "1.2亿", "due": "2024/1/5", "tags": "new"}'
    parsed = read(text, coerce=True)

    assert (parsed.value.price, parsed.value.tags) == (1.2e8, ["new"])
    assert [slice_of(text, parsed, path) for path in ("$.price", "$.due", "$.tags", "$.tags[0]")] == [
        *('"1.2亿"', '"2024/1/5"', '"new"', '"new"')
    ]
    for path in ("$.tags[1]", "$.tag[0]", "$.price[0]"):
        with pytest.raises(KeyError, match="there is no value at"):
            parsed.span(path)


def test_value_in_a_string_of_json_stands_where_the_string_does() -> None:
    text = '{"rows": "[{\\"name\\": \\"tea\\"}]"}'
    parsed = read(text, coerce=True)

    assert parsed.value.rows == [Row(name="tea")]
    assert slice_of(text, parsed, "$.rows[0].name") == slice_of(text, parsed, "$.rows") == text[9:-1]
    with pytest.raises(KeyError, match="count"):
        parsed.span("$.rows[0].count")


def test_unwrapped_value_stands_inside_its_wrapping() -> None:
    text = 'Here: {"result": {"price": 5, "rows": [{"name": "tea"}]}}'
    parsed = read(text, unwrap=True)

    assert slice_of(text, parsed, "$") == text[17:-1]
    assert slice_of(text, parsed, "$.rows[0].name") == '"tea"'
    with pytest.raises(KeyError, match="result"):
        parsed.span("$.result.price")


@pytest.mark.parametrize(
    ("text", "dto_type", "place"),
    [
        ("**1,234,567**", int, "1,234,567"),
        ("The answer is 12 Nov 2025.", date, "12 Nov 2025"),
        ("2025-11-12T10:30:00Z", datetime, "2025-11-12T10:30:00Z"),
        ("`True`", bool, "True"),
        ("Final answer: buy", Literal["BUY", "SELL"], "buy"),
        ("\uff14\uff12\n", int, "\uff14\uff12"),
        ('{"answer": "buy"}', Literal["BUY", "SELL"], '"buy"'),
    ],
)
def test_answer_that_is_one_value_stands_where_its_word_does(
    text: str,
    dto_type: Any,  # noqa: ANN401 - any type
    place: str,
) -> None:
    parsed = read(text, dto_type, scalar=True, coerce=True, unwrap=True, finished=True)
    assert slice_of(text, parsed, "$") == place


def test_default_of_a_field_has_no_path() -> None:
    with pytest.raises(KeyError, match="count"):
        read('{"rows": [{"name": "tea"}]}').span("$.rows[0].count")


def test_escape_that_is_read_otherwise_in_a_field_keeps_its_place() -> None:
    text = '{"note": "$\\times$", "tags": ["\\t"]}'
    parsed = read(text)

    assert parsed.value.note == "$\\times$"
    assert (slice_of(text, parsed, "$.note"), slice_of(text, parsed, "$.tags[0]")) == ('"$\\times$"', '"\\t"')


def test_rows_that_were_split_have_no_place() -> None:
    parsed = read('[{"name": "a", "count": 1, "name": "b", "count": 2}]', list[Row], run_together="split")

    assert parsed.value == [Row(name="a", count=1), Row(name="b", count=2)]
    assert parsed.span("$[1].name") is None
    assert parsed.decoded.spans() == {}


def test_parts_that_are_kept_stand_where_they_stood() -> None:
    text = '{"rows": [{"name": 1}, {"name": "b"}], "price": 2}'
    parsed = read(text, keep="good")

    assert len(parsed.kept.problems) == 1
    assert slice_of(text, parsed, "$.rows[1].name") == '"b"'


def test_what_a_normalizer_made_or_moved_has_no_place() -> None:
    def change(data: dict[str, Any]) -> dict[str, Any]:
        data["rows"].reverse()
        return {**data, "price": 7, "note": data.pop("old"), "due": data["due"]}

    text = '{"rows": [{"name": "a"}, {"name": "a"}, {"name": "b"}], "tags": ["x", "x"], '
    text += '"price": 5, "due": null, "old": "n"}'
    parsed = read(text, normalizers=[change])

    assert [row.name for row in parsed.value.rows] == ["b", "a", "a"]
    for path in ("$.rows[0]", "$.rows[1].name", "$.price", "$.note"):
        assert parsed.span(path) is None
    assert [slice_of(text, parsed, path) for path in ("$.tags[1]", "$.due", "$.rows")] == [
        *('"x"', "null", '[{"name": "a"}, {"name": "a"}, {"name": "b"}]')
    ]


@pytest.mark.parametrize("hook", [lambda data: data, lambda data: {**data, "a": True}])
def test_another_kind_of_value_is_another_value(hook: Any) -> None:  # noqa: ANN401 - a normalizer
    decoded = decode_llm_json('{"a": 1, "b": NaN}', normalizers=[hook])

    assert (decoded.span("$.a") is None) == (decoded.data["a"] is True)
    assert decoded.span("$.b") == Span(14, 17)


# --- bounds ---


def test_result_that_was_made_by_hand_has_no_place() -> None:
    decoded = DecodedJson({"a": [1]})

    assert (decoded.span("$.a[0]"), decoded.spans()) == (None, {})
    with pytest.raises(KeyError, match="there is no value at"):
        ParsedOutput(None, decoded).span("$.b")


@pytest.mark.parametrize("path", ["", "price", "$.", "$price", "$.a[x]"])
def test_what_is_no_path_is_a_mistake_of_the_caller(path: str) -> None:
    with pytest.raises(ValueError, match="not a JSON path"):
        decode_llm_json("{}").span(path)


def test_long_path_is_cut_in_the_error() -> None:
    with pytest.raises(KeyError) as missing:
        decode_llm_json("{}").span("$." + "x" * 100_000)
    assert len(str(missing.value)) < 300


def test_spans_are_bounded_in_number_and_in_the_length_of_their_paths() -> None:
    many = decode_llm_json(json.dumps([0] * (places.MOST_SPANS + 9)))
    long = decode_llm_json(json.dumps({"k" * 90_000: {"k" * 90_000: [0] * 100}}))

    assert len(many.spans()) == places.MOST_SPANS
    assert sum(map(len, [*long.spans()][:-1])) < places.MOST_PATH_CHARACTERS
    assert many.span(f"$[{places.MOST_SPANS + 8}]") is not None


@pytest.mark.parametrize("text", ['{"a": ' * 400 + "[1,]" + "}" * 400, "[" * 900 + "]" * 900, f"[{'9' * 4000}, 1.0]"])
def test_deep_and_long_texts_have_places(text: str) -> None:
    decoded = decode_llm_json(text)
    assert decoded.span("$") == Span(0, len(text))
