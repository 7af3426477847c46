"""The search: the readings of one container, the cheapest followed first.

What stands after the outermost container is evidence against an end there, if it would go on.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from src.shared.domain.expression import expression, match_end
from src.shared.domain.parse_reasons import TOO_DEEP, TRUNCATED, Reason
from src.shared.domain.reading.costs import DOUBT, EDIT, GOES_ON, LEAD, MOST_BEHIND
from src.shared.domain.reading.lexicon import CLOSERS, COLONS, COMMAS, MARGIN, OPENERS
from src.shared.domain.reading.openings import CLOSING_RUN, GAP, is_more_after_root
from src.shared.domain.reading.reading import Problem
from src.shared.domain.reading.states import Frame, Place, State, Step, linked
from src.shared.domain.work import STEP, Work

_TAG = rf"(?:</?+\|?[/\w]{{1,{MARGIN}}}+\|?>\s*+)?"
_COMMA_NEXT = expression(rf"\s*+[{COMMAS}]")
_DATA_NEXT = expression(rf"\s*+[{COMMAS}][{COMMAS}\s]*+{GAP.pattern}{_TAG}(?:[\[{{\"\d［｛]|['“]\w)")
_CLOSER_BEHIND_COMMA = expression(rf"\s*+[{COMMAS}][{COMMAS}\s]*+[}}\]｝］]")
_COLON_NEXT = expression(rf"[{COLONS}]\S")


class Rest:
    """What an end costs, by its place. In a run of closing brackets each may be the end: the run is looked at once."""

    def __init__(self, text: str, start: int, work: Work) -> None:
        self._text = text
        self._start = start
        self._work = work
        self._known: dict[int, int] = {}
        self._run = range(0)
        self._closers: array[int] = array("I")
        self._goes_on = False

    def cost(self, end: int) -> int:
        """What the text after `end` adds to the cost of a reading that ends there."""
        if end not in self._known:
            self._known[end] = self._cost(end)
        return self._known[end]

    def _cost(self, end: int) -> int:
        if end not in self._run:
            self._look(end)
        cost = DOUBT * self._text.startswith('"', end) + EDIT * self._text.startswith("[", end)
        if self._goes_on:
            cost = GOES_ON
        elif _COMMA_NEXT.match(self._text, end):
            if _DATA_NEXT.match(self._text, end):
                cost = 3 * EDIT
            elif _CLOSER_BEHIND_COMMA.match(self._text, end):
                cost += EDIT
        elif _COLON_NEXT.match(self._text, end):
            cost = 3 * EDIT
        return cost + EDIT * self._surplus(end)

    def _surplus(self, end: int) -> int:
        """How many closing brackets follow; one on a line of its own is none of a value that stands on one line."""
        first = bisect_left(self._closers, end)
        if first == len(self._closers):
            return 0
        is_apart = "\n" in self._text[end : self._closers[first]] and "\n" not in self._text[self._start : end]
        return 0 if is_apart else len(self._closers) - first

    def _look(self, end: int) -> None:
        """Look at all of the run of closing brackets, and the white space between them, that a place is in."""
        start, over = end, match_end(CLOSING_RUN, self._text, end)
        while start and CLOSING_RUN.fullmatch(self._text, start - 1, start):
            start -= 1
        self._work.spend(STEP * (end - start) + over - start)
        self._run = range(start, over + 1)
        self._closers = array("I", (at for at in range(start, over) if self._text[at] in CLOSERS))
        self._goes_on = is_more_after_root(self._text, over)


MAX_DEPTH = 200
"""Deepest nesting the reader repairs; strict JSON may be as deep as the standard decoder goes."""
STATE_COST = 25 * STEP
"""Units of work to look at one state of a reading."""
MOST_STATES = 500
STATES_PER_PLACE = 40
"""States of readings that are looked at: so many, and so many for each place that was the furthest one reached."""
_NO_BOUND = 1 << 60
_OPENING = frozenset((*OPENERS, "("))
_SHOWN_END = ("}", "]", "```")
Key = tuple[int, Place, int, tuple[int, str, tuple[int, int]] | None]


class Whole(NamedTuple):
    """A reading whose outermost container is closed.

    Attributes:
        cost: what it has cost.
        end: where it ends.
        steps: what it did.
        has_rest: whether something stands after it that is evidence against its end.
    """

    cost: int
    end: int
    steps: Step | None
    has_rest: bool = False


class ReadingOptions(NamedTuple):
    """What is known of a text before it is read.

    Attributes:
        finished: whether the model stopped by itself (True), so that brackets missing at the end were forgotten, or was
            cut off (False); None if unknown.
        fits: whether a value is one of the type that is asked for, with no keys but the type's; None without a type.
        salvage: where the text was cut off, keep the members that were complete.
        latex: the text may hold commands that look like escapes.
    """

    finished: bool | None = None
    fits: Callable[[object], bool] | None = None
    salvage: bool = False
    latex: bool = False


class Search:
    """The readings of the container that opens at `start`.

    Attributes:
        text: the text.
        start: offset of the opening bracket.
        work: what following them may cost.
        options: what is known of the text.
        rest: the text after the places where a reading may end.
        settles: whether readings behind a settled place are given up sooner.
        brackets_too: whether brackets may be put and dropped in undamaged text as well.
        bound: what a reading may cost at most to be the nearest.
        whole: the readings that came to their end.
        cut: the cheapest reading that was still open where the text ends, and its cost.
        failure: why the reading that came furthest could not go on.
        is_exhausted: whether the work was not enough, or readings became more and more without coming further.
        is_narrowed: whether a reading was given up that without settling would have been followed.
        hopeless: a guess that every reading has which could still be the nearest.
        passed_to: up to where a reading passed over what is undamaged.
        swept: up to where it was tried to read all the rest in one go.
    """

    def __init__(
        self,
        text: str,
        start: int,
        work: Work,
        options: ReadingOptions,
        *,
        bound: int | None = None,
        settles: bool = False,
    ) -> None:
        self.text = text
        self.start = start
        self.work = work
        self.options = options
        self.rest = Rest(text, start, work)
        self.settles = settles
        self.brackets_too = bound is not None
        self.bound = _NO_BOUND if bound is None else bound
        self.whole: list[Whole] = []
        self.cut: tuple[int, State] | None = None
        self.failure = Problem(start, TRUNCATED)
        self.is_exhausted = False
        self.hopeless: Problem | None = None
        self.is_narrowed = False
        self.passed_to = self.swept = -1
        self._known: dict[Key, tuple[int, Step | None]] = {}  # the cheapest reading that came to a place
        self._heap: list[tuple[int, int, int, State, Key]] = []
        self._order = count()
        self._settled = -1, 0
        self._followed = 0
        self._reached: tuple[list[int], list[int]] = ([], [])

    def run(self, follow: Callable[[Search, State], None]) -> None:
        """Follow the readings until none is left that could be the nearest."""
        while self._heap:
            cost, _, _, state, key = heappop(self._heap)
            if cost > self.bound or self.hopeless:
                return
            if self._known[key][0] < cost or self._is_left_behind(state):
                continue
            self.spend(STATE_COST)
            self._followed += 1
            self.is_exhausted |= self._followed > MOST_STATES + STATES_PER_PLACE * len(self._reached[1])
            if self.is_exhausted:
                return
            follow(self, state)

    def spend(self, units: int) -> None:
        """Charge for work."""
        self.is_exhausted = not self.work.spend(units) or self.is_exhausted

    def push(self, state: State) -> None:
        """Continue a reading from there, unless another at the same place costs no more."""
        if state.cost > self.bound:
            return
        joint, key = Step(state.steps), key_of(state)
        if self.arrive(state, key, joint):
            heappush(self._heap, (state.cost, -state.at, next(self._order), state.but(steps=joint), key))

    def arrive(self, state: State, key: Key, steps: Step | None) -> bool:
        """Note that a reading came there; False if another was there before at no more cost, and goes on for both."""
        cost, known = self._known.get(key, (_NO_BOUND, None))
        if cost <= state.cost:
            if cost == state.cost and known is not None and state.steps not in (None, known):
                known.others = (*known.others, state.steps)
            return False
        self._known[key] = state.cost, steps
        return True

    def _is_left_behind(self, state: State) -> bool:
        """Whether a reading that came as far was cheaper by more than `MOST_BEHIND`."""
        costs, places = self._reached
        if state.text is None and (not places or state.at > places[-1]):
            costs.append(state.cost)
            places.append(state.at)
        if bisect_left(costs, state.cost - MOST_BEHIND) > bisect_left(places, state.at):
            return True
        return self._is_behind_settled(state.text.start if state.text else state.at, state.cost)

    def _is_behind_settled(self, at: int, cost: int) -> bool:
        """Whether a reading that stands there, or in a string that begins there, is given up for the settled one."""
        settled, least = self._settled
        is_behind = at < settled and cost > least + LEAD
        self.is_narrowed |= is_behind
        return is_behind

    def settle(self, state: State) -> None:
        """Say that the cheapest reading has passed some undamaged members, and stands before more.

        What is behind it and dearer by an edit is given up. If it holds a guess, and so does all that is left, the
        value is refused: reading on could only cost time.
        """
        if not self.settles or state.at <= self._settled[0]:
            return
        self._settled = state.at, state.cost
        self._give_up_behind()
        may_be_chosen = self.whole or self.options.salvage or self.options.fits is not None
        most = state.cost + MOST_BEHIND
        if state.unsure and not may_be_chosen and all(one[0] > most or one[3].unsure for one in self._heap):
            self.hopeless = state.unsure
            self.is_narrowed = True

    def _give_up_behind(self) -> None:
        """Give up the ends behind the settled place: of the container, and of the text in a string."""
        cut = self.cut
        if cut and cut[1].text is not None and self._is_behind_settled(cut[1].text.start, cut[0]):
            self.cut = None
        self.whole = [whole for whole in self.whole if not self._is_behind_settled(whole.end, whole.cost)]
        self.bound = min((self._bound_of(whole) for whole in self.whole), default=_NO_BOUND)
        if self.cut and not self.options.finished:
            self.bound = min(self.bound, self.cut[0] + MOST_BEHIND)

    def _bound_of(self, whole: Whole) -> int:
        """What a reading may cost at most beside this one; more where the next settled place may give that up."""
        return whole.cost + MOST_BEHIND * (self.settles and whole.has_rest)

    def outermost(self, kind: str) -> Frame:
        """The container that is read, as one of this kind."""
        return self._numbered(kind, self.start, None, 1)

    def frame(self, kind: str, opened: int, parent: Frame | None) -> Frame | None:
        """The container opened there; None if it would be too deep."""
        if parent is None:
            return self.outermost(kind)
        if parent.depth == MAX_DEPTH:
            self.fail(opened, TOO_DEEP)
            return None
        return self._numbered(kind, opened, parent, parent.depth + 1)

    def _numbered(self, kind: str, opened: int, parent: Frame | None, depth: int) -> Frame:
        number = hash((opened, kind, parent.number if parent else -1))
        is_written = (parent is None or parent.is_written) and self.text[opened] in _OPENING
        return Frame(number, kind, opened, parent, depth, is_written)

    def fail(self, at: int, reason: Reason) -> None:
        """Give a reading up; of all, the reason of the one that came furthest is told."""
        if at >= self.failure.offset and self.failure.reason is not TOO_DEEP:
            self.failure = Problem(at, reason)

    def cut_off(self, state: State) -> None:
        """The text ends inside the container. In a string that is unlikely where it ends like an object."""
        shown = state.text is not None and self.text.rstrip().endswith(_SHOWN_END)
        cost = state.cost + EDIT * shown
        if state.text is not None and self._is_behind_settled(state.text.start, cost):
            return
        if self.cut is None or cost < self.cut[0]:
            self.cut = cost, state
        if not self.options.finished:
            self.bound = min(self.bound, cost + MOST_BEHIND * self.settles)
        self.fail(len(self.text), TRUNCATED)

    def finish(self, state: State, end: int, cost: int = 0) -> None:
        """A reading has closed the outermost container; the text after it adds to its cost."""
        whole = Whole(state.cost + cost, end, state.steps, cost > 0)
        if not self._is_behind_settled(end, whole.cost):
            self.whole.append(whole)
            self.bound = min(self.bound, self._bound_of(whole))

    def nearest(self) -> list[Whole]:
        """The readings that cost least, and no more than one that was cut off."""
        least = min((whole.cost for whole in self.whole), default=0)
        if self.is_cut and self.cut is not None and self.cut[0] < least:
            return []
        return [whole for whole in self.whole if whole.cost == least]

    @property
    def is_cut(self) -> bool:
        """Whether the nearest reading is one that was still open where the text ends."""
        least = min((whole.cost for whole in self.whole), default=_NO_BOUND)
        return self.cut is not None and not self.options.finished and self.cut[0] < least


def key_of(state: State) -> Key:
    """The place of a reading; two readings at the same place continue in the same way."""
    text = state.text
    return state.at, state.place, state.frame.number, (text.start, text.quote, text.marks) if text else None


def ways(steps: Step | None) -> Iterator[list[Step]]:
    """The ways to come here, each as its steps from the first to the last.

    Every joint is left aside once: where all these ways have the same value, so have those that differ in several.
    """
    waiting: deque[tuple[Step | None, list[Step]]] = deque([(steps, [])])
    seen: set[int] = set()
    while waiting:
        last, behind = waiting.popleft()
        way = [*linked(last)]
        yield [*way[::-1], *behind]
        for at, step in enumerate(way):
            if step.others and id(step) not in seen:
                seen.add(id(step))
                waiting.extend((other, [*way[:at][::-1], *behind]) for other in step.others)
