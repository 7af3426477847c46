"""The catalyst detective: what it is asked about, and its adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.domain.inputs import CatalystContext
from src.modules.research.infrastructure.agents.catalyst_detective.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import ExpertTask, PromptedExpert


class CatalystDetectiveTask(ExpertTask):
    """What the catalyst detective is asked about."""

    catalyst: CatalystContext


class CatalystDetectiveAdapter(PromptedExpert[CatalystDetectiveTask, CatalystDetectiveResultDTO]):
    """The catalyst detective behind `ExpertPort`."""

    task_type = CatalystDetectiveTask
    output = OUTPUT
