"""`LLM_OTEL` says what goes to OpenTelemetry."""

import sys
from pathlib import Path

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.events.otel_setting import VARIABLE, OtelScope, otel_scope


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)


def test_nothing_is_said_and_nothing_goes_out() -> None:
    assert otel_scope() is OtelScope.OFF


@pytest.mark.parametrize(
    ("value", "scope"),
    [
        ("on", OtelScope.ON),
        ("true", OtelScope.ON),
        ("1", OtelScope.ON),
        (" True ", OtelScope.ON),
        ("parses", OtelScope.PARSES),
        ("off", OtelScope.OFF),
        ("false", OtelScope.OFF),
        ("0", OtelScope.OFF),
        ("", OtelScope.OFF),
    ],
)
def test_environment_says_what_goes_out(value: str, scope: OtelScope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    assert otel_scope() is scope


def test_file_is_read_and_the_environment_wins_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text(f"{VARIABLE}=parses\nLLM_MODEL=m\n", encoding="utf-8")
    from_file = otel_scope()
    monkeypatch.setenv(VARIABLE, "on")
    assert (from_file, otel_scope()) == (OtelScope.PARSES, OtelScope.ON)


def test_file_without_the_setting_says_nothing() -> None:
    Path(".env").write_text("LLM_MODEL=m\n", encoding="utf-8")
    assert otel_scope() is OtelScope.OFF


def test_file_is_left_alone_without_the_package_that_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text(f"{VARIABLE}=on\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "dotenv", None)
    assert otel_scope() is OtelScope.OFF


def test_choice_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "on")
    assert otel_scope("off") is OtelScope.OFF


def test_wrong_value_is_an_error_that_names_the_variable_and_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "secret")
    with pytest.raises(LLMConfigurationError, match="LLM_OTEL must be one of off, parses, on") as caught:
        otel_scope()
    assert (caught.value.details, "secret" in caught.value.message) == ({"variables": [VARIABLE]}, False)
