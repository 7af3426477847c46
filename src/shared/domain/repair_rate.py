"""How often texts need a repair, by agent and by model, over the last parses of each."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from threading import Lock
from typing import NamedTuple

from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.repair_rates import RateLevel, RateScope, RepairRate, RepairRatePort, RepairRateWarning
from src.shared.domain.repair import RepairKind

WINDOW = 200
"""Parses an agent's or a model's rate is taken over, the last ones."""
MINIMUM = 50
"""Parses below which no rate is too high: one repaired text of three says nothing."""
MOST_NAMES = 200
"""Agents, and models, counted at a time; the one longest without a parse gives way to a new one."""

_REARM = 0.8
"""A crossing counts again once the rate was below this part of the threshold: one that wavers is one crossing."""
_REPAIRED = frozenset({ParseOutcome.REPAIRED, ParseOutcome.MODEL_REPAIRED})


class RepairRates:
    """Counts events, and says so when a rate rises past a threshold; itself an `EventPort`.

    Every agent and every model has a window of its own: what an agent's former model did goes out of the agent's rate
    as the new one answers. Texts that came from no model are in the agents' rates only. Memory is bounded by
    `window` and `names`, whatever is published; any thread may publish.
    """

    def __init__(
        self,
        listener: RepairRatePort | None = None,
        *,
        window: int = WINDOW,
        minimum: int = MINIMUM,
        names: int = MOST_NAMES,
    ) -> None:
        """Start counting at nothing.

        Args:
            listener: hears of each crossing once, not of each event past it.
            window: parses a rate is taken over, the last ones.
            minimum: parses below which no rate is too high.
            names: agents, and models, counted at a time.

        Raises:
            ValueError: not `1 <= minimum <= window`, or `names` is below 1.
        """
        if not (1 <= minimum <= window and names >= 1):
            text = f"need 1 <= minimum <= window and names >= 1, not {minimum=}, {window=}, {names=}"
            raise ValueError(text)
        self._listener = listener
        self._size, self._minimum, self._names = window, minimum, names
        self._windows: dict[RateScope, OrderedDict[str, _Window]] = {scope: OrderedDict() for scope in RateScope}
        self._lock = Lock()

    def publish(self, event: OutputParsed) -> None:
        """Count one parse."""
        sample = _Sample(event.outcome, frozenset(event.repair_kinds))
        with self._lock:
            warnings = [self._count(RateScope.AGENT, event.context_label, sample)]
            if event.model:
                warnings.append(self._count(RateScope.MODEL, event.model, sample))
        for warning in warnings:
            if warning and self._listener:
                self._listener.crossed(warning)

    def by_agent(self) -> dict[str, RepairRate]:
        """The rate of each agent, by its label."""
        return self._rates(RateScope.AGENT)

    def by_model(self) -> dict[str, RepairRate]:
        """The rate of each model, by its name."""
        return self._rates(RateScope.MODEL)

    def warnings(self) -> list[RepairRateWarning]:
        """The rates that are too high now, the highest first."""
        found = [
            RepairRateWarning(scope, name, RateLevel.of(rate.repair_rate), rate)
            for scope in RateScope
            for name, rate in self._rates(scope).items()
            if rate.parses >= self._minimum and RateLevel.of(rate.repair_rate)
        ]
        return sorted(found, key=lambda warning: -warning.rate.repair_rate)

    def _rates(self, scope: RateScope) -> dict[str, RepairRate]:
        with self._lock:
            return {name: window.rate() for name, window in self._windows[scope].items()}

    def _count(self, scope: RateScope, name: str, sample: _Sample) -> RepairRateWarning | None:
        windows = self._windows[scope]
        if name not in windows:
            windows[name] = _Window(self._size)
        windows.move_to_end(name)
        if len(windows) > self._names:
            windows.popitem(last=False)
        window = windows[name]
        window.add(sample)
        level = window.risen_to(self._minimum)
        return RepairRateWarning(scope, name, level, window.rate()) if level else None


class _Sample(NamedTuple):
    outcome: ParseOutcome
    kinds: frozenset[RepairKind]


class _Window:
    """The last parses of one agent or model, counted as they come and go."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._samples: deque[_Sample] = deque()
        self._outcomes: Counter[ParseOutcome] = Counter()
        self._kinds: Counter[RepairKind] = Counter()
        self._announced = RateLevel.NORMAL

    def add(self, sample: _Sample) -> None:
        if len(self._samples) == self._size:
            self._shift(self._samples.popleft(), -1)
        self._samples.append(sample)
        self._shift(sample, 1)

    def _shift(self, sample: _Sample, by: int) -> None:
        self._outcomes[sample.outcome] += by
        if sample.outcome in _REPAIRED:
            for kind in sample.kinds:
                self._kinds[kind] += by

    def rate(self) -> RepairRate:
        kinds = sorted((+self._kinds).items(), key=lambda item: (-item[1], item[0]))
        return RepairRate(
            parses=len(self._samples),
            repaired=self._repaired,
            model_repaired=self._outcomes[ParseOutcome.MODEL_REPAIRED],
            refused=self._outcomes[ParseOutcome.REFUSED],
            kinds=tuple(kinds),
        )

    @property
    def _repaired(self) -> int:
        return sum(self._outcomes[outcome] for outcome in _REPAIRED)

    def risen_to(self, minimum: int) -> RateLevel:
        """The level the rate has just risen to; `NORMAL` where it has not risen."""
        if len(self._samples) < minimum:
            return RateLevel.NORMAL
        rate = self._repaired / len(self._samples)
        level, held = RateLevel.of(rate), min(self._announced, RateLevel.of(rate / _REARM))
        self._announced = max(level, held)
        return level if level > held else RateLevel.NORMAL
