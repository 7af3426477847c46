"""Each expert's result in short: its own words and numbers, nothing judged anew."""

import pytest

from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult, joined
from tests.modules.agent_contract import AgentContract
from tests.modules.all_contracts import contract_of

OPINIONS = {
    "technical_analyst": ("BULLISH", 0.72, "支撑位 1620.5，压力位 1755.0", "若跌破1620元"),
    "financial_auditor": ("BULLISH", 0.85, "财务评分 82（满分 100）", "应收票据同比增长38%；关联交易占比偏高"),
    "valuation_modeler": ("Fair", 0.65, "内在价值下限：1,480元", "若增速降至8%以下"),
    "macro_intelligence": ("Favorable (有利)", 0.7, "消费刺激政策加码", "房地产市场持续低迷"),
    "catalyst_detective": (
        "Positive (正面催化)",
        0.6,
        "中报披露（时间：1个月内；概率：较高（约70%））",
        "大股东减持（时间：3个月；概率：低）",
    ),
}


def opinion(contract: AgentContract) -> ExpertOpinion:
    result = contract.read(contract.answer)
    assert isinstance(result, ExpertResult)
    return result.opinion()


@pytest.mark.parametrize("agent", OPINIONS)
def test_opinion_is_the_result_in_short(agent: str) -> None:
    signal, confidence, fact, risk = OPINIONS[agent]
    found = opinion(contract_of(agent))
    assert (found.signal, found.confidence) == (signal, confidence)
    assert fact in found.reasoning
    assert risk in found.risk_warning


def test_blank_parts_are_left_out() -> None:
    assert joined("甲", " ", "", "乙 ") == "甲；乙"
