"""Alarms: a rate crosses a threshold, and recovers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from src.modules.monitoring.domain.rate import Moment, Rate
from src.shared.domain.language import Phrase
from src.shared.domain.repair_rate import SCOPE_WORDS, RateLevel, RateScope, RepairRate, RepairRateWarning


class AlarmKind(StrEnum):
    """What an alarm event tells."""

    WARNING = "warning"
    """The repair rate has risen to 5 % or more."""
    ALARM = "alarm"
    """It has risen above 10 %."""
    RECOVERY = "recovery"
    """It is well below 5 % again: below 4 %."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """How the repair rate of an agent or a model stands, as it was told last.

    Attributes:
        scope: whether `name` is an agent's or a model's.
        name: the agent's label or the model's name.
        level: the level that was told, and is kept until the rate is well below it.
        since: when it came to this level.
    """

    scope: RateScope
    name: str
    level: RateLevel = RateLevel.NORMAL
    since: Moment = 0

    def after(self, rate: Rate, at: Moment) -> tuple[Alarm, AlarmKind | None]:
        """The alarm once a rate is known, and what there is to tell: each crossing once, until it recovers.

        From alarm down to warning nothing is told. A rise from there to alarm is another crossing.
        """
        level, is_rise = self.level.after(rate.texts.repair_rate)
        alarm = self if level is self.level else replace(self, level=level, since=at)
        if is_rise:
            return alarm, AlarmKind[level.name]
        return alarm, AlarmKind.RECOVERY if level is RateLevel.NORMAL < self.level else None


@dataclass(frozen=True, slots=True)
class AlarmEvent:
    """A crossing, or a recovery: told once, whoever watches.

    Attributes:
        id: number of the event in the store; one is never used twice.
        at: when it was noticed.
        kind: what happened.
        scope: whether `name` is an agent's or a model's.
        name: the agent's label or the model's name.
        parses: outputs of the window, each with its re-asks.
        asked: those the repair agent asked a model about.
        message: in words, in the language of the process that noticed it.
    """

    id: int
    at: Moment
    kind: AlarmKind
    scope: RateScope
    name: str
    parses: int
    asked: int
    message: str

    @property
    def repair_rate(self) -> float:
        """`asked` among all outputs of the window, 0..1."""
        return self.asked / self.parses


def message_of(kind: AlarmKind, scope: RateScope, name: str, rate: RepairRate) -> str:
    """What has happened in words, and what to do, in the language that `LLM_OUTPUT_LANG` asks for."""
    if kind is not AlarmKind.RECOVERY:
        return RepairRateWarning(scope, name, RateLevel[kind.name], rate).message
    return Phrase(
        "{scope} {name} has recovered: {percent:.1%} of the last {outputs} outputs needed the repair agent",
        scope=SCOPE_WORDS[scope],
        name=name,
        percent=rate.repair_rate,
        outputs=rate.outputs,
    ).text()
