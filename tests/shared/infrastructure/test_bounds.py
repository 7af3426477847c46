"""Bounds: what is read at the bound, and what happens beyond it. `docs/reference/bounds.md` has them all."""

import json
from collections.abc import Callable

import pytest

from src.shared.domain.edits import NAMED_REPAIRS
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import (
    ESCAPED_UNREADABLE,
    NO_OBJECT,
    NUMBER_TOO_LONG,
    ONLY_THINK,
    PART_OF_MORE,
    SEVERAL_OBJECTS,
    TOO_DAMAGED,
    TOO_DEEP,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading import growing, openings, scanner, signs
from src.shared.domain.reading.layers import MARGIN_LIMIT, MAX_LEVELS
from src.shared.domain.reading.machine import MOST_TRIALS
from src.shared.domain.reading.openings import LINE_LIMIT
from src.shared.domain.reading.reader import read
from src.shared.domain.reading.reading import NO_COMMA, NO_VALUE
from src.shared.domain.reading.scanner import CHARACTERS_PER_VALUE, ValueScanner
from src.shared.domain.reading.strings import MOST_QUOTES
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.repair import how_often
from src.shared.domain.work import (
    FAILED_FLOOR,
    FAILED_PER_CHARACTER,
    WORK_FLOOR,
    WORK_PER_CHARACTER,
    Work,
)
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from src.shared.infrastructure.parsing.plain import EDGE, unwrapped
from src.shared.infrastructure.parsing.remarks import (
    HEADING_LIMIT,
    LOOK_BACK,
    PARAGRAPH_LIMIT,
    Heading,
    heading_of,
    is_taken_back,
)
from src.shared.infrastructure.parsing.rivals import BRACE_LIMIT, first_rival
from src.shared.infrastructure.parsing.rivals import KEY_LIMIT as KEY_OF_RIVAL
from src.shared.infrastructure.parsing.scan import CHANNEL_LIMIT, MAX_CANDIDATES
from src.shared.infrastructure.parsing.stages import CODE_LIMIT
from src.shared.infrastructure.parsing.state import Span
from tests.shared.reading import Score, refusal_of, value_of, why_and_where
from tests.thorough import at_length

KEY = "k" * openings.KEY_LIMIT
AFTER_IT = {"a": 1, "b": 2}


def refused(raw: str) -> tuple[str | None, int | None] | None:
    """Why and where a text is refused; None for one that is read."""
    try:
        value_of(raw)
    except LLMJsonParseError as error:
        return why_and_where(error)
    return None


# --- what is recognised -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        (lambda n: '{"a": "x" "' + "k" * n + '": "y"}', TWO_READINGS, 8),
        (lambda n: '{"a": "x "y" z", "' + "k" * n + '": 1}', TWO_READINGS, 14),
    ],
    ids=["after a missing comma", "behind words in quotes"],
)
def test_key_as_long_as_the_bound_is_a_key_and_a_longer_one_is_not(
    text: Callable[[int], str], reason: Reason, offset: int
) -> None:
    assert [refused(text(signs.KEY_LIMIT + more)) for more in (0, 1)] == [None, (reason.en, offset)]


@pytest.mark.parametrize("comment", ["# {}\n", "// {}\n", "/* {} */"])
def test_comment_may_have_any_length(comment: str) -> None:
    assert value_of('{"a": 1, ' + comment.format("c" * 20_000) + '"b": 2}') == AFTER_IT


@pytest.mark.parametrize(("comment", "mark"), [("#{}\n", "c#"), ("//{}\n", "c/"), ("/*{}*/", "c*")])
def test_comment_before_the_first_key_has_at_most_as_many_marks_as_the_bound(comment: str, mark: str) -> None:
    most = openings.COMMENT_MARKS + (comment[1] == "*")
    texts = ["so { " + comment.format(mark * (most + more)) + "a: 1}" for more in (0, 1)]
    assert [refused(text) for text in texts] == [None, (NO_OBJECT.en, 0)]


def test_comments_in_a_row_that_are_looked_past_are_as_many_as_the_bound() -> None:
    texts = ["so {" + " /*c*/" * count + "a: 1}" for count in (50, 51)]
    assert openings.GAP_PARTS == 2 * 50
    assert [refused(text) for text in texts] == [None, (NO_OBJECT.en, 0)]


def test_comments_in_a_row_between_two_values_have_no_bound() -> None:
    assert value_of('{"a": 1, ' + "# c\n" * 1_000 + '"b": 2}') == AFTER_IT


def test_quote_behind_the_last_bracket_speaks_against_it_as_far_as_the_bound() -> None:
    texts = ['{"a": "x "q" y"}' + " ".ljust(LINE_LIMIT - 4 + more, "y") + '", z' for more in (0, 1)]
    assert [refused(text) for text in texts] == [(TWO_READINGS.en, 15), None]


def test_element_behind_the_last_bracket_is_as_long_as_the_bound() -> None:
    texts = ['{"a": 1}, "' + "e" * (openings.ELEMENT_LIMIT + more) + '", 3' for more in (0, 1)]
    assert [refused(text) for text in texts] == [(NO_COMMA.en, 10), None]


