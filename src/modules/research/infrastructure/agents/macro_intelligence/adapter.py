"""The macro intelligence officer's adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.infrastructure.agents.macro_intelligence.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert


class MacroIntelligenceAdapter(PromptedExpert[MacroIntelligenceResultDTO]):
    """The macro intelligence officer behind `ExpertPort`."""

    sections = ("stock", "macro")
    output = OUTPUT
