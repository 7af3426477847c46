"""The technical analyst: nothing is normalized."""

import pytest

from tests.modules.agent_contract import replaced
from tests.modules.research.contracts.technical_analyst import CONTRACT as AGENT


def test_level_may_be_written_as_a_whole_number() -> None:
    answer = replaced(AGENT.answer, ("key_technical_levels", "support"), 1620)
    assert AGENT.read(answer).model_dump()["key_technical_levels"]["support"] == 1620.0


@pytest.mark.parametrize("signal", ["STRONG_BULLISH", "bullish", " BULLISH", "BULLISH (看多)", "HOLD"])
def test_signal_in_another_spelling_or_vocabulary_is_an_error(signal: str) -> None:
    assert AGENT.refusal(replaced(AGENT.answer, ("signal",), signal)) == {("signal",)}


def test_all_problems_are_named_at_once() -> None:
    answer = {**AGENT.answer, "signal": "?", "confidence": 1.5, "key_technical_levels": {"support": "约1600"}}
    assert AGENT.refusal(answer) == {
        ("signal",),
        ("confidence",),
        ("key_technical_levels", "support"),
        ("key_technical_levels", "resistance"),
    }
