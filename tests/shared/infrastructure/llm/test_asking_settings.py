"""Settings of asking: budgets, prices and the models beside the first."""

from typing import Any

import pytest

from src.shared.domain.budget import Budget, TokenPrice
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.settings import AskingSettings


def test_nothing_has_to_be_set() -> None:
    settings = AskingSettings()

    assert (settings.budget(), settings.price()) == (Budget(), None)
    assert (settings.fallback_model, settings.repair_model) == (None, None)


def test_gemini_has_a_model_for_repairs_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Specification of the repair agent, 模型参数: a Gemini model; the one it names is shut down."""
    monkeypatch.setenv("LLM_PROVIDER", "gemini")
    assert AskingSettings().repair_model == "gemini-flash-latest"


def test_every_bound_comes_from_a_variable_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "BUDGET_RETRIES": "1",
        "BUDGET_TOKENS": "20000",
        "BUDGET_SECONDS": "60",
        "BUDGET_COST": "0.5",
        "PRICE_PROMPT": "2",
        "PRICE_COMPLETION": "8",
        "PRICE_CACHED": "0.2",
        "PRICE_CURRENCY": "USD",
        "FALLBACK_MODEL": "m-2",
        "REPAIR_MODEL": "m-3",
    }
    for name, value in variables.items():
        monkeypatch.setenv(f"LLM_{name}", value)

    settings = AskingSettings()

    assert settings.budget() == Budget(1, 20_000, 60.0, 0.5, TokenPrice(2, 8, "USD", 0.2))
    assert (settings.fallback_model, settings.repair_model) == ("m-2", "m-3")


@pytest.mark.parametrize(
    ("values", "variable"),
    [
        ({"budget_retries": 11}, "LLM_BUDGET_RETRIES"),
        ({"budget_tokens": 0}, "LLM_BUDGET_TOKENS"),
        ({"budget_seconds": 0}, "LLM_BUDGET_SECONDS"),
        ({"budget_cost": -1}, "LLM_BUDGET_COST"),
        ({"budget_cost": 1}, "LLM_BUDGET_COST"),
        ({"price_prompt": 1}, "LLM_PRICE_COMPLETION"),
        ({"price_completion": 1}, "LLM_PRICE_COMPLETION"),
        ({"price_prompt": 1, "price_completion": 1, "price_cached": -1}, "LLM_PRICE_CACHED"),
    ],
)
def test_bound_that_cannot_be_held_is_named(values: dict[str, Any], variable: str) -> None:
    with pytest.raises(LLMConfigurationError) as caught:
        AskingSettings(**values)

    assert caught.value.details["variables"] == [variable]
