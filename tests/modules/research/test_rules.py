"""The research context's rules and their consequences."""

import pytest

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.rules import require_support_below_resistance, signal_for
from src.shared.domain.rules import RuleViolationError
from tests.modules.research.contracts import TECHNICAL_ANALYST


@pytest.mark.parametrize(
    ("score", "signal"),
    [
        (100, "STRONG_BULLISH"),
        (90, "STRONG_BULLISH"),
        (89, "BULLISH"),
        (75, "BULLISH"),
        (74, "NEUTRAL"),
        (50, "NEUTRAL"),
        (49, "BEARISH"),
        (30, "BEARISH"),
        (29, "STRONG_BEARISH"),
        (0, "STRONG_BEARISH"),
    ],
)
def test_score_decides_signal(score: int, signal: str) -> None:
    assert signal_for(score) == signal


def chart(support: float, resistance: float) -> TechnicalAnalysisResultDTO:
    levels = {"key_technical_levels": {"support": support, "resistance": resistance}}
    return TechnicalAnalysisResultDTO(**(TECHNICAL_ANALYST.answer | levels))


def test_support_below_resistance_stands() -> None:
    require_support_below_resistance(chart(9.9, 10))


@pytest.mark.parametrize("support", [10, 11])
def test_support_that_is_not_below_resistance_is_refused(support: float) -> None:
    with pytest.raises(RuleViolationError) as caught:
        require_support_below_resistance(chart(support, 10))
    assert caught.value.details["validation_errors"][0]["loc"] == ("key_technical_levels", "support")
