"""What the tests ask agents about: a dossier, a debate's experts, a debate's outcome."""

from src.committee.domain.dossier import Dossier
from src.committee.infrastructure.dossier_reader import load_dossier
from src.modules.debate.domain.dtos.debate_input import DebateInput, ExpertSummary
from src.modules.judge.domain.dtos.judge_input import JudgeInput
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


def dossier() -> Dossier:
    """The dossier that is shipped as an example."""
    return load_dossier(DOSSIER_FILE)
