"""What readers are asked to do in tests; they import it by its name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from src.shared.domain.language import Message


def spin(seconds: float) -> int:
    """Take so much processor time, and tell the process."""
    began = time.process_time()
    while time.process_time() - began < seconds:
        pass
    return os.getpid()


def spin_noted(file: str) -> None:
    """Never end; the file says which process it is that does not."""
    Path(file).write_text(str(os.getpid()), encoding="ascii")
    spin(1_000)


def be_killed() -> None:
    """Die as a process that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail(text: str) -> None:
    """Raise an error that holds a piece of a text."""
    raise ValueError(text)


def say() -> str:
    """A message, in the language that is spoken."""
    return Message("茶", "tea").text()


def variables() -> list[str]:
    """The names of the variables that the process has."""
    return list(os.environ)


def niceness() -> int:
    """How far the process steps back."""
    return os.nice(0)
