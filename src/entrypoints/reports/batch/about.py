"""What was run, beside what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Start:
    """What one start of a run read: texts, and seconds from its beginning to its end."""

    texts: int
    seconds: float


@dataclass(frozen=True, slots=True)
class About:
    """A run and the program that ran it.

    Attributes:
        inputs: name and identity of each input, as in the run's manifest.
        options: what the outputs depend on, as in the run's manifest.
        version: of the program.
        made: when the report is made.
        workers: how many processes read.
        start: what this start read; None where the run had been finished before.
    """

    inputs: list[dict[str, Any]]
    options: dict[str, Any]
    version: str
    made: datetime
    workers: int
    start: Start | None = None
