"""The financial auditor's rule of its own: the score decides the signal."""

from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from src.modules.research.domain.dtos.financial_dtos import FinancialSignal
from src.modules.research.domain.rules import signal_for
from src.shared.domain.fields import Score

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
