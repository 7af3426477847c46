"""What is written where: results on stdout, everything else on stderr, and nothing a terminal would obey.

What a model wrote is data. Before it is shown, every character a terminal does not print becomes visible, and rich
never looks for markup in it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table
from rich.text import Text

_PICTURES = 0x2400
"""Unicode's pictures of the control characters 0 to 31 begin here: U+240A is ␊."""
_DELETE = "\x7f"
_NOT_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


class _Screen(Console):
    """A console that prints text as it stands, and leaves a closed pipe to the command."""

    def __init__(self, *, stderr: bool) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        """Rich would end the process here, with the exit code of a parse error."""
        raise  # noqa: PLE0704 - rich calls this while it handles the error


def stdout() -> Console:
    """A console on what stdout is now."""
    return _Screen(stderr=False)


def stderr() -> Console:
    """A console on what stderr is now."""
    return _Screen(stderr=True)


def error_line(message: str) -> None:
    """Write `Error: …` on stderr, one line however long."""
    stderr().print(Text.assemble(("Error:", "bold red"), " ", visible(message)), soft_wrap=True)


def visible(text: str) -> str:
    r"""The text with every character a terminal would obey or hide made visible.

    Control characters become their pictures (␊ ␉ ␛), others that do not print (zero-width, direction marks,
    non-breaking spaces, lone surrogates) their escapes (`\u200b`).
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if char < " ":
        return chr(_PICTURES + ord(char))
    if char == _DELETE:
        return "␡"
    return char.encode("unicode_escape").decode("ascii")


def json_text(value: object) -> str:
    """JSON for people and programs: indented, not escaped to ASCII, and safe to print.

    What a terminal would obey, and what UTF-8 cannot hold (a lone surrogate), is escaped as JSON allows, so that the
    value stays the same.

    Raises:
        ValueError: it cannot be written as JSON.
        RecursionError: nested too deeply.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def print_table(table: Table) -> None:
    """Print a table on stdout; in a file or a pipe its lines end where their text ends."""
    console = stdout()
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as capture:
        console.print(table)
    write_stdout("\n".join(line.rstrip() for line in capture.get().splitlines()))


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; nothing where stderr is no terminal."""
    console = stderr()
    if not console.is_terminal:
        yield
        return
    with console.status(text):
        yield


def write_stdout(text: str) -> None:
    """Write a result and a line end; flushed, so that a reader who has gone away is noticed now, not at exit."""
    if sys.stdout is None:
        raise BrokenPipeError
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
