"""The catalyst detective's adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.infrastructure.agents.catalyst_detective.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert


class CatalystDetectiveAdapter(PromptedExpert[CatalystDetectiveResultDTO]):
    """The catalyst detective behind `ExpertPort`."""

    sections = ("stock", "catalyst")
    output = OUTPUT
