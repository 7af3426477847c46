"""The bear advocate: the bull's rules, with lists of its own."""

import pytest

from tests.modules.agent_contract import replaced
from tests.modules.debate.contracts.bear_advocate import CONTRACT as AGENT
from tests.modules.debate.contracts.bull_advocate import CONTRACT as BULL_ADVOCATE


def test_null_and_single_strings_are_read_in_all_lists_at_once() -> None:
    answer = AGENT.answer | {
        "supporting_arguments": None,
        "acknowledged_strengths": "现金充裕",
        "risk_triggers": None,
    }
    expected = AGENT.answer | {
        "supporting_arguments": [],
        "acknowledged_strengths": ["现金充裕"],
        "risk_triggers": [],
    }
    assert AGENT.read(answer).model_dump() == expected


@pytest.mark.parametrize("field", ["acknowledged_strengths", "risk_triggers"])
def test_only_supporting_arguments_may_be_objects(field: str) -> None:
    item = {"dimension": "估值", "argument": "PE偏高"}
    assert AGENT.refusal(replaced(AGENT.answer, (field,), [item])) == {(field, 0)}


def test_bulls_answer_is_no_bears_answer() -> None:
    assert AGENT.refusal(BULL_ADVOCATE.answer) == {("acknowledged_strengths",), ("risk_triggers",)}
