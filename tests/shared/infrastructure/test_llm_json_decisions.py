"""Hard cases that were decided: what is data, what counts as text, what the standard decoder's licence covers."""

import json
import math
import subprocess
import sys

import pytest
from pydantic import BaseModel

from src.shared.domain.parse_reasons import NUMBER_TOO_LONG
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from tests.shared.reading import Score, position, reading_of, refusal_of, value_of, why_and_where

# --- what stands in a string is data ----------------------------------------------------------------------

DATA = {
    "a think block, a fence and a brace": "x <think>kept?</think> y ```z``` {w}",
    "an opening tag alone": "a <think> b",
    "a closing tag alone": "a </think> b",
    "a fenced object": '```json\n{"b": 2}\n```',
    "a tilde fence": "~~~\nx\n~~~",
    "an object": '{"score": 0}',
    "a harmony channel": '<|channel|>final<|message|>{"b": 2}<|return|>',
    "an unbalanced brace": "if (x) {",
    "full-width punctuation": "甲：乙，｛丙｝［丁］",
    "smart quotes": "“甲”、‘乙’、「丙」",
    "a comment": "// a /* b */ # c",
    "words of other languages": "None, True, undefined, NaN, ...",
    "escapes": 'quote " backslash \\ slash / \b\f\n\r\t \u0000 \u2028 \U0001f600',
}


@pytest.mark.parametrize("text", DATA.values(), ids=DATA.keys())
def test_text_of_a_string_in_valid_json_is_unchanged(text: str) -> None:
    assert reading_of(json.dumps({"a": text}, ensure_ascii=False)) == ({"a": text}, set())


@pytest.mark.parametrize("text", [text for text in DATA.values() if "\\" not in json.dumps(text, ensure_ascii=False)])
def test_text_of_a_string_in_a_damaged_object_is_unchanged(text: str) -> None:
    raw = json.dumps({"a": text}, ensure_ascii=False)[:-1] + ",}"
    assert reading_of(raw) == ({"a": text}, {RepairKind.TRAILING_COMMA})


def test_tag_in_a_string_survives_a_real_reasoning_block_before_it() -> None:
    assert value_of('<think>{"a": 0}</think>{"a": "x <think>kept</think> y"}') == {"a": "x <think>kept</think> y"}


def test_tag_in_a_string_survives_prose_around_the_object() -> None:
    assert value_of('答案 {"a": "x </think> y"} 完') == {"a": "x </think> y"}


# --- what the standard decoder accepts -------------------------------------------------------------------


def test_last_of_two_equal_keys_stands_and_the_trace_says_where() -> None:
    raw = '{\n  "a": 1,\n  "a": 2\n}'
    decoded = decode_llm_json(raw)
    assert decoded.data == {"a": 2}
    assert [(r.kind, {"line": r.line, "column": r.column, "offset": r.offset}) for r in decoded.repairs] == [
        (RepairKind.DUPLICATE_KEY, position(raw, raw.rindex('"a"')))
    ]


def test_same_key_in_two_objects_is_no_duplicate() -> None:
    assert reading_of('{"a": {"b": 1}, "c": {"b": 2}, "b": 3}')[1] == set()


def test_equal_keys_spelt_with_and_without_an_escape_are_one() -> None:
    assert reading_of('{"a": 1, "\\u0061": 2}') == ({"a": 2}, {RepairKind.DUPLICATE_KEY})


def test_non_finite_numbers_are_read_as_python_reads_them_and_traced() -> None:
    data, kinds = reading_of('{"a": Infinity, "b": -Infinity, "c": NaN}')
    assert (data["a"], data["b"], math.isnan(data["c"])) == (math.inf, -math.inf, True)
    assert kinds == {RepairKind.NON_FINITE_NUMBER}


def test_lone_surrogate_in_a_string_is_kept() -> None:
    assert value_of('{"a": "\\ud800"}') == value_of('{"a": "\ud800"}') == {"a": "\ud800"}


