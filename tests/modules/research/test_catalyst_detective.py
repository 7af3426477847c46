"""The catalyst detective: an event need not say what it is expected to do, and no event is dropped."""

import pytest

from tests.modules.agent_contract import replaced
from tests.modules.research.contracts.catalyst_detective import CONTRACT as AGENT
from tests.modules.research.contracts.catalyst_detective import EVENT_LISTS

BARE = {"event": "中报披露", "timeframe": "1个月内", "probability": "高"}
BLANK = {**BARE, "expected_impact": "  "}
FULL = {**BARE, "expected_impact": "上涨"}


@pytest.mark.parametrize("events", EVENT_LISTS)
def test_event_without_expected_impact_gets_the_empty_text_and_all_events_stay(events: str) -> None:
    written = [BARE, FULL, {**BARE, "expected_impact": None}, BLANK, BARE]
    result = AGENT.read(replaced(AGENT.answer, (events,), written)).model_dump()
    empty = {**BARE, "expected_impact": ""}
    assert result[events] == [empty, FULL, empty, BLANK, empty]


@pytest.mark.parametrize("events", EVENT_LISTS)
def test_event_that_cannot_be_read_is_an_error_beside_good_ones(events: str) -> None:
    answer = replaced(AGENT.answer, (events,), [FULL, {"expected_impact": "上涨"}, "提价"])
    named = AGENT.refusal(answer)
    assert named == {*((events, 1, field) for field in BARE), (events, 2)}


def test_everything_that_may_be_empty_may_be_empty_at_once() -> None:
    answer = AGENT.answer | {field: [] for field in ("dimension_analyses", *EVENT_LISTS, "information_sources")}
    assert AGENT.read(answer).model_dump() == answer


@pytest.mark.parametrize("assessment", ["Positive", "正面催化", "Positive (正面)", "Positive（正面催化）"])
def test_assessment_in_another_spelling_is_an_error(assessment: str) -> None:
    answer = replaced(AGENT.answer, ("catalyst_assessment",), assessment)
    assert AGENT.refusal(answer) == {("catalyst_assessment",)}
