"""Each expert's result in short: its own words and numbers, nothing judged anew."""

import pytest

from src.modules.research.domain.dtos.expert_result import ExpertResult, joined
from tests.modules.all_contracts import ROWS, contract_of


@pytest.mark.parametrize("agent", [agent for agent, row in ROWS.items() if "opinion" in row])
def test_opinion_is_the_result_in_short(agent: str) -> None:
    signal, confidence, fact, risk = ROWS[agent]["opinion"]
    result = contract_of(agent).read(ROWS[agent]["answer"])
    assert isinstance(result, ExpertResult)
    found = result.opinion()
    assert (found.signal, found.confidence) == (signal, confidence)
    assert (fact in found.reasoning, risk in found.risk_warning) == (True, True)


def test_blank_parts_are_left_out() -> None:
    assert joined("甲", " ", "", "乙 ") == "甲；乙"
