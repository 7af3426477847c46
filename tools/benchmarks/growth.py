"""Time against length on texts made to be slow: one piece of syntax over and over."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Final

from tools.benchmarks.conditions import REFUSE
from tools.benchmarks.documents import KB
from tools.benchmarks.peers import Peer
from tools.benchmarks.timing import Cell
from tools.benchmarks.verdict import NO_TIME
from tools.benchmarks.worker import Again, Load, Worker

SIZES: Final = (1 * KB, 10 * KB, 100 * KB, 1000 * KB)

FAMILIES: Final[dict[str, str]] = {
    "opening brackets": "[",
    "opening braces": "{",
    "quotes": '"',
    "backslashes": "\\",
    "`<think>`": "<think>",
    "fences": "```json\n",
    '`{"a":`': '{"a":',
    "`[{`": "[{",
    "`{'a':`": "{'a':",
    "newlines in a string": "\n",
    "commas": ",",
    "inner quotes": 'x "y" z ',
}

_INSIDE_A_STRING = {"newlines in a string", "inner quotes", "backslashes"}

Growth = dict[tuple[str, str, int], Cell]
"""By family, library and size."""


def hostile(family: str, size: int) -> str:
    """Return a text of `size` characters of that family."""
    head = '{"a": "' if family in _INSIDE_A_STRING else '{"a": [1' if family == "commas" else ""
    unit = FAMILIES[family]
    return (head + unit * (size // len(unit) + 1))[:size]


def grow(
    peers: tuple[Peer, ...],
    sizes: tuple[int, ...],
    budget: float,
    say: Callable[[str], None],
    only: Container[tuple[int, str]] | None = None,
    turns: int = 1,
) -> Growth:
    """Time each library on each family up to the size that exceeds `budget` seconds; or these sizes only."""
    growth: Growth = {}
    for peer in peers:
        worker = Worker(peer.name)
        try:
            for family in FAMILIES:
                say(f"hostile, {peer.name}, {family}")
                for size in sizes:
                    if only is not None and (size, family) not in only:
                        continue
                    growth[family, peer.name, size] = _cell(worker, hostile(family, size), budget, turns)
                    if growth[family, peer.name, size].seconds is None:
                        break
        finally:
            worker.stop()
    return growth


def _cell(worker: Worker, text: str, budget: float, turns: int) -> Cell:
    first = worker.ask(Load(text, REFUSE, typed=False), budget)
    if first.verdict in NO_TIME:
        return Cell(first.verdict)
    more = (worker.ask(Again(1), budget) for _ in range(turns - 1))
    return Cell(first.verdict, (first.seconds, *(answer.seconds for answer in more if answer.verdict not in NO_TIME)))
