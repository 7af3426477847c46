"""The research context's rules and their consequences."""

from typing import Any

import pytest

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.rules import require_support_below_resistance, signal_for
from tests.modules.research.contracts.technical_analyst import CONTRACT as TECHNICAL_ANALYST


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


def levels(support: float, resistance: float) -> dict[str, Any]:
    return TECHNICAL_ANALYST.answer | {"key_technical_levels": {"support": support, "resistance": resistance}}


@pytest.mark.parametrize("support", [10, 11])
def test_support_that_is_not_below_resistance_is_refused(support: float) -> None:
    broken = require_support_below_resistance(TechnicalAnalysisResultDTO(**levels(support, 10)))
    assert broken is not None
    assert broken.loc == ("key_technical_levels", "support")


def test_support_below_resistance_stands() -> None:
    assert require_support_below_resistance(TechnicalAnalysisResultDTO(**levels(9.9, 10))) is None


@pytest.mark.parametrize(("support", "resistance"), [(9.9, 10), (10, 10), (11, 10), (0, -1e10)])
def test_parser_takes_any_two_levels(support: float, resistance: float) -> None:
    answer = levels(support, resistance)
    assert TECHNICAL_ANALYST.read(answer).model_dump() == answer
