"""The progress of a batch on stderr: a bar on a terminal, otherwise a line a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from src.entrypoints.cli.screen import stderr
from src.entrypoints.cli.spoken import spoken
from src.modules.reparsing.application.run import Progress as Done

LINE_EVERY = 60.0
"""Seconds between two lines where stderr is no terminal."""
_WHOLE = 1000


@contextmanager
def batch_progress(*, live: bool) -> Iterator[Callable[[Done], None]]:
    """Somebody to tell how far the run is; `live` if nothing else writes to stderr meanwhile."""
    console, begun = stderr(), time.monotonic()
    if not (live and console.is_terminal):
        yield _Lines(console, begun)
        return
    columns: list[ProgressColumn] = [BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[told]}")]
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task("", total=None, told="")

        def tell(done: Done) -> None:
            total, share = (None, 0.0) if done.share is None else (_WHOLE, done.share)
            bar.update(task, total=total, completed=round(share * _WHOLE), told=_told(done, begun))

        yield tell


class _Lines:
    def __init__(self, console: Console, begun: float) -> None:
        self._console, self._begun, self._last = console, begun, begun

    def __call__(self, done: Done) -> None:
        now = time.monotonic()
        if now - self._last >= LINE_EVERY:
            self._last = now
            share = "" if done.share is None else f"{done.share:.0%} · "
            self._console.print(share + _told(done, self._begun), soft_wrap=True)


def _told(done: Done, begun: float) -> str:
    rate = done.new / max(time.monotonic() - begun, 0.001)
    texts, refused = done.counts.texts, done.counts.refused
    return spoken(
        f"{texts:,} 条文本，拒绝 {refused:,} 条，每秒 {rate:,.0f} 条",
        f"{texts:,} texts, {refused:,} refused, {rate:,.0f} a second",
    )
