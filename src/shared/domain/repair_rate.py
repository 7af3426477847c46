"""How often texts need the repair agent, by agent and by model, over the last parses of each."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from threading import Lock
from typing import Protocol

from src.shared.domain.language import Phrase
from src.shared.domain.outcome import Outcome, OutcomeTracker, outcome_of
from src.shared.domain.ports.events import Event, ParseOutcome

WINDOW = 200
"""Parses an agent's or a model's rate is taken over, the last ones."""
MINIMUM = 50
"""Outputs below which no rate is too high: one repaired text of three says nothing."""
MOST_NAMES = 200
"""Agents, and models, counted at a time; the one longest without a parse gives way to a new one."""
WARNING_AT = 0.05
"""The repair rate that is more than expected, itself included. Source: the repair agent's specification, 触发频率."""
ALARM_ABOVE = 0.10
"""The repair rate past which the prompt and the guards before the parser need work. Source: as above, 监控修复率."""

_REARM = 0.8
"""A crossing counts again once the rate was below this part of the threshold: one that wavers is one crossing."""
_SHOWN_DAMAGE = 3


class RateScope(StrEnum):
    """What a rate is of."""

    AGENT = "agent"
    MODEL = "model"


class RateLevel(IntEnum):
    """How a rate stands to the two thresholds."""

    NORMAL = 0
    WARNING = 1
    ALARM = 2

    @classmethod
    def of(cls, rate: float) -> RateLevel:
        """The level of a rate, 0..1."""
        if rate > ALARM_ABOVE:
            return cls.ALARM
        return cls.WARNING if rate >= WARNING_AT else cls.NORMAL

    def after(self, rate: float) -> tuple[RateLevel, bool]:
        """The level once a rate is known, and whether it has risen to it: a crossing, which is told of once.

        A level that was told of is kept until the rate is well below it.
        """
        level = RateLevel.of(rate)
        kept = min(self, RateLevel.of(round(rate / _REARM, 9)))  # 0.04 / 0.8 is a little below 0.05
        return max(level, kept), level > kept


@dataclass(frozen=True, slots=True)
class RepairRate:
    """How the last texts of one agent or one model were parsed.

    A text that was refused and then given to the repair agent is one text, whatever became of it. The texts of one
    answer, the first one and those of its re-asks, are one output.

    Attributes:
        parses: texts counted, refused ones included.
        asked: texts for which the repair agent asked a model, whether its answer was accepted, refused or late.
        repaired: texts that were read with repairs, those the repair agent repaired included.
        model_repaired: the part of `repaired` that the repair agent repaired.
        refused: texts that were not read.
        damage: in how many of the `asked` texts each kind of damage made the repair agent necessary, the most frequent
            first: the parser's reason in English, and the kinds of repair it had found.
        kinds: in how many of the repaired texts each kind of repair was made, the most frequent first.
        re_asked: the part of the texts that answered a re-ask.
    """

    parses: int = 0
    asked: int = 0
    repaired: int = 0
    model_repaired: int = 0
    refused: int = 0
    damage: tuple[tuple[str, int], ...] = ()
    kinds: tuple[tuple[str, int], ...] = ()
    re_asked: int = 0

    @property
    def outputs(self) -> int:
        """Answers that were wanted, each with its re-asks; the first text of some may be of another model, or older."""
        return max(self.parses - self.re_asked, self.asked)

    @property
    def repair_rate(self) -> float:
        """How often the repair agent was needed: `asked` among all outputs, 0..1; 0 where there are none."""
        return self.asked / self.outputs if self.outputs else 0.0

    @property
    def repaired_share(self) -> float:
        """Repaired texts among all texts, 0..1; 0 where there are none. No threshold is set for it."""
        return self.repaired / self.parses if self.parses else 0.0

    @property
    def refusal_rate(self) -> float:
        """Refused texts among all texts, 0..1; 0 where there are none."""
        return self.refused / self.parses if self.parses else 0.0


def aggregate(rows: Collection[Outcome]) -> RepairRate:
    """The rate of these texts."""
    ended = Counter(row.outcome for row in rows)
    by_model = ended[ParseOutcome.MODEL_REPAIRED]
    return RepairRate(
        parses=len(rows),
        asked=sum(row.asked for row in rows),
        repaired=ended[ParseOutcome.REPAIRED] + by_model,
        model_repaired=by_model,
        refused=ended[ParseOutcome.REFUSED],
        damage=most_frequent(Counter(reason for row in rows for reason in row.damage)),
        kinds=most_frequent(Counter(kind for row in rows for kind in row.kinds)),
        re_asked=sum(row.attempt > 1 for row in rows),
    )


