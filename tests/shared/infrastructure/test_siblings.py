"""An object in an array that cannot be read is not the answer while another element stands beside it."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import position, refusal_by, refusal_of, value_of


class Numbered(BaseModel):
    a: int


BESIDE = {
    "a numbered list": '[\n1. {"a": 1},\n«2. "x"\n]',
    "without commas": '[\n1. {"a": 1}\n«2. "x"\n]',
    "the object comes last": '[\n«1. "x",\n2. {"a": 1}\n]',
    "the object comes last, without commas": '[\n«1. "x"\n2. {"a": 1}\n]',
    "the object in the middle": '[1. 5, 2. {"a": 1}, «3. true]',
    "a bare word beside it": '[\n1. {"a": 1},\n«2. x\n]',
    "a list beside it": '[\n1. {"a": 1},\n«2. [1, 2]\n]',
    "the same object beside it": '[\n«1. {"a": 1},\n2. {"a": 1}\n]',
    "letters": '[\na) {"a": 1},\n«b) 5\n]',
    "numbers and a bracket": '[\n1) {"a": 1},\n«2) null\n]',
    "numbers in brackets": '[\n(1) {"a": 1},\n«(2) "x"\n]',
    "circled numbers": '[\n① {"a": 1},\n«② "x"\n]',
    "Chinese numbers": '[\n一、{"a": 1}，\n«二、"x"\n]',
    "bold numbers": '[\n**1.** {"a": 1},\n«**2.** "x"\n]',
    "number signs": '[\n#1 {"a": 1},\n«#2 "x"\n]',
    "an arrow for a bullet": '[\n➤ {"a": 1},\n«➤ "x"\n]',
    "full-width brackets": '［\n1. {"a": 1}，\n«2. "x"\n］',
    "tags": '[<b>{"a": 1}</b>, «"x"]',
    "in a fence": '```json\n[\n1. {"a": 1},\n«2. "x"\n]\n```',
    "in prose": 'The list:\n[\n1. {"a": 1},\n«2. "x"\n]\nThat is all.',
    "in a fence that a string cuts off": '```json\n[<b>{"a": 1}</b>, «<b>"```x"</b>]\n```',
    "a smile in the list": '[oops :( {"a": 1}, «x]',
    "words in front": 'see [«x, {"a": 1}]',
    "a tuple": '(1. {"a": 1}, «2. "x")',
    "a tuple that ends in the object": 'see ("x", «{"a": 1})',
    "angle brackets": '<1. {"a": 1}, «2. "x">',
    "no bracket": '1. {"a": 1}\n«2. "x"',
    "no bracket, and the object comes last": '1. "x"\n2. «{"a": 1}',
    "no bracket, but a comma": '{"a": 1}, «"x"',
    "a bracket that never closes": 'see «[1, 2, {"a": 1}',
    "numbers, and a bracket that never closes": '«[\n1. {"a": 1}',
    "numbers on lines, and a bracket that never closes": '«[\n1. "x"\n2. {"a": 1}',
    "a call that never closes": 'f«(x, {"a": 1}',
}


@pytest.mark.parametrize("marked", BESIDE.values(), ids=BESIDE.keys())
def test_object_beside_an_unread_element_is_refused_at_that_element(marked: str) -> None:
    raw = marked.replace("«", "")
    for error in (refusal_of(raw), refusal_of(raw, finished=True), refusal_by(Numbered, raw)):
        assert "inside something larger" in error.message
        assert error.details["position"] == position(raw, marked.index("«"))


@pytest.mark.parametrize(
    "raw", ['[one: {"a": 1}, two: 3]', '[1: {"a": 1}, 2: "x"]', '[oops {"a": 1}, "x"]', 'items = [ x: {"a": 1}, y: 2 ]']
)
def test_object_does_not_take_in_what_stands_beside_it_in_a_list(raw: str) -> None:
    error = refusal_of(raw, finished=True)
    assert error.details["json_error"] == TWO_READINGS.en
    assert error.details["position"] == position(raw, raw.index("}"))


@pytest.mark.parametrize(
    ("raw", "offset"),
    [('{"outer": oops oops {"a": 1}, "b": }', 10), ('{"list": [\n1. {"a": 1},\n2. "x"\n]}', 11)],
)
def test_object_inside_one_that_is_broken_is_refused_where_that_breaks(raw: str, offset: int) -> None:
    assert refusal_by(Numbered, raw).details["position"] == position(raw, offset)


ALONE = {
    "a note in brackets": '[note] {"a": 1}',
    "two notes": '[2024-01-01] {"a": 1} [x]',
    "a tag in brackets": '[Answer] {"a": 1} [/Answer]',
    "a heading in the same brackets": '[Answer: {"a": 1}]',
    "a heading on a line of its own": '[Items:\n1. {"a": 1}\n]',
    "the only element of a numbered list": '[\n1. {"a": 1}\n]',
    "an interval": 'x in [0, 1) or (2, 3]: {"a": 1}',
    "two references": 'see [1] {"a": 1}, and [2]',
    "a bracket of prose that never closes": 'see [1 for it: {"a": 1}',
    "a smile": 'done :( or ;) {"a": 1} (see above)',
    "an argument of a whole call": 'call(2, {"a": 1}, "x")',
    "the first argument of a call that never closes": 'print({"a": 1}',
    "a list of remarks": '1. {"a": 1}\n2. It is the only one.',
    "a list of remarks after a heading": '{"a": 1}\n1. "x"\n2. "y"',
    "a string in prose": '{"a": 1}, "x" being left out',
    "a bracket that closes too often": ']) {"a": 1} ])',
}


@pytest.mark.parametrize("raw", ALONE.values(), ids=ALONE.keys())
def test_object_with_nothing_but_prose_around_it_is_read(raw: str) -> None:
    assert value_of(raw) == {"a": 1}


def test_damaged_argument_of_a_call_is_read_only_where_the_call_closes() -> None:
    assert value_of('report({"a": {"b": 1, "c": 2]})') == {"a": {"b": 1, "c": 2}}
    assert "inside something larger" in refusal_of('f({"a": 1}, "x"', finished=True).message


def test_list_beside_an_unread_element_is_refused_where_lists_count() -> None:
    raw = '[\n1. ["a"],\n2. x\n]'
    with pytest.raises(Exception, match="inside something larger"):
        decode_llm_json(raw, root="any")


def test_brackets_beyond_the_bound_are_not_looked_at() -> None:
    deep: dict[str, Any] = value_of("[x, " + "[y " * 8 + '{"a": 1}' + "]" * 9)
    assert deep == {"a": 1}
