"""Several objects in one text: the type decides, and where it does not, nobody guesses."""

from typing import Any

import pytest
from pydantic import BaseModel, model_validator

from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing.scan import MAX_CANDIDATES
from tests.shared.reading import Score, position, refusal_by, refusal_of, value_of, why_and_where


class Empty(BaseModel):
    """Every object satisfies it."""


class Optional(BaseModel):
    """Every object satisfies it, but some know its field."""

    score: int = 0


PROSE_WITH_BRACES = {
    "a set": "集合 {x} 与 {y, z}",
    "a formula": "$\\frac{a}{b}$ 与 $x_{i}$",
    "a template": "Hi {name}，",
    "a template with doubled braces": "Hi {{name}}，",
    "a list of numbers": "见 [1] 与 [2, 3]",
    "a checkbox": "- [ ] 待办\n- [x] 完成",
    "code": "for (;;) { i++; }",
    "an empty pair": "{ }",
    "an unbalanced one": "若 { 则",
    "a link": "[报告](https://example.com/{id})",
}


@pytest.mark.parametrize("prose", PROSE_WITH_BRACES.values(), ids=PROSE_WITH_BRACES.keys())
def test_brackets_in_prose_do_not_hide_the_object(prose: str) -> None:
    assert parse_llm_json_output(f'{prose} 答案 {{"score": 1}} {prose}', Score) == Score(score=1)


# --- with a type -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        '{"name": "x"} {"score": 1}',
        '{"score": 1} {"name": "x"}',
        '{"a": {"score": 0}} {"score": 1}',
        '{"a": 0} {"score": 1} {"b": 2}',
    ],
)
def test_candidate_that_has_fields_of_the_type_is_taken(raw: str) -> None:
    assert parse_llm_json_output(raw, Score) == Score(score=1)


def test_damaged_candidate_that_has_fields_of_the_type_is_taken() -> None:
    assert parse_llm_json_output('{"name": "x"} {\'score\': 1,}', Score) == Score(score=1)


def test_candidate_that_has_fields_of_the_type_after_the_hooks_is_taken() -> None:
    def rename(data: dict[str, Any]) -> dict[str, Any]:
        return {"score": data["分"]}

    assert parse_llm_json_output('{"x": 0} {"分": 1}', Score, normalizers=[rename]) == Score(score=1)


def test_field_that_a_hook_puts_into_any_object_says_nothing_about_one() -> None:
    def fill(data: dict[str, Any]) -> dict[str, Any]:
        return {"score": 0} | data

    assert parse_llm_json_output('in {unit: "EUR"}: {"score": 1}', Score, normalizers=[fill]) == Score(score=1)


RIVALS_THAT_FAIL = [
    '{"score": "高"} {"score": 1}',
    '{"score": 1} {"score": "85/100"}',
    'Final: {"score": "ninety"}\n{"score": 1}',
    '{"score": "高"} {"score": 1} {"x": 2}',
    '```json\n{"score": 1}\n```\nCorrection: {"score": "?"}',
]


@pytest.mark.parametrize("raw", RIVALS_THAT_FAIL)
def test_candidate_beside_one_that_fails_the_type_is_refused_with_the_others_errors(raw: str) -> None:
    details = refusal_by(Score, raw).details
    assert (len(details["candidates"]), [each["loc"] for each in details["validation_errors"]]) == (2, [("score",)])


def test_hook_that_changes_its_object_in_place_sees_each_candidate_unchanged() -> None:
    def pop(data: dict[str, Any]) -> dict[str, Any]:
        return {"score": data.pop("分")}

    output = parse_llm_json_output_with_trace('{"x": 0} {"分": 1}', Score, normalizers=[pop])
    assert (output.value, output.decoded.data) == (Score(score=1), {"score": 1})


@pytest.mark.parametrize(
    "raw",
    [
        'Mine:\n```json\n{"score": 1}\n```\nMy answer: {"score": 5}',
        '```json\n{"score": 1}\n```\n修正后：\n{"score": 5}',
        '```json\n{"score": 1}\n```\nAnswer:\n```json\n// result\n{"score": 5}\n```',
        '```json\n{"score": 1}\n```\n```python\nresult = {"score": 5}\n```',
        '示例：{"score": 1}\n答案：{score: 5}',
    ],
)
def test_answer_beside_another_in_a_fence_or_without_quotes_is_refused(raw: str) -> None:
    assert len(refusal_by(Score, raw).details["candidates"]) == 2


@pytest.mark.parametrize("other", ['{"score": 1}', '{"x": 2}', "{so}"])
def test_fence_marks_the_answer_where_nothing_outside_could_be_another(other: str) -> None:
    assert parse_llm_json_output(f'```json\n{{"score": 1}}\n```\nAs in {other}', Score) == Score(score=1)


def test_field_of_the_type_in_a_quoted_object_is_not_the_next_member() -> None:
    class Judged(BaseModel):
        reason: str
        score: int

    judged = parse_llm_json_output('{"reason": "gave {"id": 1, "score": 9}, too high", "score": 3}', Judged)
    assert judged == Judged(reason='gave {"id": 1, "score": 9}, too high', score=3)


def test_answer_split_over_two_objects_is_refused() -> None:
    class Titled(BaseModel):
        title: str
        tags: list[str] = []

    assert len(refusal_by(Titled, '{"title": "x"}\n{"tags": ["a"]}').details["candidates"]) == 2


def test_two_different_candidates_that_satisfy_the_type_are_refused_with_both_places() -> None:
    raw = '草稿 {"score": 1}\n定稿 {"score": 2}'
    places = [position(raw, raw.index("{")), position(raw, raw.rindex("{"))]
    error = refusal_by(Score, raw)
    assert (error.details["candidates"], error.details["position"]) == (places, places[0])


