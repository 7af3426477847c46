"""What the store of outcomes adds to a parse: `python -m tools.benchmarks.watching`.

Publishing is measured alone, and parsing with and without a store in turn, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from pathlib import Path

from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.modules.monitoring.container import Recording, record_outcomes
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.writers import INTERVAL
from src.shared.application.reading import ObservedOutput
from src.shared.domain.ports.events import Event, parsed_event
from src.shared.infrastructure.events.fan_out import FanOut

TEXT = (Path(__file__).parents[2] / "src/entrypoints/cli/recordings/verdict/damaged.txt").read_text(encoding="utf-8")
ROUNDS, TEXTS = 40, 100


class _Nobody:
    def publish(self, event: Event) -> None:
        """Do nothing with an event."""


def publishing(recording: Recording) -> float:
    """Microseconds that publishing one event takes."""
    event, count = parsed_event("a", TEXT, OUTPUT.read(TEXT, finished=True)), 20_000
    gc.disable()
    began = time.perf_counter()
    for _ in range(count):
        recording.events.publish(event)
    took = time.perf_counter() - began
    gc.enable()
    return took / count * 1e6


def parsing(output: ObservedOutput[object]) -> float:
    """Microseconds that one text takes."""
    began = time.perf_counter()
    for _ in range(TEXTS):
        output.read(TEXT, finished=True)
    return (time.perf_counter() - began) / TEXTS * 1e6


def main() -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as folder:
        recording = record_outcomes(MonitoringSettings(store_url=f"sqlite:///{folder}/outcomes.db"))
        recording.events.publish(parsed_event("a", TEXT, OUTPUT.read(TEXT, finished=True)))
        time.sleep(INTERVAL * 2)  # the store is made, and its writer waits
        bare: ObservedOutput[object] = ObservedOutput(OUTPUT, FanOut(_Nobody()))
        stored: ObservedOutput[object] = ObservedOutput(OUTPUT, FanOut(recording.events))
        pairs = [(parsing(bare), parsing(stored)) for _ in range(ROUNDS)]
        without, with_ = (statistics.median(times) for times in zip(*pairs, strict=True))
        print(f"a text of {len(TEXT)} characters: {without:.1f} us without a store, {with_:.1f} us with one")
        print(f"ratio: {with_ / without:.3f}")
        print(f"publishing one event: {publishing(recording):.2f} us (at most 3)")
        recording.writer.close(60)
        print(f"written: {recording.writer.written}, dropped: {recording.writer.dropped}")


if __name__ == "__main__":
    main()
