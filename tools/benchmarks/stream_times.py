"""How long a library takes for a text in pieces, and when it shows the first value."""

from __future__ import annotations

import time
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from tools.benchmarks.stream_peers import Run
from tools.benchmarks.stream_texts import leaves_of

_LOOK_EVERY = 32
"""After so many pieces it is looked whether the time is over."""


class _OverError(Exception):
    """The time for this text is over."""


class _Pieces:
    """The pieces of a text, until the time is over."""

    def __init__(self, text: str, size: int, bound: float) -> None:
        self.text = text
        self.given = 0
        self.is_over = False
        self._size = size
        self._until = time.process_time() + bound
        self._looked = 0

    def __iter__(self) -> Iterator[str]:
        for at in range(0, len(self.text), self._size):
            self.look()
            self.given = min(at + self._size, len(self.text))
            yield self.text[at : self.given]

    def look(self) -> None:
        """Stop the library, if the time is over: it may have taken all pieces before it shows the first value."""
        self._looked += 1
        if self._looked % _LOOK_EVERY == 1 and time.process_time() > self._until:
            self.is_over = True
            raise _OverError


class Took(NamedTuple):
    """What one text took.

    Attributes:
        seconds: of processor time.
        stopped_at: the share of the text at which the time was over; None where it was not.
        end: what was wrong with the value at the end; empty for the right one.
    """

    seconds: float
    stopped_at: float | None = None
    end: str = ""

    def __str__(self) -> str:
        """As a cell of a table, in milliseconds."""
        if self.stopped_at is not None:
            return f"stopped after {self.seconds:.0f} s, at {self.stopped_at:.0%}"
        shown = self.seconds * 1000
        return f"{shown:,.0f}{self.end}" if shown >= 100 else f"{shown:.2g}{self.end}"  # noqa: PLR2004 - three digits or two


def best_of(
    runs: dict[str, Run], text: str, chunk: int, bound: float, turns: int, expected: dict[str, Any] | None = None
) -> dict[str, Took]:
    """The least time of each library, in turns; what takes more than a second has one turn."""
    best: dict[str, Took] = {}
    for _ in range(turns):
        for name, run in runs.items():
            if name not in best or best[name].seconds < 1:
                took = _took(run, text, chunk, bound, expected)
                best[name] = min(best.get(name, took), took, key=attrgetter("seconds"))
    return best


def _took(run: Run, text: str, chunk: int, bound: float, expected: dict[str, Any] | None) -> Took:
    pieces = _Pieces(text, chunk, bound)
    value: object = None

    def show(shown: object) -> None:
        nonlocal value
        value = shown
        pieces.look()

    error, begun = "", time.process_time()
    try:
        run(pieces, show)
    except Exception:  # noqa: BLE001 - whatever a library raises is its refusal
        error = ", error"
    seconds = time.process_time() - begun
    if pieces.is_over:
        return Took(seconds, pieces.given / len(text))
    if expected and not error and leaves_of(value) != expected:
        error = ", wrong"
    return Took(seconds, end=error)


def first_shown(run: Run, text: str, expected: dict[str, Any], bound: float) -> str:
    """How many characters of the first value were there when the first of it was shown, one character at a time."""
    path, value = next(iter(expected.items()))
    begins = text.rindex(value)
    pieces = _Pieces(text, 1, bound)
    found = ""

    def show(shown: object) -> None:
        nonlocal found
        if found or not (leaves := leaves_of(shown)):
            return
        first = leaves.get(path)
        is_right = pieces.given >= begins and isinstance(first, str) and value.startswith(first)
        found = _at(pieces.given - begins, len(text) - begins) if is_right else "other text"
        raise _OverError

    try:
        run(pieces, show)
    except Exception:  # noqa: BLE001 - whatever a library raises is its refusal
        return found or (f"not in {bound:g} s" if pieces.is_over else "error")
    return found or "nothing"


def _at(count: int, of: int) -> str:
    return "at the end" if count >= of else f"{count:,}"
