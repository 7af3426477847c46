"""An answer as it is written, on stderr: a live table on a terminal, otherwise a line for each field that is whole."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from rich.cells import set_cell_size
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.screen import leaves, plain_table, stderr
from src.shared.application.streamed_answer import AnswerSnapshot
from src.shared.domain.exceptions import json_path
from src.shared.infrastructure.llm_stream import value_at

Show: TypeAlias = Callable[[AnswerSnapshot[Any]], None]

VALUE_SHOWN = 100
"""Most characters of a value that are shown."""
PATH_SHOWN = 60
"""Most characters of a path that are shown."""
DRAWN_EVERY = 0.1
"""Seconds between two drawings of the table."""
_FEWEST_ROWS = 4
_LINES_AROUND = 4
"""Lines of the terminal that are left for what is not a row."""


@contextmanager
def showing(*, live: bool) -> Iterator[Show]:
    """Somebody to show each snapshot to; `live` if nothing else writes to stderr meanwhile."""
    console = stderr()
    if not (live and console.is_terminal):
        yield Lines(console).show
        return
    with Live(console=console, auto_refresh=False, transient=True, vertical_overflow="crop") as screen:
        board = Board(screen)
        try:
            yield board.show
        finally:
            board.end()


class Lines:
    """Says each field in a line, once it is whole, and that an answer was given up."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._restarted = 0
        self._said: set[str] = set()

    def show(self, snapshot: AnswerSnapshot[Any]) -> None:
        """Say what is whole since the last snapshot."""
        with contextlib.suppress(OSError):  # who watches has gone: the answer is wanted all the same
            if snapshot.restarted > self._restarted:
                self._restarted = snapshot.restarted
                self._said.clear()
                self._say(spoken("重来", "again"), "yellow", _given_up(self._restarted))
            for path in snapshot.changed:
                if path in snapshot.complete and path not in self._said:
                    self._said.add(path)
                    self._field(path, value_at(snapshot.data, path))

    def _field(self, path: str, value: object) -> None:
        if not (isinstance(value, dict | list) and value):  # its members have lines of their own
            self._say(spoken("字段", "field"), "green", f"{_path(path)}  {_value(value)}")

    def _say(self, what: str, style: str, text: str) -> None:
        self._console.print(Text.assemble((set_cell_size(what, 8), style), text), soft_wrap=True)


class Board:
    """A row for each field, whole or growing. Drawn in the loop that reads the answer, and not at every chunk."""

    def __init__(self, screen: Live) -> None:
        self._screen = screen
        self._snapshot: AnswerSnapshot[Any] | None = None
        self._drawn = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._draw()

    def show(self, snapshot: AnswerSnapshot[Any]) -> None:
        """Draw the snapshot, now or as soon as it is time."""
        self._snapshot = snapshot
        wait = self._drawn + DRAWN_EVERY - time.monotonic()
        if wait <= 0:
            self._draw()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._draw)

    def end(self) -> None:
        """Draw the last snapshot, and nothing more."""
        if self._timer:
            self._draw()

    def _draw(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._drawn = time.monotonic()
        with contextlib.suppress(OSError):  # as above
            self._screen.update(board(self._snapshot, self._screen.console.height), refresh=True)


def board(snapshot: AnswerSnapshot[Any] | None, height: int) -> Table | Text:
    """The last fields of a snapshot, as many as the terminal has lines for."""
    restarted = snapshot.restarted if snapshot else 0
    title = Text(_given_up(restarted), "yellow") if restarted else None
    if snapshot is None or snapshot.data is None:
        waiting = Text(spoken("等待模型", "waiting for the model"), "dim")
        return Text("\n").join([title, waiting]) if title else waiting
    table = plain_table(spoken("字段", "field"), spoken("值", "value"))
    table.title, table.title_justify = title, "left"
    for steps, value in deque(leaves(snapshot.data), max(height - _LINES_AROUND, _FEWEST_ROWS)):
        path = json_path(steps)
        shown = Text(_value(value)) if path in snapshot.complete else Text(_growing(value), "dim")
        table.add_row(_path(path), shown)
    return table


def _given_up(restarted: int) -> str:
    return spoken(
        f"{restarted}  上一次的回答无法使用，已显示的字段作废",
        f"{restarted}  the answer could not be used: the fields shown so far do not count",
    )


def _path(path: str) -> str:
    return visible(path if len(path) <= PATH_SHOWN else path[: PATH_SHOWN - 1] + "…")


def _value(value: object) -> str:
    """A value as JSON, its beginning where it is long."""
    if isinstance(value, str) and len(value) > VALUE_SHOWN:
        value = value[: VALUE_SHOWN - 1] + "…"
    return visible(json.dumps(value, ensure_ascii=False)[: 2 * VALUE_SHOWN])


def _growing(value: object) -> str:
    """What has come of a value, its end where it is long."""
    if isinstance(value, str):
        return visible(value if len(value) <= VALUE_SHOWN else "…" + value[1 - VALUE_SHOWN :])
    return "…"