def test_surrogate_pair_is_one_character() -> None:
    assert value_of('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


@pytest.mark.parametrize("mark", ["\ufeff", "\x00", "\u200b \x00\n", "\u200b", "\u2060", "\n\ufeff \x00"])
def test_invisible_marks_around_the_object_are_no_obstacle(mark: str) -> None:
    assert value_of(f'{mark}{{"a": 1}}{mark}') == {"a": 1}


def test_nul_in_a_string_is_a_control_character_and_kept() -> None:
    assert reading_of('{"a": "x\x00y"}') == ({"a": "x\x00y"}, {RepairKind.CONTROL_CHARACTER})


def test_integers_keep_every_digit() -> None:
    assert value_of('{"a": 123456789012345678901234567890}') == {"a": 123456789012345678901234567890}


def test_integer_too_long_to_convert_is_refused() -> None:
    assert why_and_where(refusal_of('{"a": ' + "9" * 5000 + "}")) == (NUMBER_TOO_LONG.en, 0)


# --- what counts as text ----------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [None, "", " ", "\n\t\r ", "\u200b \x00\n", "\ufeff", "\x00", "\u3000"])
def test_text_with_nothing_in_it_is_empty(raw: str | None) -> None:
    error = refusal_of(raw)
    assert (error.details["stage"], "为空" in error.message) == ("empty", True)


@pytest.mark.parametrize(
    ("raw", "name"), [(b'{"a": 1}', "bytes"), (1, "int"), ([], "list"), ({"a": 1}, "dict"), (bytearray(), "bytearray")]
)
def test_what_is_no_text_is_a_programming_error_that_names_its_type(raw: object, name: str) -> None:
    with pytest.raises(TypeError, match=f"str or None, not {name}"):
        decode_llm_json(raw)  # type: ignore[call-overload]


# --- what the root is -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ('[{"a": 1}]', "array"),
        ("[1, 2]", "array"),
        ("[]", "array"),
        ('```json\n[{"a": 1}]\n```', "array"),
        ('<think>x</think>[{"a": 1}, {"a": 2}]', "array"),
        ('以下：[{"a": 1}]', "array"),
        ("[{'a': 1},]", "array"),
        ('"x"', "string"),
        ("1.5", "number"),
        ("-Infinity", "number"),
        ("true", "boolean"),
        ("null", "null"),
    ],
)
def test_root_that_is_no_object_is_refused_by_its_kind(raw: str, kind: str) -> None:
    error = refusal_of(raw, root="object")
    assert (error.details["stage"], f"根节点须为对象，得到的是 {kind}" in error.message) == ("root", True)


def test_empty_object_is_an_object() -> None:
    assert value_of(" {} ") == {}


# --- the three functions ----------------------------------------------------------------------------------


def test_typed_result_and_evidence_come_from_one_reading() -> None:
    output = parse_llm_json_output_with_trace("```\n{'score': 1}\n```", Score)
    assert (output.value, output.decoded.data) == (Score(score=1), {"score": 1})
    assert [repair.kind for repair in output.decoded.repairs] == [RepairKind.SINGLE_QUOTE]


def test_evidence_holds_the_object_as_the_normalizers_left_it() -> None:
    output = parse_llm_json_output_with_trace('{"分": 3}', Score, normalizers=[lambda data: {"score": data["分"]}])
    assert (output.value, output.decoded.data) == (Score(score=3), {"score": 3})


def test_notes_say_which_stage_dropped_recognised_and_chose_which_part() -> None:
    raw = '<think>x</think>\n```json\n{"a": 1}\n```'
    noted = [(note.stage, note.action, raw[note.span.start : note.span.end]) for note in decode_llm_json(raw).notes]
    assert noted == [
        ("think", "dropped", "<think>x</think>"),
        ("fence", "recognised", '{"a": 1}\n'),
        ("strict", "chosen", '{"a": 1}'),
    ]


def test_model_with_aliases_is_filled_by_alias() -> None:
    class Aliased(BaseModel):
        model_config = {"alias_generator": str.upper}
        score: int

    assert parse_llm_json_output("{SCORE: 1}", Aliased).score == 1


def test_importing_the_parser_imports_no_client_and_no_command_line() -> None:
    code = "import sys, src.shared.infrastructure.llm_json; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own code
    roots = {name.partition(".")[0] for name in done.stdout.split()}
    assert roots & {"typer", "rich", "click", "openai", "httpx", "httpx2", "opentelemetry"} == set()
