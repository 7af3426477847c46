"""The financial auditor's output contract and parser."""

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.infrastructure.agents.financial_auditor.normalizers import let_score_decide_signal
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.agents.normalizers import fill_missing_text

OUTPUT = AgentOutput(
    label="财务审计员",
    dto_type=FinancialAuditResultDTO,
    error_type=LLMOutputParseError,
    normalizers=(fill_missing_text("risk_warning"), let_score_decide_signal),
)


def parse_financial_audit_result(raw: str, *, finished: bool | None = None) -> FinancialAuditResultDTO:
    """Read the financial auditor's raw text as score, signal and findings.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
