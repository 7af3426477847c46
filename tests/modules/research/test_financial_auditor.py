"""The financial auditor: the score decides the signal, a risk warning may be missing."""

import itertools

import pytest

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.infrastructure.agents.financial_auditor.output_parser import let_score_decide_signal
from tests.modules.agent_contract import as_text
from tests.modules.all_contracts import contract_of

AGENT = contract_of("financial_auditor")
SIGNALS = ("STRONG_BULLISH", "BULLISH", "NEUTRAL", "BEARISH", "STRONG_BEARISH")
BANDS = (
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
)


def audit(**changes: object) -> FinancialAuditResultDTO:
    result = AGENT.parse(as_text({**AGENT.answer, **changes}))
    assert isinstance(result, FinancialAuditResultDTO)
    return result


@pytest.mark.parametrize(("band", "written"), list(itertools.product(BANDS, SIGNALS)))
def test_score_decides_whatever_known_signal_was_written(band: tuple[int, str], written: str) -> None:
    score, signal = band
    result = audit(financial_score=score, signal=written)
    assert (result.financial_score, result.signal) == (score, signal)


@pytest.mark.parametrize("score", [30, 30.0, "30", "30.0"], ids=repr)
def test_score_decides_in_every_spelling_the_contract_accepts(score: object) -> None:
    assert audit(financial_score=score, signal="BULLISH").signal == "BEARISH"


@pytest.mark.parametrize("score", [101, -1, 80.5, "80%", True, None, [95], float("nan")], ids=repr)
def test_score_the_contract_refuses_decides_nothing(score: object) -> None:
    data = {"signal": "NEUTRAL", "financial_score": score}
    assert let_score_decide_signal(data) is data
