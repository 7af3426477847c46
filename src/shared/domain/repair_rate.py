"""How often texts need the repair agent, by agent and by model, over the last parses of each."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from src.shared.domain.ports.events import Event, OutputParsed, ParseOutcome, RepairAsked
from src.shared.domain.ports.repair_rates import RateLevel, RateScope, RepairRate, RepairRatePort, RepairRateWarning
from src.shared.domain.repair import RepairKind

WINDOW = 200
"""Parses an agent's or a model's rate is taken over, the last ones."""
MINIMUM = 50
"""Outputs below which no rate is too high: one repaired text of three says nothing."""
MOST_NAMES = 200
"""Agents, and models, counted at a time; the one longest without a parse gives way to a new one."""

K = TypeVar("K", bound=str)

_REPAIRED = frozenset({ParseOutcome.REPAIRED, ParseOutcome.MODEL_REPAIRED})


class RepairRates:
    """Counts texts, and says so when the repair agent is needed too often; itself an `EventPort`.

    A text is counted when it is parsed. When the repair agent asks about it the same text counts as asked, and when the
    answer is read as repaired; a text that is asked about and was never parsed here counts as a refused one. A rate is
    taken of outputs: the text that answers a re-ask belongs to the output of the first.

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
            minimum: outputs below which no rate is too high.
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

    def publish(self, event: Event) -> None:
        """Count a parse, or a question of the repair agent's."""
        with self._lock:
            match event:
                case OutputParsed():
                    changed = self._parsed(event)
                case RepairAsked():
                    changed = self._asked(event)
                case _:
                    return
            warnings = [warning for window in changed if (warning := window.crossing(self._minimum))]
        for warning in warnings:
            if self._listener:
                self._listener.crossed(warning)

    def by_agent(self) -> dict[str, RepairRate]:
        """The rate of each agent, by its label."""
        return self._rates(RateScope.AGENT)

    def by_model(self) -> dict[str, RepairRate]:
        """The rate of each model, by its name: the one that wrote the texts, not the one that repaired them."""
        return self._rates(RateScope.MODEL)

    def warnings(self) -> list[RepairRateWarning]:
        """The rates that are too high now, the highest first."""
        found = [
            RepairRateWarning(scope, name, RateLevel.of(rate.repair_rate), rate)
            for scope in RateScope
            for name, rate in self._rates(scope).items()
            if rate.outputs >= self._minimum and RateLevel.of(rate.repair_rate)
        ]
        return sorted(found, key=lambda warning: -warning.rate.repair_rate)

    def _rates(self, scope: RateScope) -> dict[str, RepairRate]:
        with self._lock:
            return {name: window.rate() for name, window in self._windows[scope].items()}

    def _parsed(self, event: OutputParsed) -> list[_Window]:
        text = _Text(event.outcome, frozenset(event.repair_kinds), is_re_ask=event.attempt > 1)
        if not event.by_repair_agent:
            windows = self._add(text, event.context_label, event.model)
            return [] if text.is_refused else windows  # the repair agent may be asked next: what its rate is shows then
        asked = self._last_refused(event.context_label, asked=True)
        if asked and not text.is_refused:
            asked.change(outcome=text.outcome, kinds=text.kinds)
        return []

    def _asked(self, event: RepairAsked) -> list[_Window]:
        label, damage = event.caller.context_label, frozenset(event.damage)
        text = self._last_refused(label, asked=False)
        if text is None:
            return self._add(_Text(ParseOutcome.REFUSED, asked=True, damage=damage), label, "")
        text.change(asked=True, damage=damage)
        return [*text.windows]

    def _last_refused(self, label: str, *, asked: bool) -> _Text | None:
        """The newest refused text of an agent that the repair agent was, or was not, asked about."""
        window = self._windows[RateScope.AGENT].get(label)
        texts = reversed(window.texts) if window else ()
        return next((text for text in texts if text.is_refused and text.asked is asked), None)

    def _add(self, text: _Text, label: str, model: str) -> list[_Window]:
        windows = [self._window(RateScope.AGENT, label)]
        if model:
            windows.append(self._window(RateScope.MODEL, model))
        for window in windows:
            window.add(text)
        return windows

    def _window(self, scope: RateScope, name: str) -> _Window:
        windows = self._windows[scope]
        if name not in windows:
            windows[name] = _Window(scope, name, self._size)
        windows.move_to_end(name)
        if len(windows) > self._names:
            windows.popitem(last=False)[1].give_up()
        return windows[name]


@dataclass(eq=False, slots=True)
class _Text:
    """One text, and the windows that count it."""

    outcome: ParseOutcome
    kinds: frozenset[RepairKind] = frozenset()
    asked: bool = False
    damage: frozenset[str] = frozenset()
    is_re_ask: bool = False
    windows: list[_Window] = field(default_factory=list)

    @property
    def is_refused(self) -> bool:
        return self.outcome is ParseOutcome.REFUSED

    def change(self, **facts: object) -> None:
        for window in self.windows:
            window.count(self, -1)
        for name, value in facts.items():
            setattr(self, name, value)
        for window in self.windows:
            window.count(self, 1)


class _Window:
    """The last parses of one agent or model, counted as they come and go."""

    def __init__(self, scope: RateScope, name: str, size: int) -> None:
        self._scope, self._name, self._size = scope, name, size
        self.texts: deque[_Text] = deque()
        self._outcomes: Counter[ParseOutcome] = Counter()
        self._kinds: Counter[RepairKind] = Counter()
        self._damage: Counter[str] = Counter()
        self._asked = self._re_asked = 0
        self._announced = RateLevel.NORMAL

    def add(self, text: _Text) -> None:
        if len(self.texts) == self._size:
            self._drop_oldest()
        self.texts.append(text)
        text.windows.append(self)
        self.count(text, 1)

    def give_up(self) -> None:
        """Let go of every text: others may still count it."""
        while self.texts:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        gone = self.texts.popleft()
        gone.windows.remove(self)
        self.count(gone, -1)

    def count(self, text: _Text, by: int) -> None:
        self._outcomes[text.outcome] += by
        self._asked += by * text.asked
        self._re_asked += by * text.is_re_ask
        _shift(self._damage, text.damage, by)
        if text.outcome in _REPAIRED:
            _shift(self._kinds, text.kinds, by)

    def rate(self) -> RepairRate:
        return RepairRate(
            parses=len(self.texts),
            asked=self._asked,
            repaired=sum(self._outcomes[outcome] for outcome in _REPAIRED),
            model_repaired=self._outcomes[ParseOutcome.MODEL_REPAIRED],
            refused=self._outcomes[ParseOutcome.REFUSED],
            damage=_most_frequent(self._damage),
            kinds=_most_frequent(self._kinds),
            re_asked=self._re_asked,
        )

    def crossing(self, minimum: int) -> RepairRateWarning | None:
        """What to tell if the rate has just risen to a level; None where it has not."""
        counted = RepairRate(len(self.texts), self._asked, re_asked=self._re_asked)
        if counted.outputs < minimum:
            return None
        rate = counted.repair_rate
        level, held = RateLevel.of(rate), self._announced.held(rate)
        self._announced = max(level, held)
        return RepairRateWarning(self._scope, self._name, level, self.rate()) if level > held else None


def _shift(counter: Counter[K], names: Iterable[K], by: int) -> None:
    """Count names up or down; those that are gone take no memory."""
    for name in names:
        counter[name] += by
        if not counter[name]:
            del counter[name]


def _most_frequent(counter: Counter[K]) -> tuple[tuple[K, int], ...]:
    return tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