# --- what is recognised around a value ----------------------------------------------------------------------


def test_heading_is_as_long_as_the_bound() -> None:
    words = "old " + "a " * HEADING_LIMIT
    headings = [words[: HEADING_LIMIT + more] + ":" for more in (0, 1)]
    assert [heading_of(heading + "{", len(heading)) for heading in headings] == [Heading.SHOWN, None]


def test_heading_is_seen_as_far_before_an_object_as_the_bound() -> None:
    leads = ["Example:".ljust(LOOK_BACK + more) for more in (0, 1)]
    assert [heading_of(lead + "{", len(lead)) for lead in leads] == [Heading.SHOWN, None]


def test_heading_of_reasoning_is_seen_as_far_as_the_bound() -> None:
    leads = ["Thought: ".ljust(PARAGRAPH_LIMIT + more, "a") for more in (0, 1)]
    assert [heading_of(lead, len(lead)) for lead in leads] == [Heading.SHOWN, None]


def test_a_correction_counts_for_any_object_while_its_data_are_not_known() -> None:
    behind = "{} Correction: the first word was missing."
    assert [is_taken_back(behind, 2), is_taken_back(behind, 2, {"score": 1})] == [True, False]


def test_code_that_a_sentence_mentions_is_as_long_as_the_bound() -> None:
    codes = ['{"b": 2}'.ljust(CODE_LIMIT + more, "x") for more in (0, 1)]
    texts = ['```json\n{"a": 1}\n```\nsee `' + code + "`, please" for code in codes]
    assert [refused(text) for text in texts] == [None, (SEVERAL_OBJECTS.en, 8)]


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (KEY_OF_RIVAL, '"{}": 1'),
        (KEY_OF_RIVAL, "x {{{}: 1"),
        (BRACE_LIMIT, '{{{}"'),
    ],
    ids=["key in quotes", "key without quotes", "between brace and quote"],
)
def test_what_looks_like_data_is_as_long_as_the_bound(bound: int, text: str) -> None:
    texts = [text.format("ü" * (bound + more)) for more in (0, 1)]
    assert [first_rival(text, [Span(0, len(text))]) is not None for text in texts] == [True, False]


def test_white_space_inside_what_looks_like_data_is_as_long_as_the_bound() -> None:
    texts = ['"k"' + " " * (signs.MARGIN + more) + ": 1" for more in (0, 1)]
    assert [first_rival(text, [Span(0, len(text))]) is not None for text in texts] == [True, False]


def test_key_that_a_value_belongs_to_is_as_long_as_the_bound() -> None:
    texts = ['x\n"' + "k" * (len(KEY) + more) + '": {"a": 1} x' for more in (0, 1)]
    assert [refused(text) for text in texts] == [(PART_OF_MORE.en, texts[0].index("{")), None]


def test_object_is_seen_at_the_edge_of_a_text_as_far_as_the_bound() -> None:
    texts = [" " * (EDGE - 1 + more) + '{"a": 1}' for more in (0, 1)]
    assert [unwrapped(text, frozenset()) is not None for text in texts] == [True, False]


def test_line_that_opens_a_channel_has_parts_as_long_as_the_bound() -> None:
    lines = ["<|channel|>final" + " ".ljust(CHANNEL_LIMIT + more, "x") + "<|message|>" for more in (0, 1)]
    texts = [line + '{"a": 1}<|end|><|channel|>analysis<|message|>{"a": 2}<|end|>' for line in lines]
    assert [refused(text) for text in texts] == [None, (ONLY_THINK.en, texts[1].index("<|channel|>analysis"))]


def test_object_is_encoded_as_a_string_as_often_as_the_bound() -> None:
    text = '{"a": 1}'
    for _ in range(MAX_LEVELS):
        text = json.dumps(text)
    assert [refused(text), refused(json.dumps(text))] == [None, (TOO_DEEP.en, json.dumps(text).index("{"))]


def test_quote_before_an_escaped_object_is_seen_as_far_as_the_bound() -> None:
    texts = ['Text "' + " " * (MARGIN_LIMIT - 1 + more) + r'{\"a\": 1}"' for more in (0, 1)]
    assert [refused(text) for text in texts] == [None, (ESCAPED_UNREADABLE.en, texts[1].index("{"))]


def test_string_that_may_be_a_key_is_as_long_as_the_bound() -> None:
    texts = ['"' + "k" * (growing.KEY_LIMIT + more) for more in (0, 1)]
    assert [growing.GrowingString(text, 0, lambda _: True).look(text) for text in texts] == [False, True]


# --- memory -------------------------------------------------------------------------------------------------


def test_control_characters_of_a_string_are_one_repair_with_their_number() -> None:
    repairs = decode_llm_json('{"a": "x\ny\tz", "b": "\n"}').repairs
    assert [(one.kind, one.offset, one.found, one.put, one.count) for one in repairs] == [
        (K.CONTROL_CHARACTER, 8, "\n", "\\n", 2),
        (K.CONTROL_CHARACTER, 21, "\n", "\\n", 1),
    ]


