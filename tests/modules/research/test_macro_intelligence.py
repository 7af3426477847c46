"""The macro intelligence officer: nothing is normalized, the environment is written in both languages."""

import pytest

from tests.modules.agent_contract import removed, replaced
from tests.modules.research.contracts.macro_intelligence import CONTRACT as AGENT


@pytest.mark.parametrize("environment", ["Favorable", "有利", "Favorable（有利）", "Neutral (正面)"])
def test_environment_in_another_spelling_is_an_error(environment: str) -> None:
    answer = replaced(AGENT.answer, ("macro_environment",), environment)
    assert AGENT.refusal(answer) == {("macro_environment",)}


def test_each_of_the_four_dimensions_is_checked_and_named() -> None:
    answer = replaced(AGENT.answer, ("dimension_analyses", 3, "score"), 101)
    answer = removed(answer, ("dimension_analyses", 2, "key_findings"))
    assert AGENT.refusal(answer) == {
        ("dimension_analyses", 2, "key_findings"),
        ("dimension_analyses", 3, "score"),
    }