@pytest.mark.parametrize("other", ["1.0", "true", '"1"'])
def test_values_of_different_json_types_are_different_candidates(other: str) -> None:
    assert why_and_where(refusal_by(Score, f'{{"score": 1}} {{"score": {other}}}')) == (SEVERAL_OBJECTS.en, 0)


@pytest.mark.parametrize("raw", ['{"score": 1} {"score":1}', '{"score": 1} {"score": 1} {"score": 1} {"x": 2}'])
def test_equal_candidates_are_one_answer(raw: str) -> None:
    assert parse_llm_json_output(raw, Score) == Score(score=1)


def test_equal_candidates_may_differ_in_the_order_of_their_keys() -> None:
    assert value_of('{"a": 1, "b": 2} 即 {"b": 2, "a": 1}') == {"a": 1, "b": 2}


def test_candidate_that_knows_a_field_is_preferred_to_one_that_satisfies_the_type_by_default() -> None:
    assert parse_llm_json_output('{"x": 5} {"score": 1}', Optional) == Optional(score=1)


def test_candidates_that_satisfy_the_type_by_default_only_are_refused() -> None:
    error = refusal_by(Optional, '{"x": 5} {"y": 6}')
    assert "none of the fields is there" in error.details["validation_errors"][0]["msg"]


def test_type_without_fields_cannot_choose() -> None:
    assert len(refusal_by(Empty, '{"x": 5} {"y": 6}').details["candidates"]) == 2


def test_candidate_too_deep_to_copy_is_no_crash() -> None:
    deep = '{"a":' * 500 + "1" + "}" * 500
    assert parse_llm_json_output(f'{deep} {{"score": 1}}', Score) == Score(score=1)


def test_where_no_candidate_fits_the_error_speaks_of_the_one_nearest_to_the_type() -> None:
    error = refusal_by(Score, '{"a": 1} {"score": "高"} {"b": 2}')
    assert (error.details["stage"], error.details["data_summary"]) == ("validate", '{"score": "高"}')


def test_validator_that_fails_on_one_candidate_is_told_and_no_other_candidate_wins_by_it() -> None:
    class Picky(BaseModel):
        score: int

        @model_validator(mode="before")
        @classmethod
        def check(cls, data: dict[str, Any]) -> dict[str, Any]:
            return {"score": 1 // data["score"]}

    error = refusal_by(Picky, '{"score": 0} {"score": 1}')
    assert (error.details["stage"], error.details["validation_errors"][0]["type"]) == ("validate", "ZeroDivisionError")


# --- without a type ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw", ['{"a": 1} {"a": 2}', '{"a": 1}\n{"b": 1}', '{"a": 1}, {"a": 2}', "{\"a\": 1} {'a': 2}"]
)
def test_several_different_objects_are_refused(raw: str) -> None:
    error = refusal_of(raw)
    assert [place["offset"] for place in error.details["candidates"]] == [0, raw.rindex("{")]


def test_object_beside_a_list_of_objects_is_refused() -> None:
    assert len(refusal_of('{"a": 1}\n[{"a": 2}]').details["candidates"]) == 2


def test_object_inside_another_is_no_candidate_of_its_own() -> None:
    assert value_of('见 {"a": {"b": 1}} 。') == {"a": {"b": 1}}


def test_more_candidates_than_the_bound_are_refused() -> None:
    assert len(refusal_of(" ".join('{"a": 1}' for _ in range(MAX_CANDIDATES + 1))).details["candidates"]) >= 1


def test_as_many_candidates_as_the_bound_are_read() -> None:
    assert value_of(" ".join('{"a": 1}' for _ in range(MAX_CANDIDATES))) == {"a": 1}


def test_unreadable_candidate_beside_a_good_one_is_an_error() -> None:
    raw = '{"a": 1} 然后 {"a": "x'
    assert refusal_of(raw).details["position"] == position(raw, len(raw))


@pytest.mark.parametrize(
    "raw",
    [
        '{...base, "a": {"c": 1}}',
        '> {\n>  "a": 1,\n  "b": {"c": 1}\n> }',
        "OrderedDict([('a', 1), ('b', {'c': 2})])",
        "see ['x', {'a': 1}]",
        'a{b: {"x": 1,}, "c": 2}',
        '["name": "f", "args": {"x": 1}]',
        '"name": "f", "args": {"x": 1}',
        "答案：\n'args':\n{'x': 1}",
        'name: "Bob", d: {x: 1}}',
        "\n  'name': '{\"id\": 1}',\n  'b': 'x'\n}",
    ],
)
def test_object_inside_something_larger_that_cannot_be_read_is_not_the_answer(raw: str) -> None:
    assert "inside something larger" in refusal_of(raw, finished=True).message


@pytest.mark.parametrize(
    "raw",
    [
        'The field "params": {"a": 1}',
        '[call({"a": 1})]',
        'for x in [0, 1) {"a": 1}',
        'as {so}: {"a": 1} }',
        'see [1] {"a": 1} and [2]',
    ],
)
def test_object_beside_brackets_of_prose_or_a_call_is_the_answer(raw: str) -> None:
    assert value_of(raw) == {"a": 1}


@pytest.mark.parametrize("before", ["json", "return", "f(1", "$", "x^"])
def test_object_directly_after_a_word_is_read_from_its_own_brace(before: str) -> None:
    assert value_of(before + '{"a": {"x": 1,}, "b": 2}') == {"a": {"x": 1}, "b": 2}
