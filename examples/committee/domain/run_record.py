"""What is left of a committee that has sat: the fields of `result.json` that can be told side by side.

Nothing is required but an object: a result of an earlier version has fewer fields, and what it does not say is None or
empty. `record_of` says which fields those are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from examples.committee.domain.dossier import Dossier
from src.modules.research.domain.dtos.technical_analysis_dtos import KeyTechnicalLevelsDTO
from src.modules.research.domain.dtos.valuation_dtos import IntrinsicValueRangeDTO
from src.shared.domain.exceptions import json_path
from src.shared.domain.fields import Confidence, FiniteNumber, Fraction

VERSION = 1
"""Of the form of `result.json`; raised when a key changes its meaning or goes."""
_ROUNDS = 6
"""Times that what does not fit is taken out: a value, then the object that needs it, and so on outwards."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class RecordedError(_Record):
    """Why something is not there."""

    code: str = ""
    message: str = ""


class RecordedVerdict(_Record):
    """The decision and its plan."""

    action: str | None = None
    position_percent: Fraction | None = None
    confidence: Confidence | None = None
    entry_strategy: str | None = None
    stop_loss: str | None = None
    take_profit: str | None = None
    time_horizon: str | None = None
    risk_warnings: list[str] = []
    reasoning: str | None = None


class RecordedWarning(_Record):
    """What a reader of a verdict should be told; without `code` in a result of an earlier version."""

    code: str = ""
    zh: str
    en: str


class RecordedOpinion(_Record):
    """An expert's conclusion in its own scale."""

    signal: str | None = None
    confidence: Confidence | None = None


class RecordedDimension(_Record):
    """One dimension of an expert's analysis."""

    dimension: str
    score: FiniteNumber | None = None


class RecordedFindings(_Record):
    """The numbers of an expert's result."""

    financial_score: FiniteNumber | None = None
    dimension_analyses: list[RecordedDimension] = []
    key_technical_levels: KeyTechnicalLevelsDTO | None = None
    estimated_intrinsic_value_range: IntrinsicValueRangeDTO | None = None


class RecordedExpert(_Record):
    """One expert: an opinion, or the reason why there is none."""

    name: str
    label: str = ""
    opinion: RecordedOpinion | None = None
    result: RecordedFindings | None = None
    error: RecordedError | None = None


class RecordedCase(_Record):
    """One side of a debate."""

    confidence: Confidence | None = None
    core_thesis: str | None = None


class RecordedArguments(_Record):
    """Both sides; None where an advocate failed, and `missing` says why."""

    bull: RecordedCase | None = None
    bear: RecordedCase | None = None
    missing: dict[str, RecordedError] = {}


class RecordedRisk(_Record):
    """One row of the risk matrix."""

    risk: str
    probability: str = ""
    impact: str = ""


class RecordedDebate(_Record):
    """What came of a debate. The cases are here as well: earlier versions have them nowhere else."""

    direction: str | None = None
    confidence: Confidence | None = None
    risk_matrix: list[RecordedRisk] = []
    key_disagreements: list[str] = []
    conflict_resolution: str | None = None
    bull_case: RecordedCase | None = None
    bear_case: RecordedCase | None = None


class RecordedAgent(_Record):
    """What one agent took."""

    name: str
    label: str = ""
    answered: bool = True
    asked: int = 0
    refused: list[str] = []
    repaired: dict[str, int] = {}
    by_repair_agent: bool = False
    models: list[str] = []


class RecordedTokens(_Record):
    """Tokens that were read and written."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False


class RecordedTotals(_Record):
    """What a run took; None where that is not known."""

    calls: int | None = None
    tokens: RecordedTokens | None = None
    seconds: FiniteNumber | None = None
    cost: FiniteNumber | None = None
    currency: str | None = None
    complete: bool = True


class RunRecord(_Record):
    """A run's result; the keys are those of `result.json`."""

    version: int | None = None
    symbol: str | None = None
    name: str | None = None
    as_of: date | None = Field(default=None, strict=False)
    verdict: RecordedVerdict | None = None
    warnings: list[RecordedWarning] = []
    failed_in: str | None = None
    error: RecordedError | None = None
    arguments: RecordedArguments | None = None
    debate: RecordedDebate | None = None
    experts: list[RecordedExpert] = []
    missing_data: dict[str, list[str]] = {}
    agents: list[RecordedAgent] = []
    unfinished: list[str] = []
    totals: RecordedTotals | None = None

    @field_validator("warnings", mode="before")
    @classmethod
    def _told(cls, warnings: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        """A warning was a text before it had a code."""
        if not isinstance(warnings, list):
            return warnings
        return [{"zh": one, "en": one} if isinstance(one, str) else one for one in warnings]

    @property
    def cases(self) -> RecordedArguments | None:
        """The cases of both sides, wherever this version has them; None where nobody argued, or nothing is told."""
        if self.arguments or self.debate is None:
            return self.arguments
        return RecordedArguments(bull=self.debate.bull_case, bear=self.debate.bear_case)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run's folder, as far as it can be told.

    Attributes:
        folder: where it is.
        record: its result.
        absent: keys that its result does not have.
        unread: JSON paths of values in its result that are not what they should be; taken as not there.
        dossier: what it was about; None where that cannot be read.
        created: when it was begun; None where that is not known.
        has_report: whether there is an HTML report beside the result.
    """

    folder: Path
    record: RunRecord
    absent: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    dossier: Dossier | None = None
    created: datetime | None = None
    has_report: bool = False

    @property
    def symbol(self) -> str:
        """The stock: the result's, else the dossier's, else empty."""
        return self.record.symbol or (self.dossier.stock.symbol if self.dossier else "")

    @property
    def name(self) -> str:
        """The stock's name, likewise."""
        return self.record.name or (self.dossier.stock.name if self.dossier else "")

    @property
    def as_of(self) -> date | None:
        """The last day that the dossier covers; None where nothing says it."""
        return self.record.as_of or (self.dossier.stock.as_of if self.dossier else None)


def record_of(data: dict[str, Any]) -> tuple[RunRecord, tuple[str, ...], tuple[str, ...]]:
    """A result's data as a record, the keys it does not have, and the paths of what does not fit.

    What does not fit is left out, and only that; `data` loses it too.
    """
    absent = tuple(name for name in RunRecord.model_fields if name not in data)
    unread: list[str] = []
    for _ in range(_ROUNDS):
        try:
            return RunRecord.model_validate(data), absent, tuple(unread)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False)
        unread += _take_out(data, [problem["loc"] for problem in problems])
    return RunRecord(), absent, ("$",)


def _take_out(data: dict[str, Any], places: Iterable[tuple[int | str, ...]]) -> Iterator[str]:
    """Take out what is at these places, the last of a list first, so that the others keep their index."""
    there = dict.fromkeys(_existing(data, place) for place in places)
    for place in reversed(there):
        if any(place[:length] in there for length in range(1, len(place))):
            continue  # it goes with what is around it
        *way, last = place
        around: Any = data
        for step in way:
            around = around[step]
        del around[last]
        yield json_path(place)


def _existing(data: dict[str, Any], place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The place, or the innermost one around it that exists: an object without what it needs is worth nothing."""
    found: Any = data
    for depth, step in enumerate(place):
        is_there = step in found if isinstance(found, dict) else isinstance(found, list) and isinstance(step, int)
        if not is_there:
            return place[:depth]
        found = found[step]
    return place
