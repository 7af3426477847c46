"""Output: results on stdout, everything else on stderr, and no control characters for the terminal.

A model's text is data. Before it is shown, every unprintable character is made visible, and rich never looks for
markup in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from rich import box
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from src.entrypoints.cli.plain_output import spoken, visible, write_stdout

_screen = partial(Console, markup=False, emoji=False, highlight=False)
"""A console that prints text as it stands."""


def stdout() -> Console:
    """A console on what stdout is now.

    Raises:
        BrokenPipeError: it is closed; rich would write nothing, and say nothing.
    """
    if sys.stdout is None:
        raise BrokenPipeError
    return _screen()


def stderr() -> Console:
    """A console on what stderr is now."""
    return _screen(stderr=True)


def say(line: str | Text) -> None:
    """Write a line on stderr, however long."""
    stderr().print(line, soft_wrap=True)


def error_line(message: str) -> None:
    """Write `Error: …` on stderr, one line however long."""
    say(Text.assemble((spoken("Error:"), "bold red"), " ", visible(message)))


def warning_line(warning: str) -> None:
    """Write `Warning: …` on stderr, one line however long."""
    say(Text.assemble((spoken("Warning:"), "bold yellow"), " ", warning))


def print_table(table: Table) -> None:
    """Print a table on stdout; in a file or a pipe its lines end where their text ends."""
    if stdout().is_terminal:
        stdout().print(table)
    else:
        write_stdout(table_text(table))


def table_text(table: Table) -> str:
    """A table as a file or a pipe gets it: without colours, and no blanks at the ends of its lines."""
    console = _screen(no_color=True)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def waiting() -> Status:
    """A spinner on stderr while a model is asked; nothing where stderr is no terminal."""
    return stderr().status(spoken("waiting for the model"))


def plain_table(*headers: str) -> Table:
    """A table with these headers."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def leaves(value: object) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """The path and value of whatever has no members, in the order of the data."""
    stack: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while stack:
        at, found = stack.pop()
        if isinstance(found, dict) and found:
            stack += [((*at, key), part) for key, part in reversed(found.items())]
        elif isinstance(found, list) and found:
            stack += [((*at, index), part) for index, part in reversed(list(enumerate(found)))]
        else:
            yield at, found
