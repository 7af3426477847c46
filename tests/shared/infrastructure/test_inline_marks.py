"""A fence or a tag in the middle of an object is not its end: nothing is closed, and no member given up."""

import pytest

from src.shared.application.repair_agent.proof import prove
from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.reading.reading import NO_VALUE
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair_errors import DifferenceKind, RepairRefusedError
from src.shared.infrastructure.parsing.inspection import read_object
from tests.shared.reading import position, reading_of, refusal_of, why_and_where

INSIDE = {
    "tildes in a list": '{"a": 1, "b": [1, 2 «~~~ 3, 4',
    "tildes in a list that is closed": '{"a": 1, "b": [1, 2 «~~~ 3, 4]}',
    "backticks in a list": '{"a": 1, "b": [1, 2 «``` 3, 4',
    "a tag after a bracket": '{"a": 1, "b": {"c": 2} «</p> "d": 3}',
    "a tag in brackets": '{"a": [1, «2 [/x] 3',
    "a tag in brackets among elements": '{"a": [1, [«/note], 2]}',
    "a tag in brackets after a list": '{"k": ["x"] «[/note] , "n": 1}',
    "a fence on its line that was never opened": '{"a": [1, 2\n«~~~\n3, 4',
    "elements after a closing fence": '```json\n{"a": [1, 2\n«```\n3, 4\n```',
    "members after a closing fence": '```json\n{"a": 1\n«```\n"b": 2\n}\n```',
    "a fence in a fenced line": '```json\n{"a": [1, 2 «``` 3, 4]}\n```',
    "after a comma": '{"a": 1, «~~~ "b": 2}',
    "a fence for a value": '{"a": 1, "b": «~~~ 2}',
    "inside prose": 'Here it is: {"a": [1, 2 «~~~ 3, 4 and so on',
    "after reasoning": '<think>x</think>{"a": [1, 2 «</b> 3, 4',
}


@pytest.mark.parametrize("finished", [None, True])
@pytest.mark.parametrize("marked", INSIDE.values(), ids=INSIDE.keys())
def test_object_with_a_mark_inside_is_refused_at_that_mark(marked: str, *, finished: bool | None) -> None:
    raw = marked.replace("«", "")
    assert refusal_of(raw, finished=finished).details["position"] == position(raw, marked.index("«"))


WHOLE = {
    "a fence": ('```json\n{"a": [1, 2\n```', [1, 2]),
    "a fence and prose": ('```json\n{"a": [1, 2\n```\nThat is all.', [1, 2]),
    "a fence on one line": ('```json {"a": [1, 2 ```', [1, 2]),
    "a fence that the request opened": ('{"a": [1, 2\n```', [1, 2]),
    "a tag": ('<answer>{"a": [1, 2</answer> Done.', [1, 2]),
    "the end of a turn": ('{"a": 12<|im_end|>', 12),
}


@pytest.mark.parametrize(("raw", "value"), WHOLE.values(), ids=WHOLE.keys())
def test_bracket_missing_at_the_end_of_the_wrapping_is_put_there(raw: str, value: object) -> None:
    assert reading_of(raw) == ({"a": value}, {RepairKind.MISSING_BRACKET})


def test_tag_after_an_element_without_quotes_does_not_join_it_with_its_neighbours() -> None:
    for finished in (None, True):
        assert "two ways" in refusal_of('{"k": ["x", 42, </b> "y"]}', finished=finished).message


@pytest.mark.parametrize("raw", ['```json\n{"a": 1,\n```', '<b>{"a": 1,</b>'])
def test_comma_before_the_end_of_the_wrapping_says_that_the_text_was_cut_off(raw: str) -> None:
    assert refusal_of(raw).details["truncated"]


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": 1, "amount": "100" </b> "c" 3}',
        '{"a": 1, "amount": "100" </b>, "c": 3}',
        '{"a": ["x" </li> "y"]}',
        '{"a": ["x"</li><li>"y"]}',
        '{"a": "x" <|sep|> "c" 3}',
        '{"结论": "好" </结论> "分数" 3}',
    ],
)
def test_string_may_go_on_behind_a_mark_and_is_refused_at_its_quote(raw: str) -> None:
    quote = min(raw.index('" <') if '" <' in raw else len(raw), raw.index('"<') if '"<' in raw else len(raw))
    assert why_and_where(refusal_of(raw)) == (TWO_READINGS.en, quote)


def test_fence_is_no_quotation() -> None:
    assert why_and_where(refusal_of('{"a": [1,\n```\n3, 4\n```', finished=True)) == (TWO_READINGS.en, 10)
    assert why_and_where(refusal_of('{"a": 1,\n```\n"b": 2\n```: 3}', finished=True)) == (NO_VALUE.en, 11)


@pytest.mark.parametrize(
    ("damaged", "answer"),
    [
        ('{"a": 1, "b": [1, 2 ~~~ 3, 4', '{"a": 1, "b": [1, 2]}'),
        ('{"a": 1, "amount": "100" </b> "c" 3', '{"a": 1, "amount": "100"}'),
    ],
)
def test_repair_agent_is_not_believed_that_the_object_ends_at_a_mark_inside(damaged: str, answer: str) -> None:
    for finished in (None, True):
        with pytest.raises(RepairRefusedError) as refused:
            prove(damaged, answer, read_object, finished=finished)
        assert refused.value.difference
        assert refused.value.difference.kind is DifferenceKind.LOST


def test_repair_agent_may_close_an_object_at_the_end_of_its_wrapping() -> None:
    prove('<b>{"a": [1, 2</b>', '{"a": [1, 2]}', read_object)
