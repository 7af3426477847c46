"""The valuation modeler: what it is asked about, and its adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.domain.inputs import ValuationSnapshot
from src.modules.research.infrastructure.agents.prompted_expert import ExpertTask, PromptedExpert
from src.modules.research.infrastructure.agents.valuation_modeler.output_parser import OUTPUT


class ValuationModelerTask(ExpertTask):
    """What the valuation modeler is asked about."""

    valuation: ValuationSnapshot


class ValuationModelerAdapter(PromptedExpert[ValuationModelerTask, ValuationResultDTO]):
    """The valuation modeler behind `ExpertPort`."""

    task_type = ValuationModelerTask
    output = OUTPUT