@pytest.mark.parametrize("more", [0, 1, 2_000])
def test_trace_names_as_many_repairs_as_the_bound_and_counts_the_rest(more: int) -> None:
    repairs = decode_llm_json('{"a": [0' + ", 'x'" * (NAMED_REPAIRS + more - 1) + ", True]}").repairs
    assert how_often(repairs) == {K.SINGLE_QUOTE: NAMED_REPAIRS + more - 1, K.PYTHON_LITERAL: 1}
    assert len(repairs) == NAMED_REPAIRS + (more > 0)


def test_more_values_than_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    floor = at_length(1_000, scanner.VALUES_FLOOR)
    monkeypatch.setattr(scanner, "VALUES_FLOOR", floor)
    text = "{'a': 1}\n" * (floor + floor // 2)
    problems = [value.problem for value in ValueScanner(text, work=Work(100 * len(text))).values(0, len(text))]
    assert problems.count(None) == 1 + floor + len(text) // CHARACTERS_PER_VALUE
    assert problems[-1] is not None
    assert problems[-1].reason is TOO_DAMAGED


def test_text_is_too_damaged_where_its_work_is_used_up() -> None:
    work = Work(8)
    work.spend(work.left)
    problem = read('{"a": 1}', 0, work=work).problem
    assert problem is not None
    assert problem.reason is TOO_DAMAGED


KEYS_OF_A_TRIAL = 25
"""Keys that stand twice, over which one trial goes on."""


@pytest.mark.parametrize(("more", "reason"), [(0, None), (1, TOO_DAMAGED)])
def test_no_more_decisions_are_put_on_trial_than_the_bound(more: int, reason: Reason | None) -> None:
    count = MOST_TRIALS * KEYS_OF_A_TRIAL + more
    members = ", ".join(f'"k{number}": "k{number}": 1' for number in range(count))
    problem = read(f"{{{members}}}", 0).problem
    assert (problem and problem.reason) is reason


@pytest.mark.parametrize(("more", "reason"), [(0, None), (2, TWO_READINGS)])
def test_string_of_more_quotes_than_the_bound_has_no_end(more: int, reason: Reason | None) -> None:
    quoted = 'a "word" ' * ((MOST_QUOTES + more) // 2)
    problem = read(f'{{"a": "{quoted}", "b": 1}}', 0).problem
    assert (problem and problem.reason) is reason


def test_very_many_members_of_one_style_are_read() -> None:
    member = "'{:07}': 'some value',\n"
    count = at_length(400_000, 2_000_000) // len(member.format(0))
    raw = "{" + "".join(member.format(number) for number in range(count)) + "'z': 0}"
    assert decode_llm_json(raw).data["z"] == 0


# --- work ---------------------------------------------------------------------------------------------------


def test_work_is_refused_beyond_what_the_length_allows() -> None:
    work = Work(1_000)
    assert work.spend(WORK_FLOOR + 1_000 * WORK_PER_CHARACTER)
    assert (work.left, work.refused) == (0, False)
    assert not work.spend(1)
    assert work.refused


def test_readings_that_fail_have_a_bound_of_their_own() -> None:
    work = Work(1_000)
    before = work.left
    work.spend(FAILED_FLOOR + 1_000 * FAILED_PER_CHARACTER)
    work.charge_failed(before)
    assert work.is_left()
    before = work.left
    work.spend(1)
    work.charge_failed(before)
    assert not work.is_left()
    assert work.refused


def test_text_of_too_many_openings_is_refused_and_not_searched() -> None:
    assert refusal_of("{'a': f(x) " * 40_000 + "```json").details["json_error"] == NO_VALUE.en


# --- many, long and deep ------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [0, 1])
def test_candidates_are_compared_as_far_as_the_bound(more: int) -> None:
    raw = " ".join('{"a": 1}' for _ in range(MAX_CANDIDATES + more))
    assert refused(raw) == ((SEVERAL_OBJECTS.en, len(raw) - len('{"a": 1}')) if more else None)


def test_candidate_too_deep_to_copy_is_no_crash() -> None:
    deep = '{"a":' * 500 + "1" + "}" * 500
    assert parse_llm_json_output(f'{deep} {{"score": 1}}', Score) == Score(score=1)


def test_integer_too_long_to_convert_is_refused() -> None:
    assert refused('{"a": ' + "9" * 5000 + "}") == (NUMBER_TOO_LONG.en, 0)


def test_a_thousand_lines_are_read() -> None:
    raw = "\n".join(f'{{"score": {at}}}' for at in range(1000))
    assert [one.score for one in parse_llm_json_output(raw, list[Score], finished=True)] == list(range(1000))


def test_bracket_missing_in_one_of_a_hundred_places_is_put_in_none() -> None:
    members = ", ".join(f'"k{number}": {number}' for number in range(100))
    assert refused(f'{{"a": {{{members}}}\n```') == (TWO_READINGS.en, 1074)


def test_brackets_that_are_missing_in_each_row_are_put_in_none() -> None:
    rows = ", ".join(f'"key{number}": [1, 2, {{"x": {number}]' for number in range(50))
    assert refused(f"{{{rows}}}") == (TWO_READINGS.en, 23)
