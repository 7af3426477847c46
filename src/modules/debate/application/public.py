"""The debate context's interface: what others may import from it."""

from src.modules.debate.application.services.debate_service import DebateService
from src.modules.debate.domain.dtos.debate_input import DebateInput, ExpertSummary
from src.modules.debate.domain.dtos.debate_outcome import DebateOutcomeDTO

__all__ = ["DebateInput", "DebateOutcomeDTO", "DebateService", "ExpertSummary"]
