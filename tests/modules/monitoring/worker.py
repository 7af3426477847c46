"""A process that parses and records; it logs each text before it is parsed, and what it knows to be stored.

`python -m tests.modules.monitoring.worker URL FOLDER COUNT`: the log is FOLDER/<process id>.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.modules.monitoring.container import record_outcomes
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.application.reading import ObservedOutput
from src.shared.domain.caller import Caller
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import RepairAsked
from src.shared.infrastructure.events.fan_out import FanOut

CLEAN = (
    '{"action": "HOLD", "position_percent": 0, "confidence": 0.5, "entry_strategy": "", "stop_loss": "", '
    '"take_profit": "", "time_horizon": ""}'
)
TEXTS = (CLEAN, CLEAN.replace("}", ",}"), CLEAN, "I cannot decide.", CLEAN.replace('"', "'"))
ENDINGS = ("clean", "repaired", "clean", "refused", "repaired")
TOLD_EVERY = 50


def work(url: str, folder: str, count: int) -> None:
    """Parse so many texts; every refused one is asked about."""
    recording = record_outcomes(MonitoringSettings(store_url=url))
    output = ObservedOutput(OUTPUT, FanOut(recording.events))
    log = os.open(Path(folder) / str(os.getpid()), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for number in range(count):
        at = number % len(TEXTS)
        os.write(log, f"{ENDINGS[at]}\n".encode())
        try:
            output.read(TEXTS[at], finished=True)
        except AppException:
            recording.events.publish(RepairAsked(Caller(OUTPUT.label), len(TEXTS[at])))
        if number % TOLD_EVERY == 0:
            os.write(log, f"stored {recording.writer.written}\n".encode())
    os.write(log, b"end\n")


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
