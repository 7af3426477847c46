"""The attack through a model's call finds an answer that is taken though its end was not shown."""

import pytest
from pydantic import BaseModel, ConfigDict

from tools.attack.answers import Review
from tools.attack.budget import Budget
from tools.attack.calls import CUT, REASONS, STOPPED, UNKNOWN, Call, attack, call, judged
from tools.attack.reader import Accepted, Crashed, Reading, Refused

SAMPLE = Budget(count=10 * len(REASONS))
ANSWER = Review(title="x", score=85)
PART = Review(title="x", score=8)


class Anything(BaseModel):
    """A part of every answer, which equals none."""

    model_config = ConfigDict(extra="allow")


def always(reading: Reading) -> Call:
    def caller(text: str, reason: str | None, dto_type: type[BaseModel]) -> Reading:
        del text, reason, dto_type
        return reading

    return caller


def broken(caller: Call) -> set[str]:
    report = attack(SAMPLE, 1, caller)
    assert report.broken == bool(report.shortest)
    return {column for _, column in report.shortest}


@pytest.mark.parametrize(
    ("reading", "reason", "column"),
    [
        (Accepted(ANSWER), "stop", "whole"),
        (Accepted(ANSWER), None, "whole"),
        (Accepted(ANSWER), "length", "cut accepted"),
        (Accepted(PART), "stop", "part, stopped"),
        (Accepted(PART), None, "part"),
        (Accepted(PART), "MAX_TOKENS", "cut accepted"),
        (Refused(), "stop", "refused"),
        (Crashed("KeyError"), "stop", "crashed"),
    ],
)
def test_a_call_is_judged_by_what_its_finish_reason_says(reading: Reading, reason: str | None, column: str) -> None:
    assert judged(reading, ANSWER, reason) == column


def test_a_finish_reason_says_one_thing() -> None:
    assert len(set(REASONS)) == len(STOPPED) + len(CUT) + len(UNKNOWN)


def test_a_call_that_refuses_everything_breaks_no_promise() -> None:
    assert broken(always(Refused())) == set()


def test_a_part_that_comes_back_is_found_by_what_is_known_of_the_end() -> None:
    assert broken(always(Accepted(Anything()))) == {"part", "cut accepted"}


def test_a_call_that_knows_only_one_spelling_is_found() -> None:
    def one_spelling(text: str, reason: str | None, dto_type: type[BaseModel]) -> Reading:
        del text, dto_type
        return Refused() if reason == "length" or reason not in CUT else Accepted(Anything())

    assert broken(one_spelling) == {"cut accepted"}


def test_a_crash_is_found() -> None:
    assert broken(always(Crashed("KeyError"))) == {"crashed"}


def test_the_call_itself_returns_the_answer_and_asks_once() -> None:
    assert call('{"title": "x", "score": 85}', "stop", Review) == Accepted(ANSWER)
    assert call('{"title": "x", "score": 8', "length", Review) == Refused(truncated=True)
    assert call("no answer", "content_filter", Review) == Refused()


def test_the_table_has_a_row_for_each_finish_reason() -> None:
    report = attack(SAMPLE, 1, always(Accepted(Anything())))
    rows = report.text().partition("\n\n")[0].splitlines()[2:]
    assert [row.split("  ")[0] for row in rows] == [*map(repr, REASONS), "all"]
    assert "finish reason 'LENGTH', cut accepted\n  text" in report.text()
