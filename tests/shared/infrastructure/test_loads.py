"""`loads` and `load` are called as those of `json` and `json_repair`, and never give another value than `json` does."""

from __future__ import annotations

import copy
import io
import json
import logging
import pickle
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import llm_output
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.loads import LLMJsonDecodeError, from_file, load, loads, repair_json
from tests.properties.json_texts import awkward_objects, awkward_text, json_texts

ROWS = tomllib.loads(Path(__file__).with_name("loads.toml").read_text(encoding="utf-8"))["row"]
READ = [(row["name"], text, value) for row in ROWS for text, value in row.get("values", {}).items()]
REFUSED = [(row["name"], text, stage) for row in ROWS for text, stage in row.get("refused", {}).items()]
DAMAGED = "{'a': .5, 'b': 1_000, 'c': 1.10, d: +1.50, e: 1e400, f: NaN, g: 12345678901234567890.10, 'h': '1.10',}"


@pytest.mark.parametrize(("name", "text", "value"), READ)
def test_text_is_read(name: str, text: str, value: str) -> None:
    assert repr(loads(text)) == repr(json.loads(value)), name


@pytest.mark.parametrize(("name", "text", "stage"), REFUSED)
def test_text_is_refused(name: str, text: str, stage: str) -> None:
    with pytest.raises(LLMJsonDecodeError) as refused:
        loads(text)
    assert refused.value.details["stage"] == stage, name


# --- as json reads ---

strict_texts = json_texts() | (awkward_objects | awkward_text | st.floats() | st.integers() | st.none()).map(json.dumps)
repeating = st.lists(st.tuples(st.sampled_from("ab"), st.integers() | awkward_text), max_size=4).map(
    lambda members: "[{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members) + "}]"
)


@given(strict_texts | repeating)
def test_text_that_is_json_is_read_as_json_reads_it(text: str) -> None:
    assert repr(loads(text)) == repr(json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        *('{"a": NaN}', "NaN", "-Infinity", "[1e999]", "[-0, -0.0]", '"\\ud800"', '{"\\udfff": 1}', '{"a": 1, "a": 2}'),
        *('[{"a": 1, "b": 2, "a": 3, "b": 4}]', '{"a": 12345678901234567890.0}', "1" * 4000, "[" * 300 + "]" * 300),
        *('["...", "// 8 more"]', '{"name": "search", "arguments": {}}', '"```json\\n{}\\n```"', '"<think>"'),
    ],
)
def test_odd_text_that_is_json_is_read_as_json_reads_it(text: str) -> None:
    assert repr(loads(text)) == repr(json.loads(text))
    assert repr(loads(text.encode("utf-16"), parse_float=Decimal)) == repr(json.loads(text, parse_float=Decimal))


