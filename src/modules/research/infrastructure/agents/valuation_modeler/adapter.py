"""The valuation modeler's adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert
from src.modules.research.infrastructure.agents.valuation_modeler.output_parser import OUTPUT


class ValuationModelerAdapter(PromptedExpert[ValuationResultDTO]):
    """The valuation modeler behind `ExpertPort`."""

    sections = ("stock", "valuation")
    output = OUTPUT
