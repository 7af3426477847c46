"""Watching alarms while the service runs: the store makes sure that each is told once, however many workers look."""

from __future__ import annotations

import threading

from src.modules.monitoring.application.watch_alarms import WatchAlarms
from src.modules.monitoring.domain.exceptions import StoreError
from src.shared.infrastructure.events.library_log import write

EVERY = 10.0
"""Seconds between two looks."""


class AlarmWatcher:
    """A daemon thread that looks and delivers."""

    def __init__(self, watch: WatchAlarms, every: float = EVERY) -> None:
        self._watch, self._every, self._is_over = watch, every, threading.Event()

    def start(self) -> None:
        """Begin to look."""
        threading.Thread(target=self._run, name="llm-output-alarms", daemon=True).start()

    def stop(self) -> None:
        """Look no more; a delivery under way is another worker's if it is not finished."""
        self._is_over.set()

    def _run(self) -> None:
        while not self._is_over.wait(self._every):
            try:
                for event in self._watch.look():
                    write("warning", "llm_alarm", lambda event=event: {"kind": event.kind.value, "name": event.name})  # type: ignore[misc]
                for done in self._watch.deliver():
                    if done.error:
                        write("warning", "llm_webhook_failed", lambda done=done: {"error": done.error.message})  # type: ignore[misc]
            except StoreError:
                continue  # it is away, or not made yet; the writer tells of that
