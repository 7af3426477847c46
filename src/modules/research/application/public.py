"""The research context's interface: what others may import from it."""

from src.modules.research.application.services.research_service import ResearchService
from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult
from src.modules.research.domain.dtos.research_report import ExpertReport, ResearchReport
from src.modules.research.domain.dtos.technical_analysis_dtos import KeyTechnicalLevelsDTO
from src.modules.research.domain.dtos.valuation_dtos import IntrinsicValueRangeDTO
from src.modules.research.domain.exceptions import MissingDataError, TooFewExpertsError
from src.modules.research.domain.inputs.research_input import ResearchInput
from src.modules.research.domain.price_view import PriceView, price_view, price_view_of

__all__ = [
    "ExpertOpinion",
    "ExpertReport",
    "ExpertResult",
    "IntrinsicValueRangeDTO",
    "KeyTechnicalLevelsDTO",
    "MissingDataError",
    "PriceView",
    "ResearchInput",
    "ResearchReport",
    "ResearchService",
    "TooFewExpertsError",
    "price_view",
    "price_view_of",
]
