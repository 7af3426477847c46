"""The bull advocate: lists of text, however they are written."""

import pytest

from tests.modules.agent_contract import replaced
from tests.modules.debate.contracts.bull_advocate import CONTRACT as AGENT


def test_null_and_single_strings_are_read_in_all_lists_at_once() -> None:
    answer = AGENT.answer | {
        "supporting_arguments": "护城河稳固",
        "acknowledged_risks": None,
        "price_catalysts": "",
    }
    expected = AGENT.answer | {
        "supporting_arguments": ["护城河稳固"],
        "acknowledged_risks": [],
        "price_catalysts": [""],
    }
    assert AGENT.read(answer).model_dump() == expected


@pytest.mark.parametrize("field", ["acknowledged_risks", "price_catalysts"])
def test_only_supporting_arguments_may_be_objects(field: str) -> None:
    item = {"dimension": "估值", "argument": "PE偏低"}
    assert AGENT.refusal(replaced(AGENT.answer, (field,), [item])) == {(field, 0)}


def test_bull_may_come_out_bearish() -> None:
    """The text alone does not say which side its author was asked to take."""
    answer = replaced(AGENT.answer, ("direction",), "BEARISH")
    assert AGENT.read(answer).model_dump()["direction"] == "BEARISH"
