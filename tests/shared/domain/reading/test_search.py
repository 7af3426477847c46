"""What the search of the reader remembers, and what it may cost: these tests stand on its inside."""

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TOO_DAMAGED, TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.machine import read
from src.shared.domain.reading.moves import ends
from src.shared.domain.reading.moves.gaps import ELISION_LIMIT
from src.shared.domain.reading.moves.keys import INDENT_LIMIT
from src.shared.domain.reading.passage import KEYS_FLOOR
from src.shared.domain.reading.reading import ELISION, NO_KEY
from src.shared.domain.reading.sweep import FAILED
from src.shared.domain.reading.tokens import KEY_WORDS
from src.shared.domain.work import Work
from tests.shared.reading import refusal_of, value_of, why_and_where


def why(raw: str) -> tuple[str | None, int | None] | None:
    """Why and where a text is refused; None for one that is read."""
    try:
        value_of(raw)
    except LLMJsonParseError as error:
        return why_and_where(error)
    return None


def test_object_with_more_keys_than_a_search_remembers_is_refused_or_read_in_one_go() -> None:
    members = ", ".join(f"'k{number}': 1" for number in range(KEYS_FLOOR + 8_000))
    assert len(value_of(f"{{{members}}}")) == KEYS_FLOOR + 8_000
    assert refusal_of(f"{{{members}, 'a' 'b'}}").details["json_error"] == TOO_DAMAGED.en


@pytest.mark.parametrize(("behind", "looks"), [("", False), ("```", True), ("~~~", True)])
def test_a_long_string_is_looked_through_for_a_fence_only_where_there_is_one(
    behind: str, monkeypatch: pytest.MonkeyPatch, *, looks: bool
) -> None:
    """A look takes ten times as long as what is charged for the string, and there are many strings."""
    looked: list[str] = []

    class Counted:
        def search(self, body: str) -> None:
            looked.append(body)

    monkeypatch.setattr(ends, "CLOSING_RUN_AND_FENCE", Counted())
    raw = '{"a": [„' + behind
    assert why_and_where(refusal_of(raw)) == (TRUNCATED.en, len(raw))
    assert bool(looked) is looks


@pytest.mark.parametrize(("backslashes", "reason"), [(1_000, None), (60_000, TOO_DAMAGED)])
def test_edits_of_a_text_are_paid_for_before_they_are_made(backslashes: int, reason: Reason | None) -> None:
    problem = read('{"a": some words, "b": "' + r"\d" * backslashes + '"}', 0).problem
    assert (problem and problem.reason) is reason


def test_words_of_a_key_without_quotes_are_as_many_as_the_bound() -> None:
    texts = ['{"a": 1, k' + " w" * (KEY_WORDS + more) + ": 2}" for more in (0, 1)]
    assert [why(text) for text in texts] == [None, (NO_KEY.en, 9)]


def test_indentation_of_a_key_is_seen_as_far_as_the_bound() -> None:
    def dedented(width: int) -> str:
        return f'{{\n{" " * width}"a": {{\n{" " * (width + 2)}"b": 1,\n{" " * width}"c": 2\n}}\n```'

    texts = [dedented(INDENT_LIMIT - 3 + more) for more in (0, 1)]
    assert [why(text) for text in texts] == [None, (TWO_READINGS.en, texts[1].index(",\n"))]


def test_comment_says_within_the_bound_that_something_was_left_out() -> None:
    texts = ['{"a": [1, ' + "// ".ljust(ELISION_LIMIT - 1 + more, "x") + " omitted\n 2]}" for more in (0, 1)]
    assert [why(text) for text in texts] == [(ELISION.en, 10), None]


def test_text_behind_a_value_that_was_passed_in_vain_is_charged_in_full() -> None:
    text = "[1, 2]" + "},{[1, 2]" * 1_000
    work = Work(len(text))
    before = work.left

    assert read(text, 0, work=work).end == len("[1, 2]")
    assert before - work.left >= FAILED * (len(text) - len("[1, 2]"))
