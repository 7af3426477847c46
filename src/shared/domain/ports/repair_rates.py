"""The port that hears of it when the repair agent is needed too often, and what it hears."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Protocol

from src.shared.domain.language import Phrase
from src.shared.domain.repair import RepairKind

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

    def held(self, rate: float) -> RateLevel:
        """What is left of this level, which was told of, at a rate: it is kept until the rate is well below it."""
        return min(self, RateLevel.of(round(rate / _REARM, 9)))  # 0.04 / 0.8 is a little below 0.05


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
    kinds: tuple[tuple[RepairKind, int], ...] = ()
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


SCOPE_WORDS = {RateScope.AGENT: Phrase("agent"), RateScope.MODEL: Phrase("model")}
_WORDS = {
    RateLevel.WARNING: (Phrase("at or above"), Phrase("more than expected, keep an eye on it")),
    RateLevel.ALARM: (Phrase("above"), Phrase("improve the prompt and the guards before the parser")),
}


class RepairRatePort(Protocol):
    """Learns when a threshold is crossed. An adapter never raises."""

    def crossed(self, warning: RepairRateWarning) -> None:
        """Take note: the rate has risen past a threshold."""
        ...
