"""The financial auditor's rule of its own: the score decides the signal."""

from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from src.modules.research.domain.dtos.financial_dtos import FinancialSignal
from src.shared.domain.fields import Score

_SIGNAL_FROM_SCORE: tuple[tuple[int, FinancialSignal], ...] = (
    (90, "STRONG_BULLISH"),
    (75, "BULLISH"),
    (50, "NEUTRAL"),
    (30, "BEARISH"),
    (0, "STRONG_BEARISH"),
)
"""The lowest score each signal stands for, highest first."""

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
    return data | {"signal": next(signal for lowest, signal in _SIGNAL_FROM_SCORE if score >= lowest)}
