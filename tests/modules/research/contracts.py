"""The contracts of the five analysts."""

from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.infrastructure.agents.catalyst_detective import output_parser as catalyst
from src.modules.research.infrastructure.agents.financial_auditor import output_parser as financial
from src.modules.research.infrastructure.agents.macro_intelligence import output_parser as macro
from src.modules.research.infrastructure.agents.technical_analyst import output_parser as technical
from src.modules.research.infrastructure.agents.valuation_modeler import output_parser as valuation
from tests.modules.agent_contract import (
    ANY_NUMBER,
    DIRECTION,
    FRACTION,
    POINTS,
    AgentContract,
    Choice,
    Kind,
    Nested,
    Objects,
    Place,
    Quantity,
    Text,
    Texts,
)

TECHNICAL_ANALYST = AgentContract(
    agent="technical_analyst",
    label="技术分析师",
    parse=technical.parse_technical_analysis_result,
    output=technical.OUTPUT,
    dto=TechnicalAnalysisResultDTO,
    error=LLMOutputParseError,
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
    leaves_open={
        ("key_technical_levels", "support"): {"key_technical_levels": {"support": 0, "resistance": 1e10}},
        ("key_technical_levels", "resistance"): {"key_technical_levels": {"support": -1e10, "resistance": 0}},
    },
)

FINANCIAL_AUDITOR = AgentContract(
    agent="financial_auditor",
    label="财务审计员",
    parse=financial.parse_financial_audit_result,
    output=financial.OUTPUT,
    dto=FinancialAuditResultDTO,
    error=LLMOutputParseError,
    answer={
        "financial_score": 82,
        "signal": "BULLISH",
        "confidence": 0.85,
        "summary_reasoning": "毛利率连续三年高于90%，经营现金流充沛，但应收票据有所上升。",
        "dimension_analyses": [
            {
                "dimension": "盈利能力",
                "score": 92.5,
                "assessment": "优秀：ROE稳定在30%左右。",
                "key_findings": ["毛利率91.5%", "净利率52.1%"],
            },
            {
                "dimension": "现金流",
                "score": 78,
                "assessment": "良好：净现比为1.05。",
                "key_findings": [],
            },
        ],
        "key_risks": ["应收票据同比增长38%", "关联交易占比偏高"],
        "risk_warning": "需关注渠道库存与预收款的变化。",
        "narrative_report": "公司财务质量整体稳健。",
    },
    places={
        ("financial_score",): POINTS,
        ("signal",): Choice(("STRONG_BULLISH", "BULLISH", "NEUTRAL", "BEARISH", "STRONG_BEARISH")),
        ("confidence",): FRACTION,
        ("summary_reasoning",): Text(),
        ("dimension_analyses",): Objects(),
        ("dimension_analyses", 0, "dimension"): Text(),
        ("dimension_analyses", 0, "score"): ANY_NUMBER,
        ("dimension_analyses", 0, "assessment"): Text(),
        ("dimension_analyses", 0, "key_findings"): Texts(),
        ("key_risks",): Texts(),
        ("risk_warning",): Text(null_is_missing=True),
    },
    defaults={
        ("dimension_analyses",): [],
        ("dimension_analyses", 0, "key_findings"): [],
        ("key_risks",): [],
        ("risk_warning",): "",
    },
    goes_with={
        "STRONG_BULLISH": {"financial_score": 95},
        "NEUTRAL": {"financial_score": 60},
        "BEARISH": {"financial_score": 40},
        "STRONG_BEARISH": {"financial_score": 10},
    },
)