def most_frequent(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Names and how often each occurs, the most frequent first, and those as frequent by name."""
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


SCOPE_WORDS = {RateScope.AGENT: Phrase("agent"), RateScope.MODEL: Phrase("model")}
_WORDS = {
    RateLevel.WARNING: (Phrase("at or above"), Phrase("more than expected, keep an eye on it")),
    RateLevel.ALARM: (Phrase("above"), Phrase("improve the prompt and the guards before the parser")),
}


@dataclass(frozen=True, slots=True)
class RepairRateWarning:
    """One agent's, or one model's, texts need the repair agent too often.

    Attributes:
        scope: whether `name` is an agent's or a model's.
        name: the agent's label or the model's name.
        level: `WARNING` or `ALARM`.
        rate: the rate that is too high.
    """

    scope: RateScope
    name: str
    level: RateLevel
    rate: RepairRate

    @property
    def threshold(self) -> float:
        """The threshold that was crossed."""
        return ALARM_ABOVE if self.level is RateLevel.ALARM else WARNING_AT

    @property
    def message(self) -> str:
        """What is wrong and what to do, for a person, in the language that `LLM_OUTPUT_LANG` asks for."""
        rate = self.rate
        reasons = [
            Phrase("{reason} {times}", reason=reason, times=times) for reason, times in rate.damage[:_SHOWN_DAMAGE]
        ]
        above, advice = _WORDS[self.level]
        return Phrase(
            "{scope} {name}: {percent:.1%} needed the repair agent ({asked} of the last {outputs} outputs), "
            "{above} {limit:.0%}; {advice}; most frequent reasons: {reasons}",
            scope=SCOPE_WORDS[self.scope],
            name=self.name,
            percent=rate.repair_rate,
            asked=rate.asked,
            outputs=rate.outputs,
            above=above,
            limit=self.threshold,
            advice=advice,
            reasons=Phrase.joined("{one}, {other}", reasons) if reasons else Phrase("none recorded"),
        ).text()


class RepairRatePort(Protocol):
    """Learns when a threshold is crossed. An adapter never raises."""

    def crossed(self, warning: RepairRateWarning) -> None:
        """Take note: the rate has risen past a threshold."""
        ...


@dataclass(slots=True)
class _Window:
    """The last texts of one agent or model, and the level that was told of."""

    rows: deque[Outcome]
    level: RateLevel = RateLevel.NORMAL


class RepairRates:
    """Counts texts, and says so when the repair agent is needed too often; itself an `EventPort`.

    What is one text, `OutcomeTracker` says. A rate is taken of outputs: the text that answers a re-ask belongs to the
    output of the first.

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
        self._tracker = OutcomeTracker()
        self._windows: dict[RateScope, OrderedDict[str, _Window]] = {scope: OrderedDict() for scope in RateScope}
        self._lock = Lock()

    def publish(self, event: Event) -> None:
        """Count a parse, or a question of the repair agent's."""
        heard = outcome_of(event)
        if heard is None:
            return
        with self._lock:
            counted = self._tracker.take(heard)
            if counted is heard:
                self._add(counted)
            warnings = self._crossings(counted) if counted else []
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
            return {name: aggregate(window.rows) for name, window in self._windows[scope].items()}

    def _add(self, row: Outcome) -> None:
        for scope, name in _names_of(row):
            windows = self._windows[scope]
            window = windows.setdefault(name, _Window(deque(maxlen=self._size)))
            windows.move_to_end(name)
            window.rows.append(row)
            if len(windows) > self._names:
                windows.popitem(last=False)

    def _crossings(self, row: Outcome) -> list[RepairRateWarning]:
        """What has just risen to a level, where a text is counted."""
        if row.is_refused and not row.asked:
            return []  # the repair agent may be asked next: what its rate is shows then
        found = []
        for scope, name in _names_of(row):
            window = self._windows[scope].get(name)
            if window is None or not (window.level or any(one.asked for one in window.rows)):
                continue
            rate = aggregate(window.rows)
            if rate.outputs >= self._minimum:
                window.level, is_rise = window.level.after(rate.repair_rate)
                if is_rise:
                    found.append(RepairRateWarning(scope, name, window.level, rate))
        return found


def _names_of(row: Outcome) -> list[tuple[RateScope, str]]:
    named = [(RateScope.AGENT, row.agent), (RateScope.MODEL, row.model)]
    return named if row.model else named[:1]
