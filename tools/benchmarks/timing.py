"""Times every library on every condition and size, in turns, so that a noisy moment hits all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Container
from dataclasses import dataclass, field

from tools.benchmarks.conditions import Condition, conditions
from tools.benchmarks.documents import build, clean_text, label
from tools.benchmarks.peers import Peer
from tools.benchmarks.verdict import NO_TIME, Verdict
from tools.benchmarks.worker import Again, Load, Worker

_SAMPLE_SECONDS = 0.01
"""A turn reads a small text as often as fits in here: the clock and the switch of processes then weigh little."""
_MOST_CALLS = 100
_FIRST_SECONDS = 1.0
"""A first reading of less is made a second time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure.

    Attributes:
        rounds: turns of the round-robin.
        budget: seconds that a single reading may take.
        enough: seconds after which a library takes no more turns on a text; a reading longer than that is not repeated.
    """

    rounds: int
    budget: float
    enough: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One library on one text: what became of it, and the seconds of each turn; none where none ended in the budget."""

    verdict: Verdict
    turns: tuple[float, ...] = ()

    @property
    def seconds(self) -> float | None:
        """The median of the turns."""
        return statistics.median(self.turns) if self.turns else None

    def over(self, other: Cell) -> float | None:
        """Return the median of the ratios turn by turn: both halves of a ratio saw the same state of the machine."""
        ratios = [mine / theirs for mine, theirs in zip(self.turns, other.turns, strict=False)]
        return statistics.median(ratios) if ratios else None


@dataclass(slots=True)
class _Lane:
    worker: Worker
    first: float
    verdict: Verdict
    samples: list[float] = field(default_factory=list)
    ended: bool = False

    def measure(self, plan: Plan) -> None:
        number = max(1, min(_MOST_CALLS, int(_SAMPLE_SECONDS / max(self.first, 1e-9))))
        if self.ended or sum(self.samples) + self.first > plan.enough:
            return
        answer = self.worker.ask(Again(number), plan.budget)
        if answer.verdict in NO_TIME:
            self.ended = True  # the process is a new one, and has not seen the text
        else:
            self.samples.append(answer.seconds)


Times = dict[tuple[int, str, str], Cell]
"""By size, condition and library."""


def measure(
    peers: tuple[Peer, ...],
    sizes: tuple[int, ...],
    plan: Plan,
    say: Callable[[str], None],
    only: Container[tuple[int, str]] | None = None,
) -> Times:
    """Return the cell of every size, condition and library; or of these sizes and conditions only."""
    workers = {peer.name: Worker(peer.name) for peer in peers}
    times: Times = {}
    try:
        for size in sizes:
            document = build(size)
            for condition in conditions():
                if only is not None and (size, condition.name) not in only:
                    continue
                say(f"{label(size)}, {condition.name}")
                text, expected = condition.make(document)
                loads = {peer.name: Load(text, expected) for peer in peers if peer.family != "limit"}
                loads |= {peer.name: Load(clean_text(document), document) for peer in peers if peer.family == "limit"}
                slow = {name for name in loads if _hopeless(times, (size, condition, name), plan)}
                for name, cell in _round_robin(workers, loads, slow, plan).items():
                    times[size, condition.name, name] = cell
    finally:
        for worker in workers.values():
            worker.stop()
    return times


def _hopeless(times: Times, where: tuple[int, Condition, str], plan: Plan) -> bool:
    """Whether a smaller size took so long that this one, growing linearly at least, cannot end within the budget."""
    size, condition, name = where
    smaller = [key for key in times if key[0] < size and key[1:] == (condition.name, name)]
    if not smaller:
        return False
    last = max(smaller)
    cell = times[last]
    return cell.seconds is None or cell.seconds * size / last[0] > plan.budget


def _round_robin(workers: dict[str, Worker], loads: dict[str, Load], slow: set[str], plan: Plan) -> dict[str, Cell]:
    cells = {name: Cell(Verdict.OVER_BUDGET) for name in loads}
    lanes: dict[str, _Lane] = {}
    for name, load in loads.items():
        if name in slow:
            continue
        answer = workers[name].ask(load, plan.budget)
        if answer.verdict in NO_TIME:
            cells[name] = Cell(answer.verdict)
            continue
        # the first reading may import what is needed for it, and says nothing of how often a turn can read the text
        again = workers[name].ask(Again(1), plan.budget) if answer.seconds < _FIRST_SECONDS else answer
        lanes[name] = _Lane(workers[name], min(answer.seconds, again.seconds), answer.verdict)
    for _ in range(plan.rounds):
        for lane in lanes.values():
            lane.measure(plan)
    for name, lane in lanes.items():
        cells[name] = Cell(lane.verdict, tuple(lane.samples or [lane.first]))
    return cells
