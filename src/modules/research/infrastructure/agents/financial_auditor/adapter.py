"""The financial auditor: what it is asked about, and its adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.domain.inputs import FinancialSnapshot
from src.modules.research.infrastructure.agents.financial_auditor.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import ExpertTask, PromptedExpert


class FinancialAuditorTask(ExpertTask):
    """What the financial auditor is asked about."""

    financial: FinancialSnapshot


class FinancialAuditorAdapter(PromptedExpert[FinancialAuditorTask, FinancialAuditResultDTO]):
    """The financial auditor behind `ExpertPort`."""

    task_type = FinancialAuditorTask
    output = OUTPUT
