"""The contract of the macro intelligence officer."""

from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.infrastructure.agents.macro_intelligence.adapter import MacroIntelligenceAdapter
from tests.modules.agent_contract import FRACTION, AgentContract, Choice, Objects, Text, Texts
from tests.modules.inputs import dossier
from tests.modules.research.scored_dimension import SCORED_DIMENSION

CONTRACT = AgentContract(
    agent="macro_intelligence",
    label="宏观情报员",
    dto=MacroIntelligenceResultDTO,
    ask=lambda llm: MacroIntelligenceAdapter(llm).analyse(dossier()),
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
