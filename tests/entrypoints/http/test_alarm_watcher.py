"""Alarms are looked after while the service runs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from src.entrypoints.http.app import AlarmWatcher
from src.modules.monitoring.container import watch_alarms
from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms
from src.shared.domain.language import Message


def test_it_goes_on_looking_where_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, delivered = [0], threading.Event()

    def look(_: WatchAlarms) -> tuple[AlarmEvent, ...]:
        looks[0] += 1
        if looks[0] == 1:
            name = "store"
            raise StoreUnavailableError(name, Message("坏", "broken"))
        return ()

    def deliver(_: WatchAlarms) -> None:
        delivered.set()

    monkeypatch.setattr(WatchAlarms, "look", look)
    monkeypatch.setattr(WatchAlarms, "deliver", deliver)
    watcher = AlarmWatcher(watch_alarms(f"sqlite:///{tmp_path / 'outcomes.db'}"), every=0.001)
    watcher.start()

    assert delivered.wait(5)
    watcher.stop()
    assert looks[0] >= 2
