"""The debate context's interface: what others may import from it."""

from src.modules.debate.application.services.debate_service import DebateService
from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.debate_arguments import DebateArguments
from src.modules.debate.domain.dtos.debate_input import DebateInput, ExpertSummary
from src.modules.debate.domain.dtos.debate_outcome import DebateOutcomeDTO

__all__ = [
    "BearArgument",
    "BullArgument",
    "DebateArguments",
    "DebateInput",
    "DebateOutcomeDTO",
    "DebateService",
    "ExpertSummary",
]
