"""The macro intelligence officer: what it is asked about, and its adapter."""

from __future__ import annotations

from pydantic import BaseModel, Field

from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.domain.inputs import MacroContext, Stock
from src.modules.research.infrastructure.agents.macro_intelligence.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert


class MacroIntelligenceTask(BaseModel):
    """What the macro intelligence officer is asked about."""

    stock: Stock = Field(description="标的")
    macro: MacroContext


class MacroIntelligenceAdapter(PromptedExpert[MacroIntelligenceTask, MacroIntelligenceResultDTO]):
    """The macro intelligence officer behind `ExpertPort`."""

    task_type = MacroIntelligenceTask
    output = OUTPUT
