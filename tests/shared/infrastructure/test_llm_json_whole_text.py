"""The whole text is accounted for: what else stands in it may be the answer, and then the text is refused."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import (
    NO_OBJECT,
    ONLY_ASIDE,
    PART_OF_MORE,
    RIVAL,
    ROUND_BRACKETS,
    SEVERAL_OBJECTS,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading.reading import NO_COMMA
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from tests.shared.reading import Score, position, reading_of, refusal_by, refusal_of, value_of, why_and_where


class Titled(BaseModel):
    """A type with two fields."""

    title: str
    score: int = 0


OTHERS = ('\nas in {"title": "ex", "score": 1}', '\n```json\n{"title": "ex", "score": 1}\n```', '\n{"title": "ex"}')
"""Other objects behind an answer: one that is headed as an example, one in a fence, one that lacks a field."""
Told = tuple[str | None, int | None]
SEVERAL: Told = (SEVERAL_OBJECTS.en, 0)
UNREADABLE_ANSWERS: dict[str, tuple[str, list[Told]]] = {
    "bold keys": ('{**"title"**: "real", **"score"**: 85}', [SEVERAL] * 3),
    "a quotation": ('> {\n> "title": "real",\n> "score": 85\n> }', [(SEVERAL_OBJECTS.en, 2)] * 3),
    "HTML's quotes": ("{&quot;title&quot;: &quot;real&quot;}", [SEVERAL] * 3),
    "HTML's spaces": ('{\n&nbsp;"title":&nbsp;"real"}', [(ONLY_ASIDE.en, 36), (RIVAL.en, 0), (RIVAL.en, 0)]),
    "a call": ('report({"title": "real", score: 85})', [(ONLY_ASIDE.en, 43), (RIVAL.en, 7), (RIVAL.en, 7)]),
    "an escaped text": ('{\\n \\"title\\": \\"real\\", \\"score\\": 85}', [SEVERAL] * 3),
    "keys in backticks and quotes": (
        '{`"title"`: "real", `"score"`: 85}',
        [(TWO_READINGS.en, 9), (RIVAL.en, 0), (TWO_READINGS.en, 9)],
    ),
    "no braces": ('"title": "real", "score": 85', [(ONLY_ASIDE.en, 35), (RIVAL.en, 0), (RIVAL.en, 0)]),
    "lines": ("title: real\nscore: 85", [(ONLY_ASIDE.en, 28), (RIVAL.en, 12), (RIVAL.en, 12)]),
    "a value that fails the type": ('{"title": "real", "score": "85/100"}', [(None, None), SEVERAL, SEVERAL]),
    "a fence of JSON without any": (
        "```json\ntitle = real\n```",
        [(ONLY_ASIDE.en, 31), (RIVAL.en, 8), (RIVAL.en, 8)],
    ),
    "a fence that opens with a brace": (
        "```json\n{\n&nbsp;x\n}\n```",
        [(NO_OBJECT.en, 0), (RIVAL.en, 8), (NO_OBJECT.en, 0)],
    ),
    "a list of such objects": ('[{"title": "real", "score": 85}]', [("the root is array", None), SEVERAL, SEVERAL]),
}
each_unreadable_answer = pytest.mark.parametrize(
    ("answer", "told"), UNREADABLE_ANSWERS.values(), ids=UNREADABLE_ANSWERS.keys()
)


@each_unreadable_answer
def test_other_object_is_not_the_answer_where_the_real_one_cannot_be_read(answer: str, told: list[Told]) -> None:
    assert [why_and_where(refusal_by(Titled, answer + other)) for other in OTHERS] == told


def test_object_that_fails_the_type_is_what_is_refused_beside_an_example() -> None:
    answer, _ = UNREADABLE_ANSWERS["a value that fails the type"]
    assert refusal_by(Titled, answer + OTHERS[0]).details["validation_errors"][0]["loc"] == ("score",)


@each_unreadable_answer
def test_trace_decides_as_the_plain_call(answer: str, told: list[Told]) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output_with_trace(answer + OTHERS[0], Titled)
    assert why_and_where(caught.value) == told[0]


def test_rival_is_named_with_both_places() -> None:
    raw = '{"a": 1} but {&quot;a&quot;: "2"}'
    error = refusal_of(raw)
    places = [position(raw, 0), position(raw, raw.index("{&"))]
    assert (error.details["candidates"], error.details["position"]) == (places, places[1])


def test_rival_outside_a_fence_is_named_with_both_places() -> None:
    raw = '```json\n{"a": 1}\n```\n{"a" 2; 3}'
    assert [place["line"] for place in refusal_of(raw).details["candidates"]] == [2, 4]


@pytest.mark.parametrize("typed", [False, True])
def test_last_of_several_is_taken_where_the_caller_says_so(*, typed: bool) -> None:
    raw = '{"score": 1} {"score": 2}'
    if typed:
        assert parse_llm_json_output(raw, Score, several="last") == Score(score=2)
    else:
        assert decode_llm_json(raw, several="last").data == {"score": 2}


def test_notes_say_that_the_last_was_taken() -> None:
    notes = decode_llm_json('{"a": 1} {"a": 2}', several="last").notes
    assert ("took the last", (9, 17)) in [(note.action, tuple(note.span)) for note in notes]


def test_notes_say_nothing_of_it_where_there_is_one() -> None:
    notes = decode_llm_json('x {"a": 1}', several="last").notes
    assert "took the last" not in [note.action for note in notes]


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [('{"score": 1} {"score": 2; x}', NO_COMMA, 24), ('{"score": 1} "score": 2', TWO_READINGS, 11)],
)
def test_last_one_that_cannot_be_read_does_not_revive_the_one_before(raw: str, reason: Reason, offset: int) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, Score, several="last")
    assert why_and_where(caught.value) == (reason.en, offset)


def test_last_one_that_fails_the_type_does_not_revive_the_one_before() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{"score": 1} {"score": "?"}', Score, several="last")
    assert [problem["loc"] for problem in caught.value.details["validation_errors"]] == [("score",)]
    assert [place["offset"] for place in caught.value.details["validation_places"]] == [23]


UNOPENED: dict[str, tuple[str, dict[str, Any]]] = {
    "plain members": ('"a": 1, "b": 2}', {"a": 1, "b": 2}),
    "a brace in a string": ('"code": "const o = {x: 1};", "y": 2}', {"code": "const o = {x: 1};", "y": 2}),
    "an object inside": ('"action": "BUY", "detail": {"price": 1}}', {"action": "BUY", "detail": {"price": 1}}),
    "in a fence": ('```json\n{"a": 1}\n```', {"a": 1}),
}


@pytest.mark.parametrize(("raw", "data"), list(UNOPENED.values())[:-1], ids=list(UNOPENED)[:-1])
def test_first_brace_that_was_forgotten_is_supplied(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MISSING_BRACKET})


def test_first_brace_is_supplied_beside_a_raw_newline() -> None:
    assert reading_of('"a": "x\ny"}') == ({"a": "x\ny"}, {K.MISSING_BRACKET, K.CONTROL_CHARACTER})


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        ('"a": 1, "b": 2', NO_OBJECT, 0),
        ("It is:\n('a', 1)", ROUND_BRACKETS, 7),
        ("(1, 2), (3, 4)", ROUND_BRACKETS, 0),
        ("f(1, 2)", NO_OBJECT, 0),
        ('()"a": 1}', NO_OBJECT, 0),
        ('(1, 2), "a": 1}', ROUND_BRACKETS, 0),
        ('Answer: "d": {"p": 1}, "v": 2}', PART_OF_MORE, 13),
        ('"a": 1}}', NO_OBJECT, 0),
        ('"a", "b": 1}', NO_OBJECT, 0),
        ('"a": 1, b": 2}', NO_OBJECT, 0),
        ('"a": {"b": 1}', PART_OF_MORE, 5),
    ],
)
def test_first_brace_is_not_supplied_where_more_is_missing(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_first_brace_is_not_supplied_around_an_object_of_the_type() -> None:
    raw = '"title": "real", "score": 85, "note": "e.g. {\'title\': \'ex\', \'score\': 1}"}'
    assert why_and_where(refusal_by(Titled, raw)) == (ONLY_ASIDE.en, raw.index("{"))


def test_first_brace_is_supplied_for_a_type() -> None:
    assert parse_llm_json_output('"title": "x", "score": 85}', Titled) == Titled(title="x", score=85)


def test_answer_in_code_of_another_language_has_the_code_around_it_as_its_rivals() -> None:
    raw = '```python\nheaders = {"a": "b"}\nparams = {"c": "d"  # or [All]\n}\n```'
    assert why_and_where(refusal_of(raw)) == (RIVAL.en, raw.rindex("{"))


def test_fence_of_reasoning_is_dropped() -> None:
    assert value_of('```thinking\n{"a": 0}\n```\n{"a": 1}') == {"a": 1}


@pytest.mark.parametrize("raw", ['```thinking\n{"a": 0}\n```', ':::thinking\n{"a": 0}\n:::', '```think\n{"a": 0}'])
def test_fence_of_reasoning_alone_is_refused(raw: str) -> None:
    assert why_and_where(refusal_of(raw)) == (NO_OBJECT.en, 0)


def test_container_of_markdown_that_is_no_reasoning_is_prose() -> None:
    assert value_of(':::note\n{"a": 1}\n:::') == {"a": 1}


def test_text_known_to_be_cut_off_is_refused_whatever_it_looks_like() -> None:
    with pytest.raises(LLMJsonParseError, match="cut off") as caught:
        decode_llm_json('{"a": 1}', finished=False)
    assert (caught.value.details["truncated"], caught.value.details["stage"]) == (True, "repair")


def test_empty_text_known_to_be_cut_off_is_empty() -> None:
    with pytest.raises(LLMJsonParseError, match="为空"):
        decode_llm_json(" ", finished=False)


def test_salvage_of_a_text_known_to_be_cut_off_says_so_even_of_a_whole_object() -> None:
    decoded = decode_llm_json('{"a": 1}', finished=False, salvage=True)
    assert (decoded.data, decoded.truncated) == ({"a": 1}, True)


HALVES: dict[str, tuple[str, dict[str, Any]]] = {
    "a number": ('{"a": 1, "b": 4', {"a": 1}),
    "a number before a blank": ('{"a": 1, "b": 4 ', {"a": 1}),
    "a string": ('{"a": 1, "b": "he said "', {"a": 1}),
    "a string with quotes inside before a comma": ('{"a": 1, "b": "say "hi" now", "c', {"a": 1}),
    "a literal": ('{"a": 1, "b": true', {"a": 1}),
    "an element": ('{"a": [1, 2', {"a": [1]}),
}


@pytest.mark.parametrize(("raw", "data"), HALVES.values(), ids=HALVES.keys())
def test_salvage_drops_a_scalar_that_may_be_half_of_one(raw: str, data: dict[str, Any]) -> None:
    decoded = decode_llm_json(raw, salvage=True)
    assert (decoded.data, decoded.truncated) == (data, True)


WHOLE: dict[str, tuple[str, dict[str, Any]]] = {
    "before a comma": ('{"a": 1, "b": 4,', {"a": 1, "b": 4}),
    "an inner object": ('{"a": {"b": 1}', {"a": {"b": 1}}),
    "with quotes inside, before the next key": ('{"a": "he said "hi" to", "b": "x', {"a": 'he said "hi" to'}),
}


@pytest.mark.parametrize(("raw", "data"), WHOLE.values(), ids=WHOLE.keys())
def test_salvage_keeps_what_is_shown_to_be_whole(raw: str, data: dict[str, Any]) -> None:
    decoded = decode_llm_json(raw, salvage=True)
    assert (decoded.data, decoded.truncated) == (data, True)


def test_code_in_a_string_of_an_object_outside_a_fence_is_its_text() -> None:
    raw = 'Old:\n```json\n{"a": "x"}\n```\nNew:\n{"a": "see `code` x = {}"}'
    assert value_of(raw) == {"a": "see `code` x = {}"}


def test_fenced_object_under_a_heading_that_sets_it_aside_is_not_the_answer() -> None:
    assert "headed as an example" in refusal_of('Example:\n```json\n{"a": 1}\n```').message


def test_first_brace_is_not_supplied_where_a_mark_of_reasoning_was_dropped_out_of_a_string() -> None:
    assert why_and_where(refusal_of('"a": "<think>no thought</think> text", "b": 1}')) == (NO_OBJECT.en, 0)


def test_hook_that_fails_on_several_candidates_leaves_them_several() -> None:
    def fail(data: dict[str, Any]) -> dict[str, Any]:
        raise ValueError(data)

    error = refusal_by(Score, '{"score": 1} {"score": 2}', fail)
    assert (len(error.details["candidates"]), "validation_errors" in error.details) == (2, False)
