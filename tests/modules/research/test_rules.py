"""The research context's rules and their consequences."""

import pytest

from src.modules.research.domain.rules import signal_for
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


@pytest.mark.parametrize("support", [10, 11])
def test_support_that_is_not_below_resistance_is_refused(support: float) -> None:
    levels = {"key_technical_levels": {"support": support, "resistance": 10}}
    assert TECHNICAL_ANALYST.refusal(TECHNICAL_ANALYST.answer | levels) == {("key_technical_levels", "support")}


def test_support_below_resistance_stands() -> None:
    answer = TECHNICAL_ANALYST.answer | {"key_technical_levels": {"support": 9.9, "resistance": 10}}
    assert TECHNICAL_ANALYST.read(answer).model_dump() == answer
