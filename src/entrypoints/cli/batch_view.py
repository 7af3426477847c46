"""What is shown of a batch: its progress, its outcomes, and the files that tell of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
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
    grouped,
    groups_of,
    refusals_of,
    share,
)
from src.modules.reparsing.domain.tally import OUTCOMES, Tally
from src.modules.reparsing.infrastructure.run import Progress as Done
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
    """Shows how far a run is, and knows how many texts were read in how many seconds."""

    def __init__(self, bar: Progress | None) -> None:
        """Begin; without a bar there is a line now and then."""
        self._bar, self._texts = bar, 0
        self._begun = self._last = time.monotonic()

    def __call__(self, done: Done) -> None:
        """Show how far it is."""
        self._texts, now = done.new, time.monotonic()
        is_due = self._bar is not None or now - self._last >= LINE_EVERY
        if not is_due:
            return
        self._last = now
        texts, refused = done.counts["texts"], done.counts["refused"]
        rate = done.new / max(now - self._begun, 0.001)
        words = spoken(
            "{texts:,} texts, {refused:,} refused, {rate:,.0f} a second", texts=texts, refused=refused, rate=rate
        )
        total, read = (None, 0.0) if done.share is None else (_WHOLE, done.share)
        if self._bar is None:
            say(words if total is None else f"{read:.0%} · {words}")
        else:
            self._bar.update(self._bar.task_ids[0], total=total, completed=round(read * _WHOLE), words=words)

    def start(self) -> Start | None:
        """What was read until now; None where that is nothing."""
        return Start(self._texts, time.monotonic() - self._begun) if self._texts else None


@contextmanager
def batch_progress(*, live: bool) -> Iterator[Stopwatch]:
    """Somebody to tell how far the run is; `live` if nothing else writes to stderr meanwhile."""
    console = stderr()
    if not (live and console.is_terminal):
        yield Stopwatch(None)
        return
    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[words]}"), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        bar.add_task("", total=None, words="")
        yield Stopwatch(bar)


def write_report(folder: Path, tally: Tally, manifest: dict[str, Any], workers: int, start: Start | None) -> None:
    """Write both files, each whole or not at all.

    Raises:
        CommandError: they cannot be written; the outputs are complete then.
    """
    made = datetime.now(UTC)
    about = About(**manifest, version=installed_version(), made=made, workers=workers, start=start)
    summary, page = json_text(summary_data(tally, about)) + "\n", batch_page(tally, about)
    try:
        replace_file(folder / SUMMARY, summary.encode())
        replace_file(folder / PAGE, page.encode())
    except OSError as error:
        why = error.strerror or error
        raise CommandError(
            "the outcomes are complete, but the report cannot be written ({why}); --resume makes it later", why=why
        ) from error


def print_tally(tally: Tally, folder: Path, not_stored: int) -> None:
    """Print the outcomes, all of them and by agent, why texts were refused, and where everything is.

    Args:
        tally: of the run.
        folder: the run's.
        not_stored: how many texts are not in the store of outcomes, because it was away.
    """
    console, reasons = stderr(), refusals_of(tally)
    tables = [_outcomes(tally)]
    tables += [_reasons(reasons, tally.counts["refused"])] if reasons else []
    tables += [_compared(tally)] if tally.comparison.classes else []
    for table in tables:
        console.print(table if console.is_terminal else table_text(table), soft_wrap=not console.is_terminal)
    shown, page = one_line(str(folder), 1_000), one_line(str(folder / PAGE), 1_000)
    say(spoken("The outcomes: {shown}  The report: {page}", shown=shown, page=page))
    if not_stored:
        count = grouped(not_stored)
        say(spoken("The store was away: {count} texts are not in it. The outcomes are complete.", count=count))


def nothing_read(tally: Tally) -> str:
    """Why not one text was read: the inputs have no rows, or the most frequent reason of the refusals."""
    texts = tally.counts["texts"]
    if not texts:
        return spoken("there are no rows in the inputs")
    most = refusals_of(tally)[0]
    count, whole, why = grouped(most.texts), grouped(texts), _reason(most)
    return spoken("no text was read; {count} of {whole}: {why}", count=count, whole=whole, why=why)


def _reason(row: Refusals) -> str:
    why = row.example["message"] if language() is Language.ZH else cause_word(row.reason, Language.EN)
    return one_line(why, _REASON_SHOWN)


def _outcomes(tally: Tally) -> Table:
    outcomes = (spoken("clean"), spoken("repaired"), spoken("refused"))
    table = plain_table("", spoken("texts"), *outcomes, spoken("texts|cut off"))
    agents = groups_of(tally.by_agent)
    rows = [(spoken("all"), tally.counts)] + [(one_line(name, _NAME_SHOWN), one) for name, one in agents[:AGENTS_SHOWN]]
    if others := agents[AGENTS_SHOWN:]:
        counts = sum((counts for _, counts in others), Counter[str]())
        rows.append((spoken("{count} others", count=len(others)), counts))
    for name, counts in rows:
        whole, *some = [counts[each] for each in OUTCOMES]
        table.add_row(name, grouped(whole), *_shares(some, whole))
    return table


def _reasons(reasons: list[Refusals], refused: int) -> Table:
    table = plain_table(spoken("refused"), spoken("stage"), spoken("most frequent reasons"), spoken("first in"))
    for row in reasons[:REASONS_SHOWN]:
        table.add_row(*_shares([row.texts], refused), row.stage, _reason(row), row.example["place"])
    return table


def _compared(tally: Tally) -> Table:
    table = plain_table(spoken("beside the old parser"), *(each.value for each in AGREEMENTS))
    groups = groups_of(tally.comparison.by_agent)[:AGENTS_SHOWN]
    for name, classes in [(spoken("all"), tally.comparison.classes), *groups]:
        shares = _shares([classes[each.value] for each in AGREEMENTS], classes.total())
        table.add_row(one_line(name, _NAME_SHOWN), *shares)
    return table


def _shares(counts: list[int], whole: int) -> list[str]:
    return [f"{grouped(count)} ({share(count, whole)})" for count in counts]
