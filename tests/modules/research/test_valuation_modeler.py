"""The valuation modeler: a verdict with its Chinese gloss is the English verdict."""

import pytest

from src.modules.research.infrastructure.agents.valuation_modeler.output_parser import normalize_verdict
from tests.modules.agent_contract import replaced
from tests.modules.research.contracts.valuation_modeler import CONTRACT as AGENT

GLOSSED = (("Undervalued", "低估"), ("Fair", "合理"), ("Overvalued", "高估"))


@pytest.mark.parametrize(("verdict", "gloss"), GLOSSED)
@pytest.mark.parametrize("spelling", ["{} ({})", "{}({})", "{}（{}）", "{} （{}）", "  {} ({})\n", "{} ({}）", " {} "])
def test_glossed_verdict_is_read_as_the_english_one(verdict: str, gloss: str, spelling: str) -> None:
    answer = replaced(AGENT.answer, ("valuation_verdict",), spelling.format(verdict, gloss))
    assert AGENT.read(answer).model_dump() == {**AGENT.answer, "valuation_verdict": verdict}


@pytest.mark.parametrize(
    "verdict",
    [
        "Fair (低估)",
        "Fairly valued",
        "fair",
        "FAIR (合理)",
        "合理",
        "Fair (合理) 或 Overvalued (高估)",
        "Fair (",
        "( )",
    ],
)
def test_verdict_that_needs_a_guess_is_an_error(verdict: str) -> None:
    assert AGENT.refusal(replaced(AGENT.answer, ("valuation_verdict",), verdict)) == {("valuation_verdict",)}


@pytest.mark.parametrize("data", [{}, {"valuation_verdict": None}, {"valuation_verdict": ["Fair (合理)"]}])
def test_what_is_no_text_is_left_for_validation(data: dict[str, object]) -> None:
    assert normalize_verdict(data) == data


def test_normalizing_leaves_the_object_it_was_given_alone() -> None:
    data = {"valuation_verdict": "Fair (合理)", "other": 1}
    assert normalize_verdict(data) == {"valuation_verdict": "Fair", "other": 1}
    assert data == {"valuation_verdict": "Fair (合理)", "other": 1}


def test_bounds_written_as_numbers_keep_their_spelling() -> None:
    bounds = {"lower_bound": 1480, "upper_bound": 1790.5}
    result = AGENT.read(replaced(AGENT.answer, ("estimated_intrinsic_value_range",), bounds)).model_dump()
    assert result["estimated_intrinsic_value_range"] == {"lower_bound": "1480", "upper_bound": "1790.5"}
