"""The research context's rules, and what follows when an answer breaks one.

| rule | consequence |
| --- | --- |
| the financial score decides the signal | correct: the signal is replaced |
| support lies below resistance | refuse: the expert is asked again, then fails |

The parser takes any two levels: the adapter, which asks, refuses those that contradict each other.
"""

from __future__ import annotations

from src.modules.research.domain.dtos.financial_dtos import FinancialSignal
from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.shared.domain.language import Phrase
from src.shared.domain.rules import RuleViolation

SUPPORT_BELOW_RESISTANCE = "support_below_resistance"

_SIGNAL_FROM_SCORE: tuple[tuple[int, FinancialSignal], ...] = (
    (90, "STRONG_BULLISH"),
    (75, "BULLISH"),
    (50, "NEUTRAL"),
    (30, "BEARISH"),
    (0, "STRONG_BEARISH"),
)
"""The lowest score each signal stands for, highest first."""


def signal_for(score: int) -> FinancialSignal:
    """The signal that a financial score, 0 to 100, stands for."""
    return next(signal for lowest, signal in _SIGNAL_FROM_SCORE if score >= lowest)


def require_support_below_resistance(result: TechnicalAnalysisResultDTO) -> RuleViolation | None:
    """Levels that contradict each other cannot stand: nobody can trade by them, and which one is wrong is not known."""
    levels = result.key_technical_levels
    if levels.support < levels.resistance:
        return None
    message = Phrase(
        "support must lie below resistance, and {support} does not lie below {resistance}",
        support=levels.support,
        resistance=levels.resistance,
    )
    return RuleViolation(SUPPORT_BELOW_RESISTANCE, "key_technical_levels.support", message)
