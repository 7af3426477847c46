"""The contract of the catalyst detective."""

from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.infrastructure.agents.catalyst_detective.adapter import CatalystDetectiveAdapter
from tests.modules.agent_contract import FRACTION, AgentContract, Choice, Kind, Objects, Quantity, Text, Texts
from tests.modules.inputs import dossier
from tests.modules.research.scored_dimension import SCORED_DIMENSION

EVENT_FIELDS: dict[str, Kind] = {
    "event": Text(),
    "expected_impact": Quantity(null_is_missing=True),
    "timeframe": Quantity(),
    "probability": Quantity(),
}

EVENT_LISTS = ("positive_catalysts", "negative_catalysts")

CONTRACT = AgentContract(
    agent="catalyst_detective",
    label="催化剂侦探",
    dto=CatalystDetectiveResultDTO,
    ask=lambda llm: CatalystDetectiveAdapter(llm).analyse(dossier()),
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
