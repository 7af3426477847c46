"""What the tests ask agents about: a dossier, a debate's experts, a debate's outcome."""

import json

from src.modules.debate.domain.dtos.debate_input import DebateInput, ExpertSummary
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.research.domain.inputs import ResearchInput
from tests.paths import ROOT

DOSSIER_FILE = ROOT / "examples" / "committee" / "dossier.json"
DEBATE = DebateInput(
    symbol="600519.SH",
    expert_summaries={
        "technical_analyst": ExpertSummary(signal="BULLISH", confidence=0.7, reasoning="趋势向上", risk_warning="")
    },
    missing_experts={"macro_intelligence": "超时"},
)
JUDGE = JudgeInput(
    symbol="600519.SH",
    direction="BULLISH",
    confidence=0.6,
    bull_thesis="多",
    bear_thesis="空",
    risk_factors=[],
    key_disagreements=["增速"],
    conflict_resolution="多头占优",
)


def dossier() -> ResearchInput:
    """What the experts are told of the dossier that is shipped as an example."""
    whole = json.loads(DOSSIER_FILE.read_text(encoding="utf-8"))
    return ResearchInput.model_validate({name: whole[name] for name in ResearchInput.model_fields if name in whole})