VALUATION_MODELER = AgentContract(
    agent="valuation_modeler",
    label="估值建模师",
    parse=valuation.parse_valuation_result,
    output=valuation.OUTPUT,
    dto=ValuationResultDTO,
    error=LLMOutputParseError,
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

SCORED_DIMENSION: dict[Place, Kind] = {
    ("dimension_analyses", 0, "dimension"): Text(),
    ("dimension_analyses", 0, "assessment"): Text(),
    ("dimension_analyses", 0, "score"): POINTS,
    ("dimension_analyses", 0, "key_findings"): Texts(),
}

MACRO_INTELLIGENCE = AgentContract(
    agent="macro_intelligence",
    label="宏观情报员",
    parse=macro.parse_macro_intelligence_result,
    output=macro.OUTPUT,
    dto=MacroIntelligenceResultDTO,
    error=LLMOutputParseError,
    answer={
        "macro_environment": "Favorable (有利)",
        "confidence_score": 0.7,
        "macro_summary": "货币政策保持宽松，促消费政策持续落地；外部需求仍有不确定性。",
        "dimension_analyses": [
            {"dimension": "政策", "assessment": "偏积极", "score": 75, "key_findings": ["降准50个基点"]},
            {"dimension": "经济周期", "assessment": "弱复苏", "score": 60, "key_findings": ["PMI为50.2"]},
            {"dimension": "流动性", "assessment": "充裕", "score": 80, "key_findings": ["M2同比增长8.3%"]},
            {"dimension": "行业", "assessment": "分化", "score": 55, "key_findings": []},
        ],
        "key_opportunities": ["消费刺激政策加码"],
        "key_risks": ["房地产市场持续低迷"],
        "information_sources": ["国家统计局：7月PMI数据", "中国人民银行公告"],
        "narrative_report": "宏观环境总体有利。",
    },
    places={
        ("macro_environment",): Choice(("Favorable (有利)", "Neutral (中性)", "Unfavorable (不利)")),
        ("confidence_score",): FRACTION,
        ("macro_summary",): Text(),
        ("dimension_analyses",): Objects(least=4, most=4),
        **SCORED_DIMENSION,
        ("key_opportunities",): Texts(least=1),
        ("key_risks",): Texts(least=1),
        ("information_sources",): Texts(least=1),
    },
)

EVENT_FIELDS: dict[str, Kind] = {
    "event": Text(),
    "expected_impact": Quantity(null_is_missing=True),
    "timeframe": Quantity(),
    "probability": Quantity(),
}
EVENT_LISTS = ("positive_catalysts", "negative_catalysts")

CATALYST_DETECTIVE = AgentContract(
    agent="catalyst_detective",
    label="催化剂侦探",
    parse=catalyst.parse_catalyst_detective_result,
    output=catalyst.OUTPUT,
    dto=CatalystDetectiveResultDTO,
    error=LLMOutputParseError,
    answer={
        "catalyst_assessment": "Positive (正面催化)",
        "confidence_score": 0.6,
        "catalyst_summary": "中报业绩预告与提价预期构成近期正面催化。",
        "dimension_analyses": [
            {
                "dimension": "业绩",
                "assessment": "预增15%至18%",
                "score": 78,
                "key_findings": ["中报预告净利润同比增长15%"],
            }
        ],
        "positive_catalysts": [
            {
                "event": "中报披露",
                "expected_impact": "或带动股价上行3%~5%",
                "timeframe": "1个月内",
                "probability": "较高（约70%）",
            },
            {"event": "产品提价", "expected_impact": "增厚利润", "timeframe": "半年", "probability": "中"},
        ],
        "negative_catalysts": [
            {
                "event": "大股东减持",
                "expected_impact": "短期压制情绪",
                "timeframe": "3个月",
                "probability": "低",
            }
        ],
        "information_sources": ["公司公告", "中证网"],
        "narrative_report": "催化剂偏正面。",
    },
    places={
        ("catalyst_assessment",): Choice(("Positive (正面催化)", "Neutral (中性)", "Negative (负面催化)")),
        ("confidence_score",): FRACTION,
        ("catalyst_summary",): Text(),
        ("dimension_analyses",): Objects(),
        **SCORED_DIMENSION,
        **{(events,): Objects() for events in EVENT_LISTS},
        **{(events, 0, name): kind for events in EVENT_LISTS for name, kind in EVENT_FIELDS.items()},
        ("information_sources",): Texts(),
    },
    defaults={(events, 0, "expected_impact"): "" for events in EVENT_LISTS},
)

CONTRACTS = (TECHNICAL_ANALYST, FINANCIAL_AUDITOR, VALUATION_MODELER, MACRO_INTELLIGENCE, CATALYST_DETECTIVE)
