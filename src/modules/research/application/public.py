"""The research context's interface: what others may import from it."""

from src.modules.research.application.services.research_service import ResearchService
from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult
from src.modules.research.domain.dtos.research_report import ExpertReport, ResearchReport
from src.modules.research.domain.exceptions import MissingDataError, TooFewExpertsError
from src.modules.research.domain.inputs.research_input import ResearchInput
from src.modules.research.domain.price_view import PriceView, price_view

__all__ = [
    "ExpertOpinion",
    "ExpertReport",
    "ExpertResult",
    "MissingDataError",
    "PriceView",
    "ResearchInput",
    "ResearchReport",
    "ResearchService",
    "TooFewExpertsError",
    "price_view",
]
