"""Backslashes and control characters: what strict JSON would write for them, and what stays an escape."""

from typing import Any

import pytest

from src.shared.domain.parse_reasons import ESCAPED_UNREADABLE, TRUNCATED, Reason
from src.shared.domain.reading.reading import NO_COMMA, NO_STRING_END
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.domain.reading.cases import cases, refusals
from tests.shared.reading import reading_of, refusal_of, value_of, why_and_where


@cases(
    {
        "a regular expression": (r'{"a": "\s+\d*"}', {"a": r"\s+\d*"}),
        "a path with letters that escapes begin with": (r'{"a": "C:\temp\new\data"}', {"a": r"C:\temp\new\data"}),
        "a path": (r'{"a": "C:\Windows\System"}', {"a": r"C:\Windows\System"}),
        "LaTeX": (r'{"a": "$\sqrt{x} \cdot \pi$"}', {"a": r"$\sqrt{x} \cdot \pi$"}),
        "a short unicode escape": (r'{"a": "\u12"}', {"a": r"\u12"}),
        "a unicode escape of other letters": (r'{"a": "\uzzzz"}', {"a": r"\uzzzz"}),
        "a letter of Python's that starts a command": (r'{"a": "\alpha"}', {"a": r"\alpha"}),
        "a Markdown escape": (r'{"a": "\_x\_ \* \#"}', {"a": r"\_x\_ \* \#"}),
        "beside an escaped quote": (r'{"a": "\"\d\""}', {"a": r'"\d"'}),
        "in a key": (r'{"\d": 1}', {r"\d": 1}),
        "in a list": (r'{"a": ["\d", "x"]}', {"a": [r"\d", "x"]}),
    }
)
def test_backslash_that_starts_no_escape_is_a_backslash(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.BAD_ESCAPE})


def test_escaped_apostrophe_is_an_apostrophe() -> None:
    assert reading_of(r'{"a": "it\'s"}') == ({"a": "it's"}, {K.BAD_ESCAPE})


@cases(
    {
        "every short escape": (r'{"a": "\" \\ \/ \b \f \n \r \t",}', {"a": '" \\ / \b \f \n \r \t'}),
        "a unicode escape": (r'{"a": "\u4E2d",}', {"a": "中"}),
        "an escaped backslash before a letter": (r'{"a": "\\d \\\\s",}', {"a": r"\d \\s"}),
        "an escaped backslash at the end": (r'{"a": "C:\\",}', {"a": "C:\\"}),
    }
)
def test_good_escape_in_a_damaged_object_is_an_escape(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


# --- LaTeX behind escapes ----------------------------------------------------------------------------------


@cases(
    {
        "a tab": (r'{"a": "$x \times y$ \alpha"}', {"a": r"$x \times y$ \alpha"}),
        "a newline": (r'{"a": "\neq \alpha"}', {"a": r"\neq \alpha"}),
        "a carriage return": (r'{"a": "\left( x \right)"}', {"a": r"\left( x \right)"}),
        "a backspace": (r'{"a": "\begin{x} \alpha"}', {"a": r"\begin{x} \alpha"}),
        "a form feed": (r'{"a": "\frac{1}{2} \alpha"}', {"a": r"\frac{1}{2} \alpha"}),
        "a short command beside other LaTeX": (r'{"a": "$x \to y$ \alpha"}', {"a": r"$x \to y$ \alpha"}),
        "in a nested object": (r'{"b": "\d", "a": {"c": "\frac{1}{2}"}}', {"b": r"\d", "a": {"c": r"\frac{1}{2}"}}),
        "in a list": (r'{"b": "\d", "a": ["\frac{1}{2}", 1]}', {"b": r"\d", "a": [r"\frac{1}{2}", 1]}),
    }
)
def test_command_that_looks_like_an_escape_keeps_its_backslash_in_damaged_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.BAD_ESCAPE})


def test_command_beside_raw_newlines_keeps_its_backslash() -> None:
    raw = '{"a": "第一\n\\frac{1}{2}"}'
    assert reading_of(raw) == ({"a": "第一\n\\frac{1}{2}"}, {K.BAD_ESCAPE, K.CONTROL_CHARACTER})


@cases(
    {
        "a command's letters": (r'{"a": "\times"}', {"a": "\times"}),
        "a fraction's letters": (r'{"a": "\frac{1}{2}"}', {"a": "\frac{1}{2}"}),
        "a newline before a word": (r'{"a": "x\nu"}', {"a": "x\nu"}),
    }
)
def test_escape_in_valid_json_always_stands(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, set())


@cases(
    {
        "a newline before a word": (r'{"a": "x\nnote\nnew",}', {"a": "x\nnote\nnew"}),
        "a tab before a word": (r'{"a": "x\ttotal",}', {"a": "x\ttotal"}),
        "a newline before a word that is also a command": (
            r'{"a": "a list:\nless\nparallel",}',
            {"a": "a list:\nless\nparallel"},
        ),
        "a newline before a short command without other LaTeX": (r'{"a": "x\nu y\nto",}', {"a": "x\nu y\nto"}),
    }
)
def test_escape_before_an_ordinary_word_stands_in_damaged_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


