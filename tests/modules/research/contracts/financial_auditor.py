"""The contract of the financial auditor."""

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.infrastructure.agents.financial_auditor.adapter import FinancialAuditorAdapter
from tests.modules.agent_contract import ANY_NUMBER, FRACTION, POINTS, AgentContract, Choice, Objects, Text, Texts
from tests.modules.inputs import dossier

CONTRACT = AgentContract(
    agent="financial_auditor",
    label="财务审计员",
    dto=FinancialAuditResultDTO,
    ask=lambda llm: FinancialAuditorAdapter(llm).analyse(dossier()),
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
