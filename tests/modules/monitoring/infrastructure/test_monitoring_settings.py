"""What the environment says, and what is missing."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

from src.modules.monitoring.container import (
    read_rates,
    record_outcomes,
    upgrade_store,
    watch_alarms,
    webhook_of,
)
from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.modules.monitoring.infrastructure.monitoring_settings import PREFIX, MonitoringSettings, needs_extra
from src.modules.monitoring.infrastructure.store.connection import address_of
from src.modules.monitoring.infrastructure.store.schema import HEAD
from src.shared.domain.ports.events import OutputParsed, ParseOutcome


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in MonitoringSettings.model_fields:
        monkeypatch.delenv(PREFIX + name.upper(), raising=False)


@pytest.mark.parametrize(
    ("variables", "settings"),
    [
        ({}, (None, False, 30)),
        ({"URL": "sqlite:///a.db", "TEXT": "1", "DAYS": "7"}, ("sqlite:///a.db", True, 7)),
        ({"DAYS": ""}, (None, False, 30)),
    ],
)
def test_settings_come_from_the_environment_and_none_has_to_be_set(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], settings: tuple[object, ...]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"OUTPUT_STORE_{name}", value)
    found = MonitoringSettings()
    assert (found.store_url, found.store_text, found.store_days) == settings
    assert webhook_of(found) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OUTPUT_STORE_DAYS", "-1"),
        ("OUTPUT_STORE_DAYS", "36501"),
        ("OUTPUT_STORE_TEXT", "perhaps"),
        ("OUTPUT_WEBHOOK_URL", "ftp://hidden"),
        ("OUTPUT_WEBHOOK_URL", "https://a:hidden@b"),
        ("OUTPUT_WEBHOOK_URL", "https://"),
    ],
)
def test_wrong_variable_is_named_and_its_value_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(MonitoringSettingsError, match=name) as caught:
        MonitoringSettings()
    assert (caught.value.details["variables"], "hidden" in caught.value.message) == ([name], False)


@pytest.mark.parametrize("secret", [None, "secret"])
def test_webhook_is_that_of_the_settings(secret: str | None) -> None:
    settings = MonitoringSettings(webhook_url="https://a.example/x", webhook_secret=secret)
    assert webhook_of(settings) is not None
    assert "secret'" not in repr(settings)


def test_recording_needs_a_store() -> None:
    with pytest.raises(MonitoringSettingsError, match="no store is named"):
        record_outcomes()


def test_texts_are_stored_where_the_settings_say_so(url: str) -> None:
    for is_stored in (False, True):
        recording = record_outcomes(MonitoringSettings(store_url=url, store_text=is_stored))
        recording.events.publish(OutputParsed("a", ParseOutcome.REFUSED, text="the text"))
        recording.writer.close()
    assert sorted(str(one.text) for one in read_rates(url).refusals()) == ["None", "the text"]


def test_watcher_and_upgrade_are_of_the_store_at_the_address(url: str) -> None:
    assert (upgrade_store(url), watch_alarms(url).look()) == ((None, HEAD), ())


def test_missing_package_is_told_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:  # noqa: ANN401 - as the original
        if name == "psycopg":
            raise ModuleNotFoundError(name=name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "psycopg", raising=False)
    with pytest.raises(MonitoringSettingsError, match=r'pip install "\.\[postgres\]"'):
        address_of("postgresql://a@b/c")


def test_extra_of_the_store_is_named() -> None:
    with pytest.raises(MonitoringSettingsError) as caught, needs_extra():
        raise ModuleNotFoundError(name="sqlalchemy")
    assert caught.value.details == {
        "package": "sqlalchemy",
        "install": 'pip install ".[serve]"',
    }
