"""A call may say how long reading a text may take; what takes longer is refused with a reason of its own."""

import math
from collections.abc import Iterator

import pytest
from pydantic import BaseModel, field_validator

from src.shared.domain import work
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.work import BETWEEN_LOOKS, TimedWork, TimeIsUpError, Work
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace

HARD = "[" + '{"a": "x "y" z", "b": 1, "c": 2},' * 3_000 + "]"


class Clock:
    """Stands for `time`; goes on by a step with each look, or when it is told."""

    def __init__(self) -> None:
        self.now = self.step = 0.0

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(work, "time", clock)
    return clock


class Row(BaseModel):
    a: str


class Slow(BaseModel):
    """Takes its time to validate."""

    a: str

    @field_validator("a")
    @classmethod
    def _takes_its_time(cls, value: str) -> str:
        next(_waits)
        return value


def _waiting() -> Iterator[None]:
    while True:
        for clock in _clocks:
            clock.now += 10
        yield


_clocks: list[Clock] = []
_waits = _waiting()


def test_text_that_takes_longer_is_refused_with_a_reason_of_its_own(clock: Clock) -> None:
    clock.step = 0.3
    with pytest.raises(LLMJsonParseError, match="在 1 秒之内没有读完") as refused:
        parse_llm_json_output(HARD, list[Row], timeout=1)
    assert refused.value.details == {
        "stage": "timeout",
        "raw_length": len(HARD),
        "json_error": "not read in time",
        "root": "array",
        "timeout": 1,
    }


def test_text_that_is_read_in_time_is_read_as_without_a_limit(clock: Clock) -> None:
    assert clock.now == 0
    assert parse_llm_json_output("{'a': 'x'}", Row, timeout=1) == Row(a="x")


@pytest.mark.parametrize("text", ['{"a": "x"}', "{'a': 'x'}"], ids=["clean", "damaged"])
def test_result_that_comes_late_is_refused(clock: Clock, text: str) -> None:
    _clocks[:] = [clock]
    with pytest.raises(LLMJsonParseError) as refused:
        parse_llm_json_output(text, Slow, timeout=1)
    assert refused.value.details["stage"] == "timeout"


def test_clean_text_is_read_the_short_way_within_its_time() -> None:
    parsed = parse_llm_json_output_with_trace('{"a": "x"}', Row, timeout=60)
    assert parsed.value == Row(a="x")


@pytest.mark.parametrize("seconds", [0, -1, math.inf, math.nan])
def test_time_that_is_none_is_a_mistake_of_the_caller(seconds: float) -> None:
    with pytest.raises(ValueError, match="timeout must be a positive number of seconds"):
        parse_llm_json_output("{}", Row, timeout=seconds)


def test_clock_is_looked_at_once_for_so_much_work(clock: Clock) -> None:
    work = TimedWork(0, 1)
    clock.now = 2
    work.spend(BETWEEN_LOOKS)
    with pytest.raises(TimeIsUpError):
        work.spend(1)


def test_work_without_a_time_has_no_end() -> None:
    assert (Work(10).is_over, Work(10).seconds) == (False, math.inf)


def test_time_that_is_left_is_looked_up_and_goes_on() -> None:
    work = TimedWork(0, 1_000)
    assert work.spend(BETWEEN_LOOKS + 1)
    assert work.spend(BETWEEN_LOOKS + 1)
