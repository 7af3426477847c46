"""Waiting for another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 60.0


def until(is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Return as soon as something is so."""
    end = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < end, "it did not come to be so"
        time.sleep(0.005)
