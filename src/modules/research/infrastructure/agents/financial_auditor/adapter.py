"""The financial auditor's adapter."""

from __future__ import annotations

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.infrastructure.agents.financial_auditor.output_parser import OUTPUT
from src.modules.research.infrastructure.agents.prompted_expert import PromptedExpert


class FinancialAuditorAdapter(PromptedExpert[FinancialAuditResultDTO]):
    """The financial auditor behind `ExpertPort`."""

    sections = ("stock", "financial")
    output = OUTPUT
