"""The contract of the conflict resolver."""

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.modules.debate.infrastructure.agents.resolution.adapter import ResolutionAdapter
from tests.modules.agent_contract import DIRECTION, FRACTION, AgentContract, Objects, Quantity, Text, Texts
from tests.modules.debate.contracts import bear_advocate, bull_advocate
from tests.modules.inputs import DEBATE

ARGUMENTS = (BullArgument(**bull_advocate.CONTRACT.answer), BearArgument(**bear_advocate.CONTRACT.answer))

CONTRACT = AgentContract(
    agent="resolution",
    label="冲突消解",
    dto=ResolutionResult,
    ask=lambda llm: ResolutionAdapter(llm).resolve(DEBATE.symbol, *ARGUMENTS),
    answer={
        "direction": "NEUTRAL",
        "confidence": 0.6,
        "bull_case_summary": "盈利质量高，提价空间仍在。",
        "bear_case_summary": "渠道库存与批价构成压力。",
        "risk_matrix": [
            {"risk": "批价继续下行", "probability": "中", "impact": "高", "mitigation": "分批建仓，控制仓位"},
            {"risk": "消费税改革", "probability": "低", "impact": "中", "mitigation": "跟踪政策动向"},
        ],
        "key_disagreements": ["对渠道库存去化速度的判断不同"],
        "conflict_resolution": "双方对长期盈利能力无分歧，短期以批价为准，故维持中性。",
        "narrative_report": "多空力量相当。",
    },
    places={
        ("direction",): DIRECTION,
        ("confidence",): FRACTION,
        ("bull_case_summary",): Text(),
        ("bear_case_summary",): Text(),
        ("risk_matrix",): Objects(),
        ("risk_matrix", 0, "risk"): Text(),
        ("risk_matrix", 0, "probability"): Quantity(),
        ("risk_matrix", 0, "impact"): Quantity(),
        ("risk_matrix", 0, "mitigation"): Text(),
        ("key_disagreements",): Texts(),
        ("conflict_resolution",): Text(),
    },
)
