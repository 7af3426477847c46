"""What an event loop may read: texts that take little work."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.work import LimitedWork, WorkLimitError
from src.shared.infrastructure.llm_json import ParsedOutput, parse_at_once, parse_llm_json_output_with_trace
from tests.corpus.reading import OWN, lines_of
from tests.thorough import at_length

MUCH = 20_000_000
DAMAGED = '{"score": 5, "why": "he said "no" to it"}'


class Rating(BaseModel):
    score: int


class AnyObject(BaseModel, extra="allow"):
    pass


def at_once(text: str, most: int = MUCH, **options: object) -> ParsedOutput[Rating] | None:
    return parse_at_once(text, Rating, most_work=most, spent=int, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ['{"score": 5}', '```json\n{"score": 5}\n```', '{"score": 5,}', DAMAGED])
def test_text_is_read_as_the_parser_reads_it(text: str) -> None:
    parsed, expected = at_once(text), parse_llm_json_output_with_trace(text, Rating)

    assert parsed is not None
    assert parsed.value == expected.value
    assert parsed.decoded.repairs == expected.decoded.repairs
    assert parsed.decoded.notes == expected.decoded.notes


@pytest.mark.parametrize("text", ["", "no object", '{"score": "high"}', '{"score": 5'])
def test_text_is_refused_as_the_parser_refuses_it(text: str) -> None:
    with pytest.raises(LLMJsonParseError) as expected:
        parse_llm_json_output_with_trace(text, Rating)
    with pytest.raises(LLMJsonParseError) as error:
        at_once(text)

    assert error.value.details == expected.value.details


def test_what_is_known_about_the_end_counts() -> None:
    with pytest.raises(LLMJsonParseError) as error:
        at_once('{"score": 5}', finished=False)

    assert error.value.details["truncated"]


def test_hooks_run() -> None:
    parsed = at_once('{"points": 5}', normalizers=[lambda data: {"score": data["points"]}])

    assert parsed is not None
    assert parsed.value == Rating(score=5)


def test_without_a_type_any_object_is_read() -> None:
    parsed: ParsedOutput[object] | None = parse_at_once("{'a': 1,}", None, most_work=MUCH, spent=int)

    assert parsed is not None
    assert parsed.value == parsed.decoded.data == {"a": 1}


def test_text_that_takes_more_work_is_left(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    assert at_once(DAMAGED, most=100) is None
    assert not caplog.records


@pytest.mark.parametrize("text", [DAMAGED, '{"points": "a "b" c", }'])
def test_work_is_told_whether_the_text_is_read_or_refused(text: str) -> None:
    spent: list[int] = []
    with suppress(LLMJsonParseError):
        parse_at_once(text, Rating, most_work=MUCH, spent=spent.append)

    assert len(spent) == 1
    assert 0 < spent[0] <= MUCH


def test_work_is_told_where_the_text_is_left() -> None:
    spent: list[int] = []
    parse_at_once(DAMAGED, Rating, most_work=100, spent=spent.append)

    assert spent[0] > 100


def test_clean_text_takes_no_work() -> None:
    spent: list[int] = []

    assert parse_at_once('{"score": 5}', Rating, most_work=0, spent=spent.append) is not None
    assert spent == [0]


def outcome(text: str, most: int | None) -> object:
    """The value, or why there is none; None for a text that is left."""
    try:
        if most is None:
            return parse_llm_json_output_with_trace(text, AnyObject).value
        parsed = parse_at_once(text, AnyObject, most_work=most, spent=int)
    except LLMJsonParseError as error:
        return error.details
    return parsed and parsed.value


@pytest.mark.parametrize("most", [0, 5_000, 50_000])
def test_whatever_the_limit_a_text_is_left_or_read_as_ever(most: int) -> None:
    for row in islice(lines_of("outputs.jsonl", folder=OWN), 0, None, at_length(3, 1)):
        assert outcome(row["text"], most) in (None, outcome(row["text"], None))


def test_work_at_the_limit_is_done_and_beyond_it_is_not() -> None:
    work = LimitedWork(10, most=100)

    assert work.spend(100)
    assert work.spent == 100
    with pytest.raises(WorkLimitError):
        work.spend(1)
