"""The technical analyst's adapter."""

from __future__ import annotations

from dataclasses import replace

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.rules import require_support_below_resistance
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert
from src.modules.research.infrastructure.agents.technical_analyst.output_parser import OUTPUT


class TechnicalAnalystAdapter(PromptedExpert[TechnicalAnalysisResultDTO]):
    """The technical analyst behind `ExpertPort`; its key levels have to be such that one can trade by them."""

    sections = ("stock", "technical")
    output = replace(OUTPUT, rules=(require_support_below_resistance,))