@given(strict_texts, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be"]))
def test_bytes_are_read_as_json_reads_them(text: str, encoding: str) -> None:
    raw = text.encode(encoding, "surrogatepass")
    assert repr(loads(raw)) == repr(loads(bytearray(raw))) == repr(json.loads(raw))


@given(json_texts())
def test_hooks_are_called_in_a_wrapped_text_as_in_a_clean_one(text: str) -> None:
    hooks: dict[str, Any] = {"parse_float": Decimal, "parse_int": str, "object_pairs_hook": tuple}
    assert repr(loads(f"Here it is:\n```json\n{text}\n```", **hooks)) == repr(json.loads(text, **hooks))


@pytest.mark.parametrize("text", ["{'a': 1}", "<think>x</think>{'a': {}, 'b': []}"])
def test_text_without_odd_numbers_is_the_same_with_hooks(text: str) -> None:
    assert loads(text, object_hook=lambda members: members, parse_int=int, parse_constant=float) == loads(text)


def test_hooks_get_numbers_as_they_are_written() -> None:
    assert loads(DAMAGED, parse_float=Decimal, parse_int=str, parse_constant=str) == {
        "a": Decimal("0.5"),
        "b": "1000",
        "c": Decimal("1.10"),
        "d": Decimal("1.50"),
        "e": Decimal("1e400"),
        "f": "NaN",
        "g": Decimal("12345678901234567890.10"),
        "h": "1.10",
    }
    for text in (DAMAGED, "1.10", "**1.10**", "```\n1.10\n```", "<think>x</think>\n[1.10]"):
        found = loads(text, parse_float=Decimal)
        assert str(found["c"] if text == DAMAGED else found[0] if "[" in text else found) == "1.10"


def test_error_of_a_hook_is_its_own() -> None:
    def broken(_: str) -> float:
        raise LookupError

    for text in ("[1.5]", "[1.5,]"):
        with pytest.raises(LookupError, match=r"^$"):
            loads(text, parse_float=broken)


def test_members_are_not_told_apart_where_a_key_stands_twice_in_a_damaged_text() -> None:
    assert loads('{"a": 1, "a": 2}', object_pairs_hook=list) == [("a", 1), ("a", 2)]
    with pytest.raises(LLMJsonDecodeError, match="object_pairs_hook asks for all"):
        loads("{'a': 1, 'a': 2}", object_pairs_hook=list)


def test_damaged_text_that_is_nested_too_deep_for_hooks_is_refused() -> None:
    text = "Here: " + "[" * 900 + "1.10" + "]" * 900
    with pytest.raises(LLMJsonDecodeError, match="nested too deeply"):
        loads(text, root="array", parse_float=Decimal)


# --- the error ---


@pytest.mark.parametrize("caught", [ValueError, json.JSONDecodeError, LLMJsonParseError, llm_output.AppException])
def test_error_is_caught_as_those_of_json_and_of_the_parser(caught: type[Exception]) -> None:
    with pytest.raises(caught, match="cut off here"):
        loads('[1,\n {"a": 2')


def test_error_has_what_both_have_also_in_another_process() -> None:
    with pytest.raises(LLMJsonDecodeError, match="cut off here") as refused:
        loads('[1,\n {"a": 2')
    other = pickle.loads(pickle.dumps(refused.value))  # noqa: S301 - made here
    for error in (refused.value, other, copy.copy(refused.value)):
        assert (error.doc, error.pos, error.lineno, error.colno) == ('[1,\n {"a": 2', 12, 2, 9)
        assert (error.msg, error.details["stage"], error.code) == (str(error), "repair", "LLM_JSON_PARSE_ERROR")
        assert "line 2, column 9" in error.feedback()


def test_refusal_without_one_place_is_at_the_beginning() -> None:
    with pytest.raises(LLMJsonDecodeError, match="is empty") as refused:
        loads(None)
    assert (refused.value.doc, refused.value.pos, refused.value.lineno, refused.value.colno) == ("", 0, 1, 1)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(LLMJsonDecodeError, match="byte 1 cannot be read as utf-8"):
        loads(b'"\xff"')


def test_plain_value_is_not_logged_as_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert loads("```json\n42\n```") == 42
    assert caplog.messages == []


# --- arguments ---


def test_strict_refuses_what_takes_a_repair_and_a_key_that_stands_twice() -> None:
    assert loads('Sure: {"a": 1}', strict=True) == {"a": 1}
    assert loads('"{\\"a\\": 1}"', strict=True) == '{"a": 1}'
    for text, cause in (("{'a': 1}", "single_quote"), ('{"a": 1, "a": 2}', "duplicate_key"), ("[NaN]", "non_finite")):
        with pytest.raises(LLMJsonDecodeError, match=cause):
            loads(text, strict=True)
        assert loads(text)


def test_log_has_an_entry_for_each_repair() -> None:
    text = "Here is the whole answer: {'a': 1,}. That is all there is."
    _, log = loads(text, logging=True)
    assert log == [
        {"text": "single_quote at line 1, column 28: \"'a'\" read as '\"a\"'", "context": text[7:50]},
        {"text": "trailing_comma at line 1, column 34: ',' read as ''", "context": text[13:54]},
    ]
    assert loads("[1]", logging=True, skip_json_loads=True) == ([1], [])


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"cls": json.JSONDecoder}, r"json\.loads\(repair_json\(text\), cls=...\)"),
        ({"stream_stable": True}, "LLMJsonStream"),
        ({"schema_repair_mode": "salvage"}, 'keep="good"'),
        ({"schema": {"type": "object"}}, r"parse_llm_json_output\(text, JsonSchema\(schema\)\)"),
        ({"schema": int}, "or a Pydantic model in place of the schema"),
        ({"finished": "length"}, "finish_reason_of"),
        ({"encoding": "utf-8"}, "unexpected keyword argument 'encoding'"),
    ],
)
def test_argument_that_is_not_taken_is_refused_with_what_to_write(arguments: dict[str, Any], advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        loads('{"a": 1.5}', **arguments)


def test_arguments_that_ask_for_nothing_are_taken() -> None:
    usual: dict[str, Any] = {"cls": None, "schema": None, "stream_stable": False, "schema_repair_mode": "standard"}
    assert loads("[1,]", skip_json_loads=True, parse_int=None, **usual) == [1]


def test_other_things_than_texts_are_refused() -> None:
    with pytest.raises(TypeError, match="not StringIO; a file is read by load"):
        loads(io.StringIO("{}"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"write load\(fd\)"):
        repair_json(json_fd=io.StringIO("{}"))
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        repair_json("{}", parse_float=Decimal)


def test_options_of_a_reading_are_taken() -> None:
    assert loads('{"a": [1, 2', finished=True) == {"a": [1, 2]}
    assert loads('{"a": 1, "b": [2', salvage=True) == {"a": 1}
    assert loads("See [1, 2].", root="array") == [1, 2]
    assert loads('{"a": 1} {"a": 2}', several="last") == {"a": 2}
    assert loads('{"a": 1}', normalizers=[lambda data: {**data, "b": 2}]) == {"a": 1, "b": 2}
    assert loads("<think>x</think> 42", finished=True) == 42
    for text in ("42", '{"a": 1}', "**42**"):
        with pytest.raises(LLMJsonDecodeError, match="before it had finished"):
            loads(text, finished=False)
    for root in ("object", "array"):
        with pytest.raises(LLMJsonDecodeError) as refused:
            loads("42", root=root)
        assert refused.value.details["stage"] == "root"


# --- files and texts ---


@pytest.mark.parametrize("file", [io.StringIO("{'a': 'é'}"), io.BytesIO("{'a': 'é'}".encode())], ids=["text", "bytes"])
def test_file_is_read(file: io.StringIO | io.BytesIO) -> None:
    assert load(file, chunk_length=1, logging=False) == {"a": "é"}


def test_file_is_read_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_bytes("\ufeff{'a': 'é'}".encode())
    assert from_file(tmp_path / "answer.txt") == from_file(str(tmp_path / "answer.txt"), chunk_length=9) == {"a": "é"}


def test_text_is_repaired() -> None:
    assert repair_json("{'a': 'é', 'b': None}") == '{"a": "\\u00e9", "b": null}'
    assert repair_json("{'a': 'é'}", ensure_ascii=False, indent=1, finished=True) == '{\n "a": "é"\n}'
    assert repair_json("{'a': 1}", return_objects=True, chunk_length=1) == {"a": 1}
    assert repair_json("[1,]", logging=True)[0] == [1]
    with pytest.raises(LLMJsonDecodeError, match="is empty"):
        repair_json()


@pytest.mark.parametrize("text", ["*" * 200_000, "_`" * 100_000, "```\n1\n" * 20_000, '"' + "\\" * 200_000], ids=len)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(LLMJsonDecodeError, match="not valid JSON"):
        loads(text)


@pytest.mark.parametrize("function", [loads, load, from_file, repair_json])
def test_names_are_public(function: Callable[..., Any]) -> None:
    assert getattr(llm_output, function.__name__) is function
