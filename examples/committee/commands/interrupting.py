"""Ctrl-C and SIGTERM while agents are asked: they end the run, and what was answered until then is reported."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from src.shared.application.agent_runs import Interruption

GRACE: Final = 5.0
"""Seconds that agents have to end by themselves."""


@contextmanager
def interruptible(interruption: Interruption) -> Iterator[None]:
    """Within the block the first signal ends the run's agents; the second one, or too long a wait, the task itself."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    handled: list[signal.Signals] = []

    def as_before() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    def end() -> None:
        as_before()
        interruption.set()
        if task:
            loop.call_later(GRACE, task.cancel)

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; a thread that is not the main one
            loop.add_signal_handler(number, end)
            handled.append(number)
    try:
        yield
    finally:
        as_before()
