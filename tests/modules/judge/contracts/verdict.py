"""The contract of the judge."""

from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.modules.judge.infrastructure.agents.verdict.adapter import VerdictAdapter
from tests.modules.agent_contract import FRACTION, AgentContract, Choice, Quantity, Text, Texts
from tests.modules.inputs import JUDGE

CONTRACT = AgentContract(
    agent="verdict",
    label="裁决",
    dto=VerdictResult,
    ask=lambda llm: VerdictAdapter(llm).judge(JUDGE),
    answer={
        "action": "BUY",
        "position_percent": 0.25,
        "confidence": 0.68,
        "entry_strategy": "回踩1650元附近分三批买入。",
        "stop_loss": "收盘价跌破1580元",
        "take_profit": "1900元止盈一半，其余跟踪20日均线",
        "time_horizon": "3至6个月",
        "risk_warnings": ["批价波动", "大盘系统性风险"],
        "reasoning": "多头论据更充分，但仓位受空头所列风险约束。",
        "narrative_report": "建议小仓位参与。",
    },
    places={
        ("action",): Choice(("BUY", "SELL", "HOLD")),
        ("position_percent",): FRACTION,
        ("confidence",): FRACTION,
        ("entry_strategy",): Text(),
        ("stop_loss",): Quantity(),
        ("take_profit",): Quantity(),
        ("time_horizon",): Quantity(),
        ("risk_warnings",): Texts(),
        ("reasoning",): Text(),
    },
    defaults={("risk_warnings",): [], ("reasoning",): ""},
)
