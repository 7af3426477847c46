"""Shows a place in a text: its line, cut to the width of the terminal, and a caret under the character."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.plain_output import visible

_CUT = "…"
_EDGES = ("", "\n", "\r")
_LEAST = 24
"""Fewest cells of a line that are worth showing, however narrow the terminal says it is."""


class Excerpt(NamedTuple):
    """Part of a line as it is shown, and the cell under which the caret goes."""

    shown: str
    caret: int


def excerpt(text: str, offset: int, width: int) -> Excerpt:
    """The line around `offset` in at most `width` cells; the cost does not depend on the line's length."""
    width = max(width, _LEAST)
    start = text.rfind("\n", max(0, offset - width), offset) + 1 or max(0, offset - width)
    end = _line_end(text, offset, offset + width)
    before, from_start = _fitting(reversed(text[start:offset]), width * 2 // 3)
    before = before[::-1]
    room = width - cell_len("".join(before)) - 2 * len(_CUT)
    after, to_end = _fitting(text[offset:end], room)
    head = "" if from_start and text[start - 1 : start] in _EDGES else _CUT
    tail = "" if to_end and (text[end - 1 : end] == "\n" or text[end : end + 1] in _EDGES) else _CUT
    left = "".join((head, *before))
    return Excerpt("".join((left, *after, tail)), cell_len(left))


def print_excerpt(console: Console, text: str, position: dict[str, int], indent: str = "  ") -> None:
    """Print the line of a position, its number before it, and the caret."""
    gutter = f"{indent}{position['line']} │ "
    shown, caret = excerpt(text, position["offset"], console.width - cell_len(gutter) - 1)
    under = " " * (len(gutter) - 2) + "│ "
    for line in (
        Text(gutter, "dim").append(shown, "default not dim"),
        Text(under, "dim").append(" " * caret + "^", "bold red not dim"),
    ):
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def _line_end(text: str, offset: int, bound: int) -> int:
    """Where the line of `offset` ends; a line end that is itself the place is shown."""
    end = text.find("\n", offset, bound)
    if end == offset:
        return end + 1
    if end < 0:
        return min(len(text), bound)
    return end - 1 if text[end - 1] == "\r" and end - 1 > offset else end


def _fitting(text: Iterable[str], room: int) -> tuple[list[str], bool]:
    """The characters that fit, made visible, and whether these are all."""
    shown: list[str] = []
    for char in text:
        piece = visible(char)
        room -= cell_len(piece)
        if room < 0:
            return shown, False
        shown.append(piece)
    return shown, True
