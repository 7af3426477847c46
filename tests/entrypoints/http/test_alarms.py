"""Alarms are looked after while the service runs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from src.entrypoints.http.app import look_after
from src.modules.monitoring.application import Delivery, WatchAlarms
from src.modules.monitoring.container import watch_alarms
from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.shared.domain.language import Message


def test_it_goes_on_looking_where_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, is_over = [0], threading.Event()

    def look(_: WatchAlarms) -> tuple[AlarmEvent, ...]:
        looks[0] += 1
        if looks[0] == 1:
            name = "store"
            raise StoreUnavailableError(name, Message("坏", "broken"))
        return ()

    def deliver(_: WatchAlarms) -> tuple[Delivery, ...]:
        is_over.set()
        return ()

    monkeypatch.setattr(WatchAlarms, "look", look)
    monkeypatch.setattr(WatchAlarms, "deliver", deliver)
    look_after(watch_alarms(f"sqlite:///{tmp_path / 'outcomes.db'}"), is_over, every=0.001)

    assert looks == [2]
