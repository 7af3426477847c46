"""The search: the readings of one container, followed side by side from the left to the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from attack.nearest.costs import EDIT, GAP, WIDTH
from attack.nearest.states import Failure, Frame, Place, State, Step
from src.shared.domain.parse_reasons import TOO_DEEP, TRUNCATED, Reason
from src.shared.infrastructure.reader.brackets import MAX_DEPTH
from src.shared.infrastructure.reader.budget import STEP, Work

STATE_COST = 6 * STEP
"""Units of work to look at one state of a reading."""
_Key = tuple[int, Place, int, tuple[int, str, tuple[int, int]] | None]
_SHOWN_END = ("}", "]", "```")


class Whole(NamedTuple):
    """A reading whose outermost container is closed: at what cost, where, by which steps, and what in it is a guess."""

    cost: int
    end: int
    steps: Step | None
    unsure: Failure | None


class Search:
    """The readings of the container that opens at `start`.

    Attributes:
        text: the text.
        start: offset of the opening bracket.
        work: what following them may cost.
        finished: whether the model stopped by itself, so that what is missing at the very end was forgotten.
        whole: the readings that came to their end.
        cut_cost: what the cheapest reading has cost that was still open where the text ends, or None.
        failure: why the reading that came furthest could not go on.
        is_exhausted: whether the work was not enough.
    """

    def __init__(self, text: str, start: int, work: Work, *, finished: bool) -> None:
        self.text = text
        self.start = start
        self.work = work
        self.finished = finished
        self.whole: list[Whole] = []
        self.cut_cost: int | None = None
        self.failure = Failure(start, TRUNCATED)
        self.is_exhausted = False
        self._numbers: dict[tuple[int, str, int], int] = {}
        self._waiting: dict[_Key, State] = {}
        self._done: dict[_Key, int] = {}
        self._heap: list[tuple[int, int, int, _Key]] = []
        self._order = count()

    def run(self, follow: Callable[[Search, State], None]) -> None:
        """Follow the readings until none is left that could be the nearest."""
        while self._heap:
            _, cost, _, key = heappop(self._heap)
            state = self._waiting.get(key)
            if state is None or state.cost != cost:
                continue
            del self._waiting[key]
            if not self.work.spend(STATE_COST):
                self.is_exhausted = True
                return
            if cost <= self._bound():
                self._done[key] = cost
                follow(self, state)

    def push(self, state: State) -> None:
        """Let a reading go on from there, unless another that stands in the same place is cheaper."""
        key = _key_of(state)
        if self._done.get(key, state.cost + 1) <= state.cost:
            return
        waiting = self._waiting.get(key)
        if waiting is not None and waiting.cost <= state.cost:
            if waiting.cost == state.cost:
                self._waiting[key] = _either(waiting, state)
            return
        if waiting is None and not self._has_room(state.cost):
            return
        self._waiting[key] = state
        heappush(self._heap, (state.at, state.cost, next(self._order), key))

    def frame(self, kind: str, opened: int, parent: Frame | None) -> Frame | None:
        """The container opened there; None where it would be too deep."""
        depth = parent.depth + 1 if parent else 1
        if depth > MAX_DEPTH:
            self.fail(opened, TOO_DEEP)
            return None
        number = self._numbers.setdefault((opened, kind, parent.number if parent else -1), len(self._numbers))
        return Frame(number, kind, opened, parent, depth)

    def fail(self, at: int, reason: Reason) -> None:
        """Give a reading up; of all, the reason of the one that came furthest is told."""
        if at >= self.failure.at:
            self.failure = Failure(at, reason)

    def cut(self, state: State) -> None:
        """The text is over inside the container. In a string that is unlikely where it ends like an object."""
        shown = state.text is not None and self.text.rstrip().endswith(_SHOWN_END)
        cost = state.cost + EDIT * shown
        self.cut_cost = cost if self.cut_cost is None else min(self.cut_cost, cost)
        self.fail(len(self.text), TRUNCATED)

    def finish(self, state: State, end: int, cost: int = 0) -> None:
        """A reading has closed the outermost container; what stands behind it adds to its cost."""
        self.whole.append(Whole(state.cost + cost, end, state.steps, state.unsure))

    def nearest(self) -> list[Whole]:
        """The readings that cost least."""
        least = min((whole.cost for whole in self.whole), default=0)
        return [whole for whole in self.whole if whole.cost == least]

    def _bound(self) -> int:
        """What a reading may have cost at most to be followed."""
        least = min((state.cost for state in self._waiting.values()), default=self.start + GAP * len(self.text))
        return min([least + GAP, *(whole.cost for whole in self.whole)])

    def _has_room(self, cost: int) -> bool:
        """Whether one reading more can be followed; the dearest makes room for a cheaper one."""
        if len(self._waiting) < WIDTH:
            return True
        key, dearest = max(self._waiting.items(), key=lambda item: item[1].cost)
        if dearest.cost <= cost:
            return False
        del self._waiting[key]
        return True


def _key_of(state: State) -> _Key:
    text = state.text
    return state.at, state.place, state.frame.number, (text.start, text.quote, text.marks) if text else None


def _either(waiting: State, state: State) -> State:
    """Two readings that came to the same place at the same cost: both are kept, or one of them that is unsure."""
    if waiting.unsure or state.unsure:
        return waiting if waiting.unsure else state
    return waiting._replace(steps=Step(waiting.steps, other=state.steps))


def ways(steps: Step | None, most: int) -> Iterator[list[Step]]:
    """The ways to come here, each as its steps from the first to the last; at most so many."""
    left: list[tuple[Step | None, list[Step]]] = [(steps, [])]
    while left and most > 0:
        step, later = left.pop()
        tail: list[Step] = []
        while step is not None:
            if step.other is not None:
                left.append((step.other, [*reversed(tail), *later]))
            else:
                tail.append(step)
            step = step.before
        yield [*reversed(tail), *later]
        most -= 1
