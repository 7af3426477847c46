"""All readings of a text that are nearest to strict JSON, by following every way there is in the order of its price."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import islice
from typing import Any, NamedTuple

from tests.reference_reader.grammar import EDIT, Move, Node, moves

FARTHEST = 5 * EDIT
"""Readings that cost more than this are not looked for."""
MOST_WAYS = 4_000
"""Most ways to write a reading of one price that are looked at: a text with more of them has many values."""

Ways = dict[Node, list[Move]]


class Nearest(NamedTuple):
    """The nearest readings of a text.

    Attributes:
        cost: what each of them costs.
        texts: strict JSON, one for each value they have.
        lead: how much more a reading with another value costs; None where there is none as far as was looked.
    """

    cost: int
    texts: tuple[str, ...]
    lead: int | None

    @property
    def values(self) -> list[Any]:
        """The different values."""
        return [json.loads(text) for text in self.texts]


def nearest(text: str, farthest: int = FARTHEST, further: int = 0) -> Nearest | None:
    """Give the nearest readings, or None where there is none within reach; the next is looked for up to `further`."""
    cost, ways = _followed(text, farthest, further)
    if cost is None:
        return None
    to_end = _costs_to_the_end(text, ways)
    texts = _one_for_each_value(_texts(text, ways, to_end, cost))
    leads = range(1, further + 1) if len(texts) == 1 else ()
    others = (more for more in leads if _one_for_each_value(_texts(text, ways, to_end, cost + more)).keys() - texts)
    return Nearest(cost, tuple(texts.values()), next(others, None))


def _followed(text: str, farthest: int, further: int) -> tuple[int | None, Ways]:
    """Find the lowest price of a reading, and every move of the readings up to `further` above it."""
    best: int | None = None
    ways: Ways = {}
    heap = [(0, 0, Node())]
    count = 0
    while heap:
        cost, _, node = heappop(heap)
        if cost > (farthest if best is None else best + further):
            break
        if node in ways:
            continue
        if best is None and node.is_end(text):
            best = cost
        ways[node] = list(moves(text, node))
        for move in ways[node]:
            count += 1
            heappush(heap, (cost + move.cost, count, move.to))
    return best, ways


def _costs_to_the_end(text: str, ways: Ways) -> dict[Node, int]:
    """Say of each node what the rest costs at least."""
    before: dict[Node, list[tuple[int, Node]]] = defaultdict(list)
    for node, following in ways.items():
        for move in following:
            before[move.to].append((move.cost, node))
    costs: dict[Node, int] = {}
    heap = [(0, number, node) for number, node in enumerate(ways) if node.is_end(text)]
    count = len(ways)
    while heap:
        cost, _, node = heappop(heap)
        if node in costs:
            continue
        costs[node] = cost
        for more, previous in before[node]:
            count += 1
            heappush(heap, (cost + more, count, previous))
    return costs


def _texts(text: str, ways: Ways, to_end: dict[Node, int], cost: int) -> Iterator[str]:
    """Write every reading of exactly this price."""
    stack = [(Node(), cost, "")]
    while stack:
        node, left, written = stack.pop()
        if left == 0 and node.is_end(text):
            yield written
        stack += [
            (move.to, left - move.cost, written + move.written)
            for move in ways.get(node, ())
            if move.to in to_end and to_end[move.to] <= left - move.cost
        ]


def _one_for_each_value(texts: Iterator[str]) -> dict[str, str]:
    """Take the first text of each value; what JSON's own decoder refuses is no reading."""
    found: dict[str, str] = {}
    for text in islice(texts, MOST_WAYS):
        try:
            found.setdefault(json.dumps(json.loads(text)), text)
        except ValueError:  # half of an escape, or a number too long
            continue
    return found
