"""The contract of the valuation modeler."""

from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.infrastructure.agents.valuation_modeler.adapter import ValuationModelerAdapter
from tests.modules.agent_contract import FRACTION, AgentContract, Choice, Nested, Quantity, Text, Texts
from tests.modules.inputs import dossier

CONTRACT = AgentContract(
    agent="valuation_modeler",
    label="估值建模师",
    dto=ValuationResultDTO,
    ask=lambda llm: ValuationModelerAdapter(llm).analyse(dossier()),
    answer={
        "valuation_verdict": "Fair",
        "confidence_score": 0.65,
        "estimated_intrinsic_value_range": {
            "lower_bound": "1,480元（DCF：WACC 9%，永续增长率2%）",
            "upper_bound": "1,790元（相对估值：30倍PE × EPS 59.7元）",
        },
        "key_evidence": ["PE(TTM) 27.6倍，处于近五年35%分位", "PEG为1.4"],
        "risk_factors": ["若增速降至8%以下，估值中枢将下移"],
        "reasoning_summary": "DCF与相对估值区间重叠，当前价格位于区间中部。",
        "narrative_report": "综合两种方法，当前估值合理。",
    },
    places={
        ("valuation_verdict",): Choice(("Undervalued", "Fair", "Overvalued")),
        ("confidence_score",): FRACTION,
        ("estimated_intrinsic_value_range",): Nested(),
        ("estimated_intrinsic_value_range", "lower_bound"): Quantity(),
        ("estimated_intrinsic_value_range", "upper_bound"): Quantity(),
        ("key_evidence",): Texts(least=1),
        ("risk_factors",): Texts(least=1),
        ("reasoning_summary",): Text(),
    },
)
