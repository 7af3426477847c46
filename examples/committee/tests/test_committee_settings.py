"""The committee's settings come from the environment; what is wrong is named by its variable."""

from pathlib import Path

import pytest

from examples.committee.composition import committee_of
from examples.committee.domain.exceptions import CommitteeSettingsError
from examples.committee.infrastructure.committee_settings import CommitteeSettings
from examples.committee.record import RECORDING
from src.bootstrap import Application
from src.shared.application.prompted_agent import AskOptions
from src.shared.domain.budget import Budget, TokenPrice
from src.shared.domain.ports.llm import TokenUsage


def settings(monkeypatch: pytest.MonkeyPatch, **variables: str) -> CommitteeSettings:
    for name, value in variables.items():
        monkeypatch.setenv(f"COMMITTEE_{name}", value)
    return CommitteeSettings(_env_file=None)


def test_defaults_need_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings(monkeypatch)
    assert (found.least_experts, found.deadline, found.price()) == (3, 900.0, None)
    assert found.options() == AskOptions(0.3, None, Budget(max_retries=2, max_seconds=225.0))


def test_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings(
        monkeypatch,
        LEAST_EXPERTS="5",
        DEADLINE="60",
        TEMPERATURE="0",
        MAX_TOKENS="4000",
        MAX_RETRIES="0",
        AGENT_SECONDS="30",
        PROMPT_PRICE="2",
        COMPLETION_PRICE="8",
        CURRENCY="USD",
    )
    assert (found.least_experts, found.deadline) == (5, 60.0)
    assert found.options() == AskOptions(0.0, 4000, Budget(max_retries=0, max_seconds=30.0))
    assert found.price() == TokenPrice(2.0, 8.0, "USD")


def test_every_wrong_variable_is_named_and_no_value_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommitteeSettingsError) as caught:
        settings(monkeypatch, LEAST_EXPERTS="6", DEADLINE="bald")
    assert caught.value.details == {"variables": ["COMMITTEE_LEAST_EXPERTS", "COMMITTEE_DEADLINE"]}
    assert "bald" not in caught.value.message


def test_one_price_without_the_other_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommitteeSettingsError, match="given together"):
        settings(monkeypatch, PROMPT_PRICE="2")


def test_cost_counts_a_million_tokens_at_a_time() -> None:
    assert TokenPrice(2, 8).cost(TokenUsage(500_000, 250_000)) == pytest.approx(3.0)


def test_budget_holds_for_each_agent_of_the_committee(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_BUDGET_TOKENS", "5000")
    monkeypatch.setenv("LLM_BUDGET_RETRIES", "1")
    app = Application()
    app.config.replay.from_value(RECORDING)

    budget = committee_of(app).options().budget
    assert budget is not None
    assert (budget.max_retries, budget.max_tokens) == (1, 5000)
