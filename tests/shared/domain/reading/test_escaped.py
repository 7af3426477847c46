"""An object written as the inside of a string: decoded by JSON's rules, whole or not at all."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.parse_reasons import (
    ESCAPED_UNREADABLE,
)
from src.shared.domain.reading.layers import MARGIN_LIMIT, MAX_LEVELS
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import position, refusal_of, trace_of, value_of, why_and_where

EVERYTHING = {
    "a": '"\\/\b\f\n\r\t\x00 中 🚀 \ud83d x',
    "b": [1, {"c": None}],
    "d": r"\d C:\dir",
    "e": "{x} <think> ```",
}


def encoded(data: object, levels: int, *, ascii_only: bool = True) -> str:
    """JSON of JSON, so often as `levels` says."""
    for _ in range(levels + 1):
        data = json.dumps(data, ensure_ascii=ascii_only)
    assert isinstance(data, str)
    return data


@pytest.mark.parametrize("ascii_only", [True, False], ids=["ASCII", "any character"])
@pytest.mark.parametrize("levels", range(1, MAX_LEVELS + 1))
def test_object_encoded_again_is_the_same_object(levels: int, ascii_only: bool) -> None:  # noqa: FBT001 - a case
    raw = encoded(EVERYTHING, levels, ascii_only=ascii_only)
    assert value_of(raw) == EVERYTHING
    assert value_of(raw[levels:-levels].strip('\\"')) == EVERYTHING, "without the outer quotes"


@pytest.mark.parametrize("blanks", [MARGIN_LIMIT - 1, MARGIN_LIMIT])
def test_quote_before_many_blanks_is_looked_for_in_the_margin(blanks: int) -> None:
    raw = '"' + " " * blanks + r"{\"a\": 1}" + '"'
    if blanks < MARGIN_LIMIT:
        assert value_of(raw) == {"a": 1}
    else:
        assert refusal_of(raw).details["json_error"] == ESCAPED_UNREADABLE.en


def test_trace_of_an_escaped_object_points_into_the_raw_text() -> None:
    raw = 'So: "{\\"a\\": \\"\\ud83d\\ude80\\",\\n \\"b\\": 1,}"'
    assert [(r.kind, r.offset) for r in trace_of(raw)] == [(K.ESCAPED_JSON, 4), (K.TRAILING_COMMA, raw.index(",}"))]


def test_trace_of_an_object_encoded_twice_points_into_the_raw_text() -> None:
    raw = encoded({"a": 1}, 2).replace("1}", "1,}")
    assert [(r.kind, r.offset) for r in trace_of(raw)] == [
        (K.ESCAPED_JSON, 0),
        (K.ESCAPED_JSON, 1),
        (K.TRAILING_COMMA, raw.index(",}")),
    ]


def test_problem_in_an_escaped_object_is_named_where_it_stands_in_the_raw_text() -> None:
    raw = r'"{\"a\": 1, \"b\": [\"he said \\\"no\", \"yes\\\"]}"'
    details = refusal_of(r'"{\"a\": \"say \\d\\nor\"}"').details
    assert [place["offset"] for place in details["candidates"]] == [15, 18]
    assert refusal_of(raw).details["position"] == position(raw, len(raw))


@texts({"alone": r'"[{\"a\": 1}]"', "in prose": r'So: "[{\"a\": 1}, {\"a\": 2}]".'})
def test_escaped_list_is_no_object_and_none_in_it_is_the_answer(raw: str) -> None:
    assert refusal_of(raw, root="object").details["json_error"] == "the root is array"


def test_escaped_list_that_is_all_there_is_is_read_where_no_root_is_asked_for() -> None:
    assert decode_llm_json(r'"[{\"a\": 1}]"').data == [{"a": 1}]


@cases(
    {
        "whose quote is missing": (r'"{\"a\": {}}', {"a": {}}),
        "in a member": (r'"{\"a\": 1, \"b\": \"cut', {"a": 1}),
    }
)
def test_salvage_keeps_the_whole_members_of_an_escaped_object(raw: str, data: dict[str, Any]) -> None:
    decoded = decode_llm_json(raw, salvage=True)
    assert (decoded.data, decoded.truncated) == (data, True)


def test_bracket_missing_in_closed_quotes_is_closed_if_the_model_had_finished() -> None:
    assert decode_llm_json(r'"{\"a\": {\"b\": 1}"', finished=True).data == {"a": {"b": 1}}
    assert refusal_of(r'"{\"a\": {\"b\": 1}"').details["truncated"]


def test_escaped_object_is_validated_like_every_other() -> None:
    class Title(BaseModel):
        title: str

    assert parse_llm_json_output(r'"{\"title\": \"\ud83d\ude80\"}"', Title).title == "🚀"


def test_escaped_scalar_is_no_object() -> None:
    assert why_and_where(refusal_of(r'"\"x\""')) == ("the root is string", None)
