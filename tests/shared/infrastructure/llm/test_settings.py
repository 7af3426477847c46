"""Settings come from `LLM_*` variables and `.env`; what is wrong is named, never shown."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from src.shared.domain.budget import Budget, TokenPrice
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.provider import Provider, ProviderProfile, StructuredOutput
from src.shared.infrastructure.llm.settings import AskingSettings, LLMSettings
from tests.shared.infrastructure.llm.asking import KEY

URL = "https://models.example/v1"


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment with what must be there."""
    monkeypatch.setenv("LLM_BASE_URL", URL)
    monkeypatch.setenv("LLM_MODEL", "m-1")
    return monkeypatch


def refusal(**values: Any) -> LLMConfigurationError:  # noqa: ANN401 - fields of any type
    with pytest.raises(LLMConfigurationError) as caught:
        LLMSettings(**values)
    return caught.value


@pytest.mark.usefixtures("variables")
def test_defaults_are_those_of_the_reference() -> None:
    settings = LLMSettings()

    assert settings.model_dump(exclude={"api_key"}) == {
        "provider": Provider.OPENAI_COMPATIBLE,
        "base_url": URL,
        "model": "m-1",
        "timeout": 120.0,
        "connect_timeout": 5.0,
        "max_attempts": 3,
        "max_retry_after": 60.0,
        "structured_output": StructuredOutput.PROMPT,
        "profile": ProviderProfile.OPENAI_COMPATIBLE,
        "reasoning_effort": None,
        "extra_headers": {},
        "extra_body": {},
        "extra_query": {},
        "stream": False,
        "max_response_bytes": 8_388_608,
        "max_concurrency": 100,
        "requests_per_minute": 0,
    }
    assert settings.api_key.get_secret_value() == ""


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("BASE_URL", "http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("BASE_URL", "https://模型.example/ v1", "https://xn--xgs754b.example/%20v1"),
        ("TIMEOUT", "0.5", 0.5),
        ("CONNECT_TIMEOUT", "2", 2.0),
        ("MAX_ATTEMPTS", "1", 1),
        ("MAX_RETRY_AFTER", "0", 0.0),
        ("STRUCTURED_OUTPUT", "json_schema", StructuredOutput.JSON_SCHEMA),
        ("STRUCTURED_OUTPUT", "off", StructuredOutput.PROMPT),
        ("STRUCTURED_OUTPUT", "tools", StructuredOutput.TOOLS),
        ("PROFILE", "reasoning", ProviderProfile.REASONING),
        ("REASONING_EFFORT", "low", "low"),
        ("EXTRA_HEADERS", '{"X-Team": "desk"}', {"X-Team": SecretStr("desk")}),
        ("EXTRA_BODY", '{"seed": 7}', {"seed": 7}),
        ("EXTRA_QUERY", '{"api-version": "2024-10-21"}', {"api-version": "2024-10-21"}),
        ("STREAM", "true", True),
        ("TIMEOUT", "", 120.0),
    ],
)
def test_variable_is_read(variables: pytest.MonkeyPatch, name: str, value: str, read: object) -> None:
    variables.setenv(f"LLM_{name}", value)

    assert getattr(LLMSettings(), name.lower()) == read


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASE_URL", "models.example/v1"),
        ("BASE_URL", "ftp://models.example/v1"),
        ("BASE_URL", "https://"),
        ("BASE_URL", "https://models.example:port/v1"),
        ("BASE_URL", "https://[::1/v1"),
        ("BASE_URL", "https://models example/v1"),
        ("BASE_URL", f"https://{KEY}@/v1"),
        ("BASE_URL", f"https://user:{KEY}@models.example/v1"),
        ("BASE_URL", f"https://models.example/v1?key={KEY}"),
        ("BASE_URL", "https://models.example/v1/chat/completions"),
        ("API_KEY", f"{KEY} {KEY}"),
        ("API_KEY", f"{KEY}密"),
        ("API_KEY", f"{KEY}\x7f"),
        ("TIMEOUT", "0"),
        ("TIMEOUT", "soon"),
        ("TIMEOUT", "nan"),
        ("TIMEOUT", "3601"),
        ("CONNECT_TIMEOUT", "-1"),
        ("MAX_ATTEMPTS", "0"),
        ("MAX_ATTEMPTS", "11"),
        ("MAX_RETRY_AFTER", "inf"),
        ("STRUCTURED_OUTPUT", "xml"),
        ("STREAM", "maybe"),
        ("PROFILE", "gemini"),
        ("EXTRA_HEADERS", f"Authorization: {KEY}"),
        ("EXTRA_HEADERS", f'["{KEY}"]'),
        ("EXTRA_HEADERS", f'{{"X Team": "{KEY}"}}'),
        ("EXTRA_HEADERS", f'{{"X-Team": "{KEY}\\n"}}'),
        ("EXTRA_BODY", '{"messages": []}'),
        ("EXTRA_BODY", "[" * 10_000),
        ("EXTRA_QUERY", '{"api-version": 1}'),
    ],
)
def test_wrong_variable_is_named_and_its_value_is_not_shown(
    variables: pytest.MonkeyPatch, name: str, value: str
) -> None:
    variables.setenv(f"LLM_{name}", value)

    error = refusal()

    assert error.details["variables"] == [f"LLM_{name}"]
    assert f"LLM_{name}" in error.message
    assert KEY not in repr((str(error), vars(error), error.__cause__, error.__context__))


def test_deployment_of_azure_needs_its_version(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("LLM_BASE_URL", "https://desk.openai.azure.com/openai/deployments/gpt")

    assert refusal().details["variables"] == ["LLM_EXTRA_QUERY"]
    assert LLMSettings(extra_query={"api-version": "2024-10-21"}).extra_query == {"api-version": "2024-10-21"}


def test_missing_variables_are_named_all_at_once() -> None:
    assert refusal().details["variables"] == ["LLM_BASE_URL", "LLM_MODEL"]


def test_argument_wins_over_the_environment(variables: pytest.MonkeyPatch) -> None:
    variables.setenv("LLM_TIMEOUT", "9")

    assert LLMSettings(timeout=1).timeout == 1


def test_file_in_the_working_directory_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text(f"LLM_BASE_URL={URL}\nLLM_MODEL=of-file\nLLM_API_KEY='{KEY}'\nOTHER=1\n", encoding="utf-8")
    monkeypatch.setenv("LLM_MODEL", "of-environment")

    settings = LLMSettings()

    assert (settings.base_url, settings.model) == (URL, "of-environment")
    assert settings.api_key.get_secret_value() == KEY


def test_file_that_cannot_be_read_is_named() -> None:
    Path(".env").write_bytes(b"LLM_MODEL=\xff\xfe")

    assert ".env" in refusal(base_url=URL).message


@pytest.mark.usefixtures("variables")
def test_key_and_values_of_extra_headers_are_shown_nowhere() -> None:
    settings = LLMSettings(api_key=f" {KEY}\n", extra_headers={"X-Gateway": "gateway-key"})

    assert settings.secrets() == [KEY, "gateway-key"]
    shown = f"{settings} {settings!r} {settings.model_dump()} {settings.model_dump_json()}"
    assert (KEY in shown, "gateway-key" in shown) == (False, False)


# --- budgets, prices and the models beside the first ----------------------------------------------------------------


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
