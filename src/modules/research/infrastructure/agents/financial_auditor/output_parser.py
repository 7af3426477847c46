"""The financial auditor's output contract and parser."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO, FinancialSignal
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.domain.rules import signal_for
from src.shared.domain.fields import Score
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.agents.normalizers import fill_missing_text

_SCORE = TypeAdapter[int](Score)


def let_score_decide_signal(data: dict[str, Any]) -> dict[str, Any]:
    """Replace a signal that disagrees with `financial_score`.

    Only a known signal is replaced, and only by a score the contract accepts: a signal that is missing or
    cannot be read stays an error, whatever the score.
    """
    if data.get("signal") not in get_args(FinancialSignal):
        return data
    try:
        score = _SCORE.validate_python(data.get("financial_score"))
    except ValidationError:
        return data
    return data | {"signal": signal_for(score)}


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
