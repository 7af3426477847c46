"""The contract of the technical analyst."""

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.infrastructure.agents.technical_analyst.adapter import TechnicalAnalystAdapter
from tests.modules.agent_contract import ANY_NUMBER, DIRECTION, FRACTION, AgentContract, Nested, Text
from tests.modules.inputs import dossier

CONTRACT = AgentContract(
    agent="technical_analyst",
    label="技术分析师",
    dto=TechnicalAnalysisResultDTO,
    ask=lambda llm: TechnicalAnalystAdapter(llm).analyse(dossier()),
    answer={
        "signal": "BULLISH",
        "confidence": 0.72,
        "summary_reasoning": "股价放量站上60日均线，MACD于零轴上方金叉，均线系统呈“多头排列”。",
        "key_technical_levels": {"support": 1620.5, "resistance": 1755.0},
        "risk_warning": "若跌破1620元且成交量放大，则上升趋势失效。",
        "narrative_report": "## 技术面\n短期趋势向上，关注1755元压力位的突破情况。",
    },
    places={
        ("signal",): DIRECTION,
        ("confidence",): FRACTION,
        ("summary_reasoning",): Text(),
        ("key_technical_levels",): Nested(),
        ("key_technical_levels", "support"): ANY_NUMBER,
        ("key_technical_levels", "resistance"): ANY_NUMBER,
        ("risk_warning",): Text(),
    },
)
