"""A number keeps what the text says on every way: clean, repaired, streamed, in a call; as the documentation has it."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, get_origin
from uuid import UUID

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, StrictInt, create_model

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing.as_json import has_long_whole
from src.shared.infrastructure.parsing.target_type import target_type
from src.shared.infrastructure.tool_calls import parse_tool_call, read_tool_calls

Reads = Callable[[str, type[BaseModel]], Any]


def streamed(text: str, model: type[BaseModel]) -> Any:  # noqa: ANN401 - the value of the field
    stream: LLMJsonStream[Any] = LLMJsonStream(model)
    for char in f'{{"x": {text}}}':
        stream.feed(char)
    return stream.close().x


WAYS: dict[str, Reads] = {
    "clean": lambda text, model: parse_llm_json_output(f'{{"x": {text}}}', model).x,  # type: ignore[attr-defined]
    "traced": lambda text, model: parse_llm_json_output_with_trace(f'{{"x":{text}}}', model).value.x,  # type: ignore[attr-defined]
    "hooked": lambda text, model: parse_llm_json_output(f'{{"x": {text}}}', model, normalizers=[dict]).x,  # type: ignore[attr-defined]
    "coerced": lambda text, model: parse_llm_json_output(f'{{"x": {text}}}', model, coerce=True).x,  # type: ignore[attr-defined]
    "repaired": lambda text, model: parse_llm_json_output(f"{{x: {text},}}", model).x,  # type: ignore[attr-defined]
    "fenced": lambda text, model: parse_llm_json_output(f'So:\n```json\n{{"x": {text}}}\n```', model).x,  # type: ignore[attr-defined]
    "unwrapped": lambda text, model: parse_llm_json_output(f'[{{"x": {text}}}]', model, unwrap=True).x,  # type: ignore[attr-defined]
    "streamed": streamed,
    "arguments": lambda text, model: parse_tool_call(f'{{"x": {text}}}', model).x,  # type: ignore[attr-defined]
    "call": lambda text, model: (
        read_tool_calls(f'<tool_call>{{"name": "t", "arguments": {{"x": {text}}}}}</tool_call>', {"t": model})[
            0
        ].arguments.x
    ),
    "parameter": lambda text, model: (
        read_tool_calls(f"<function=t>\n<parameter=x>\n{text}\n</parameter>\n</function>", {"t": model})[0].arguments.x
    ),
}
TABLE = [
    ("9007199254740993", int, 9007199254740993),
    ("123456789012345678901234567890", int, 123456789012345678901234567890),
    ("9007199254740993.0", int, 9007199254740993),
    ("-9007199254740993.00", int, -9007199254740993),
    ("-0", int, 0),
    ("-0", StrictInt, 0),
    ("9007199254740993", StrictInt, 9007199254740993),
    ("9007199254740993", Decimal, Decimal(9007199254740993)),
    ("1.10", Decimal, Decimal("1.10")),
    ("-0", Decimal, Decimal("-0")),
    ("-0.0", Decimal, Decimal("-0.0")),
    ("1e2", Decimal, Decimal("1E+2")),
    ("9007199254740993.0", Decimal, Decimal("9007199254740993.0")),
    ("0.1000000000000000055511151231257827", Decimal, Decimal("0.1000000000000000055511151231257827")),
    ("1E400", Decimal, Decimal("1E+400")),
    ("-0", float, -0.0),
    ("1.10", float, 1.1),
    ("9007199254740993", float, 9007199254740992.0),
    ("9007199254740993.0", int | float, 9007199254740993),
    ("-0", Decimal | None, Decimal("-0")),
    *[
        (text, Decimal, Decimal(text))
        for text in (
            *("0.1234567890123456789012345678901", "1.0", "100.00", "1E-7", "1e+22", "12345678901234567890.10"),
            *("5", "0.5"),
        )
    ],
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("text", "kind", "value"), TABLE)
def test_number_keeps_what_the_text_says(way: str, text: str, kind: Any, value: object) -> None:  # noqa: ANN401 - any type
    assert repr(WAYS[way](text, create_model("M", x=(kind, ...)))) == repr(value)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Texts(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)
    x: str


class Enumerated(Enum):
    LONG = 9007199254740993


BEFORE = Annotated[Any, BeforeValidator(repr)]
NOTICING = [
    *[(kind, text) for kind in (Any, BEFORE, Annotated[str, BeforeValidator(repr)]) for text in ("L", "-0")],
    *[(kind, text) for kind in (int, dict, list, Literal["x", 9007199254740993], Enumerated) for text in ("L",)],
    *[(kind, text) for kind in (float, float | None, int | float, Decimal, dict, list[float]) for text in ("-0",)],
]
"""Types that would make something else of a number if it lost its digits or its sign."""


@pytest.mark.parametrize(("kind", "number"), NOTICING)
def test_clean_text_is_read_as_exactly_as_a_damaged_one(kind: Any, number: str) -> None:  # noqa: ANN401 - any type
    written = "9007199254740993.0" if number == "L" else number
    outer: Any = kind if isinstance(kind, type) else get_origin(kind)
    text = f'{{"k": {written}}}' if outer is dict else f"[{written}]" if outer is list else written
    model = create_model("M", x=(kind, ...))

    clean = parse_llm_json_output(f'{{"x": {text}}}', model)
    assert repr(clean) == repr(parse_llm_json_output(f'{{"x": {text},}}', model))


@pytest.mark.parametrize("model", [Open, Texts])
@pytest.mark.parametrize("written", ["9007199254740993.0", "-0"])
def test_a_model_that_takes_any_number_is_read_so_too(model: type[BaseModel], written: str) -> None:
    clean = parse_llm_json_output(f'{{"x": {written}}}', model)

    assert repr(clean) == repr(parse_llm_json_output(f'{{"x": {written},}}', model))


@pytest.mark.parametrize("kind", [str, bool, date, Literal["x", "y"], UUID, list[str], dict[str, bool]])
def test_types_without_numbers_are_never_searched_for_them(kind: Any) -> None:  # noqa: ANN401 - any type
    known = target_type(create_model("M", x=(kind, ...)))

    assert (known.reads_integers, known.reads_signs, known.reads_decimals) == (False, False, False)


@pytest.mark.parametrize("before", [0, 1, 31, 32, 33, 100])
def test_long_number_is_found_among_short_ones(before: int) -> None:
    rows = "".join(f'{{"x": {at}.0}}, ' for at in range(before))
    text = f'[{rows}{{"x": 9007199254740993.00}}, {rows}{{"x": 1.0}}]'

    assert has_long_whole(text)
    assert not has_long_whole(text.replace("9007199254740993.00", "900719925474099.00"))
    assert not has_long_whole(text.replace("9007199254740993.00", "9007199254740993.01"))


class Both(BaseModel):
    whole: int
    exact: Decimal
    strict: int = 0


def test_type_with_a_decimal_keeps_its_integers_too() -> None:
    raw = '{"whole": 9007199254740993.0, "exact": 9007199254740993.0, "strict": 9007199254740995.00}'

    assert repr(parse_llm_json_output(raw, Both)) == repr(
        Both(whole=9007199254740993, exact=Decimal("9007199254740993.0"), strict=9007199254740995)
    )


def test_without_a_type_a_whole_number_is_an_integer_where_no_float_is_it() -> None:
    data = decode_llm_json('{"a": 9007199254740993.0, "b": 9007199254740992.5, "c": 1.0, "d": -0, "e": [1e20]}').data

    assert repr(data) == "{'a': 9007199254740993, 'b': 9007199254740992.0, 'c': 1.0, 'd': 0, 'e': [1e+20]}"


def test_fraction_is_no_integer() -> None:
    with pytest.raises(LLMJsonParseError, match="不符合契约"):
        parse_llm_json_output('{"x": 1.5}', create_model("M", x=(int, ...)))


def test_whole_number_that_a_float_holds_stays_one_without_a_type() -> None:
    found = decode_llm_json('{"a": 9007199254740992.0, "b": 9007199254740993.0,}').data
    assert [(type(one), one) for one in found.values()] == [(float, 2.0**53), (int, 2**53 + 1)]


def test_float_is_no_strict_integer_though_it_is_zero() -> None:
    with pytest.raises(LLMJsonParseError, match=r"x: Input should be a valid integer"):
        parse_llm_json_output('{"x": -0.0}', create_model("M", x=(StrictInt, ...)))


@pytest.mark.parametrize("whole", [2**63, -(2**63), 9_417_884_078_453_030_912, 10**20])
def test_whole_number_that_pydantic_reads_from_no_float_is_an_integer(whole: int) -> None:
    for raw in (f'{{"whole": {whole}.0, "exact": 0.000}}', f'{{whole: {whole}.00, "exact": 0}}'):
        assert parse_llm_json_output(raw, Both).whole == whole
    assert type(decode_llm_json(f'{{"a": {whole}.0}}').data["a"]) is int
