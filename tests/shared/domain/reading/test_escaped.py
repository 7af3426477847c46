"""An object written as the inside of a string: decoded by JSON's rules, whole or not at all."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.parse_reasons import (
    ESCAPED_UNREADABLE,
    HOLDS_CALL,
    NO_OBJECT,
    PART_OF_MORE,
    SEVERAL_OBJECTS,
    TOO_DEEP,
    TRUNCATED,
    TWO_ESCAPE_READINGS,
)
from src.shared.domain.reading.layers import MARGIN_LIMIT, MAX_LEVELS
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import position, reading_of, refusal_of, trace_of, value_of

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


# --- what is read ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ascii_only", [True, False], ids=["ASCII", "any character"])
@pytest.mark.parametrize("levels", range(1, MAX_LEVELS + 1))
def test_object_encoded_again_is_the_same_object(levels: int, ascii_only: bool) -> None:  # noqa: FBT001 - a case
    raw = encoded(EVERYTHING, levels, ascii_only=ascii_only)
    assert value_of(raw) == EVERYTHING
    assert value_of(raw[levels:-levels].strip('\\"')) == EVERYTHING, "without the outer quotes"


def test_object_encoded_once_more_than_that_is_refused() -> None:
    assert refusal_of(encoded({"a": 1}, MAX_LEVELS + 1)).details["json_error"] == TOO_DEEP.en


def test_halves_of_a_surrogate_pair_are_one_character() -> None:
    assert reading_of(r'"{\"a\": \"\ud83d\ude80\"}"') == ({"a": "🚀"}, {K.ESCAPED_JSON})


def test_half_of_a_surrogate_pair_alone_stays_half() -> None:
    assert value_of(r'"{\"a\": \"\ud83d x \ude80\"}"') == {"a": "\ud83d x \ude80"}


@cases(
    {
        "in prose": (r"Here it is: {\"a\": 1} as asked.", {"a": 1}),
        "in quotes in prose": (r'Here it is: "{\"a\": 1}".', {"a": 1}),
        "in a tag": (r"<function_call>{\"a\": 1}</function_call>", {"a": 1}),
        "with escaped blanks around it": (r'"\n {\"a\": 1}\n"', {"a": 1}),
        "with escaped letters in its key": (r"{\"\u4e2d\": 1}", {"中": 1}),
        "twice the same": (r"{\"a\": 1} {\"a\": 1}", {"a": 1}),
        "beside a plain one that is equal": (r'{\"a\": 1} {"a": 1}', {"a": 1}),
    }
)
def test_escaped_object_is_found_where_a_plain_one_would_be(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@pytest.mark.parametrize("blanks", [MARGIN_LIMIT - 1, MARGIN_LIMIT])
def test_quote_before_many_blanks_is_looked_for_in_the_margin(blanks: int) -> None:
    raw = '"' + " " * blanks + r"{\"a\": 1}" + '"'
    if blanks < MARGIN_LIMIT:
        assert value_of(raw) == {"a": 1}
    else:
        assert refusal_of(raw).details["json_error"] == ESCAPED_UNREADABLE.en


@pytest.mark.parametrize("text", ["<think>x</think> y", "x </think> y", "```json {} ```"])
@pytest.mark.parametrize("raw", ["```json\n{}\n```", "{}", "Result: {}"], ids=["in a fence", "alone", "in prose"])
def test_tag_or_fence_in_an_escaped_string_is_data(raw: str, text: str) -> None:
    assert value_of(raw.replace("{}", encoded({"a": text}, 1)[1:-1])) == {"a": text}


@texts(
    {
        "that is cut off": r'{"a": {\"b\": {}, \"c\": \"</think>\", \"d\": {}',
        "alone, that is cut off": r"{\"a\": \"</think>\", \"b\": {\"c\": 1}, ",
        "that an argument is": r'f("{\"a\": \"</think>\", \"b\": {\"c\": 1}}")',
        "with a backslash too many": r'"{\"a\": \"</think>\", \"b\": {\"c\": \"\d\"}}"',
    }
)
def test_tag_in_an_escaped_object_that_cannot_be_read_is_data(raw: str) -> None:
    assert refusal_of(raw).details["stage"] == "repair"


def test_channel_of_harmony_in_an_escaped_object_is_data() -> None:
    text = "<|channel|>final<|message|>{}"
    assert value_of(encoded({"a": text}, 1)) == {"a": text}


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


@cases(
    {
        "a pattern": (r'"{\"a\": \"\\bfoo\\b\\d\"}"', {"a": r"\bfoo\b\d"}),
        "an apostrophe": (r"{\"a\": \"it\'s\"}", {"a": "it's"}),
    }
)
def test_backslashes_inside_an_escaped_object_are_read_as_anywhere(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


# --- what is refused ---------------------------------------------------------------------------------------------


@texts(
    {
        "in a string, with a quote after it": r'"{\n  \"a\": {},\n  \"b\": \"cut of"',
        "in a string": r'"{\n  \"a\": {},\n  \"b\": \"cut of',
        "after a number": r'"{\"a\": {}, \"b\": 4',
        "before the closing quote": r'"{\"a\": {}}',
        "before a closing quote that is not escaped": r'"{\"a\": {}}\"',
        "without outer quotes": r"{\"a\": {}, \"b\": 4",
        "in a list": r'"[{\"a\": {}}, {\"a\": ',
    }
)
def test_escaped_object_that_is_cut_off_is_refused_with_all_inside_it(raw: str) -> None:
    details = refusal_of(raw).details
    assert (details["json_error"], details["truncated"]) == (TRUNCATED.en, True)


@texts(
    {
        "a quote that closes and none that opens": r'{\"a\": {}}"',
        "text after it in its quotes": r'"{\"a\": {}} x"',
        "a quote that is not escaped": r'{\"a\": {}, \"b\": "x"}',
        "a quote that is not escaped, and then an object": r'{\"a\": "x"} {"b": 2}',
        "a key without its colon": r'{\"a\" {"b": 2}',
        "an escape that JSON lacks": r'"{\"re\": \"\bfoo\b\d\"}"',
        "quotes that are no quotes once decoded": r"{\"a\": 1} x{\\\\\"a\\\\\": 1} {}",
        "a brace in the middle of a word": r'x{\"a\": "b"} {}',
    }
)
def test_escaped_text_that_is_no_whole_object_is_refused_with_all_inside_it(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == ESCAPED_UNREADABLE.en


@texts(
    {
        "a key without its quote": r'"{\n  \"a: {}, \"b\": 2',
        "a key without its quote after a line end": r'"\n{\"a: {}, \"b\": 2',
    }
)
def test_nothing_in_an_escaped_text_that_cannot_be_read_is_an_answer(raw: str) -> None:
    assert refusal_of(raw).details["stage"] == "repair"


def test_problem_in_an_escaped_object_is_named_where_it_stands_in_the_raw_text() -> None:
    raw = r'"{\"a\": 1, \"b\": [\"he said \\\"no\", \"yes\\\"]}"'
    details = refusal_of(r'"{\"a\": \"say \\d\\nor\"}"').details
    assert [place["offset"] for place in details["candidates"]] == [15, 18]
    assert refusal_of(raw).details["position"] == position(raw, len(raw))


@texts(
    {
        "a command of LaTeX": r"{\"a\": \"\\frac{1}{2}\"}",
        "a command that begins like a tab": r'"{\"a\": \"3 \\times 4\"}"',
        "a letter behind a backslash": r"{\"a\": \"x\\b\"}",
    }
)
def test_text_of_which_perhaps_only_the_quotes_were_escaped_is_refused(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == TWO_ESCAPE_READINGS.en


def test_escaped_quote_in_a_text_says_that_all_was_escaped() -> None:
    assert value_of(r"{\"a\": \"say \\\"x\\\"\\f\"}") == {"a": 'say "x"\f'}


@texts({"another that differs": r"{\"a\": 1} {\"a\": 2}", "a plain one that differs": r'{\"a\": 1} {"a": 2}'})
def test_escaped_object_is_a_rival_like_every_other(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == SEVERAL_OBJECTS.en


@texts(
    {
        "of a call": r'json.loads("{\"a\": 1}")',
        "after another": r'f(1, "{\"a\": 1}")',
        "of a member without an object": r'"payload": "{\"a\": 1}"',
    }
)
def test_escaped_object_that_is_an_argument_is_part_of_more(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == PART_OF_MORE.en


def test_escaped_object_that_is_an_argument_with_a_name_is_part_of_a_call() -> None:
    assert refusal_of(r"[f(params='{\"a\": 1}')]").details["json_error"] == HOLDS_CALL.en


@texts({"alone": r'"[{\"a\": 1}]"', "in prose": r'So: "[{\"a\": 1}, {\"a\": 2}]".'})
def test_escaped_list_is_no_object_and_none_in_it_is_the_answer(raw: str) -> None:
    assert refusal_of(raw, root="object").details["json_error"] == "the root is array"


def test_escaped_list_that_is_all_there_is_is_read_where_no_root_is_asked_for() -> None:
    assert decode_llm_json(r'"[{\"a\": 1}]"').data == [{"a": 1}]


def test_brace_before_an_escaped_quote_in_a_latex_name_is_prose() -> None:
    assert value_of(r'By G{\"o}del: {"a": 1}') == {"a": 1}


def test_object_in_a_string_of_json_that_goes_on_behind_it_is_no_answer() -> None:
    details = refusal_of(r'"{\u3000\"a\":\u30001}\u3000"').details
    assert (details["json_error"], details["position"]["offset"]) == (NO_OBJECT.en, 0)


# --- salvage, and what the caller knows --------------------------------------------------------------------------


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
