"""The macro intelligence officer: what it is asked about, and its adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.domain.inputs import MacroContext
from src.modules.research.infrastructure.agents.macro_intelligence.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import ExpertTask, PromptedExpert


class MacroIntelligenceTask(ExpertTask):
    """What the macro intelligence officer is asked about."""

    macro: MacroContext


class MacroIntelligenceAdapter(PromptedExpert[MacroIntelligenceTask, MacroIntelligenceResultDTO]):
    """The macro intelligence officer behind `ExpertPort`."""

    task_type = MacroIntelligenceTask
    output = OUTPUT