# --- control characters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("char", ["\n", "\r", "\t", "\b", "\f", "\x00", "\x1f", "\r\n", "\n\n"])
def test_raw_control_character_in_a_string_is_kept(char: str) -> None:
    assert reading_of(f'{{"a": "x{char}y"}}') == ({"a": f"x{char}y"}, {K.CONTROL_CHARACTER})


@cases(
    {
        "in prose": ('好 {"a": "x\ny"} 好', {"a": "x\ny"}),
        "in a fence": ('```json\n{"a": "x\ny"}\n```', {"a": "x\ny"}),
        "deep inside": ('{"a": {"b": ["x\ty"]}}', {"a": {"b": ["x\ty"]}}),
        "in a key": ('{"a\tb": 1}', {"a\tb": 1}),
    }
)
def test_raw_control_character_is_kept_wherever_the_string_stands(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.CONTROL_CHARACTER})


def test_raw_control_characters_in_a_damaged_object_are_traced_where_they_stood() -> None:
    kinds = reading_of('{"a": "x\ny", "b": "z\t",}')
    assert kinds == ({"a": "x\ny", "b": "z\t"}, {K.CONTROL_CHARACTER, K.TRAILING_COMMA})


def test_white_space_between_tokens_is_no_control_character() -> None:
    assert reading_of('{\r\n\t"a":\t1\n}') == ({"a": 1}, set())


def test_delete_and_separator_characters_are_no_control_characters() -> None:
    assert reading_of('{"a": "\x7f\x85\u2028"}') == ({"a": "\x7f\x85\u2028"}, set())


# --- an object inside a string -----------------------------------------------------------------------------


@cases(
    {
        "with outer quotes": (r'"{\"a\": 1}"', {"a": 1}),
        "without outer quotes": (r"{\"a\": 1}", {"a": 1}),
        "with escaped line ends": (r'"{\n  \"a\": \"x\"\n}"', {"a": "x"}),
        "with line ends and no outer quotes": (r"{\n  \"a\": \"x\"\n}", {"a": "x"}),
        "with a doubly escaped quote": (r'"{\"a\": \"say \\\"hi\\\"\"}"', {"a": 'say "hi"'}),
        "with escaped Chinese": (r'"{\"a\": \"\u4e2d\"}"', {"a": "中"}),
        "in a fence": ('```json\n{\\"a\\": 1}\n```', {"a": 1}),
        "of one value": (r'{"a": \"x\", "b": 1}', {"a": "x", "b": 1}),
        "of the last value": (r'{"a": \"x\"}', {"a": "x"}),
        "of an element": (r'{"a": [\"x\", "y"]}', {"a": ["x", "y"]}),
    }
)
def test_object_written_as_an_escaped_string_is_unescaped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.ESCAPED_JSON})


@pytest.mark.parametrize("text", ["x <think>y</think> z", "x </think> z", "x ```json {} ``` z", "x ~~~ z"])
@pytest.mark.parametrize("raw", [r"{{\"a\": \"{}\"}}", r'"{{\"a\": \"{}\"}}"'], ids=["bare", "quoted"])
def test_tag_or_fence_in_a_string_of_an_escaped_object_is_data(raw: str, text: str) -> None:
    assert reading_of(raw.format(text)) == ({"a": text}, {K.ESCAPED_JSON})


def test_damage_inside_an_escaped_object_is_traced_where_it_stood() -> None:
    assert reading_of(r"{\"a\": 1,}") == ({"a": 1}, {K.ESCAPED_JSON, K.TRAILING_COMMA})


@cases(
    {
        "as a value": (r'{"a": "{\"b\": 1}"}', {"a": '{"b": 1}'}),
        "as an element": (r'{"a": ["{\"b\": 1}"]}', {"a": ['{"b": 1}']}),
    }
)
def test_json_inside_a_string_value_stays_a_string(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, set())


@refusals(
    {
        "text after it": (r'"{\"a\": 1} x"', ESCAPED_UNREADABLE, 1),
        "nothing but an escaped brace": (r'"{\"', TRUNCATED, 4),
        "an unclosed quote": (r'"{\"a\": 1}', TRUNCATED, 11),
        "a value without an end": (r'{"a": \"x', NO_STRING_END, 6),
        "a value followed by text": (r'{"a": \"x\" y}', NO_COMMA, 12),
    }
)
def test_what_is_no_whole_escaped_object_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_escaped_scalar_is_no_object() -> None:
    assert why_and_where(refusal_of(r'"\"x\""')) == ("the root is string", None)


@cases(
    {
        "NaN": (r'{"a": "x \times y", "b": Infinity}', {"a": "x \times y", "b": float("inf")}),
        "a key twice": (r'{"a": "x \times y", "a": "\temp"}', {"a": "\temp"}),
    }
)
def test_escape_that_looks_like_latex_stands_in_a_text_the_standard_decoder_takes(
    raw: str, data: dict[str, Any]
) -> None:
    assert value_of(raw) == data


def test_escape_that_looks_like_latex_is_noted_and_an_escaped_backslash_is_not() -> None:
    notes = decode_llm_json(r'{"a": "3 \times 4 \\frac"}').notes
    assert [note.span for note in notes if note.action == "looks_like_latex"] == [(9, 11)]
