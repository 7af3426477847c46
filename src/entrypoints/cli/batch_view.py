"""What is shown of a batch: its progress, its outcomes, and the files that tell of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text, spoken
from src.entrypoints.cli.screen import plain_table, say, stderr, table_text
from src.entrypoints.reports.batch.page_view import batch_page
from src.entrypoints.reports.batch.summary import About, Start, summary_data
from src.entrypoints.reports.batch.words import (
    AGREEMENTS,
    Refusals,
    cause_word,
    compared_groups_of,
    grouped,
    groups_of,
    refusals_of,
    share,
)
from src.modules.reparsing.application import Progress as Done
from src.modules.reparsing.domain.comparison import Comparison
from src.modules.reparsing.domain.ports import Manifest
from src.modules.reparsing.domain.tally import Counts, Tally
from src.shared.domain.language import Language, language
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.distribution import installed_version
from src.shared.infrastructure.files import replace_file

LINE_EVERY = 60.0
"""Seconds between two lines where stderr is no terminal."""
_WHOLE = 1000
SUMMARY, PAGE = "summary.json", "report.html"
AGENTS_SHOWN = 8
"""Agents with a row of their own: those of the most texts."""
REASONS_SHOWN = 5
"""How many of the most frequent reasons are told."""
_NAME_SHOWN = 60
_REASON_SHOWN = 100


class Stopwatch:
    """Is told how far a run is, passes that on in words, and knows how many texts were read in how many seconds."""

    def __init__(self, show: Callable[[Done, str], None]) -> None:
        self._show, self._begun, self._texts = show, time.monotonic(), 0

    def __call__(self, done: Done) -> None:
        """Tell how far it is."""
        self._texts = done.new
        self._show(done, _told(done, self._begun))

    def start(self) -> Start | None:
        """What was read until now; None where that is nothing."""
        return Start(self._texts, time.monotonic() - self._begun) if self._texts else None


@contextmanager
def batch_progress(*, live: bool) -> Iterator[Stopwatch]:
    """Somebody to tell how far the run is; `live` if nothing else writes to stderr meanwhile."""
    console = stderr()
    if not (live and console.is_terminal):
        yield Stopwatch(_Lines())
        return
    columns: list[ProgressColumn] = [BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[told]}")]
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task("", total=None, told="")

        def show(done: Done, told: str) -> None:
            total, share = (None, 0.0) if done.share is None else (_WHOLE, done.share)
            bar.update(task, total=total, completed=round(share * _WHOLE), told=told)

        yield Stopwatch(show)


class _Lines:
    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: Done, told: str) -> None:
        now = time.monotonic()
        if now - self._last >= LINE_EVERY:
            self._last = now
            say(("" if done.share is None else f"{done.share:.0%} · ") + told)


def _told(done: Done, begun: float) -> str:
    rate = done.new / max(time.monotonic() - begun, 0.001)
    texts, refused = done.counts.texts, done.counts.refused
    return spoken("{texts:,} texts, {refused:,} refused, {rate:,.0f} a second", texts=texts, refused=refused, rate=rate)


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
        replace_file(folder / SUMMARY, summary.encode())
        replace_file(folder / PAGE, page.encode())
    except OSError as error:
        why = error.strerror or error
        raise CommandError(
            "the outcomes are complete, but the report cannot be written ({why}); --resume makes it later", why=why
        ) from error


def print_tally(tally: Tally, folder: Path) -> None:
    """Print the outcomes, all of them and by agent, why texts were refused, and where everything is."""
    console, reasons = stderr(), refusals_of(tally)
    tables = [_outcomes(tally)]
    tables += [_reasons(reasons, tally.counts.refused)] if reasons else []
    tables += [_compared(tally.comparison)] if tally.comparison.classes else []
    for table in tables:
        console.print(table if console.is_terminal else table_text(table), soft_wrap=not console.is_terminal)
    shown, page = one_line(str(folder), 1_000), one_line(str(folder / PAGE), 1_000)
    say(spoken("The outcomes: {shown}  The report: {page}", shown=shown, page=page))


def nothing_read(tally: Tally) -> str:
    """Why not one text was read: the inputs have no rows, or the most frequent reason of the refusals."""
    if not tally.counts.texts:
        return spoken("there are no rows in the inputs")
    most = refusals_of(tally)[0]
    why = _reason(most)
    count, whole = grouped(most.texts), grouped(tally.counts.texts)
    return spoken("no text was read; {count} of {whole}: {why}", count=count, whole=whole, why=why)


def _reason(row: Refusals) -> str:
    why = row.example.message if language() is Language.ZH else cause_word(row.reason, Language.EN)
    return one_line(why, _REASON_SHOWN)


def print_not_stored(texts: int) -> None:
    """Say how many texts are not in the store of outcomes, if any."""
    if texts:
        count = grouped(texts)
        say(spoken("The store was away: {count} texts are not in it. The outcomes are complete.", count=count))


def _outcomes(tally: Tally) -> Table:
    outcomes = (spoken("clean"), spoken("repaired"), spoken("refused"))
    table = plain_table("", spoken("texts"), *outcomes, spoken("texts|cut off"))
    table.add_row(spoken("all"), *_cells(tally.counts))
    agents = groups_of(tally.by_agent)
    for name, counts in agents[:AGENTS_SHOWN]:
        table.add_row(one_line(name, _NAME_SHOWN), *_cells(counts))
    if len(agents) > AGENTS_SHOWN:
        others = Counts()
        for _, counts in agents[AGENTS_SHOWN:]:
            others.add(counts)
        count = len(agents) - AGENTS_SHOWN
        table.add_row(spoken("{count} others", count=count), *_cells(others))
    return table


def _reasons(reasons: list[Refusals], refused: int) -> Table:
    table = plain_table(
        spoken("refused"),
        spoken("stage"),
        spoken("most frequent reasons"),
        spoken("first in"),
    )
    for row in reasons[:REASONS_SHOWN]:
        count = f"{grouped(row.texts)} ({share(row.texts, refused)})"
        table.add_row(count, row.stage, _reason(row), row.example.place)
    return table


def _compared(comparison: Comparison) -> Table:
    table = plain_table(spoken("beside the old parser"), *(each.value for each in AGREEMENTS))
    for name, classes in [(spoken("all"), comparison.classes), *compared_groups_of(comparison)[:AGENTS_SHOWN]]:
        whole = sum(classes.values())
        counts = [classes.get(each, 0) for each in AGREEMENTS]
        table.add_row(one_line(name, _NAME_SHOWN), *(f"{grouped(count)} ({share(count, whole)})" for count in counts))
    return table


def _cells(counts: Counts) -> list[str]:
    some = (counts.clean, counts.repaired, counts.refused, counts.truncated)
    return [grouped(counts.texts), *(f"{grouped(count)} ({share(count, counts.texts)})" for count in some)]
