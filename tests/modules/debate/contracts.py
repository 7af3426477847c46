"""The contracts of the two advocates and the resolver."""

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.modules.debate.domain.exceptions import LLMOutputParseError
from src.modules.debate.infrastructure.agents.bear_advocate import output_parser as bear
from src.modules.debate.infrastructure.agents.bull_advocate import output_parser as bull
from src.modules.debate.infrastructure.agents.resolution import output_parser as resolution
from tests.modules.agent_contract import (
    DIRECTION,
    FRACTION,
    AgentContract,
    Kind,
    Objects,
    Place,
    Quantity,
    Text,
    Texts,
)

ARGUMENT: dict[Place, Kind] = {
    ("direction",): DIRECTION,
    ("confidence",): FRACTION,
    ("core_thesis",): Text(),
    ("supporting_arguments",): Texts(lenient=True),
}

BULL_ADVOCATE = AgentContract(
    agent="bull_advocate",
    label="多头辩护人",
    parse=bull.parse_bull_argument,
    output=bull.OUTPUT,
    dto=BullArgument,
    error=LLMOutputParseError,
    answer={
        "direction": "BULLISH",
        "confidence": 0.78,
        "core_thesis": "品牌护城河稳固，直销占比提升将持续推高吨价。",
        "supporting_arguments": ["财务：ROE连续五年高于30%", "技术：放量突破年线"],
        "acknowledged_risks": ["高端消费复苏不及预期"],
        "price_catalysts": ["中报业绩超预期", "提价落地"],
        "narrative_report": "看多逻辑成立。",
    },
    places={
        **ARGUMENT,
        ("acknowledged_risks",): Texts(lenient=True),
        ("price_catalysts",): Texts(lenient=True),
    },
)

BEAR_ADVOCATE = AgentContract(
    agent="bear_advocate",
    label="空头辩护人",
    parse=bear.parse_bear_argument,
    output=bear.OUTPUT,
    dto=BearArgument,
    error=LLMOutputParseError,
    answer={
        "direction": "BEARISH",
        "confidence": 0.55,
        "core_thesis": "渠道库存高企，批价下行将侵蚀业绩确定性。",
        "supporting_arguments": ["估值：PE高于行业均值40%", "宏观：可选消费承压"],
        "acknowledged_strengths": ["账面现金充裕，无有息负债"],
        "risk_triggers": ["批价跌破2000元", "三季度预收款环比下降"],
        "narrative_report": "看空逻辑需要批价验证。",
    },
    places={
        **ARGUMENT,
        ("acknowledged_strengths",): Texts(lenient=True),
        ("risk_triggers",): Texts(lenient=True),
    },
)

RESOLUTION = AgentContract(
    agent="resolution",
    label="冲突消解",
    parse=resolution.parse_resolution_result,
    output=resolution.OUTPUT,
    dto=ResolutionResult,
    error=LLMOutputParseError,
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

CONTRACTS = (BULL_ADVOCATE, BEAR_ADVOCATE, RESOLUTION)
