"""Rates: what share of the texts of a window ended how."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from src.modules.monitoring.domain.window import Moment, Window
from src.shared.domain.ports.repair_rates import RateLevel, RepairRate
from src.shared.domain.repair_rate import MINIMUM


class ShareOf(StrEnum):
    """What texts are counted by, besides agent and model."""

    STAGE = "stage"
    """Refused texts by the stage that refused them."""
    KIND = "kind"
    """Repaired texts by kind of repair; a text with several kinds counts for each."""


@dataclass(frozen=True, slots=True)
class RateQuery:
    """Which texts are asked about.

    Attributes:
        window: which of them, by number and time.
        agent: those of one agent alone; None for all.
        model: those of one model alone; None for all.
        until: the end of the window; None for the moment of the question.
    """

    window: Window = field(default_factory=Window)
    agent: str | None = None
    model: str | None = None
    until: Moment | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """How the texts of one agent, or of one model, ended in a window.

    Attributes:
        name: the agent's label or the model's name; empty for all of them together.
        texts: numbers of texts, and the rates made of them; `texts.repair_rate` is the one with thresholds.
        newest: when the newest of them was parsed.
    """

    name: str
    texts: RepairRate
    newest: Moment = 0

    @property
    def clean(self) -> int:
        """Texts that needed nothing."""
        return self.texts.parses - self.texts.repaired - self.texts.refused

    @property
    def level(self) -> RateLevel:
        """How the repair rate stands to the thresholds; normal where there are too few outputs to say."""
        return RateLevel.of(self.texts.repair_rate) if self.texts.outputs >= MINIMUM else RateLevel.NORMAL


@dataclass(frozen=True, slots=True)
class Share:
    """How many texts of a window a stage refused, or a kind of repair was made in.

    Attributes:
        name: of the stage or the kind; empty for a refusal without a stage.
        texts: how many texts.
        parses: all texts of the window.
    """

    name: str
    texts: int
    parses: int

    @property
    def share(self) -> float:
        """Of all texts, 0..1."""
        return self.texts / self.parses if self.parses else 0.0


@dataclass(frozen=True, slots=True)
class Point:
    """The texts of one step of time.

    Attributes:
        at: when the step begins.
        parses: texts parsed in it.
        asked: those the repair agent asked a model about.
        repaired: those that were read with repairs.
        refused: those that were not read.
        re_asked: those that answered a re-ask.
    """

    at: Moment
    parses: int
    asked: int
    repaired: int
    refused: int
    re_asked: int = 0

    @property
    def texts(self) -> RepairRate:
        """The same as a rate."""
        return RepairRate(self.parses, self.asked, self.repaired, refused=self.refused, re_asked=self.re_asked)

    @property
    def repair_rate(self) -> float:
        """`asked` among all outputs, 0..1; 0 where there are none."""
        return self.texts.repair_rate


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """What a store holds.

    Attributes:
        oldest: when its oldest outcome was parsed; None where there is none.
        newest: as above, of the newest.
        writers: processes that have written to it.
        dropped: outcomes that were lost because a writer's queue was full or the store was away, of all writers.
    """

    oldest: Moment | None
    newest: Moment | None
    writers: int
    dropped: int
