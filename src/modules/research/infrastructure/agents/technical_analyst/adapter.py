"""The technical analyst: what it is asked about, and its adapter."""

from __future__ import annotations

from dataclasses import replace

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.inputs import TechnicalSnapshot
from src.modules.research.domain.rules import require_support_below_resistance
from src.modules.research.infrastructure.agents.prompted_expert import ExpertTask, PromptedExpert
from src.modules.research.infrastructure.agents.technical_analyst.output_parser import OUTPUT

ASKED = replace(OUTPUT, rules=(require_support_below_resistance,))
"""The output contract, and what key levels have to hold to be traded by."""


class TechnicalAnalystTask(ExpertTask):
    """What the technical analyst is asked about."""

    technical: TechnicalSnapshot


class TechnicalAnalystAdapter(PromptedExpert[TechnicalAnalystTask, TechnicalAnalysisResultDTO]):
    """The technical analyst behind `ExpertPort`."""

    task_type = TechnicalAnalystTask
    output = ASKED
