"""The financial auditor: the score decides the signal, a risk warning may be missing."""

import itertools

import pytest

from src.modules.research.domain.dtos.financial_dtos import FinancialAuditResultDTO
from src.modules.research.infrastructure.agents.financial_auditor.output_parser import let_score_decide_signal
from tests.modules.agent_contract import as_text, removed
from tests.modules.research.contracts.financial_auditor import CONTRACT as AGENT

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


@pytest.mark.parametrize("signal", ["bullish", "看多", "", None, ["BULLISH"], 1], ids=repr)
def test_unreadable_signal_is_an_error_and_never_taken_from_the_score(signal: object) -> None:
    assert AGENT.refusal({**AGENT.answer, "signal": signal}) == {("signal",)}


def test_missing_signal_is_an_error_and_never_taken_from_the_score() -> None:
    assert AGENT.refusal(removed(AGENT.answer, ("signal",))) == {("signal",)}


@pytest.mark.parametrize("score", [101, -1, 80.5, "80%", True, None, [95], float("nan")], ids=repr)
def test_score_the_contract_refuses_decides_nothing(score: object) -> None:
    data = {"signal": "NEUTRAL", "financial_score": score}
    assert let_score_decide_signal(data) is data


@pytest.mark.parametrize("absent", [{}, {"risk_warning": None}], ids=["missing", "null"])
def test_risk_warning_that_was_not_given_is_empty(absent: dict[str, object]) -> None:
    answer = {**removed(AGENT.answer, ("risk_warning",)), **absent}
    assert AGENT.read(answer).model_dump() == {**AGENT.answer, "risk_warning": ""}


def test_audit_is_made_without_dimensions() -> None:
    fields = removed(AGENT.answer, ("dimension_analyses",))
    assert FinancialAuditResultDTO(**fields).dimension_analyses == []


@pytest.mark.parametrize("score", [-3.5, 0, 8.5, 250])
def test_score_of_a_dimension_is_any_finite_number(score: float) -> None:
    dimension = {**AGENT.answer["dimension_analyses"][0], "score": score}
    assert audit(dimension_analyses=[dimension]).dimension_analyses[0].score == score
