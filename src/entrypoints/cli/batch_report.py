"""Writes what a batch came to beside its outputs: `summary.json` for programs, `report.html` for people."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.distribution import installed_version
from src.entrypoints.reports.batch.about import About, Start
from src.entrypoints.reports.batch.page import batch_page
from src.entrypoints.reports.batch.summary import summary_data
from src.modules.reparsing.application.run import Progress
from src.modules.reparsing.domain.manifest import Manifest
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.durable import replaced

SUMMARY, PAGE = "summary.json", "report.html"


class Stopwatch:
    """Looks on while a run is read: how many texts, in how many seconds."""

    def __init__(self) -> None:
        self._begun, self._texts = time.monotonic(), 0

    def beside(self, tell: Callable[[Progress], None]) -> Callable[[Progress], None]:
        """Who is told of the progress instead, and passes it on."""

        def told(done: Progress) -> None:
            self._texts = done.new
            tell(done)

        return told

    def start(self) -> Start | None:
        """What was read until now; None where that is nothing."""
        return Start(self._texts, time.monotonic() - self._begun) if self._texts else None


def write_report(folder: Path, tally: Tally, manifest: Manifest, workers: int, start: Start | None) -> None:
    """Write both files, each whole or not at all.

    Raises:
        CommandError: they cannot be written; the outputs are complete then.
    """
    about = About(
        inputs=manifest.inputs,
        options=manifest.options,
        version=installed_version(),
        made=datetime.now(UTC),
        workers=workers,
        start=start,
    )
    summary, page = json_text(summary_data(tally, about)) + "\n", batch_page(tally, about)
    try:
        replaced(folder / SUMMARY, summary.encode())
        replaced(folder / PAGE, page.encode())
    except OSError as error:
        why = error.strerror or error
        message = spoken(
            f"结果已写完，但报告无法写入（{why}）；之后用 --resume 可以补上",
            f"the outcomes are complete, but the report cannot be written ({why}); --resume makes it later",
        )
        raise CommandError(message) from error
