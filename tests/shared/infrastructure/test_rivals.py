"""What looks like data in a stretch of text that no candidate covers, and what is prose."""

import pytest

from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing.rivals import first_rival, stretches
from src.shared.infrastructure.parsing.state import Span
from tests.shared.reading import Score


def test_only_the_stretches_are_looked_at() -> None:
    text = '"a": 1 prose "b": 2'
    assert [first_rival(text, [span]) for span in (Span(6, 13), Span(6, 19))] == [None, 13]


@pytest.mark.parametrize(
    ("explained", "left"),
    [
        ([], [(0, 9)]),
        ([(0, 9)], []),
        ([(2, 4)], [(0, 2), (4, 9)]),
        ([(4, 6), (1, 2)], [(0, 1), (2, 4), (6, 9)]),
        ([(1, 6), (2, 3)], [(0, 1), (6, 9)]),
        ([(7, 20)], [(0, 7)]),
    ],
)
def test_stretches_are_what_is_not_explained(explained: list[tuple[int, int]], left: list[tuple[int, int]]) -> None:
    assert list(stretches(0, 9, explained)) == left


TOLD = 'The field "a": 1 is there, and "b": "x" too.'


def test_member_that_the_answer_has_too_is_no_rival() -> None:
    assert first_rival(TOLD, [Span(0, len(TOLD))], answer={"a": 1, "b": "x"}) is None
    assert parse_llm_json_output('The "score": 1.\n```json\n{"score": 1}\n```', Score).score == 1


@pytest.mark.parametrize("answer", [{"a": 1}, {"a": 1, "b": "y"}, {"a": True, "b": "x"}, [1], None])
def test_member_that_the_answer_has_not_is_a_rival(answer: object) -> None:
    assert first_rival(TOLD, [Span(0, len(TOLD))], answer=answer) is not None


@pytest.mark.parametrize("told", ['"a": 1x', '"a": 1', '"a": [1', '"a": ' + "[" * 100_000])
def test_member_that_is_cut_off_or_goes_on_is_a_rival(told: str) -> None:
    assert first_rival(told, [Span(0, len(told))], answer={"a": [1]}) == 0


LINES = '- `score`: 7 because of the margin.\n- `note`: "fine", as seen.\n- rating: buy now\n'
TOLD_FIELDS = frozenset({"score", "note", "rating"})


def test_lines_that_tell_the_members_of_the_answer_are_no_rival() -> None:
    answer = {"score": 7, "note": "fine", "rating": "buy"}
    assert first_rival(LINES, [Span(0, len(LINES))], TOLD_FIELDS, answer) is None


@pytest.mark.parametrize(
    "answer", [{"score": 8, "note": "good", "rating": "buy"}, {"score": None, "note": "", "rating": "buy"}, {}, None]
)
def test_lines_that_tell_other_members_are_a_rival(answer: object) -> None:
    assert first_rival(LINES, [Span(0, len(LINES))], TOLD_FIELDS, answer) is not None
